#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "bench/analysis/baseline.hpp"
#include "bench/analysis/cell_inputs.hpp"
#include "bench/analysis/exact_comparison.hpp"
#include "bench/analysis/time_comparison.hpp"
#include "commands/command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "io/file.hpp"
#include "terminal/arguments.hpp"
#include "terminal/checks.hpp"
#include "terminal/records.hpp"
#include "terminal/table.hpp"
#include "terminal/terminal.hpp"
#include "views/summary.hpp"

namespace ccp::cli {
namespace {

constexpr const char* compare_footer =
    "Examples\n"
    "  $ ccpbench compare out/test1a --baseline results/baselines\n"
    "  $ ccpbench compare out/test1a --baseline results/baselines --update\n"
    "  $ ccpbench compare before/test1a after/test1a\n"
    "  $ ccpbench compare before/test1a after/test1a --exact\n"
    "  $ ccpbench compare before/test1a after/test1a --fail-slower 1.2 --format annotations\n"
    "  $ ccpbench compare out/test1a --baseline results/baselines --update --replace\n"
    "\n"
    "Changed inputs come first: a parameter, a tolerance, friction. Then come statuses, iterations, counters, final\n"
    "objectives and curves, each within the tolerance in baseline.json. The times of two folders of results are compared\n"
    "as well, where both were repeated (--repeat, five runs of each to tell differences from noise). They affect the exit\n"
    "code only with --fail-slower. Runs on a busy machine do not count; a cell with fewer than five others is left out by\n"
    "name, and is a difference with --fail-unjudged. Where a side lacks traces, --without-traces compares the rest.\n"
    "--exact shows whether a change of the code has kept every iterate: no tolerance, all columns but times.\n"
    "--update refuses results that lack cells of the baseline, or have another size or name, without --replace.\n"
    "Exit codes: 0 the same, 1 different (the table says what moved), 2 could not compare.\n";

struct CompareArguments {
  std::vector<std::string> results;
  std::string baseline, fclib_dir;
  bool update = false, replace = false, without_traces = false, fail_unjudged = false, exact = false;
  std::optional<double> fail_slower;
  FormatOption format;

  MissingTraces traces() const { return without_traces ? MissingTraces::taken : MissingTraces::refused; }
};

/// The two sides of a comparison.
struct Sides {
  std::vector<InputChange> inputs;
  BaselineComparison compared;
  std::string before;  ///< "baseline" or "before"
  std::vector<TimeChange> times{};
  std::optional<double> fail_slower{};  ///< ratio of times beyond which a cell has become slower; else times decide nothing
  bool fail_unjudged = false;           ///< whether a cell whose times are left out is a difference

