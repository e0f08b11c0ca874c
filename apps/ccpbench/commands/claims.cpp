#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>

#include "bench/analysis/claims.hpp"
#include "bench/config/claim_source.hpp"
#include "bench/run/runner.hpp"
#include "commands/command.hpp"
#include "core/error.hpp"
#include "io/file.hpp"
#include "process/interrupt_guard.hpp"
#include "terminal/arguments.hpp"
#include "terminal/checks.hpp"
#include "terminal/progress.hpp"
#include "terminal/records.hpp"
#include "terminal/table.hpp"
#include "terminal/terminal.hpp"
#include "views/config_files.hpp"
#include "views/summary.hpp"
#include "views/user_solvers.hpp"

namespace ccp::cli {
namespace {

constexpr const char* claims_footer =
    "Examples\n"
    "  $ ccpbench claims --size small --fclib ../fclib\n"
    "  $ ccpbench claims configs/test1a.json\n"
    "  $ ccpbench claims results/test1a\n"
    "  $ ccpbench claims results/test1a --format latex > claims.tex\n"
    "  $ ccpbench claims --size small --format junit > claims.xml\n"
    "  $ ccpbench claims --both-sizes --fclib ../fclib --format json > judged.json\n"
    "\n"
    "Missing results of a config are made first; a folder of results is only read; without either, all configs of the\n"
    "folder configs/ are run. A claim is met, not met, or cannot be judged because cells are missing or failed, or\n"
    "because there are no FCLib files. Where the results are not those of the config as it is written and committed, the "
    "verdict\n"
    "says so: \"met, changed\"; where they lack cells, \"met, incomplete\".\n"
    "Exit codes: 0 all claims that must hold do, 1 one of them does not or cannot be judged, 2 bad input, 130 "
    "interrupted.\n";

struct ClaimsArguments {
  std::vector<std::string> inputs;
  RunOptions run;
  bool both_sizes = false, quiet = false;
  FormatOption format;
};

struct JudgedConfig {
  Config config;
  std::vector<Judgement> judgements;
  std::vector<Judgement> small;  ///< at the small size, where both sizes are judged
  std::string command;           ///< that judges it again
  double cells_s = 0.0;          ///< the time of its cells, one after the other
};

/// Claims by what became of them; those whose bound was set after the number was known are also among the others.
struct ClaimCounts {
  std::size_t met = 0, not_met = 0, open = 0, set_afterwards = 0;

  std::size_t all() const { return met + not_met + open; }

  void add(const Judgement& judgement) {
    ++(judgement.verdict == Verdict::met ? met : judgement.verdict == Verdict::not_met ? not_met : open);
    set_afterwards += judgement.claim.set_afterwards ? 1 : 0;
  }
};

/// Counts the claims of papers, or ours, each once: as judged at the size of its config, or at the small one where that is
/// the only one.
ClaimCounts count_claims(const std::vector<JudgedConfig>& judged, bool ours) {
  ClaimCounts counts;
  for (const JudgedConfig& one : judged) {
    std::set<std::string> counted;
    for (const auto* judgements : {&one.judgements, &one.small})
      for (const Judgement& judgement : *judgements)
        if (is_ours(judgement.claim.where) == ours && counted.insert(judgement.claim.id).second) counts.add(judgement);
  }
  return counts;
}

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

/// A config that is to run, with the settings that solvers of the user declare: they are started. Otherwise as written.
Config read_to_run(const std::string& file, const ConfigOverrides& overrides, bool runs) {
  Config config = read_config(config_file(file), catalog(), overrides);
  return runs && start_user_solvers(config) ? read_config(config_file(file), catalog(), overrides) : config;
}

/// The config at its small size; nothing where it gives none.
std::optional<Config> read_small(const std::string& file, ConfigOverrides overrides, bool runs) {
  overrides.size = "small";
  Config config = read_to_run(file, overrides, runs);
  return config.size.empty() ? std::nullopt : std::optional(std::move(config));
}

/// A folder of results is only read.
void check_folder(const std::string& name, const ClaimsArguments& options) {
  const RunOptions& run = options.run;
  const char* given = !run.only.empty()             ? "--only"
                      : !run.overrides.set.empty()  ? "--set"
                      : !run.overrides.size.empty() ? "--size"
                      : options.both_sizes          ? "--both-sizes"
                                                    : nullptr;
  if (given != nullptr)
    throw InputError("", given, fmt::format("is about configs that are run, expected none beside the results '{}'", name));
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
      check_folder(name, options);
      inputs.push_back({name, std::nullopt, std::nullopt});
      continue;
    }
    Input input{name, read_config(config_file(name), catalog(), run.overrides), std::nullopt};
    input.without_files = !files && input.config->needs_fclib_folder();
    if (!input.without_files) {
      const Plan plan = make_plan(*input.config, {run.fclib_dir, run.threads});
      try {
        select_cells(plan, run.only, {});
      } catch (const InputError& error) {
        mismatch = error.what();
        continue;
      }
      input.config = read_to_run(name, run.overrides, true);
    }
    if (options.both_sizes) input.small = read_small(name, run.overrides, !input.without_files);
    inputs.push_back(std::move(input));
  }
  if (inputs.empty()) throw InputError(mismatch);
  return inputs;
}

