#include "commands/script.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "core/error.hpp"
#include "io/file.hpp"
#include "process/program.hpp"
#include "terminal/command_line.hpp"

namespace ccp::cli {
namespace {

/// A nameless file that holds the text, to be read from its start.
FileStream nameless_file(const std::string& text) {
  FileStream file(std::tmpfile());
  if (file == nullptr || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() || std::fflush(file.get()) != 0)
    throw InputError(fmt::format("cannot write a temporary file: {}", std::strerror(errno)));
  std::rewind(file.get());
  return file;
}

}  // namespace

std::filesystem::path find_script(const std::string& name) {
  std::vector<std::filesystem::path> places;
  if (const char* named = std::getenv("CCPBENCH_SCRIPTS"); named != nullptr) {
    places.emplace_back(named);
  } else {
    std::error_code unreadable;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", unreadable);
    if (!unreadable) places.push_back(self.parent_path() / CCPBENCH_INSTALLED_SCRIPTS);
    places.emplace_back(CCPBENCH_SOURCE_SCRIPTS);
  }
  for (const auto& place : places)
    if (std::filesystem::is_regular_file(place / name)) return (place / name).lexically_normal();
  throw InputError((places.front() / name).lexically_normal().string(), "",
                   "no such file; CCPBENCH_SCRIPTS names the folder of the scripts");
}

int run_script(const std::string& name, const std::vector<std::string>& arguments, const std::optional<std::string>& input,
               std::FILE* output) {
  Program program = {{"python3", "-B", find_script(name).string()}, {}};
  program.arguments.insert(program.arguments.end(), arguments.begin(), arguments.end());
  const FileStream given = input ? nameless_file(*input) : nullptr;
  if (given != nullptr) program.input = fileno(given.get());
  if (output != nullptr) program.output = fileno(output);
  try {
    const ExitStatus exit = wait_for(start(program));
    const int code = exit.code.value_or(128 + exit.signal);
    if (code == exit_no_program)
      throw InputError(fmt::format("python3 is missing, which runs {}: apt-get install python3", name));
    return code == exit_done || code == exit_bad_input || code == exit_some_failed ? code : exit_internal_error;
  } catch (const std::system_error& error) {
    throw InputError(fmt::format("cannot start python3: {}", error.code().message()));
  }
}

}  // namespace ccp::cli
