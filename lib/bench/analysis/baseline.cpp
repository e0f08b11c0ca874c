#include "bench/analysis/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "bench/analysis/cell_inputs.hpp"
#include "bench/config/config_json.hpp"
#include "bench/record/csv.hpp"
#include "core/error.hpp"
#include "io/file.hpp"
#include "problem/judge/measure.hpp"
#include "process/scratch_folder.hpp"

namespace ccp {
namespace {

namespace fs = std::filesystem;

constexpr int baseline_schema = 1;
constexpr double dense_until = 20.0, growth = 1.15;  // of the iterations a thinned curve keeps
const std::vector<std::string> baseline_counts = {"iterations", "factorizations", "back_solves", "products", "projections"};

/// Measures of a trace that go to zero; the others have no decades.
std::vector<std::string> curve_columns(const CsvTable& trace) {
  std::vector<std::string> columns;
  for (const std::string& column : trace.columns)
    if (const auto measure = measure_from_name(column); measure && measure_info(*measure).stoppable)
      columns.push_back(column);
  return columns;
}

/// The rows of a trace that a baseline keeps: the first ones, then ever fewer, and the last.
std::vector<std::size_t> thinned(const CsvTable& trace) {
  std::vector<std::size_t> rows;
  double next = 0.0;
  for (std::size_t i = 0; i < trace.rows.size(); ++i) {
    const double iteration = trace.number(i, "iteration");
    if (iteration < next && i + 1 < trace.rows.size()) continue;
    rows.push_back(i);
    next = iteration < dense_until ? iteration + 1.0 : std::ceil(iteration * growth);
  }
  return rows;
}

/// Gives every label a file of its own.
class FileNames {
 public:
  const std::string& of(const std::string& label) {
    std::string& file = files_[label];
    if (!file.empty()) return file;
    std::string name;
    for (const char c : label.substr(0, longest_name))
      name += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' ? c : '_';
    file = name + ".csv";
    for (int i = 2; !taken_.insert(file).second; ++i) file = fmt::format("{}-{}.csv", name, i);
    return file;
  }

 private:
  static constexpr std::size_t longest_name = 100;
  std::map<std::string, std::string> files_;
  std::set<std::string> taken_;
};

Json tolerances_json(const BaselineTolerances& t) {
  return {{"curve_decades", t.curve_decades},
          {"curve_floor", t.curve_floor},
          {"count_relative", t.count_relative},
          {"count_absolute", t.count_absolute},
          {"objective_relative", t.objective_relative}};
}

Json read_baseline(const fs::path& folder) {
  const fs::path file = folder / "baseline.json";
  Json json = parse_json(read_file(file).value_or(""), file.string());
  const auto is = [&](const char* key, bool (Json::*type)() const noexcept) {
    return json.contains(key) && (json[key].*type)();
  };
  if (!json.is_object() || json.value("schema", Json()) != baseline_schema || !is("cells", &Json::is_object) ||
      !is("tolerances", &Json::is_object) || !is("config", &Json::is_string) || !is("size", &Json::is_string))
    throw InputError(file.string(), "", "is no baseline");
  return json;
}

BaselineTolerances read_tolerances(const Json& json, const fs::path& folder) {
  const auto number = [&](const char* name) {
    const auto found = json.find(name);
    if (found == json.end() || !found->is_number() || found->get<double>() < 0.0)
      throw InputError((folder / "baseline.json").string(), std::string("/tolerances/") + name, "expected a number from 0");
    return found->get<double>();
  };
  return {number("curve_decades"), number("curve_floor"), number("count_relative"), number("count_absolute"),
          number("objective_relative")};
}

void check_repeatable(const ResultTable& results) {
  for (const ResultRow& row : results.rows())
    if (!repeatable(row.status))
      throw InputError(results.folder().string(), row.id(),
                       fmt::format("ended as {}, which another machine would not repeat", status_name(row.status)));
  for (const ResultRow& row : results.rows())
    if (results.metric(row, "steps_at_time_limit", 0.0) > 0.0)
      throw InputError(results.folder().string(), row.id(),
                       "has steps that ended at their time limit, which another machine would not repeat");
}

/// Whether a cell has ended by itself, so that it has shown iterates.
bool ended_by_itself(Status status) {
  return repeatable(status) && status != Status::failed && status != Status::unsupported && status != Status::interrupted;
}

/// Whether a cell should have curves, of its iterates or its steps, and has none.
bool lacks_curves(const ResultTable& results, const ResultRow& row) {
  const char* file = results.has_steps(row) ? "steps.csv" : "trace.csv";
  return ended_by_itself(row.status) && !fs::is_regular_file(results.folder() / "cells" / row.hash / file);
}

/// "has no traces of 2 of its 3 cells (a/ccp/b, …)"
std::string lacking_text(const std::vector<std::string>& lacking, std::size_t cells) {
  return fmt::format("has no traces of {} of its {} cells ({}{})", lacking.size(), cells, lacking.front(),
                     lacking.size() > 1 ? ", …" : "");
}

std::vector<std::string> cells_without_curves(const ResultTable& results) {
  std::vector<std::string> lacking;
  for (const ResultRow& row : results.rows())
    if (lacks_curves(results, row)) lacking.push_back(row.id());
  return lacking;
}

std::string number_text(double value) { return fmt::format("{:.10g}", value); }

/// A trace must have its last iteration, or what was cut off would count as the same.
void check_whole(const ResultTable& results, const ResultRow& row) {
  const fs::path file = results.folder() / "cells" / row.hash / "trace.csv";
  const double iterations = results.metric(row, "iterations", 0.0);
  if (!results.has_trace(row)) return;
  const CsvTable& trace = results.trace(row);
  const double last = trace.rows.empty() ? -1.0 : trace.number(trace.rows.size() - 1, "iteration");
  if (!(last >= iterations))
    throw InputError(file.string(), "",
                     fmt::format("ends before its last iteration {:g}; run the cell again with --fresh", iterations));
}

std::string size_text(const std::string& size) {
  return size.empty() ? "of the config as written" : "of size '" + size + "'";
}

std::string size_option(const std::string& size) { return size.empty() ? "without --size" : "with --size " + size; }

class Comparison {
 public:
  /// strict: with a stored baseline, of the same config and size, without steps at their time limit. name: of the side
  /// that is stored in the folder.
  Comparison(const ResultTable& results, const fs::path& folder, bool strict, fs::path name, MissingTraces traces)
      : results_(results),
        folder_(folder),
        name_(std::move(name)),
        strict_(strict),
        traces_(traces),
        json_(read_baseline(folder)),
        tolerances_(read_tolerances(json_["tolerances"], folder)) {}

