#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>

#include "bench/analysis/change_points.hpp"
#include "bench/config/claim_reader.hpp"
#include "bench/record/metrics.hpp"
#include "bench/results/result_table.hpp"
#include "commands/command.hpp"
#include "commands/script.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "io/file.hpp"
#include "problem/model.hpp"
#include "terminal/arguments.hpp"
#include "terminal/records.hpp"
#include "terminal/table.hpp"
#include "terminal/terminal.hpp"

namespace ccp::cli {
namespace {

constexpr const char* history_footer =
    "Examples\n"
    "  $ ccpbench history nightly/*/test1a\n"
    "  $ ccpbench history nightly/*/bench_admm --metric flops --of '*ADMM*' --out figures\n"
    "  $ ccpbench history nightly/*/fclib --metric time_to --at 1e-6 --no-figure --format csv\n"
    "\n"
    "Follows a metric of the same cells from folder to folder, in the order of the runs, and finds where it changed:\n"
    "for each solver the geometric mean over the cells that every folder has and solves. The commit is that of the program\n"
    "that ran. Changes are the pieces of least squares with a penalty of 3 log n in variances of the noise (the median\n"
    "absolute deviation of neighbours, of times and instructions at least 1 %); of times a piece has two runs at least.\n"
    "Counts without noise change wherever they differ. OUT has history.csv and the figure.\n"
    "Exit codes: 0 done, 2 bad input.\n";

struct HistoryArguments {
  std::vector<std::string> folders, of;
  std::string metric = "iterations", problem, model, fclib_dir, out = "history";
  std::optional<double> at;
  bool no_figure = false;
  FormatOption format;
};

/// One folder of results.
struct Stage {
  ResultTable results;
  std::string folder, start, commit, version, cpu;
};

/// The values of a solver over all stages.
struct Course {
  std::string label;
  std::size_t cells = 0;
  std::vector<double> values, levels;  ///< of each stage
  std::vector<std::size_t> changes;
};

std::vector<Stage> read_stages(const HistoryArguments& options) {
  std::vector<Stage> stages;
  for (const std::string& folder : options.folders) {
    ResultTable results(folder, catalog(), options.fclib_dir, MissingTraces::taken);
    const Json manifest = try_parse_json(read_file(std::filesystem::path(folder) / "manifest.json").value_or(""));
    const auto text = [&](const char* part, const char* key) {
      const Json inside = manifest.is_object() && part != nullptr ? manifest.value(part, Json::object()) : manifest;
      return inside.is_object() && inside.contains(key) && inside[key].is_string() ? inside[key].get<std::string>() : "";
    };
    stages.push_back({std::move(results), folder, text(nullptr, "start"), text("program", "git_commit"),
                      text("program", "version"), text("environment", "cpu")});
  }
  std::stable_sort(stages.begin(), stages.end(), [](const Stage& a, const Stage& b) { return a.start < b.start; });
  return stages;
}

/// Whether a value of a metric differs between runs of the same program.
bool is_noisy(const Metric& metric) { return metric.unit == "s" || metric.name == "instructions"; }

bool is_wanted(const ResultRow& row, const HistoryArguments& options) {
  const bool of = options.of.empty() || std::any_of(options.of.begin(), options.of.end(), [&](const std::string& pattern) {
                    return label_matches(pattern, row.label, row.label_base);
                  });
  return of && (options.problem.empty() || label_matches(options.problem, row.problem, row.problem_base)) &&
         (options.model.empty() || options.model == model_name(row.model));
}

/// Values of the cells by id; a cell whose run does not solve its problem has no cost.
std::map<std::string, double> values_of(const Stage& stage, const HistoryArguments& options, const Metric& metric) {
  std::map<std::string, double> values;
  for (const ResultRow& row : stage.results.rows()) {
    if (!is_wanted(row, options)) continue;
    const double value = stage.results.metric(row, metric.name, options.at.value_or(0.0));
    const bool known = std::isfinite(value) && value > 0.0 && (!metric.cost || stage.results.converged(row));
    values.emplace(row.id(), known ? value : unknown_number);
  }
  return values;
}

/// The courses of all solvers, in the order of the first stage. left_out: cells without a value somewhere.
std::vector<Course> courses_of(const std::vector<Stage>& stages, const HistoryArguments& options, const Metric& metric,
                               std::size_t& left_out) {
  std::vector<std::map<std::string, double>> values;
  for (const Stage& stage : stages) values.push_back(values_of(stage, options, metric));
  std::vector<Course> courses;
  for (const ResultRow& row : stages.front().results.rows()) {
    if (!is_wanted(row, options)) continue;
    const auto known = [&](const auto& of_stage) {
      const auto found = of_stage.find(row.id());
      return found != of_stage.end() && !std::isnan(found->second);
    };
    if (!std::all_of(values.begin(), values.end(), known)) {
      ++left_out;
      continue;
    }
    auto course = std::find_if(courses.begin(), courses.end(), [&](const Course& one) { return one.label == row.label; });
    if (course == courses.end()) {
      courses.push_back({row.label, 0, std::vector<double>(stages.size(), 0.0), {}, {}});
      course = courses.end() - 1;
    }
    ++course->cells;
    for (std::size_t i = 0; i < stages.size(); ++i) course->values[i] += std::log(values[i].at(row.id()));
  }
  const ChangeRule rule = is_noisy(metric) ? ChangeRule{0.01, 2} : ChangeRule{1e-9, 1};
  for (Course& course : courses) {
    for (double& value : course.values) value /= static_cast<double>(course.cells);
    course.changes = change_points(course.values, rule);
    course.levels = levels_of(course.values, course.changes);
    for (std::vector<double>* list : {&course.values, &course.levels})
      for (double& value : *list) value = std::exp(value);
  }
  return courses;
}

bool changes_at(const Course& course, std::size_t stage) {
  return std::find(course.changes.begin(), course.changes.end(), stage) != course.changes.end();
}

Records course_records(const std::vector<Course>& courses, const std::vector<Stage>& stages, const std::string& metric) {
  Records table({{"solver", "solver"},
                 {"order", "", true},
                 {"commit", "commit"},
                 {"version", "version"},
                 {"start", "start"},
                 {"folder", "folder"},
                 {"value", metric, true},
                 {"level", "level", true},
                 {"change", "change", true}});
  for (const Course& course : courses)
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const Stage& stage = stages[i];
      const Datum change = changes_at(course, i) ? number(course.levels[i] / course.levels[i - 1]) : Datum(Json());
      table.row({course.label, Json(i + 1), stage.commit, stage.version, stage.start, stage.folder, number(course.values[i]),
                 number(course.levels[i]), change});
    }
  return table;
}

/// "2 of 5: 1a2b3c4, 2026-11-02: 120 → 95 (× 0.79)" for each change.
Table course_table(const std::vector<Course>& courses, const std::vector<Stage>& stages, const Metric& metric) {
  const auto value_text = [&](double value) { return metric.unit == "s" ? duration(value) : short_number(value); };
  Table table({{"solver", false}, {"cells", true}, {"first", true}, {"last", true}, {"changes", false, Fit::wrap}});
  for (const Course& course : courses) {
    std::vector<std::string> changes;
    for (const std::size_t i : course.changes)
      changes.push_back(fmt::format("{}, {}: {} → {} (× {:.3g})", stages[i].commit, stages[i].start.substr(0, 10),
                                    value_text(course.levels[i - 1]), value_text(course.levels[i]),
                                    course.levels[i] / course.levels[i - 1]));
    table.row({Entry(printable(course.label)), Entry(fmt::format("{}", course.cells)),
               Entry(value_text(course.values.front())), Entry(value_text(course.values.back())),
               changes.empty() ? Entry("none", Tone::dim) : Entry(printable(join(changes, "; ")))});
  }
  return table;
}

void note_differences(const std::vector<Stage>& stages, const Metric& metric, std::size_t left_out) {
  if (left_out > 0)
    report_note(fmt::format("{} left out: without a {} above 0 in some folder, or not solved there",
                            counted(left_out, "cell"), metric.name));
  for (const Stage& stage : stages)
    if (is_noisy(metric) && stage.cpu != stages.front().cpu) {
      report_note(fmt::format("{} ran on another processor ({}) than {} ({})", stage.folder, stage.cpu,
                              stages.front().folder, stages.front().cpu));
      break;
    }
}

int history(const HistoryArguments& options) {
  if (options.folders.size() < 2) throw InputError("", "RESULTS", "is one folder, expected two at least");
  const Metric& metric = *find_metric(options.metric);
  if (metric.takes_decade() != options.at.has_value())
    throw InputError("", "--at",
                     metric.takes_decade() ? fmt::format("is needed for {}, such as 1e-6", metric.name)
                                           : fmt::format("is not for {}, expected none", metric.name));
  check_output_folder(options.out);
  const std::vector<Stage> stages = read_stages(options);
  std::size_t left_out = 0;
  const std::vector<Course> courses = courses_of(stages, options, metric, left_out);
  if (courses.empty()) throw InputError("the folders have no cell in common that matches and tells " + metric.name);
  note_differences(stages, metric, left_out);
  const Records records = course_records(courses, stages, metric.name);
  make_folder(options.out);
  write_file_atomically(std::filesystem::path(options.out) / "history.csv", records.csv());
  if (options.format.text()) {
    print_line(fmt::format("{} of {}", Style::out().bold(metric.name), counted(stages.size(), "run")));
    print(course_table(courses, stages, metric).text(Style::out(), stdout_width()));
    print_line("history: " + options.out);
  } else {
    print_records(options.format.format(), records);
  }
  if (options.no_figure) return exit_done;
  return run_script("plot_history.py", {"--quiet", "--metric=" + metric.name, "--", options.out}, std::nullopt, stderr);
}

}  // namespace

void add_history(CommandLine& program) {
  Subcommand& command = program.subcommand("history", "how a metric changed over versions of the program", history_footer);
  HistoryArguments& options = command.options<HistoryArguments>(history);
  command.operands("RESULTS", &options.folders, "folders of results of the same config, two at least", Need::required);
  command.choice("--metric", &options.metric, claim_metrics(), "what is followed (`ccpbench list metrics`)");
  command.real("--at", &options.at, Range::positive(), "VALUE", "accuracy, of metrics that need one, such as time_to");
  command.repeated("--of", &options.of, "GLOB", "only the solvers whose label matches, any number of times");
  command.text("--problem", &options.problem, "GLOB", "only the problems whose name matches");
  command.choice("--model", &options.model, model_names(), "only the cells of this model (default: both)");
  command.text("--fclib", &options.fclib_dir, "DIR", "folder of the FCLib files (default: CCPBENCH_FCLIB_DIR)");
  command.text("--out", &options.out, "DIR", "where history.csv and the figure go (default history)");
  command.flag("--no-figure", &options.no_figure, "draw no figure, for which Python and matplotlib are needed");
  add_format(command, &options.format);
}

}  // namespace ccp::cli
