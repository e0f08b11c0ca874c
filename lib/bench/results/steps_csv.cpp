#include "bench/results/steps_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "bench/record/numbers.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

namespace ccp {
namespace {

namespace fs = std::filesystem;

/// A column that every motion has: how a value is written, and read again.
struct StepColumn {
  std::string name;
  std::function<std::string(const StepRow&)> text;
  std::function<void(StepRow&, const std::string&)> take;
};

template <typename Number>
Number number_in(const std::string& text) {
  if constexpr (std::is_floating_point_v<Number>)
    return text.empty() ? unknown_number : std::strtod(text.c_str(), nullptr);
  else
    return static_cast<Number>(std::strtoll(text.c_str(), nullptr, 10));
}

template <typename Number>
std::string number_text(Number value) {
  if constexpr (std::is_floating_point_v<Number>)
    return csv_number(value);
  else
    return std::to_string(value);
}

/// get: a member of a row, or a function that gives a reference to a number of it.
template <typename Get>
StepColumn number_column(const std::string& name, Get get) {
  using Number = std::remove_reference_t<decltype(std::invoke(get, std::declval<StepRow&>()))>;
  return {name, [get](const StepRow& row) { return number_text<Number>(std::invoke(get, const_cast<StepRow&>(row))); },
          [get](StepRow& row, const std::string& text) { std::invoke(get, row) = number_in<Number>(text); }};
}

StepColumn flag_column(const std::string& name, bool StepRow::*flag) {
  return {name, [flag](const StepRow& row) { return std::string(row.*flag ? "1" : "0"); },
          [flag](StepRow& row, const std::string& text) { row.*flag = text == "1"; }};
}

void add_counters(std::vector<StepColumn>& columns) {
  for (const Number<Counters>& number : numbers<Counters>())
    std::visit(
        [&](auto counter) {
          const auto get = [counter](StepRow & row) -> auto& { return row.counters.*counter; };
          columns.push_back(number_column(number.key, get));
        },
        number.member);
}

void add_decades(std::vector<StepColumn>& columns) {
  for (std::size_t i = 0; i < Crossings().size(); ++i)
    columns.push_back({"iterations_to_" + decade_name(first_decade + static_cast<int>(i)),
                       [i](const StepRow& row) {
                         const int iteration = row.crossings[i].iteration;
                         return iteration < 0 ? std::string() : std::to_string(iteration);
                       },
                       [i](StepRow& row, const std::string& text) {
                         row.crossings[i].iteration = text.empty() ? -1 : number_in<int>(text);
                       }});
  for (std::size_t i = 0; i < Crossings().size(); ++i)
    columns.push_back(number_column("time_to_" + decade_name(first_decade + static_cast<int>(i)),
                                    [i](StepRow& row) -> double& { return row.crossings[i].elapsed_s; }));
}

std::vector<StepColumn> all_columns() {
  std::vector<StepColumn> columns = {
      number_column("step", &StepRow::step),
      number_column("time_s", &StepRow::time_s),
      {"status", [](const StepRow& row) { return std::string(status_name(row.status)); },
       [](StepRow& row, const std::string& text) { row.status = status_from_name(text).value_or(Status::failed); }},
      number_column("iterations", &StepRow::iterations),
      number_column("contacts", &StepRow::contacts),
      number_column("rows", &StepRow::rows),
      number_column("dofs", &StepRow::dofs),
      number_column("build_s", &StepRow::build_s),
      number_column("setup_s", &StepRow::setup_s),
      number_column("solve_s", &StepRow::solve_s)};
  add_counters(columns);
  for (const Measure measure : all_measures())
    columns.push_back(number_column(std::string(measure_info(measure).name),
                                    [measure](StepRow& row) -> double& { return row.measures[measure_index(measure)]; }));
  columns.push_back(flag_column("native_converged", &StepRow::native_converged));
  add_decades(columns);
  columns.push_back({"stopped_by",
                     [](const StepRow& row) { return std::string(row.stopped_by ? status_name(*row.stopped_by) : ""); },
                     [](StepRow& row, const std::string& text) { row.stopped_by = status_from_name(text); }});
  columns.push_back({"reason", [](const StepRow& row) { return csv_field(row.reason); },
                     [](StepRow& row, const std::string& text) { row.reason = text; }});
  columns.push_back(flag_column("fallback", &StepRow::fallback));
  columns.push_back(number_column("fallback_s", &StepRow::fallback_s));
  return columns;
}

const std::vector<StepColumn>& step_columns() {
  static const std::vector<StepColumn> columns = all_columns();
  return columns;
}

/// Rows with all their fields; a line that was cut off is none.
std::vector<StepRow> rows_of(const CsvTable& table) {
  std::vector<StepRow> rows;
  std::vector<const StepColumn*> there;  // older results lack flops
  for (const StepColumn& column : step_columns()) {
    const bool found = there.size() < table.columns.size() && table.columns[there.size()] == column.name;
    if (found) there.push_back(&column);
    if (!found && column.name != "flops") return rows;
  }
  const std::size_t common = there.size();
  for (const auto& fields : table.rows) {
    StepRow& row = rows.emplace_back();
    if (common < step_columns().size()) row.counters.flops = unknown_number;
    for (std::size_t c = 0; c < common; ++c) there[c]->take(row, fields[c]);
    for (std::size_t c = common; c < fields.size(); ++c)
      row.facts.push_back({table.columns[c], number_in<double>(fields[c])});
  }
  return rows;
}

}  // namespace

std::string trace_of_step(std::int64_t step) { return fmt::format("trace.{}.csv", step); }

StepsCsv::StepsCsv(fs::path path, const std::vector<StepRow>& done) : path_(std::move(path)) {
  std::string text;
  for (const StepRow& row : done) text += text_of(row);
  write_file_atomically(path_, text);  // at once: a run that is killed now has lost nothing
  stream_.reset(std::fopen(path_.c_str(), "abe"));
  if (!stream_) throw cannot_write(path_, errno);
}

std::string StepsCsv::text_of(const StepRow& row) {
  std::vector<std::string> names, fields;
  for (const StepColumn& column : step_columns()) {
    names.push_back(column.name);
    fields.push_back(column.text(row));
  }
  for (const MotionFact& fact : row.facts) {
    names.push_back(csv_field(fact.name));
    fields.push_back(csv_number(fact.value));
  }
  const std::string text = (header_ ? "" : join(names, ",") + "\n") + join(fields, ",") + "\n";
  header_ = true;
  return text;
}

void StepsCsv::add(const StepRow& row) {
  const std::string text = text_of(row);
  if (std::fwrite(text.data(), 1, text.size(), stream_.get()) != text.size() || std::fflush(stream_.get()) != 0)
    throw cannot_write(path_, errno);
}

std::vector<StepRow> read_steps(const fs::path& path) {
  std::string text = read_file(path).value_or("");
  text.erase(text.find_last_of('\n') + 1);  // a line that is not whole
  if (text.empty()) return {};
  try {
    return rows_of(parse_csv(text, path));
  } catch (const InputError&) {
    return {};
  }
}

void recover_steps(const fs::path& folder, const Cell& cell, CellRecord& record) {
  const std::vector<StepRow> rows = read_steps(folder / steps_name);
  if (rows.empty()) return;
  const std::int64_t asked = cell.spec->sequence->solved_steps();
  const Result total = total_of(rows, asked);
  record.partial_trace = true;
  record.iterations = total.iterations;
  record.counters = total.counters;
  record.setup_s = total.setup_s;
  record.solve_s = total.solve_s;
  record.measures = total.measures;
  record.sequence = facts_of(rows, asked);
  if (cell.stop.native) record.native_stop = native_stop_of(rows, asked);
  record.problem = problem_facts(cell, *record.sequence);
}

ProblemFacts problem_facts(const Cell& cell, const SequenceFacts& facts) {
  return {cell.spec->scene, facts.contacts_max, facts.rows_max, facts.dofs, 0.0};
}

}  // namespace ccp