  BaselineComparison run() {
    if (strict_) check_same_study();
    std::vector<std::string> without = check_traces();
    if (traces_ == MissingTraces::refused) results_.check_cells();
    std::map<std::string, const ResultRow*> rows;
    for (const ResultRow& row : results_.rows()) {
      check_whole(results_, row);
      rows[row.id()] = &row;
    }
    std::set<std::string> stored;
    for (const auto& [id, cell] : json_["cells"].items()) {
      stored.insert(id);
      if (const auto row = rows.find(id); row == rows.end())
        changes_.push_back({id, "cell", "there", "missing", ""});
      else
        compare_cell(*row->second, cell);
    }
    for (const auto& [id, row] : rows)
      if (stored.count(id) == 0) changes_.push_back({id, "cell", "missing", "there", ""});
    return {std::move(changes_), std::move(without)};
  }

 private:
  /// The cells of both sides whose curves one of them lacks. Throws InputError where these are refused.
  std::vector<std::string> check_traces() const {
    std::vector<std::string> before, now, either;
    for (const ResultRow& row : results_.rows()) {
      const auto found = json_["cells"].find(row.id());
      if (found == json_["cells"].end()) continue;
      const Json status = found->is_object() ? found->value("status", Json()) : Json();
      const bool ended =
          status.is_string() && ended_by_itself(status_from_name(status.get<std::string>()).value_or(Status::failed));
      const bool lacks_before = ended && !found->contains("file") && !found->contains("steps_file");
      const bool lacks_now = lacks_curves(results_, row);
      if (lacks_before) before.push_back(row.id());
      if (lacks_now) now.push_back(row.id());
      if (lacks_before || lacks_now) either.push_back(row.id());
    }
    if (traces_ == MissingTraces::taken || either.empty()) return either;
    const bool is_now = !now.empty();
    throw InputError(
        (is_now ? results_.folder() : name_).string(), "",
        fmt::format("{}, so that curves cannot be compared; --without-traces compares all else",
                    lacking_text(is_now ? now : before, is_now ? results_.rows().size() : json_["cells"].size())));
  }

