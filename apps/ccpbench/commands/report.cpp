#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "bench/config/config_json.hpp"
#include "commands/command.hpp"
#include "io/file.hpp"
#include "process/program.hpp"
#include "terminal/arguments.hpp"
#include "terminal/terminal.hpp"
#include "views/report_data.hpp"

namespace ccp::cli {
namespace {

constexpr const char* report_footer =
    "Examples\n"
    "  $ ccpbench report results/fclib\n"
    "  $ ccpbench report results/test1a results/test1b --out stack.html\n"
    "\n"
    "The page needs no network and no other file. It shows the claims as `ccpbench claims` judges them and, of two or more\n"
    "problems, the profiles of `ccpbench profile`. Python 3 writes it, Chart.js (libjs-chart.js) draws its curves.\n"
    "Exit codes: 0 written, 2 bad input; then nothing is written.\n";

struct ReportArguments {
  std::vector<std::string> folders;
  std::string out = "report.html", fclib_dir;
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

/// A nameless file that holds the text, to be read from its start.
FileStream nameless_file(const std::string& text) {
  FileStream file(std::tmpfile());
  if (file == nullptr || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() || std::fflush(file.get()) != 0)
    throw InputError(fmt::format("cannot write a temporary file: {}", std::strerror(errno)));
  std::rewind(file.get());
  return file;
}

/// Exit code of a program that reads `input` and shares our terminal; exit_no_program when it cannot be started.
int run_and_wait(const std::vector<std::string>& command, std::FILE* input) {
  try {
    const ExitStatus exit = wait_for(start({command, {}, fileno(input)}));
    return exit.code.value_or(128 + exit.signal);
  } catch (const std::system_error& error) {
    throw InputError(fmt::format("cannot start {}: {}", command[0], error.code().message()));
  }
}

/// Claims and profiles of one folder. What cannot be judged is told on the page, which shows the rest; what the page
/// cannot show at all is refused by the script.
Json analysis(const std::string& folder, const ReportArguments& options) {
  try {
    const std::vector<ResultTable> results(1, ResultTable(folder, catalog(), options.fclib_dir));
    if (!results.front().note().empty()) report_note(results.front().note());
    Json claims = Json::array();
    for (const Judgement& judgement : judge_claims(results.front())) claims.push_back(claim_entry(judgement));
    return {{"claims", claims}, {"profiles", profile_entries(results)}};
  } catch (const InputError& error) {
    return {{"note", error.what()}};
  }
}

int write_report(const ReportArguments& options) {
  std::vector<std::string> command = {"python3", "-B", find_script().string(), "--out=" + options.out, "--analysis", "--"};
  Json judged = Json::array();
  for (const std::string& folder : options.folders) {
    command.push_back(folder);
    judged.push_back(analysis(folder, options));
  }
  const FileStream input = nameless_file(judged.dump(-1, ' ', false, Json::error_handler_t::replace));
  const int code = run_and_wait(command, input.get());
  if (code == exit_no_program) throw InputError("python3 is missing, which writes the page: apt-get install python3");
  return code == exit_done || code == exit_bad_input ? code : exit_internal_error;
}

}  // namespace

void add_report(CommandLine& program) {
  Subcommand& command = program.subcommand("report", "one self-contained HTML page of results", report_footer);
  ReportArguments& options = command.options<ReportArguments>(write_report);
  command.operands("RESULTS", &options.folders, "folders of results", Need::required);
  command.text("--out", &options.out, "FILE", "the page (default report.html)");
  command.text("--fclib", &options.fclib_dir, "DIR",
               "folder of the FCLib files (default: CCPBENCH_FCLIB_DIR); needed where results were copied together");
}

}  // namespace ccp::cli
