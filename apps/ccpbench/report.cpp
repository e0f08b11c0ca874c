#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "command.hpp"
#include "core/error.hpp"
#include "terminal.hpp"

namespace ccp::cli {
namespace {

constexpr const char* footer =
    "Examples\n"
    "  $ ccpbench report results/fclib\n"
    "  $ ccpbench report results/test1a results/test1b --out stack.html\n"
    "\n"
    "The page needs no network and no other file. Python 3 writes it, Chart.js (libjs-chart.js) draws its curves.\n"
    "Exit codes: 0 written, 2 bad input; then nothing is written.\n";

struct Options {
  std::vector<std::string> folders;
  std::string out = "report.html";
};

/// scripts/report.py: where CCPBENCH_SCRIPTS says, else installed beside this program, else in the source tree.
std::filesystem::path find_script() {
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
    if (std::filesystem::is_regular_file(place / "report.py")) return (place / "report.py").lexically_normal();
  throw InputError((places.front() / "report.py").lexically_normal().string(), "",
                   "no such file; CCPBENCH_SCRIPTS names the folder of the scripts");
}

/// Exit code of a program that shares our terminal; 127 when it cannot be started.
int run_and_wait(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  if (child < 0) throw InputError(fmt::format("cannot start {}: {}", command[0], std::strerror(errno)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int report(const Options& options) {
  std::vector<std::string> command = {"python3", "-B", find_script().string(), "--out=" + options.out, "--"};
  command.insert(command.end(), options.folders.begin(), options.folders.end());
  const int code = run_and_wait(command);
  if (code == 127) throw InputError("python3 is missing, which writes the page: apt-get install python3");
  return code;
}

}  // namespace

Command add_report(CLI::App& program) {
  CLI::App* app = program.add_subcommand("report", "one self-contained HTML page of results");
  auto options = std::make_shared<Options>();
  app->add_option("RESULTS", options->folders, "folders of results")->required();
  app->add_option("--out", options->out, "the page (default report.html)")->type_name("FILE");
  app->footer(footer);
  return {app, [options] { return report(*options); }};
}

}  // namespace ccp::cli