/// The command that judges an input again.
std::string command_of(const std::string& input, const Config& config, const ClaimsArguments& options) {
  std::string command = "ccpbench claims " + input;
  if (!options.run.overrides.size.empty()) command += " --size " + options.run.overrides.size;
  if (options.both_sizes) command += " --both-sizes";
  for (const std::string& change : options.run.overrides.set) command += " --set '" + change + "'";
  for (const std::string& only : options.run.only) command += " --only '" + only + "'";
  return command + (config.needs_fclib_folder() ? " --fclib DIR" : "");
}

JudgedConfig judge_folder(const std::string& folder, const RunOptions& run) {
  const ResultTable table(folder, catalog(), run.fclib_dir);
  if (!table.note().empty()) report_note(table.note());
  if (table.missing() > 0 && run.only.empty())
    report_note(fmt::format("{}: {} of {} cells have a result; the verdicts are about these", folder, table.rows().size(),
                            table.rows().size() + table.missing()));
  JudgedConfig judged{table.config(), judge_claims(table), {}, ""};
  for (const ResultRow& row : table.rows())
    if (const double seconds = table.metric(row, "wall_s", 0.0); seconds > 0.0) judged.cells_s += seconds;
  return judged;
}

/// Runs what is missing. Nothing when the run was interrupted.
std::optional<JudgedConfig> judge_config(const Config& config, const RunOptions& run, bool quiet) {
  const Plan plan = make_plan(config, {run.fclib_dir, run.threads});
  const RunReport report = run_in_terminal(config, plan, run, quiet);
  if (report.interrupted) return std::nullopt;
  JudgedConfig result = judge_folder(report.folder, run);
  if (run.only.empty()) return result;
  auto& all = result.judgements;  // what --only leaves out is not asked for
  const auto left_out = std::stable_partition(all.begin(), all.end(), [](const Judgement& j) { return j.cells > 0; });
  if (const auto must = std::count_if(left_out, all.end(), [](const Judgement& j) { return j.claim.must; }); must > 0)
    report_note(fmt::format("{}: {} that must hold {} about cells that --only leaves out, and not judged", config.name,
                            counted(static_cast<std::size_t>(must), "claim"), must == 1 ? "is" : "are"));
  all.erase(left_out, all.end());
  return result;
}

/// Nothing when the run was interrupted.
std::optional<JudgedConfig> judge(const Input& input, const ClaimsArguments& options) {
  if (!input.config) return judge_folder(input.name, options.run);
  if (input.without_files) {
    const std::string reason = "needs FCLib files, see --fclib";
    JudgedConfig open{*input.config, open_judgements(*input.config, reason), {}, ""};
    if (input.small) open.small = open_judgements(*input.small, reason);
    return open;
  }
  auto judged = judge_config(*input.config, options.run, options.quiet);
  if (!judged || !input.small) return judged;
  RunOptions run = options.run;
  run.out = (std::filesystem::path(run.out) / "small").string();
  run.overrides.size = "small";
  auto small = judge_config(*input.small, run, options.quiet);
  if (!small) return std::nullopt;
  judged->small = std::move(small->judgements);
  judged->cells_s += small->cells_s;
  return judged;
}

