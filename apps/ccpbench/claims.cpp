#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "arguments.hpp"
#include "bench/claims.hpp"
#include "bench/runner.hpp"
#include "command.hpp"
#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "progress.hpp"
#include "table.hpp"
#include "terminal.hpp"

namespace ccp::cli {
namespace {

constexpr const char* footer =
    "Examples\n"
    "  $ ccpbench claims configs/test1a.json\n"
    "  $ ccpbench claims results/test1a\n"
    "  $ ccpbench claims configs/test1*.json --size small --markdown CLAIMS.md\n"
    "\n"
    "A config is run first, as far as its results are missing; a folder of results is only read. A claim is met, not met, "
    "or\n"
    "cannot be judged because cells are missing or failed.\n"
    "Exit codes: 0 all claims that must hold do, 1 one of them does not or cannot be judged, 2 bad input, 130 "
    "interrupted.\n";

struct Options {
  std::vector<std::string> inputs;
  std::string markdown;
  RunOptions run;
  bool quiet = false;
};

void print_judgements(const Config& config, const std::vector<Judgement>& judgements) {
  print_line(Style::out().bold(printable(config.title.empty() ? config.name : config.title)));
  if (judgements.empty()) return print_line("  no claims");
  Table table({{"claim", false, Fit::shorten}, {"must"}, {"measured", true}, {"bound", true}, {"by"}, {"verdict"}});
  for (const Judgement& judgement : judgements) {
    const Tone tone = judgement.verdict == Verdict::met ? Tone::good : judgement.claim.must ? Tone::bad : Tone::warning;
    table.row({judgement.claim.id, judgement.claim.must ? "must" : "", claim_number(judgement.measured),
               bound_text(judgement), margin_text(judgement), Entry(verdict_name(judgement.verdict), tone)});
  }
  print(table.text(Style::out(), stdout_width()));
  for (const Judgement& judgement : judgements)
    if (judgement.verdict == Verdict::open)
      print_line(fmt::format("  {}: {}", judgement.claim.id, printable(judgement.reason)));
}

int run(const Options& options) {
  for (const std::string& input : options.inputs)  // a mistake in the last one costs nothing
    if (!std::filesystem::is_directory(input)) {
      const Config config = read_config(input, catalog(), options.run.overrides);
      make_plan(config, {options.run.fclib_dir, options.run.threads});
    }
  std::vector<ResultTable> results;
  for (const std::string& input : options.inputs) {
    std::string folder = input;
    if (!std::filesystem::is_directory(input)) {
      TerminalProgress progress(options.quiet);
      const RunReport report = run_config(input, catalog(), options.run, progress);
      if (report.interrupted) {
        report_error("interrupted; run it again to do the missing cells");
        return exit_interrupted;
      }
      folder = report.folder;
    }
    results.emplace_back(folder, catalog());
  }
  std::vector<std::pair<const Config*, std::vector<Judgement>>> judged;
  std::size_t met = 0, total = 0, broken = 0;
  for (const ResultTable& table : results) {
    judged.emplace_back(&table.config(), judge_claims(table));
    print_judgements(table.config(), judged.back().second);
    print_line("");
    for (const Judgement& judgement : judged.back().second) {
      ++total;
      met += judgement.verdict == Verdict::met ? 1 : 0;
      broken += judgement.verdict != Verdict::met && judgement.claim.must ? 1 : 0;
    }
  }
  if (!options.markdown.empty()) write_file_atomically(options.markdown, scorecard(judged));
  print_line(fmt::format("{} of {} met{}", met, counted(total, "claim"),
                         broken == 0 ? "" : fmt::format(", {} that must hold not", broken)));
  return broken == 0 ? exit_done : exit_claim_failed;
}

}  // namespace

Command add_claims(CLI::App& program) {
  CLI::App* app = program.add_subcommand("claims", "judge what the papers claim");
  auto options = std::make_shared<Options>();
  RunOptions& run_options = options->run;
  app->add_option("INPUT", options->inputs, "config files (JSON), or folders of results")->required();
  app->add_option("--markdown", options->markdown, "write the scorecard into this file")->type_name("FILE");
  add_choice(*app, "--size", &run_options.overrides.size, {"small", "paper"},
             "apply the values a config gives for this size");
  app->add_option("--out", run_options.out, "where results go, into a folder per config (default results)")
      ->type_name("DIR");
  add_repeated(*app, "--set", &run_options.overrides.set, "POINTER=VALUE",
               "change the config at a JSON pointer, any number of times");
  add_integer(*app, "--jobs", &run_options.jobs, Range::closed(1, 1024), "N", "cells at once");
  add_integer(*app, "--threads", &run_options.threads, Range::closed(1, 1024), "N", "threads a solver may use");
  app->add_option("--fclib", run_options.fclib_dir, "folder of the FCLib files (default: CCPBENCH_FCLIB_DIR)")
      ->type_name("DIR");
  app->add_flag("--quiet", options->quiet, "no progress");
  app->footer(footer);
  return {app, [options] { return run(*options); }};
}

}  // namespace ccp::cli