  /// Beyond that ratio and beyond noise.
  bool slower(const TimeChange& change) const {
    return fail_slower && change.ratio > *fail_slower && change.beyond_noise && change.left_out().empty();
  }
  bool unjudged(const TimeChange& change) const { return fail_slower && !change.left_out().empty(); }
  bool times_differ() const {
    return std::any_of(times.begin(), times.end(), [&](const TimeChange& change) {
      return slower(change) || (fail_unjudged && unjudged(change));
    });
  }
  bool same() const { return inputs.empty() && compared.changes.empty() && !times_differ(); }
};

/// "rho: 0.1 → 0.2 (solver, 1 cell: stack/ccp/ADMM)"
std::string input_text(const InputChange& change) {
  const std::string where =
      change.cells.size() == 1 ? "1 cell: " + change.cells.front() : counted(change.cells.size(), "cell");
  return fmt::format("{}: {} → {} ({}, {})", change.name, change.before, change.now, change.of, where);
}

std::string time_text(const TimeSample& sample) {
  return fmt::format("{} ({} – {}, {}{})", duration(sample.median), duration(sample.least), duration(sample.largest),
                     counted(sample.runs, "run"), sample.busy > 0 ? fmt::format(", {} busy", sample.busy) : "");
}

/// "takes 1.31 times as long: 1.2 ms before, 1.57 ms now"
std::string slower_text(const TimeChange& change) {
  return fmt::format("takes {:.3g} times as long: {} before, {} now", change.ratio, duration(change.before.median),
                     duration(change.now.median));
}

Entry noise_entry(const TimeChange& change) {
  if (change.before.disturbed || change.now.disturbed) return Entry("left out (busy)", Tone::warning);
  return change.beyond_noise ? Entry(change.ratio < 1.0 ? "quicker" : "slower", Tone::warning) : Entry("no", Tone::dim);
}

void print_times(const std::vector<TimeChange>& times) {
  if (times.empty()) return;
  const auto beyond = static_cast<std::size_t>(
      std::count_if(times.begin(), times.end(), [](const TimeChange& change) {
        return change.beyond_noise && change.left_out().empty();
      }));
  Table table({{"cell", false, Fit::shorten_left}, {"before", true}, {"now", true}, {"ratio", true}, {"beyond noise"}});
  for (const TimeChange& change : times)
    table.row(
        {printable(change.cell), time_text(change.before), time_text(change.now), fmt::format("{:.3g}", change.ratio),
         noise_entry(change)});
  print_line(
      fmt::format("times, set-up and iterations, of {} repeated in both: {} beyond noise (rank sums, chance below 1 %)",
                  counted(times.size(), "cell"), beyond));
  print(table.text(Style::out(), stdout_width()));
}

/// The inputs first: what changed there is why the rest did.
void print_sides(const std::string& name, const Sides& sides, std::size_t cells) {
  if (sides.inputs.empty() && sides.compared.changes.empty()) {
    print_line(fmt::format("{}: {} as {}", name, counted(cells, "cell"),
                           sides.before == "baseline" ? "in the baseline" : "before"));
    return;
  }
  const std::string from = sides.before == "baseline" ? "from the baseline" : "from before";
  print_line(fmt::format("{}: {}{}", Style::out().bold(name),
                         sides.inputs.empty() ? "" : counted(sides.inputs.size(), "changed input") + ", ",
                         counted(sides.compared.changes.size(), "difference " + from, "differences " + from)));
  for (const InputChange& change : sides.inputs)
    print_line(fmt::format("  {} {}", Style::out().paint(Tone::bad, "input"), printable(input_text(change))));
  Table table({{"cell", false, Fit::shorten_left}, {"what"}, {sides.before, true}, {"now", true}, {"allowed"}});
  for (const BaselineChange& change : sides.compared.changes)
    table.row({printable(change.cell), change.what, change.before, Entry(change.now, Tone::bad), change.allowed});
  if (!table.empty()) print(table.text(Style::out(), stdout_width()));
}

Json sample_json(const TimeSample& sample) {
  return {{"median_s", sample.median}, {"least_s", sample.least}, {"largest_s", sample.largest}, {"runs", sample.runs}, {"busy_runs", sample.busy}};
}

Json sides_json(const std::string& name, const Sides& sides, std::size_t cells) {
  Json json = {{"name", name},
               {"with", sides.before},
               {"cells", cells},
               {"without_curves", sides.compared.without_curves},
               {"same", sides.same()},
               {"inputs", Json::array()},
               {"differences", Json::array()},
               {"times", Json::array()}};
  for (const InputChange& change : sides.inputs)
    json["inputs"].push_back(
        {{"name", change.name}, {"of", change.of}, {"before", change.before}, {"now", change.now}, {"cells", change.cells}});
  for (const BaselineChange& change : sides.compared.changes)
    json["differences"].push_back({{"cell", change.cell},
                                   {"what", change.what},
                                   {"before", change.before},
                                   {"now", change.now},
                                   {"allowed", change.allowed}});
  for (const TimeChange& change : sides.times)
    json["times"].push_back({{"cell", change.cell},
                             {"before", sample_json(change.before)},
                             {"now", sample_json(change.now)},
                             {"ratio", json_number(change.ratio)},
                             {"chance", change.chance},
                             {"beyond_noise", change.beyond_noise},
                             {"left_out", change.left_out()},
                             {"too_slow", sides.slower(change)}});
  return json;
}

/// A row for each change: kind is input, difference or time.
Records sides_records(const Sides& sides) {
  Records table({{"kind", "kind"},
                 {"cell", "cell"},
                 {"what", "what"},
                 {"before", sides.before, true},
                 {"now", "now", true},
                 {"allowed", "allowed"}});
  for (const InputChange& change : sides.inputs)
    for (const std::string& cell : change.cells)
      table.row({"input", cell, change.of + " " + change.name, change.before, change.now, ""});
  for (const BaselineChange& change : sides.compared.changes)
    table.row({"difference", change.cell, change.what, change.before, change.now, change.allowed});
  for (const TimeChange& change : sides.times)
    table.row({"time", change.cell, change.beyond_noise ? "time beyond noise, s" : "time, s", seconds(change.before.median),
               seconds(change.now.median), change.left_out().empty() ? "" : "left out: " + change.left_out()});
  return table;
}

/// A check for what the cells were given, and one for each cell.
std::vector<Check> side_checks(const std::string& name, const Sides& sides, const ResultTable& now) {
  std::vector<std::string> inputs;
  for (const InputChange& change : sides.inputs) inputs.push_back(input_text(change));
  const auto outcome = [](const std::vector<std::string>& wrong) {
    return wrong.empty() ? Check::Outcome::passed : Check::Outcome::failed;
  };
  std::vector<Check> checks = {{name, "inputs", outcome(inputs), join(inputs, "; ")}};
  std::map<std::string, std::vector<std::string>> wrong;
  for (const ResultRow& row : now.rows()) wrong[row.id()];
  for (const BaselineChange& change : sides.compared.changes)
    wrong[change.cell].push_back(
        fmt::format("{}: {} {}, now {}{}", change.what, sides.before, change.before, change.now,
                    change.allowed.empty() ? "" : " (allowed: " + change.allowed + ")"));
  std::map<std::string, std::string> unjudged;
  for (const TimeChange& change : sides.times) {
    if (sides.slower(change)) wrong[change.cell].push_back(slower_text(change));
    if (!sides.unjudged(change)) continue;
    const std::string text = fmt::format("{} (not judged: {})", slower_text(change), change.left_out());
    if (sides.fail_unjudged)
      wrong[change.cell].push_back(text);
    else
      unjudged[change.cell] = text;
  }
  for (const auto& [cell, texts] : wrong) {
    const auto open = unjudged.find(cell);
    if (texts.empty() && open != unjudged.end())
      checks.push_back({name, cell, Check::Outcome::unjudged, open->second});
    else
      checks.push_back({name, cell, outcome(texts), join(texts, "; ")});
  }
  return checks;
}

/// Where times decide: names the cells that became slower and those left out. Throws InputError where none can be judged.
void judge_times(const Sides& sides) {
  std::map<std::string, std::vector<std::string>> left_out;  // cells by reason
  for (const TimeChange& change : sides.times)
    if (sides.unjudged(change)) left_out[change.left_out()].push_back(change.cell);
  std::vector<std::string> reasons;
  std::size_t open = 0;
  for (const auto& [reason, cells] : left_out) {
    open += cells.size();
    reasons.push_back(fmt::format("{} ({})", reason, counted(cells.size(), "cell")));
  }
  if (open == sides.times.size())
    throw InputError("", "--fail-slower",
                     fmt::format("can judge no cell: {}; give both runs more --repeat, on a quiet machine",
                                 reasons.empty() ? "none was repeated in both" : join(reasons, ", ")));
  for (const auto& [reason, cells] : left_out)
    report_note(fmt::format("the times of {} are not judged, {}: {}", counted(cells.size(), "cell"), reason,
                            printable(join(cells, ", "))));
  for (const TimeChange& change : sides.times)
    if (sides.slower(change)) report_error(printable(change.cell + ": " + slower_text(change)));
}

/// Prints what was found. Returns the exit code.
int show_sides(const std::string& name, const Sides& sides, const ResultTable& now, const FormatOption& format) {
  if (sides.fail_slower) judge_times(sides);
  if (const std::size_t without = sides.compared.without_curves.size(); without > 0)
    report_note(fmt::format("the curves of {} are not compared, for a trace is missing", counted(without, "cell")));
  const std::size_t cells = now.rows().size();
  if (format.text()) {
    print_sides(name, sides, cells);
    print_times(sides.times);
  } else if (!print_checks(format.format(), side_checks(name, sides, now))) {
    print_records(format.format(), sides_records(sides), sides_json(name, sides, cells));
  }
  return sides.same() ? exit_done : exit_different;
}

int compare_folders(const ResultTable& before, const ResultTable& now, const CompareArguments& options) {
  for (const ResultTable* results : {&before, &now})
    if (!results->config().changes.empty())
      report_note(fmt::format("{}: changed: {}", results->folder().string(), join(results->config().changes, "; ")));
  const Sides sides{InputTable(before).changes_to(InputTable(now)),
                    options.exact ? compare_exactly(before, now) : compare_results(before, now, options.traces()), "before",
                    compare_times(before, now), options.fail_slower, options.fail_unjudged};
  return show_sides(now.config().name, sides, now, options.format);
}

ResultTable read_results(const std::string& folder, const CompareArguments& options) {
  ResultTable results(folder, catalog(), options.fclib_dir,
                      MissingTraces::taken);  // the comparison refuses them by their number
  if (!results.note().empty()) report_note(results.note());
  return results;
}

int compare(const CompareArguments& options) {
  if (options.results.size() > 2) throw InputError("compare: expected one folder of results and --baseline, or two folders");
  if (options.baseline.empty() != (options.results.size() == 2))
    throw InputError("compare: expected --baseline DIR or a second folder of results, and not both");
  if (options.update && options.baseline.empty())
    throw InputError("compare: --update records a baseline, expected --baseline DIR");
  if (options.replace && !options.update) throw InputError("compare: --replace goes with --update");
  if (options.update && !options.format.text()) throw InputError("", "--update", "records a baseline and prints no table");
  if (options.fail_unjudged && !options.fail_slower) throw InputError("", "--fail-unjudged", "goes with --fail-slower");
  if (options.fail_slower && options.results.size() != 2)
    throw InputError("", "--fail-slower", "compares times, expected two folders of results: a baseline has none");
  if (options.exact && options.results.size() != 2)
    throw InputError("", "--exact", "compares traces, expected two folders of results: a baseline has thinned curves");
  if (options.exact && options.without_traces) throw InputError("", "--exact", "compares traces, not --without-traces");
  const ResultTable results = read_results(options.results.front(), options);
  if (options.baseline.empty()) return compare_folders(results, read_results(options.results.back(), options), options);
  const std::string& name = results.config().name;
  if (options.update) {
    std::filesystem::path folder = options.baseline;
    if (!std::filesystem::is_regular_file(folder / "baseline.json") && folder.filename() != name) folder /= name;
    check_output_folder(folder);
    for (const std::string& change : results.config().changes) report_note("a baseline of changed results: " + change);
    write_baseline(results, folder, {options.traces(), options.replace});
    print_line("baseline: " + folder.string());
    return exit_done;
  }
  if (options.format.text()) print_changes(results.config());
  const std::filesystem::path baseline = find_baseline(options.baseline, name);
  return show_sides(name,
                    {InputTable::read(baseline).changes_to(InputTable(results)),
                     compare_with_baseline(results, baseline, options.traces()), "baseline"},
                    results, options.format);
}
}  // namespace

void add_compare(CommandLine& program) {
  Subcommand& command =
      program.subcommand("compare", "compare a run with a stored one, or two runs with each other", compare_footer);
  CompareArguments& options = command.options<CompareArguments>(compare);
  command.operands("RESULTS", &options.results, "folder of the results of one config; a second one is compared with it",
                   Need::required);
  command.text("--baseline", &options.baseline, "DIR", "folder of the baseline, or of the baselines of all configs");
  command.text("--fclib", &options.fclib_dir, "DIR",
               "folder of the FCLib files (default: CCPBENCH_FCLIB_DIR); needed where results were copied together");
  command.flag("--update", &options.update, "make these results the baseline");
  command.flag("--replace", &options.replace,
               "with --update: also replace a baseline of more cells, another size or another name");
  command.flag("--without-traces", &options.without_traces,
               "compare, or record, cells whose traces are missing by all else");
  command.flag("--exact", &options.exact,
               "of two folders: every column of every trace and step but times, to the last digit");
  command.real("--fail-slower", &options.fail_slower, Range::at_least(1.0), "RATIO",
               "different also where a cell takes more than this times as long, beyond noise");
  command.flag("--fail-unjudged", &options.fail_unjudged, "with --fail-slower: different where times cannot be judged, too");
  add_format_of_checks(command, &options.format);
}

}  // namespace ccp::cli
