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
#include "terminal/records.hpp"
#include "terminal/table.hpp"
#include "terminal/terminal.hpp"
#include "views/config_files.hpp"
#include "views/summary.hpp"

namespace ccp::cli {
namespace {

constexpr const char* claims_footer =
    "Examples\n"
    "  $ ccpbench claims --size small --fclib ../fclib\n"
    "  $ ccpbench claims configs/test1a.json\n"
    "  $ ccpbench claims results/test1a\n"
    "  $ ccpbench claims configs/test1*.json --size small --markdown CLAIMS.md\n"
    "  $ ccpbench claims results/test1a --format latex > claims.tex\n"
    "  $ ccpbench claims --both-sizes --fclib ../fclib --markdown results/CLAIMS.md\n"
    "\n"
    "A config is run first, as far as its results are missing; a folder of results is only read; without either, all "
    "configs\n"
    "of the folder configs/ are run. A claim is met, not met, or cannot be judged because cells are missing or failed, or\n"
    "because there are no FCLib files. Where the results are not those of the config as it is written and committed, the "
    "verdict\n"
    "says so: \"met, changed\"; where they lack cells, \"met, incomplete\".\n"
    "Exit codes: 0 all claims that must hold do, 1 one of them does not or cannot be judged, 2 bad input, 130 "
    "interrupted.\n";

struct ClaimsArguments {
  std::vector<std::string> inputs;
  std::string markdown;
  RunOptions run;
  bool both_sizes = false, quiet = false;
  FormatOption format;
};

void print_judgements(const Config& config, const std::vector<Judgement>& judgements) {
  print_line(Style::out().bold(printable(config.title.empty() ? config.name : config.title)));
  print_changes(config);
  for (const Claim& claim : config.claims)
    if (!claim.is_about(config.size)) print_line(fmt::format("  {}: is about the {} size only", claim.id, claim.size));
  if (judgements.empty()) {
    if (config.claims.empty()) print_line("  the config makes no claims");
    return;
  }
  Table table({{"claim", false, Fit::shorten}, {"must"}, {"measured", true}, {"bound", true}, {"by"}, {"verdict"}});
  for (const Judgement& judgement : judgements) {
    const Tone tone = judgement.verdict == Verdict::met ? Tone::good : judgement.claim.must ? Tone::bad : Tone::warning;
    table.row({judgement.claim.id, judgement.claim.must ? "must" : "", claim_number(judgement.measured),
               bound_text(judgement), margin_text(judgement), Entry(verdict_of(judgement, config), tone)});
  }
  print(table.text(Style::out(), stdout_width()));
  for (const Judgement& judgement : judgements) {
    if (!judgement.reason.empty()) print_line(fmt::format("  {}: {}", judgement.claim.id, printable(judgement.reason)));
    if (const std::string page = page_on_miss(judgement); !page.empty())
      print_line(fmt::format("  {}: see {}", judgement.claim.id, printable(page)));
  }
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
  std::string name;
  std::optional<Config> config, small;  ///< neither: a folder
  bool without_files = false;           ///< its FCLib files are not there
};

/// The config at its small size; nothing where it gives none.
std::optional<Config> read_small(const std::string& file, ConfigOverrides overrides) {
  overrides.size = "small";
  Config config = read_config(config_file(file), catalog(), overrides);
  return config.size.empty() ? std::nullopt : std::optional(std::move(config));
}

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
      inputs.push_back({name, std::nullopt, std::nullopt});
      continue;
    }
    Input input{name, read_config(config_file(name), catalog(), run.overrides), std::nullopt};
    if (options.both_sizes) input.small = read_small(name, run.overrides);
    input.without_files = !files && input.config->needs_fclib_folder();
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

/// The command that judges a config again, and the time that its cells took one after the other.
std::string origin(const std::string& input, const Config& config, const ClaimsArguments& options, double wall_s) {
  std::string command = "ccpbench claims " + input;
  if (!config.size.empty()) command += " --size " + config.size;
  if (options.both_sizes) command += " --both-sizes";
  for (const std::string& change : options.run.overrides.set) command += " --set '" + change + "'";
  if (!options.run.only.empty()) command += " --only '" + options.run.only + "'";
  if (config.needs_fclib_folder()) command += " --fclib DIR";
  return fmt::format("`{}`, {} of cells.", command, duration(wall_s));
}

/// What a folder of results says, and the time that its cells took, s.
struct JudgedFolder {
  JudgedConfig judged;
  double wall_s = 0.0;
};

JudgedFolder judge_folder(const std::string& folder, const RunOptions& run) {
  const ResultTable table(folder, catalog(), run.fclib_dir);
  if (!table.note().empty()) report_note(table.note());
  if (table.missing() > 0 && run.only.empty())
    report_note(fmt::format("{}: {} of {} cells have a result; the verdicts are about these", folder, table.rows().size(),
                            table.rows().size() + table.missing()));
  JudgedFolder result{{table.config(), judge_claims(table), {}, ""}};
  for (const ResultRow& row : table.rows())
    if (const double seconds = table.metric(row, "wall_s", 0.0); seconds > 0.0) result.wall_s += seconds;
  return result;
}

/// Runs what is missing. Nothing when the run was interrupted.
std::optional<JudgedFolder> judge_config(const Config& config, const RunOptions& run, bool quiet) {
  const Plan plan = make_plan(config, {run.fclib_dir, run.threads});
  const RunReport report = run_in_terminal(config, plan, run, quiet);
  if (report.interrupted) return std::nullopt;
  JudgedFolder result = judge_folder(report.folder, run);
  if (run.only.empty()) return result;
  auto& all = result.judged.judgements;  // what --only leaves out is not asked for
  all.erase(std::remove_if(all.begin(), all.end(), [](const Judgement& judgement) { return judgement.cells == 0; }),
            all.end());
  return result;
}

/// Nothing when the run was interrupted.
std::optional<JudgedConfig> judge(const Input& input, const ClaimsArguments& options) {
  if (!input.config) return judge_folder(input.name, options.run).judged;
  if (input.without_files) {
    const std::string reason = "needs FCLib files, see --fclib";
    JudgedConfig open{*input.config, open_judgements(*input.config, reason), {}, ""};
    if (input.small) open.small = open_judgements(*input.small, reason);
    return open;
  }
  auto result = judge_config(*input.config, options.run, options.quiet);
  if (!result) return std::nullopt;
  JudgedConfig& judged = result->judged;
  if (input.small) {
    RunOptions run = options.run;
    run.out = (std::filesystem::path(run.out) / "small").string();
    run.overrides.size = "small";
    auto small = judge_config(*input.small, run, options.quiet);
    if (!small) return std::nullopt;
    judged.small = std::move(small->judged.judgements);
    result->wall_s += small->wall_s;
  }
  judged.origin = origin(input.name, *input.config, options, result->wall_s);
  return std::move(judged);
}

Json judgement_json(const Judgement& judgement, const Config& config) {
  const Claim& claim = judgement.claim;
  return {{"claim", claim.id},
          {"says", claim.says},
          {"where", claim.where},
          {"must", claim.must},
          {"measured", json_number(judgement.measured)},
          {"measured_text", claim_number(judgement.measured)},
          {"bound", bound_text(judgement)},
          {"margin", margin_text(judgement)},
          {"verdict", verdict_of(judgement, config)},
          {"cells", judgement.cells},
          {"steps_left_out", judgement.left_out},
          {"reason", judgement.reason},
          {"see", page_on_miss(judgement)}};
}

/// A row for each claim and size.
void print_claim_records(const std::vector<JudgedConfig>& judged, Format format) {
  Records table({{"config", "config"},
                 {"size", "size"},
                 {"claim", "claim"},
                 {"must", "must"},
                 {"measured", "measured", true},
                 {"bound", "bound", true},
                 {"margin", "by"},
                 {"verdict", "verdict"}});
  Json document = Json::array();
  for (const JudgedConfig& one : judged) {
    const std::string own_size = one.config.size.empty() ? "paper" : one.config.size;
    Json entry = {{"config", one.config.name}, {"title", one.config.title}, {"changes", one.config.changes}};
    entry["claims"] = Json::array();
    for (const auto* judgements : {&one.judgements, &one.small})
      for (const Judgement& judgement : *judgements) {
        Json claim = judgement_json(judgement, one.config);
        claim["size"] = judgements == &one.small ? "small" : own_size;
        table.row({one.config.name, claim["size"], claim["claim"], Datum(claim["must"], judgement.claim.must ? "must" : ""),
                   Datum(claim["measured"], claim_number(judgement.measured)), claim["bound"], claim["margin"],
                   claim["verdict"]});
        entry["claims"].push_back(std::move(claim));
      }
    document.push_back(std::move(entry));
  }
  print_records(format, table, document);
}

int finish(const std::vector<JudgedConfig>& judged, const ClaimsArguments& options) {
  std::size_t met = 0, total = 0, broken = 0, changed = 0;
  for (const JudgedConfig& one : judged)
    for (const auto* judgements : {&one.judgements, &one.small})
      for (const Judgement& judgement : *judgements) {
        ++total;
        changed += one.config.changes.empty() ? 0 : 1;
        met += judgement.verdict == Verdict::met ? 1 : 0;
        broken += judgement.verdict != Verdict::met && judgement.claim.must ? 1 : 0;
      }
  if (!options.markdown.empty())
    write_file_atomically(options.markdown,
                          scorecard(judged, std::filesystem::path(options.markdown).parent_path().string()));
  if (!options.format.text()) {
    print_claim_records(judged, options.format.format());
    return broken == 0 ? exit_done : exit_claim_failed;
  }
  if (total == 0) {
    print_line("no claim is about these results");
    return exit_done;
  }
  print_line(fmt::format("{} of {} met{}{}", met, counted(total, "claim"),
                         broken == 0 ? "" : fmt::format("; {} that must hold {} not", broken, broken == 1 ? "is" : "are"),
                         changed == 0 ? "" : fmt::format("; {} of changed configs", changed)));
  return broken == 0 ? exit_done : exit_claim_failed;
}

void print_judged(const JudgedConfig& judged, const Input& input) {
  print_judgements(judged.config, judged.judgements);
  print_line("");
  if (judged.small.empty()) return;
  print_line("at the small size");
  print_judgements(*input.small, judged.small);
  print_line("");
}

int judge_all(const ClaimsArguments& options) {
  if (options.both_sizes && !options.run.overrides.size.empty())
    throw InputError("--both-sizes", "", "judges both sizes, expected no --size beside it");
  const std::vector<Input> inputs = read_inputs(options);
  if (!options.markdown.empty()) check_output(options.markdown);  // better said now than after the work
  for (const Input& input : inputs) {
    const std::filesystem::path out = options.run.out;
    if (input.config && !input.without_files) check_output_folder(out / input.config->name);
    if (input.small && !input.without_files) check_output_folder(out / "small" / input.small->name);
  }
  std::vector<JudgedConfig> all;
  for (const Input& input : inputs) {
    auto judged = judge(input, options);
    if (!judged) {
      report_error("interrupted; run it again to do the missing cells");
      return exit_interrupted;
    }
    if (options.format.text()) print_judged(*judged, input);
    all.push_back(std::move(*judged));
  }
  return finish(all, options);
}

}  // namespace

