#include "bench/analysis/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "bench/record/csv.hpp"
#include "commands/command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "io/file.hpp"
#include "problem/judge/measure.hpp"
#include "problem/model.hpp"
#include "terminal/arguments.hpp"
#include "terminal/records.hpp"
#include "terminal/table.hpp"
#include "terminal/terminal.hpp"
#include "views/budget_table.hpp"

namespace ccp::cli {
namespace {

constexpr const char* profile_footer =
    "Examples\n"
    "  $ ccpbench profile results/fclib\n"
    "  $ ccpbench profile results/fclib --by iterations --at 1e-4 --at 1e-8 --out profiles\n"
    "  $ ccpbench profile results/fclib --model ncp --measure natural_map --at 1e-6\n"
    "  $ ccpbench profile results/fclib --format latex > table.tex\n"
    "  $ ccpbench profile results/my-robot --budget 1ms --at 1e-4 --at 1e-6\n"
    "\n"
    "Prints, per accuracy, how many problems each label solves and the shifted geometric mean of the cost with its 95 %\n"
    "bootstrap interval (none below five problems); an unsolved problem counts as ten times the dearest cost to\n"
    "any accuracy, and a solver that solves none has no mean. Accuracies beyond the tolerance of the runs are left out, "
    "unless --at\n"
    "names them. --budget says what each solver has within a time: how many runs are solved (to the tolerance of the "
    "config,\n"
    "or to each --at), the residual that is reached, and the longest times. Problems that a solver does not support are in\n"
    "none of its numbers, nor are costs that another program does not count. Problems that could not be read, or were not "
    "given to all solver settings, are left out, with their number.\n"
    "--out writes accuracy.csv, performance.csv, data.csv and means.csv; `ccpbench plot` draws them.\n"
    "Exit codes: 0 done, 2 bad input.\n";

struct ProfileArguments {
  std::vector<std::string> results, at;
  std::string out, fclib_dir, model, budget;
  ProfileOptions profile;
  FormatOption format;
};

std::vector<double> asked_accuracies(const ProfileArguments& options) {
  std::vector<double> values;
  for (const std::string& text : options.at) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !(value > 0.0) || !std::isfinite(value))
      throw InputError("", "--at", fmt::format("'{}' is no positive number", text));
    const double decade = std::log10(value);
    const bool whole = std::abs(decade - std::round(decade)) < 1e-9 && decade > -12.5 && decade < -1.5;
    if (options.profile.measure.empty() && !whole)
      throw InputError("", "--at",
                       fmt::format("'{}' is no power of ten from 1e-2 to 1e-12; other values need --measure", text));
    values.push_back(value);
  }
  return values;
}

std::string cost_text(double value, bool time) {
  if (std::isnan(value)) return "–";
  return time ? duration(value) : plain_number(value);
}

/// "1e-04" beside "1e-08", not "0.0001".
std::string accuracy_text(double at) {
  const std::string power = fmt::format("{:.0e}", at);
  return at < 1e-2 && std::stod(power) == at ? power : fmt::format("{:g}", at);
}

/// What belongs to profiles alone is refused, rather than ignored.
void check_beside_budget(const ProfileArguments& options) {
  const auto refuse = [](bool given, const char* name, const char* instead) {
    if (given) throw InputError("", name, fmt::format("does not go with --budget, {}", instead));
  };
  refuse(options.profile.by != "time", "--by", "which is a time");
  refuse(!options.profile.measure.empty(), "--measure", "which takes the stop measure");
  refuse(options.profile.shift != 0.0, "--shift", "which has no mean");
  refuse(!options.out.empty(), "--out", "which has no curves, expected --format csv");
}

/// decades: accuracies; none: the tolerance of the configs.
void print_budgets(const std::vector<ResultTable>& results, double budget_s, const std::vector<double>& decades,
                   const ProfileArguments& options) {
  std::vector<std::optional<double>> accuracies(decades.begin(), decades.end());
  if (accuracies.empty()) accuracies.emplace_back();
  const std::string measure(measure_info(results.front().config().variants.front().stop.measure).name);
  Records records = budget_records();
  BudgetTable table;
  for (const std::optional<double>& at : accuracies) {
    table = within_budget(results, {budget_s, at, options.profile.model});
    const double accuracy = at.value_or(common_tolerance(results));
    if (!options.format.text()) {
      add_budget(records, table.solvers, accuracy);
      continue;
    }
    const std::string meaning =
        std::isnan(accuracy) ? "the tolerance of each config" : fmt::format("{} ≤ {}", measure, accuracy_text(accuracy));
    print_line(fmt::format("{}, solved: {}", Style::out().bold("within " + options.budget), meaning));
    print(budget_page(table.solvers).text(Style::out(), stdout_width()));
    if (std::any_of(table.solvers.begin(), table.solvers.end(),
                    [](const WithinBudget& solver) { return std::isinf(solver.solve_s.worst); }))
      print_line(">: some runs ended unsolved.");
  }
  if (!options.format.text()) print_records(options.format.format(), records);
  note_budget(table);
}