Json judgement_json(const Judgement& judgement, const Config& config) {
  const Claim& claim = judgement.claim;
  return {{"claim", claim.id},
          {"says", claim.says},
          {"where", claim.where},
          {"ours", is_ours(claim.where)},
          {"set_afterwards", claim.set_afterwards},
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

/// A claim that need not hold warns where it does not.
std::vector<Check> claim_checks(const std::vector<JudgedConfig>& judged) {
  std::vector<Check> checks;
  for (const JudgedConfig& one : judged)
    for (const auto* judgements : {&one.judgements, &one.small})
      for (const Judgement& judgement : *judgements) {
        const bool met = judgement.verdict == Verdict::met;
        const Check::Outcome missed = judgement.claim.must                    ? Check::Outcome::failed
                                      : judgement.verdict == Verdict::not_met ? Check::Outcome::warned
                                                                              : Check::Outcome::unjudged;
        checks.push_back({one.config.name + (judgements == &one.small ? " (small)" : ""), judgement.claim.id,
                          met ? Check::Outcome::passed : missed,
                          met ? ""
                              : fmt::format("{}: measured {}, bound {} ({}){}", verdict_of(judgement, one.config),
                                            claim_number(judgement.measured), bound_text(judgement), judgement.claim.says,
                                            judgement.reason.empty() ? "" : "; " + judgement.reason)});
      }
  return checks;
}

/// A row for each claim and size.
void print_claim_records(const std::vector<JudgedConfig>& judged, Format format) {
  Records table({{"config", "config"},
                 {"size", "size"},
                 {"claim", "claim"},
                 {"must", "must"},
                 {"measured", "measured", true},
                 {"bound", "bound", true},
                 {"set_afterwards", "bound set"},
                 {"margin", "by"},
                 {"verdict", "verdict"}});
  Json document = Json::array();
  for (const JudgedConfig& one : judged) {
    const std::string own_size = one.config.size.empty() ? "paper" : one.config.size;
    Json entry = {{"config", one.config.name},
                  {"title", one.config.title},
                  {"changes", one.config.changes},
                  {"command", one.command},
                  {"cells_s", one.cells_s}};
    entry["claims"] = Json::array();
    for (const auto* judgements : {&one.judgements, &one.small})
      for (const Judgement& judgement : *judgements) {
        Json claim = judgement_json(judgement, one.config);
        claim["size"] = judgements == &one.small ? "small" : own_size;
        table.row({one.config.name, claim["size"], claim["claim"], Datum(claim["must"], judgement.claim.must ? "must" : ""),
                   Datum(claim["measured"], claim_number(judgement.measured)), claim["bound"],
                   Datum(claim["set_afterwards"], judgement.claim.set_afterwards ? "afterwards" : ""), claim["margin"],
                   claim["verdict"]});
        entry["claims"].push_back(std::move(claim));
      }
    document.push_back(std::move(entry));
  }
  print_records(format, table, document);
}

void print_counts(const std::string& whose, const ClaimCounts& counts) {
  if (counts.all() == 0) return;
  print_line(
      fmt::format("  {}: {} met, {} not met{}{}", whose, counts.met, counts.not_met,
                  counts.open == 0 ? "" : fmt::format(", {} cannot be judged", counts.open),
                  counts.set_afterwards == 0 ? "" : fmt::format("; bound set afterwards: {}", counts.set_afterwards)));
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
  if (!options.format.text()) {
    if (!print_checks(options.format.format(), claim_checks(judged))) print_claim_records(judged, options.format.format());
    return broken == 0 ? exit_done : exit_claim_failed;
  }
  if (total == 0) {
    print_line("no claim is about these results");
    return exit_done;
  }
  print_line(fmt::format("{} of {} met{}{}", met, counted(total, "claim"),
                         broken == 0 ? "" : fmt::format("; {} that must hold {} not", broken, broken == 1 ? "is" : "are"),
                         changed == 0 ? "" : fmt::format("; {} of changed configs", changed)));
  print_counts("of papers", count_claims(judged, false));
  print_counts("ours", count_claims(judged, true));
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
  for (const Input& input : inputs) {
    const std::filesystem::path out = options.run.out;
    if (input.config && !input.without_files) check_output_folder(out / input.config->name);
    if (input.small && !input.without_files) check_output_folder(out / "small" / input.small->name);
  }
  std::vector<JudgedConfig> all;
  const InterruptGuard guard;
  for (const Input& input : inputs) {
    auto judged = judge(input, options);
    if (!judged) {
      report_error("interrupted; run it again to do the missing cells");
      return exit_interrupted;
    }
    judged->command = command_of(input.name, judged->config, options);
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
  command.choice("--size", &run_options.overrides.size, {"small", "paper"}, "apply the values a config gives for this size");
  command.flag("--both-sizes", &options.both_sizes,
               "judge the configs at the papers' sizes and, into OUT/small, at the small one");
  command.text("--out", &run_options.out, "DIR", "where results go, into a folder per config (default results)");
  command.repeated(
      "--only", &run_options.only, "GLOB",
      "run only cells whose problem/model/label matches this shell pattern, any number of times; claims without "
      "a result are not judged");
  command.repeated("--set", &run_options.overrides.set, "POINTER=VALUE",
                   "change the config at a JSON pointer, any number of times; an index * is every entry of a list");
  command.integer("--jobs", &run_options.jobs, Range::closed(1, 1024), "N", "cells at once");
  command.integer("--threads", &run_options.threads, Range::closed(1, 1024), "N", "threads a solver may use");
  command.text("--fclib", &run_options.fclib_dir, "DIR", "folder of the FCLib files (default: CCPBENCH_FCLIB_DIR)");
  command.flag("--quiet", &options.quiet, "no progress");
  add_format_of_checks(command, &options.format);
}

}  // namespace ccp::cli
