#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "bench/config/config_json.hpp"
#include "bench/results/folder_lock.hpp"
#include "commands/command.hpp"
#include "commands/script.hpp"
#include "io/file.hpp"
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
    "problems, the profiles of `ccpbench profile`. Of a run that is going on it shows what is there, and says so. Python 3 writes it, Chart.js (libjs-chart.js) draws its curves.\n"
    "Exit codes: 0 written, 2 bad input; then nothing is written.\n";

struct ReportArguments {
  std::vector<std::string> folders;
  std::string out = "report.html", fclib_dir;
};

/// A nameless file that holds the text, to be read from its start.
FileStream nameless_file(const std::string& text) {
  FileStream file(std::tmpfile());
  if (file == nullptr || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() || std::fflush(file.get()) != 0)
    throw InputError(fmt::format("cannot write a temporary file: {}", std::strerror(errno)));
  std::rewind(file.get());
  return file;
}

/// Claims and profiles of one folder. What cannot be judged is told on the page, which shows the rest; what the page
/// cannot show at all is refused by the script.
Json analysis(const std::string& folder, const ReportArguments& options) {
  Json found = {{"writer", writer_of(folder)}};
  try {
    const std::vector<ResultTable> results(1, ResultTable(folder, catalog(), options.fclib_dir));
    if (!results.front().note().empty()) report_note(results.front().note());
    Json claims = Json::array();
    for (const Judgement& judgement : judge_claims(results.front())) claims.push_back(claim_entry(judgement));
    found.update({{"claims", claims}, {"profiles", profile_entries(results)}});
  } catch (const InputError& error) {
    found["note"] = error.what();
  }
  return found;
}

int write_report(const ReportArguments& options) {
  check_output(options.out);
  std::vector<std::string> arguments = {"--out=" + options.out, "--analysis", "--"};
  Json judged = Json::array();
  for (const std::string& folder : options.folders) {
    arguments.push_back(folder);
    judged.push_back(analysis(folder, options));
  }
  const FileStream input = nameless_file(judged.dump(-1, ' ', false, Json::error_handler_t::replace));
  return run_script("report.py", arguments, input.get());
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