void add_claims(CommandLine& program) {
  Subcommand& command = program.subcommand("claims", "judge what the papers claim", claims_footer);
  ClaimsArguments& options = command.options<ClaimsArguments>(judge_all);
  RunOptions& run_options = options.run;
  command.operands("INPUT", &options.inputs,
                   "config files (JSON), names of configs, or folders of results (default configs/*.json)", Need::optional);
  command.text("--markdown", &options.markdown, "FILE", "write the scorecard into this file");
  command.choice("--size", &run_options.overrides.size, {"small", "paper"}, "apply the values a config gives for this size");
  command.flag(
      "--both-sizes", &options.both_sizes,
      "judge the configs at the papers' sizes and, into OUT/small, at the small one, side by side in the scorecard");
  command.text("--out", &run_options.out, "DIR", "where results go, into a folder per config (default results)");
  command.text("--only", &run_options.only, "GLOB",
               "run and judge only cells whose problem/model/label matches this shell pattern");
  command.repeated("--set", &run_options.overrides.set, "POINTER=VALUE",
                   "change the config at a JSON pointer, any number of times; an index * is every entry of a list");
  command.integer("--jobs", &run_options.jobs, Range::closed(1, 1024), "N", "cells at once");
  command.integer("--threads", &run_options.threads, Range::closed(1, 1024), "N", "threads a solver may use");
  command.text("--fclib", &run_options.fclib_dir, "DIR", "folder of the FCLib files (default: CCPBENCH_FCLIB_DIR)");
  command.flag("--quiet", &options.quiet, "no progress");
  add_format(command, &options.format);
}

}  // namespace ccp::cli