  void check_same_study() const {
    const std::string file = (folder_ / "baseline.json").string();
    if (json_.value("config", "") != results_.config().name)
      throw InputError(file, "/config",
                       fmt::format("is that of '{}', not of '{}'", json_.value("config", ""), results_.config().name));
    if (json_.value("size", "") != results_.config().size)
      throw InputError(
          file, "/size",
          fmt::format("the baseline is {}, the results are {}: run the config {}", size_text(json_.value("size", "")),
                      size_text(results_.config().size), size_option(json_.value("size", ""))));
  }

  void compare_cell(const ResultRow& row, const Json& cell) {
    try {
      if (const auto status = cell.at("status").get<std::string>(); status != status_name(row.status))
        changes_.push_back({row.id(), "status", status, std::string(status_name(row.status)), "the same"});
      if (!repeatable(row.status) ||
          !repeatable(status_from_name(cell.at("status").get<std::string>()).value_or(Status::failed)))
        return;
      if (const double steps = results_.metric(row, "steps_at_time_limit", 0.0); strict_ && steps > 0.0) {
        changes_.push_back({row.id(), "steps at their time limit", "0", number_text(steps), "0"});
        return;
      }
      const auto compare = [&](const std::string& name, double absolute, double relative) {
        const double before = cell.at(name).get<double>(), now = results_.metric(row, name, 0.0);
        const double allowed = std::max(absolute, relative * std::abs(before));
        if (!(std::abs(now - before) <= allowed))
          changes_.push_back({row.id(), name, number_text(before), number_text(now), fmt::format("± {:.3g}", allowed)});
      };
      for (const std::string& name : baseline_counts) compare(name, tolerances_.count_absolute, tolerances_.count_relative);
      if (!cell.at("objective").is_null()) compare("objective", 0.0, tolerances_.objective_relative);
      if (lacks_curves(results_, row)) return;
      if (cell.contains("file")) compare_curves(row, folder_ / cell["file"].get<std::string>());
      if (cell.contains("steps_file")) compare_steps(row, folder_ / cell["steps_file"].get<std::string>());
    } catch (const nlohmann::json::exception&) {
      throw InputError((folder_ / "baseline.json").string(), shown_pointer(child_pointer("/cells", row.id())),
                       "is no cell of a baseline");
    }
  }

  const CsvTable& curves(const fs::path& file) {
    const auto found = curves_.find(file.string());
    return found != curves_.end() ? found->second : curves_.emplace(file.string(), read_csv(file)).first->second;
  }

  /// Rows of a file of curves that belong to a cell.
  static std::vector<std::size_t> rows_of(const ResultRow& row, const CsvTable& before, const fs::path& file) {
    const int problem = before.column("problem"), model = before.column("model");
    if (problem < 0 || model < 0) throw InputError(file.string(), "", "is no curve of a baseline");
    std::vector<std::size_t> mine;
    for (std::size_t i = 0; i < before.rows.size(); ++i)
      if (before.rows[i][static_cast<std::size_t>(problem)] == row.problem &&
          before.rows[i][static_cast<std::size_t>(model)] == model_name(row.model))
        mine.push_back(i);
    return mine;
  }

  /// The step whose number of iterations moved most.
  void compare_steps(const ResultRow& row, const fs::path& file) {
    if (!results_.has_steps(row)) {
      changes_.push_back({row.id(), "steps", "there", "missing", ""});
      return;
    }
    const CsvTable& before = curves(file);
    const CsvTable& now = results_.steps(row);
    std::map<double, std::size_t> at;
    for (std::size_t i = 0; i < now.rows.size(); ++i) at[now.number(i, "step")] = i;
    double worst = 0.0;
    BaselineChange change;
    for (const std::size_t i : rows_of(row, before, file)) {
      const double step = before.number(i, "step"), old_value = before.number(i, "iterations");
      const auto found = at.find(step);
      const double value = found == at.end() ? unknown_number : now.number(found->second, "iterations");
      const double allowed = std::max(tolerances_.count_absolute, tolerances_.count_relative * old_value);
      const double excess = std::abs(value - old_value) - allowed;
      if (excess <= worst) continue;
      worst = excess;
      change = {row.id(), fmt::format("iterations of step {:g}", step), number_text(old_value), number_text(value),
                fmt::format("± {:.3g}", allowed)};
      if (std::isnan(excess)) break;
    }
    if (!change.cell.empty()) changes_.push_back(std::move(change));
  }