/// " (2 more could not be read, 1 no solver supports)"; empty where no problem is left out.
std::string left_out_text(const CostTable& table, const std::string& by) {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t problems, const std::string& why) {
    if (problems > 0) parts.push_back(fmt::format("{} {}{}", problems, parts.empty() ? "more " : "", why));
  };
  add(table.unreadable, "could not be read");
  add(table.not_given_to_all, "not given to all solver settings");
  add(table.taken_by_none, by == "time" ? "that no solver supports" : "that no solver supports or counts " + by + " on");
  return parts.empty() ? "" : " (" + join(parts, ", ") + ")";
}

void print_means(const CostTable& table, const std::vector<ShiftedMean>& means, const ProfileOptions& options) {
  const bool time = options.by == "time";
  const double shift = options.shift > 0.0 ? options.shift : default_shift(options.by);
  print_line(fmt::format("{}, {}{}, {} by {}", Style::out().bold("accuracy " + accuracy_text(table.at)),
                         counted(table.problems.size(), "problem"), left_out_text(table, options.by),
                         counted(table.labels.size(), "solver setting"), options.by));
  Table rows(
      {{"solver", false, Fit::shorten}, {"solved", true}, {fmt::format("mean (shift {:g})", shift), true}, {"95 %", true}});
  for (const ShiftedMean& mean : means)
    rows.row({printable(mean.label), fmt::format("{}/{}", mean.solved, mean.problems), cost_text(mean.mean, time),
              std::isnan(mean.low) ? "–" : fmt::format("{} – {}", cost_text(mean.low, time), cost_text(mean.high, time))});
  print(rows.text(Style::out(), stdout_width()));
  print_line("");
}

Records mean_records(const std::string& by) {
  const bool time = by == "time";
  const std::string unit = time ? "_s" : "", what = time ? "the time" : by == "back_solves" ? "back-solves" : by;
  return Records({{"accuracy", "accuracy", true},
                  {"solver", "solver"},
                  {"school", "school"},
                  {"solved", "solved", true},
                  {"problems", "problems", true},
                  {"mean" + unit, "shifted geometric mean of " + what, true},
                  {"low" + unit, "95 %, from", true},
                  {"high" + unit, "to", true}});
}

void add_means(Records& table, double at, const std::vector<ShiftedMean>& means, const std::string& by,
               std::map<std::string, std::string>& schools) {
  const auto cost = [&by](double value) {
    return by == "time" ? seconds(value) : Datum(json_number(value), plain_number(value));
  };
  for (const ShiftedMean& mean : means)
    table.row({Datum(Json(at), fmt::format("{:g}", at)), mean.label, schools[mean.label], Json(mean.solved),
               Json(mean.problems), cost(mean.mean), cost(mean.low), cost(mean.high)});
}

/// Empty for NaN.
std::string known(double value) { return std::isnan(value) ? "" : fmt::format("{:.10g}", value); }

void add_curves(const CostTable& table, const std::vector<ProfileCurve>& curves, std::string& csv) {
  for (const ProfileCurve& curve : curves)
    for (std::size_t i = 0; i < curve.x.size(); ++i)
      csv += fmt::format("{:g},{},{:.10g},{:.10g},{},{},{}\n", table.at, csv_field(curve.label), curve.x[i],
                         curve.fraction[i], known(curve.low[i]), known(curve.high[i]), curve.problems);
}

/// The schools of the solvers by their labels in a profile.
std::map<std::string, std::string> schools_of(const std::vector<ResultTable>& results) {
  std::map<std::string, std::string> schools;
  for (const ResultTable& result : results)
    for (const ConfigVariant& variant : result.config().variants)
      for (const auto& solver : variant.solvers) schools[solver->label] = schools[solver->base_label] = solver->school;
  return schools;
}

