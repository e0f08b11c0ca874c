#include "bench/config/config_json.hpp"
#include "commands/command.hpp"
#include "commands/script.hpp"
#include "io/file.hpp"
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
    "problems, the profiles of `ccpbench profile`. During a run it shows the finished cells, and says so. Python 3 "
    "writes it, Chart.js (libjs-chart.js) draws its curves.\n"
    "Exit codes: 0 written, 2 bad input; then nothing is written.\n";

struct ReportArguments {
  std::vector<std::string> folders;
  std::string out = "report.html", fclib_dir;
};

int write_report(const ReportArguments& options) {
  check_output(options.out);
  std::vector<std::string> arguments = {"--out=" + options.out, "--analysis", "--"};
  Json judged = Json::array();
  for (const std::string& folder : options.folders) {
    arguments.push_back(folder);
    judged.push_back(analysis_entry(folder, options.fclib_dir));
  }
  return run_script("report.py", arguments, dump_json(judged));
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