  void compare_curves(const ResultRow& row, const fs::path& file) {
    const CsvTable& before = curves(file);
    const std::vector<std::size_t> mine = rows_of(row, before, file);
    const CsvTable& now = results_.trace(row);
    std::map<double, std::size_t> at;
    for (std::size_t i = 0; i < now.rows.size(); ++i) at[now.number(i, "iteration")] = i;
    for (const std::string& name : curve_columns(before)) compare_curve(row, name, before, mine, now, at);
  }

  /// The point that moved most, in decades above the floor.
  void compare_curve(const ResultRow& row, const std::string& name, const CsvTable& before,
                     const std::vector<std::size_t>& mine, const CsvTable& now, const std::map<double, std::size_t>& at) {
    double largest = 0.0, worst = tolerances_.curve_decades;
    for (const std::size_t i : mine)
      if (const double value = before.number(i, name); std::isfinite(value)) largest = std::max(largest, value);
    const double floor = tolerances_.curve_floor * largest;
    BaselineChange change;
    for (const std::size_t i : mine) {
      const double iteration = before.number(i, "iteration"), old_value = before.number(i, name);
      const auto found = at.find(iteration);
      if (found == at.end()) continue;  // the iteration count says so
      const double value = now.number(found->second, name);
      if (std::isnan(value) && std::isnan(old_value)) continue;
      const double a = std::max(old_value, floor), b = std::max(value, floor);
      const bool zero = !(a > 0.0) && !(b > 0.0);
      const double decades = zero ? 0.0 : std::abs(std::log10(b) - std::log10(a));
      if (decades <= worst) continue;
      worst = decades;
      change = {row.id(), fmt::format("{} at {:g}", name, iteration), number_text(old_value), number_text(value),
                fmt::format("{:.3g} > {:.3g} decades", decades, tolerances_.curve_decades)};
      if (std::isnan(decades)) break;
    }
    if (!change.cell.empty()) changes_.push_back(std::move(change));
  }

