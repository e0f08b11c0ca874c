#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "bench/analysis/claims.hpp"
#include "bench/run/runner.hpp"
#include "commands/command.hpp"
#include "core/error.hpp"
#include "io/file.hpp"
#include "terminal/arguments.hpp"
#include "terminal/progress.hpp"
#include "terminal/table.hpp"
#include "terminal/terminal.hpp"

namespace ccp::cli {
namespace {

constexpr const char* claims_footer =
    "Examples\n"
    "  $ ccpbench claims --size small --fclib ../fclib\n"
    "  $ ccpbench claims configs/test1a.json\n"
    "  $ ccpbench claims results/test1a\n"
    "  $ ccpbench claims configs/test1*.json --size small --markdown CLAIMS.md\n"
    "\n"
    "A config is run first, as far as its results are missing; a folder of results is only read; without either, all "
    "configs\n"
    "of the folder configs/ are run. A claim is met, not met, or cannot be judged because cells are missing or failed, or\n"
    "because there are no FCLib files.\n"
    "Exit codes: 0 all claims that must hold do, 1 one of them does not or cannot be judged, 2 bad input, 130 "
    "interrupted.\n";

struct ClaimsArguments {
  std::vector<std::string> inputs;
  std::string markdown;
  RunOptions run;
  bool quiet = false;
};

void print_judgements(const JudgedConfig& judged) {
  const auto& [config, judgements] = judged;
  print_line(Style::out().bold(printable(config.title.empty() ? config.name : config.title)));
  for (const Claim& claim : config.claims)
    if (!claim.is_about(config.size)) print_line(fmt::format("  {}: is about the {} size only", claim.id, claim.size));
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

/// All configs of the folder configs/, in the order of their names.
std::vector<std::string> all_configs() {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("configs", error))
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  if (files.empty()) throw InputError("configs", "", "holds no config; name configs or folders of results");
  std::sort(files.begin(), files.end());
  return files;
}

/// A folder of results, or a config that is to be run.
struct Input {
  std::string folder;
  std::optional<Config> config;
  bool without_files = false;  ///< its FCLib files are not there
};

/// Reads and plans everything before anything runs, so that a mistake in the last input costs nothing. With --only, configs
/// without a matching cell are left out, unless that leaves nothing.
std::vector<Input> read_inputs(const ClaimsArguments& options) {
  const RunOptions& run = options.run;
  // Where all configs are meant, those whose files are not there cannot be judged; where one is named, that is bad input.
  const bool files = !options.inputs.empty() || !run.fclib_dir.empty() || std::getenv("CCPBENCH_FCLIB_DIR") != nullptr;
  std::vector<Input> inputs;
  std::string mismatch;
  for (const std::string& name : options.inputs.empty() ? all_configs() : options.inputs) {
    if (std::filesystem::is_directory(name)) {
      inputs.push_back({name, std::nullopt});
      continue;
    }
    Input input{"", read_config(name, catalog(), run.overrides)};
    input.without_files = !files && input.config->needs_files();
    if (!input.without_files) {
      const Plan plan = make_plan(*input.config, {run.fclib_dir, run.threads});
      try {
        select_cells(plan, run.only, {});
      } catch (const InputError& error) {
        mismatch = error.what();
        continue;
      }
    }
    inputs.push_back(std::move(input));
  }
  if (inputs.empty()) throw InputError(mismatch);
  return inputs;
}

JudgedConfig judge_folder(const std::string& folder, const ClaimsArguments& options) {
  const ResultTable table(folder, catalog(), options.run.fclib_dir);
  if (!table.note().empty()) report_note(table.note());
  return {table.config(), judge_claims(table)};
}

/// Nothing when the run was interrupted.
std::optional<JudgedConfig> judge(const Input& input, const ClaimsArguments& options) {
  if (!input.config) return judge_folder(input.folder, options);
  if (input.without_files)
    return JudgedConfig{*input.config, open_judgements(*input.config, "needs FCLib files, see --fclib")};
  const Plan plan = make_plan(*input.config, {options.run.fclib_dir, options.run.threads});
  const RunReport report = run_in_terminal(*input.config, plan, options.run, options.quiet);
  if (report.interrupted) return std::nullopt;
  JudgedConfig judged = judge_folder(report.folder, options);
  if (options.run.only.empty()) return judged;
  auto& all = judged.judgements;  // what --only leaves out is not asked for
  all.erase(std::remove_if(all.begin(), all.end(), [](const Judgement& judgement) { return judgement.cells == 0; }),
            all.end());
  return judged;
}

int finish(const std::vector<JudgedConfig>& judged, const ClaimsArguments& options) {
  std::size_t met = 0, total = 0, broken = 0;
  for (const JudgedConfig& one : judged)
    for (const Judgement& judgement : one.judgements) {
      ++total;
      met += judgement.verdict == Verdict::met ? 1 : 0;
      broken += judgement.verdict != Verdict::met && judgement.claim.must ? 1 : 0;
    }
  if (!options.markdown.empty()) write_file_atomically(options.markdown, scorecard(judged));
  print_line(fmt::format("{} of {} met{}", met, counted(total, "claim"),
                         broken == 0 ? "" : fmt::format(", {} that must hold not", broken)));
  return broken == 0 ? exit_done : exit_claim_failed;
}

int judge_all(const ClaimsArguments& options) {
  const std::vector<Input> inputs = read_inputs(options);
  if (!options.markdown.empty()) AtomicFile probe(options.markdown);  // better said now than after the work
  std::vector<JudgedConfig> all;
  for (const Input& input : inputs) {
    auto judged = judge(input, options);
    if (!judged) {
      report_error("interrupted; run it again to do the missing cells");
      return exit_interrupted;
    }
    print_judgements(*judged);
    print_line("");
    all.push_back(std::move(*judged));
  }
  return finish(all, options);
}

}  // namespace

void add_claims(CommandLine& program) {
  Subcommand& command = program.subcommand("claims", "judge what the papers claim", claims_footer);
  ClaimsArguments& options = command.options<ClaimsArguments>(judge_all);
  RunOptions& run_options = options.run;
  command.operands("INPUT", &options.inputs, "config files (JSON), or folders of results (default configs/*.json)",
                   Need::optional);
  command.text("--markdown", &options.markdown, "FILE", "write the scorecard into this file");
  command.choice("--size", &run_options.overrides.size, {"small", "paper"}, "apply the values a config gives for this size");
  command.text("--out", &run_options.out, "DIR", "where results go, into a folder per config (default results)");
  command.text("--only", &run_options.only, "GLOB",
               "run and judge only cells whose problem/model/label matches this shell pattern");
  command.repeated("--set", &run_options.overrides.set, "POINTER=VALUE",
                   "change the config at a JSON pointer, any number of times");
  command.integer("--jobs", &run_options.jobs, Range::closed(1, 1024), "N", "cells at once");
  command.integer("--threads", &run_options.threads, Range::closed(1, 1024), "N", "threads a solver may use");
  command.text("--fclib", &run_options.fclib_dir, "DIR", "folder of the FCLib files (default: CCPBENCH_FCLIB_DIR)");
  command.flag("--quiet", &options.quiet, "no progress");
}

}  // namespace ccp::cli
