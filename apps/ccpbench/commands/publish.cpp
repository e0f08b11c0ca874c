#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "bench/analysis/baseline.hpp"
#include "bench/run/runner.hpp"
#include "commands/command.hpp"
#include "commands/script.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "process/interrupt_guard.hpp"
#include "process/scratch_folder.hpp"
#include "terminal/arguments.hpp"
#include "terminal/progress.hpp"
#include "terminal/table.hpp"
#include "terminal/terminal.hpp"
#include "views/report_data.hpp"

namespace ccp::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* publish_footer =
    "Examples\n"
    "  $ ccpbench publish results/fclib --out site --name 'A. Person' --notes 'On a quiet machine.'\n"
    "  $ cp -r theirs/results/. site/results/\n"
    "  $ ccpbench publish --out site\n"
    "  $ ccpbench publish --verify site --sample 5\n"
    "\n"
    "Writes static pages: a leaderboard for each problem set, by accuracy and budget, over machines and versions; each row\n"
    "leads to its report, config, manifest and machine. Each published result is a folder SITE/results/ID. Without RESULTS\n"
    "all pages are rewritten from these folders: two sites are merged by copying them. A name and notes may also stand in\n"
    "RESULTS/about.json: {\"name\": \"…\", \"notes\": \"…\"}. The manifest and the config are published as they are, with\n"
    "the paths in them.\n"
    "--verify compares all files with their checksums, then repeats cells of each result and compares statuses, counts and\n"
    "curves. It starts no solver of another program or user.\n"
    "Exit codes: 0 done, 1 a repeated cell is different, 2 bad input or damage, 3 damaged results were left out,\n"
    "130 interrupted.\n";

struct PublishArguments {
  std::vector<std::string> folders;
  std::string out, name, notes, verify, fclib_dir;
  int sample = 3, seed = 0;
};

/// The outcome of the repeated cells.
struct Verified {
  std::size_t cells = 0;
  std::vector<BaselineChange> changes;
  bool interrupted = false;
};

/// Cells that end alike on every machine and take seconds, spread over the config.
std::vector<std::string> sample_of(const ResultTable& table, const PublishArguments& options) {
  constexpr double longest_s = 60.0;
  std::vector<std::size_t> fit;
  for (const ResultRow& row : table.rows())
    if (!row.peer && table.has_trace(row) && repeatable(row.status) && row.status != Status::unsupported &&
        table.metric(row, "wall_s", 0.0) < longest_s)
      fit.push_back(row.index);
  if (fit.empty()) return {};
  std::rotate(fit.begin(), fit.begin() + options.seed % static_cast<int>(fit.size()), fit.end());
  std::vector<std::string> ids;
  for (const std::size_t index : spread(fit))
    if (ids.size() < static_cast<std::size_t>(options.sample))
      for (const ResultRow& row : table.rows())
        if (row.index == index) ids.push_back(row.id());
  return ids;
}

Verified run_again(const fs::path& entry, const PublishArguments& options) {
  const ResultTable published(entry, catalog(), options.fclib_dir);
  Verified verified;
  RunOptions run;
  run.only = sample_of(published, options);
  if (run.only.empty()) return verified;
  const ScratchFolder scratch("ccpbench-verify");
  run.out = scratch.path().string();
  run.fclib_dir = options.fclib_dir;
  const Config config = read_config((entry / "config.json").string(), catalog(), run.overrides);
  const RunReport report = run_in_terminal(config, make_plan(config, {run.fclib_dir, run.threads}), run, true);
  verified.interrupted = report.interrupted;
  if (report.interrupted) return verified;
  verified.cells = report.selected;
  verified.changes = compare_results(published, ResultTable(report.folder, catalog(), options.fclib_dir)).changes;
  std::erase_if(verified.changes, [&](const BaselineChange& change) {  // what was not run again
    return std::find(run.only.begin(), run.only.end(), change.cell) == run.only.end();
  });
  return verified;
}

int verify(const PublishArguments& options) {
  if (const int code = run_script("publish.py", {"--check", "--out=" + options.verify}); code != exit_done) return code;
  Table table({{"result"}, {"cell", false, Fit::shorten_left}, {"what"}, {"published", true}, {"now", true}, {"allowed"}});
  std::size_t cells = 0;
  std::vector<fs::path> entries(fs::directory_iterator(fs::path(options.verify) / "results"), fs::directory_iterator{});
  std::sort(entries.begin(), entries.end());
  const InterruptGuard guard;
  for (const fs::path& entry : entries) {
    if (!fs::is_regular_file(entry / "entry.json")) continue;
    const std::string name = entry.filename().string();
    try {
      const Verified found = run_again(entry, options);
      if (found.interrupted) {
        report_error("interrupted");
        return exit_interrupted;
      }
      if (found.cells == 0) report_note(fmt::format("{}: has no cell that can be run again", name));
      cells += found.cells;
      for (const BaselineChange& change : found.changes)
        table.row({name, printable(change.cell), change.what, change.before, Entry(change.now, Tone::bad), change.allowed});
    } catch (const InputError& error) {
      report_note(printable(fmt::format("{}: not run again: {}", name, error.what())));
    }
  }
  if (cells == 0)
    print_line("all files are as published; no cell ran again");
  else
    print_line(fmt::format("{} again: {}", counted(cells, "cell"),
                           table.empty() ? "as published" : "different from what is published"));
  if (!table.empty()) print(table.text(Style::out(), stdout_width()));
  return table.empty() ? exit_done : exit_different;
}

int publish(const PublishArguments& options) {
  if (options.verify.empty() == options.out.empty())
    throw InputError("publish: expected --out SITE, or --verify SITE without RESULTS");
  if (options.folders.empty() && !(options.name.empty() && options.notes.empty()))
    throw InputError("", options.name.empty() ? "--notes" : "--name", "goes with RESULTS");
  if (!options.verify.empty()) {
    if (!options.folders.empty()) throw InputError("", "--verify", "looks at what is published, expected no RESULTS");
    return verify(options);
  }
  std::vector<std::string> arguments = {"--out=" + options.out, "--analysis"};
  if (!options.name.empty()) arguments.push_back("--name=" + options.name);
  if (!options.notes.empty()) arguments.push_back("--notes=" + options.notes);
  arguments.emplace_back("--");
  Json judged = Json::array();
  for (const std::string& folder : options.folders) {
    arguments.push_back(folder);
    judged.push_back(analysis_entry(folder, options.fclib_dir));
  }
  return run_script("publish.py", arguments, dump_json(judged));
}

}  // namespace

void add_publish(CommandLine& program) {
  Subcommand& command =
      program.subcommand("publish", "leaderboards of many results, as a folder of static pages", publish_footer);
  PublishArguments& options = command.options<PublishArguments>(publish);
  command.operands("RESULTS", &options.folders, "folders of results; without any the pages are written again",
                   Need::optional);
  command.text("--out", &options.out, "SITE", "the folder of pages, new or one that this command has made");
  command.text("--name", &options.name, "NAME", "who publishes RESULTS");
  command.text("--notes", &options.notes, "TEXT", "what readers should know of RESULTS");
  command.text("--verify", &options.verify, "SITE", "look for damage, and run a sample of cells again");
  command.integer("--sample", &options.sample, Range::closed(0, 1000000), "N",
                  "with --verify: cells of each result to run again");
  command.integer("--seed", &options.seed, Range::closed(0, 1000000), "N",
                  "with --verify: another number takes other cells");
  command.text("--fclib", &options.fclib_dir, "DIR", "folder of the FCLib files (default: CCPBENCH_FCLIB_DIR)");
}

}  // namespace ccp::cli