  const ResultTable& results_;
  const fs::path folder_, name_;
  const bool strict_;
  const MissingTraces traces_;
  const Json json_;
  const BaselineTolerances tolerances_;
  std::map<std::string, CsvTable> curves_;
  std::vector<BaselineChange> changes_;
};

/// Adds the curves of a cell to the text of its label's file.
void add_curves(const ResultRow& row, const CsvTable& trace, std::string& text) {
  const std::vector<std::string> columns = curve_columns(trace);
  if (text.empty()) {
    text = "problem,model,iteration";
    for (const std::string& column : columns) text += "," + column;
    text += "\n";
  }
  for (const std::size_t i : thinned(trace)) {
    text += fmt::format("{},{},{:g}", csv_field(row.problem), model_name(row.model), trace.number(i, "iteration"));
    for (const std::string& column : columns) text += "," + number_text(trace.number(i, column));
    text += "\n";
  }
}

/// Adds the iterations of the steps of a cell.
void add_steps(const ResultRow& row, const CsvTable& steps, std::string& text) {
  if (text.empty()) text = "problem,model,step,contacts,iterations\n";
  for (std::size_t i = 0; i < steps.rows.size(); ++i)
    text += fmt::format("{},{},{:g},{:g},{:g}\n", csv_field(row.problem), model_name(row.model), steps.number(i, "step"),
                        steps.number(i, "contacts"), steps.number(i, "iterations"));
}

/// Statuses, counts and curves of all cells, keeping the tolerances of a baseline that is there.
void store_baseline(const ResultTable& results, const fs::path& folder) {
  BaselineTolerances tolerances;
  std::set<std::string> obsolete;
  if (fs::is_regular_file(folder / "baseline.json")) {
    const Json old = read_baseline(folder);
    tolerances = read_tolerances(old["tolerances"], folder);
    for (const Json& cell : old["cells"])
      for (const char* key : {"file", "steps_file"})
        if (cell.contains(key)) obsolete.insert(cell[key].get<std::string>());
  }
  std::map<std::string, std::string> texts;
  FileNames names;
  Json cells = Json::object();
  for (const ResultRow& row : results.rows()) {
    Json cell = {{"status", status_name(row.status)}};
    for (const std::string& name : baseline_counts) cell[name] = json_number(results.metric(row, name, 0.0));
    const double objective = results.metric(row, "objective", 0.0);
    cell["objective"] = std::isfinite(objective) ? try_parse_json(number_text(objective)) : Json(nullptr);
    if (results.has_trace(row)) {
      cell["file"] = names.of(row.label);
      add_curves(row, results.trace(row), texts[names.of(row.label)]);
    }
    if (results.has_steps(row) && !lacks_curves(results, row)) {
      const std::string label = "steps of " + row.label;
      cell["steps_file"] = names.of(label);
      add_steps(row, results.steps(row), texts[names.of(label)]);
    }
    cells[row.id()] = std::move(cell);
  }
  make_folder(folder);
  for (const auto& [file, text] : texts) {
    write_file_atomically(folder / file, text);
    obsolete.erase(file);
  }
  const Json json = {{"schema", baseline_schema},
                     {"config", results.config().name},
                     {"size", results.config().size},
                     {"tolerances", tolerances_json(tolerances)},
                     {"cells", std::move(cells)}};
  write_file_atomically(folder / "baseline.json", dump_json(json, 1) + "\n");
  std::error_code ignored;
  for (const std::string& file : obsolete) fs::remove(folder / fs::path(file).filename(), ignored);
}

/// Refuses to lose anything that a baseline has.
void check_replaced(const ResultTable& results, const fs::path& folder) {
  const fs::path file = folder / "baseline.json";
  if (!fs::is_regular_file(file)) return;
  const Json old = read_baseline(folder);
  if (old.value("config", "") != results.config().name)
    throw InputError(file.string(), "/config",
                     fmt::format("is the baseline of '{}', not of '{}'; --replace takes its place", old.value("config", ""),
                                 results.config().name));
  if (old.value("size", "") != results.config().size)
    throw InputError(file.string(), "/size",
                     fmt::format("the baseline is {}, the results are {}; --replace takes its place",
                                 size_text(old.value("size", "")), size_text(results.config().size)));
  std::set<std::string> there;
  for (const ResultRow& row : results.rows()) there.insert(row.id());
  std::vector<std::string> lost;
  for (const auto& [id, cell] : old["cells"].items())
    if (there.count(id) == 0) lost.push_back(id);
  if (!lost.empty())
    throw InputError(results.folder().string(), "",
                     fmt::format("lacks {} of the {} cells of the baseline ({}{}); --replace takes its place all the same",
                                 lost.size(), old["cells"].size(), lost.front(), lost.size() > 1 ? ", …" : ""));
}

}  // namespace

bool repeatable(Status status) {
  return status != Status::time_limit && status != Status::crashed && status != Status::out_of_memory;
}

fs::path find_baseline(const fs::path& folder, const std::string& config) {
  for (const fs::path& candidate : {folder, folder / config})
    if (fs::is_regular_file(candidate / "baseline.json")) return candidate;
  throw InputError(folder.string(), "",
                   fmt::format("has no baseline of '{}', expected baseline.json or {}/baseline.json", config, config));
}

BaselineComparison compare_with_baseline(const ResultTable& results, const fs::path& folder, MissingTraces traces) {
  return Comparison(results, folder, true, folder, traces).run();
}

BaselineComparison compare_results(const ResultTable& before, const ResultTable& now, MissingTraces traces) {
  const bool common = std::any_of(now.rows().begin(), now.rows().end(), [&](const ResultRow& row) {
    return std::any_of(before.rows().begin(), before.rows().end(),
                       [&](const ResultRow& other) { return other.id() == row.id(); });
  });
  if (!common) throw InputError(now.folder().string(), "", fmt::format("has no cell that {} has", before.folder().string()));
  if (traces == MissingTraces::refused && cells_without_curves(before).empty()) before.check_cells();
  for (const ResultRow& row : before.rows()) check_whole(before, row);
  const ScratchFolder scratch("ccpbench-compare");
  store_baseline(before, scratch.path());
  return Comparison(now, scratch.path(), false, before.folder(), traces).run();
}

void write_baseline(const ResultTable& results, const fs::path& folder, const BaselineUpdate& update) {
  check_repeatable(results);
  for (const ResultRow& row : results.rows()) check_whole(results, row);
  if (const auto lacking = cells_without_curves(results); !lacking.empty() && update.traces == MissingTraces::refused)
    throw InputError(
        results.folder().string(), "",
        fmt::format("{}, so that a baseline of it would have no curves; --without-traces records it all the same",
                    lacking_text(lacking, results.rows().size())));
  if (update.traces == MissingTraces::refused) results.check_cells();
  if (!update.replace) check_replaced(results, folder);
  const InputTable inputs(results);
  store_baseline(results, folder);
  inputs.write(folder);
}

}  // namespace ccp