int profile(ProfileArguments options) {
  if (!options.out.empty()) check_output_folder(options.out);
  if (!options.model.empty()) options.profile.model = model_from_name(options.model);
  std::vector<double> decades = asked_accuracies(options);
  if (!options.budget.empty()) check_beside_budget(options);
  const double budget = options.budget.empty() ? 0.0 : parse_time(options.budget, "--budget");
  std::vector<ResultTable> results;
  for (const std::string& folder : options.results) {
    results.emplace_back(folder, catalog(), options.fclib_dir);
    if (!results.back().note().empty()) report_note(results.back().note());
    for (const std::string& change : results.back().config().changes) report_note(folder + ": changed: " + change);
  }
  const double tightest = options.profile.measure.empty() ? tightest_accuracy(results) : 0.0;
  for (const double at : decades)
    if (at < tightest * (1.0 - 1e-9))
      report_note(fmt::format("{:g}: nobody was asked for it, runs stop at {:g}", at, tightest));
  if (budget > 0.0) {
    print_budgets(results, budget, decades, options);
    return exit_done;
  }
  if (decades.empty()) decades = usual_accuracies(results);
  std::string accuracy = "at,problem,label,by,cost\n", means = "at,label,by,shift,solved,problems,mean,low,high,school\n";
  std::string performance = "at,label,ratio,fraction,low,high,problems\n",
              data = "at,label,budget,fraction,low,high,problems\n";
  const double shift = options.profile.shift > 0.0 ? options.profile.shift : default_shift(options.profile.by);
  std::map<std::string, std::string> schools = schools_of(results);
  Records records = mean_records(options.profile.by);
  for (const double at : decades) {
    const CostTable table = cost_table(results, at, options.profile);
    const auto table_means = shifted_means(table, options.profile);
    if (options.format.text()) print_means(table, table_means, options.profile);
    add_means(records, at, table_means, options.profile.by, schools);
    for (std::size_t s = 0; s < table.labels.size(); ++s)
      for (std::size_t p = 0; p < table.problems.size(); ++p)
        accuracy += fmt::format("{:g},{},{},{},{}\n", at, csv_field(table.problems[p]), csv_field(table.labels[s]),
                                options.profile.by, std::isnan(table.costs[s][p]) ? "" : csv_number(table.costs[s][p]));
    for (const ShiftedMean& mean : table_means)
      means += fmt::format("{:g},{},{},{:g},{},{},{},{},{},{}\n", at, csv_field(mean.label), options.profile.by, shift,
                           mean.solved, mean.problems, known(mean.mean), known(mean.low), known(mean.high),
                           csv_field(schools[mean.label]));
    add_curves(table, performance_profile(table, options.profile), performance);
    add_curves(table, data_profile(table, options.profile), data);
  }
  if (!options.format.text()) print_records(options.format.format(), records);
  if (options.out.empty()) return exit_done;
  const std::filesystem::path out = options.out;
  make_folder(out);
  write_file_atomically(out / "accuracy.csv", accuracy);
  write_file_atomically(out / "means.csv", means);
  write_file_atomically(out / "performance.csv", performance);
  write_file_atomically(out / "data.csv", data);
  if (options.format.text()) print_line("profiles: " + options.out);
  return exit_done;
}

}  // namespace

void add_profile(CommandLine& program) {
  Subcommand& command =
      program.subcommand("profile", "compare solvers over many problems: performance and data profiles", profile_footer);
  ProfileArguments& options = command.options<ProfileArguments>(profile);
  command.operands("RESULTS", &options.results, "folders of results", Need::required);
  command.choice("--by", &options.profile.by, {"time", "iterations", "products", "back_solves", "factorizations"},
                 "what it costs");
  command.repeated("--at", &options.at, "VALUE",
                   "accuracy, any number of times (default: 1e-4, 1e-8 and 1e-12, as far as runs were asked)");
  command.text("--budget", &options.budget, "TIME", "what each solver has within a time such as 1ms, instead of profiles");
  command.choice("--measure", &options.profile.measure, measure_names(),
                 "measure of accuracy, read from the traces (default: the stop measure)");
  command.choice("--model", &options.model, model_names(),
                 "only the cells of this model (default: both; problems that a solver was not run on are left out)");
  command.real("--shift", &options.profile.shift, Range::closed(0.0, 1e9), "VALUE",
               "of the geometric mean; 0 stands for 0.01 s or 10 counts");
  command.text("--fclib", &options.fclib_dir, "DIR",
               "folder of the FCLib files (default: CCPBENCH_FCLIB_DIR); needed where results were copied together");
  command.text("--out", &options.out, "DIR", "write the CSV files into this folder");
  add_format(command, &options.format);
}

}  // namespace ccp::cli
