#include "views/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "bench/config/sequence_reader.hpp"
#include "bench/results/result_store.hpp"
#include "bench/run/run_limits.hpp"
#include "core/text.hpp"
#include "peers/external/external_name.hpp"
#include "terminal/arguments.hpp"
#include "terminal/table.hpp"

namespace ccp::cli {
namespace {

constexpr std::size_t readable_cells = 60;  // beyond, statuses are counted instead

struct Row {
  const Cell* cell;
  std::optional<Status> status;              ///< empty: not run
  std::shared_ptr<const CellRecord> record;  ///< only where each cell is shown: of thousands, the records are large
  std::string refusal;                       ///< why a cell is unsupported
};

Row read_row(const ResultStore& store, const Cell& cell, bool whole) {
  auto record = store.find(cell);
  if (!record) return {&cell, std::nullopt, nullptr, ""};
  const Status status = record->status;
  std::string refusal = status == Status::unsupported ? record->reason : "";
  return {&cell, status, whole ? std::make_shared<const CellRecord>(std::move(*record)) : nullptr, std::move(refusal)};
}

/// "relative_residual" as a heading that leaves room in 80 columns: "rel. residual".
std::string heading(Measure measure) {
  std::string name(measure_info(measure).name);
  for (const auto& [word, abbreviation] : {std::pair("relative_", "rel. "), std::pair("velocity_", "vel. ")})
    if (name.rfind(word, 0) == 0) name.replace(0, std::string(word).size(), abbreviation);
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string measure_text(const CellRecord& record, Measure measure) {
  return short_number(record.measures[measure_index(measure)]);
}

std::vector<Measure> summary_measures(const std::vector<Row>& rows) {
  std::vector<Measure> measures = {Measure::relative_residual, Measure::natural_map};
  const Measure stop = rows.front().cell->stop.measure;
  if (stop != measures[0] && stop != measures[1]) measures.insert(measures.begin(), stop);
  return measures;
}

/// A group none of whose cells has run, after an interruption, is left out.
void print_cells(const std::vector<Row>& rows) {
  if (std::none_of(rows.begin(), rows.end(), [](const Row& row) { return row.status.has_value(); })) return;
  const std::vector<Measure> measures = summary_measures(rows);
  std::vector<Heading> headings = {{"solver", false, Fit::shorten}, {"status"}, {"iter.", true}, {"time", true}};
  for (const Measure measure : measures) headings.push_back({heading(measure), true});
  Table table(headings);
  for (const Row& row : rows) {
    std::vector<Entry> entries = {Entry(printable(row.cell->label))};
    if (row.record) {
      entries.emplace_back(std::string(status_name(row.record->status)), status_tone(row.record->status));
      entries.emplace_back(counts_restarts(*row.record) ? counted(static_cast<std::size_t>(row.record->iterations), "run")
                                                        : fmt::format("{}", row.record->iterations));
      entries.emplace_back(duration(row.record->setup_s + row.record->solve_s));
      for (const Measure measure : measures) entries.emplace_back(measure_text(*row.record, measure));
    } else {
      entries.emplace_back(row.cell->missing.empty() ? "not run" : "missing", Tone::dim);
    }
    table.row(std::move(entries));
  }
  const Cell& first = *rows.front().cell;
  print_line("");
  print_line(fmt::format("{}, {}", Style::out().bold(shorten_left(printable(first.problem), stdout_width() - 6)),
                         model_name(first.model)));
  print(table.text(Style::out(), stdout_width()));
}

/// One row a solver with the number of its cells by status.
void print_counts(Model model, const std::vector<Row>& rows) {
  std::vector<std::string> labels;
  std::map<std::string, std::map<Status, std::size_t>> counts;
  std::set<Status> seen;
  for (const Row& row : rows) {
    if (counts.find(row.cell->label) == counts.end()) labels.push_back(row.cell->label);
    auto& of_label = counts[row.cell->label];
    if (!row.status) continue;
    ++of_label[*row.status];
    seen.insert(*row.status);
  }
  std::vector<Heading> headings = {{"solver", false, Fit::shorten}};
  for (const Status status : seen) headings.push_back({std::string(status_name(status)), true});
  Table table(headings);
  for (const std::string& label : labels) {
    std::vector<Entry> entries = {Entry(printable(label))};
    for (const Status status : seen) {
      const std::size_t count = counts[label][status];
      entries.emplace_back(count == 0 ? "·" : fmt::format("{}", count), count == 0 ? Tone::dim : status_tone(status));
    }
    table.row(std::move(entries));
  }
  print_line("");
  print_line(fmt::format("{}, {}", Style::out().bold("all problems"), model_name(model)));
  print(table.text(Style::out(), stdout_width()));
}

std::string counts_text(const RunReport& report) {
  std::vector<std::string> parts;
  for (const Status status : all_statuses())
    if (const std::size_t count = report.counts[static_cast<std::size_t>(status)]; count > 0)
      parts.push_back(fmt::format("{} {}", count, Style::out().paint(status_tone(status), status_name(status))));
  if (report.missing > 0) parts.push_back(fmt::format("{} missing", report.missing));
  if (report.reused > 0) parts.push_back(fmt::format("{} from an earlier run", report.reused));
  return parts.empty() ? "nothing finished" : join(parts, ", ");
}

/// The longest the run can take, and what the results that are there took.
std::string limits_text(const RunLimits& limits, int jobs) {
  const std::size_t cells = limits.to_run.size() + limits.to_repeat.size();
  std::vector<std::string> parts;
  if (cells == 0) parts.emplace_back("nothing to run");
  if (cells > 0)
    parts.push_back(fmt::format(
        "at most {} for {} by wall limits, {} at once", duration(limits.cells_s),
        limits.runs > cells ? counted(limits.runs, "run") + " of " + counted(cells, "cell") : counted(cells, "cell"), jobs));
  if (limits.drivers > 0)
    parts.push_back(fmt::format("at most {} for {}", duration(limits.drivers_s), counted(limits.drivers, "driver")));
  if (limits.stored > 0)
    parts.push_back(fmt::format("{} with a result took {}", counted(limits.stored, "cell"), duration(limits.stored_s)));
  return join(parts, "; ");
}

void print_failures(const RunReport& report) {
  Table table({{""}, {""}, {"", false, Fit::wrap}});
  for (const FailedCell& failure : report.failures)
    table.row({Entry(printable(failure.id)), Entry(std::string(status_name(failure.status)), Tone::bad),
               Entry(printable(failure.reason), Tone::dim)});
  print_section("Failed", table);
}

/// One row for each reason: a peer that is missing has the same one in thousands of cells.
void print_refusals(const std::vector<std::vector<Row>>& groups) {
  std::map<std::string, std::pair<std::size_t, std::set<std::string>>> by_reason;
  for (const std::vector<Row>& rows : groups)
    for (const Row& row : rows)
      if (row.status == Status::unsupported) {
        auto& [cells, labels] = by_reason[row.refusal];
        ++cells;
        labels.insert(row.cell->label);
      }
  Table table({{""}, {"", false, Fit::shorten}, {"", false, Fit::wrap}});
  for (const auto& [reason, found] : by_reason) {
    const auto& [cells, labels] = found;
    table.row({counted(cells, "cell"),
               labels.size() == 1 ? printable(*labels.begin()) : counted(labels.size(), "solver setting"),
               Entry(printable(reason), Tone::dim)});
  }
  print_section("Unsupported", table);
}

}  // namespace

void print_changes(const Config& config) {
  for (const std::string& change : config.changes)
    print_line(fmt::format("  {} {}", Style::out().paint(Tone::warning, "changed:"), printable(change)));
}

void print_summary(const Config& config, const Plan& plan, const RunOptions& options, const RunReport& report) {
  const ResultStore store(options.out, config.name);
  const std::vector<std::size_t> selected = select_cells(plan, options.only, options.shard);
  print_line(Style::out().bold(config.title.empty() ? printable(config.name) : printable(config.title)));
  print_changes(config);

  std::vector<std::vector<Row>> groups;
  const bool readable = selected.size() <= readable_cells;
  std::map<std::pair<std::string, Model>, std::size_t> group_of;
  for (const std::size_t index : selected) {
    const Cell& cell = plan.cells[index];
    const auto key = std::make_pair(readable ? cell.problem : std::string(), cell.model);
    const auto [found, added] = group_of.try_emplace(key, groups.size());
    if (added) groups.emplace_back();
    groups[found->second].push_back(read_row(store, cell, readable));
  }
  for (const auto& group : groups) {
    if (readable)
      print_cells(group);
    else
      print_counts(group.front().cell->model, group);
  }
  print_failures(report);
  print_refusals(groups);
  print_line("");
  print_line(fmt::format("{}: {}", counted(report.selected, "cell"), counts_text(report)));
  if (report.judging_s > 0.0)
    print_line(fmt::format("{} of solvers, {} off their clocks (judging, tracing, starting peers)",
                           duration(report.solver_s), duration(report.judging_s)));
}

Records cell_table() {
  return Records({{"config", "config"},
                  {"problem", "problem"},
                  {"model", "model"},
                  {"solver", "solver"},
                  {"status", "status"},
                  {"iterations", "iterations", true},
                  {"time_s", "time", true},
                  {"relative_residual", "relative residual", true},
                  {"natural_map", "natural map", true}});
}

void add_cells(Records& table, const Config& config, const Plan& plan, const RunOptions& options) {
  const ResultStore store(options.out, config.name);
  for (const std::size_t index : select_cells(plan, options.only, options.shard)) {
    const Cell& cell = plan.cells[index];
    const auto record = store.find(cell);
    const auto measure = [&](Measure which) { return record ? record->measures[measure_index(which)] : std::nan(""); };
    const std::string status(record ? status_name(record->status) : cell.missing.empty() ? "" : "missing");
    std::string words = status;
    std::replace(words.begin(), words.end(), '_', ' ');
    // What a run cost that ended unsolved is a lower bound; one that was never run has no cost.
    const bool bound = record && record->iterations > 0 && record->status != Status::solved;
    const auto cost = [bound](Datum datum) { return bound ? std::move(datum).at_least() : datum; };
    table.row({config.name, cell.problem, model_name(cell.model), cell.label,
               !status.empty() ? Datum(status, words) : Datum(Json()),
               record ? cost(Json(record->iterations)) : Datum(Json()),
               record ? cost(seconds(record->setup_s + record->solve_s)) : seconds(std::nan("")),
               number(measure(Measure::relative_residual)), number(measure(Measure::natural_map))});
  }
}

void add_benchmarks(Json& list, const Config& config, const Plan& plan, const RunOptions& options) {
  const ResultStore store(options.out, config.name);
  std::size_t unsolved = 0;
  for (const std::size_t index : select_cells(plan, options.only, options.shard)) {
    const Cell& cell = plan.cells[index];
    const auto record = store.find(cell);
    if (record && record->status == Status::unsupported) continue;
    if (!record || record->status != Status::solved) {  // what it cost so far would look cheap
      ++unsolved;
      continue;
    }
    const std::string name = config.name + ": " + cell.id();
    const Spread spread = solve_spread(*record);
    Json time = {{"name", name + ", time"}, {"unit", "s"}, {"value", record->setup_s + record->solve_s}};
    if (spread.runs > 1) time["range"] = fmt::format("± {:.3g}", 0.5 * (spread.largest_s - spread.least_s));
    time["extra"] = fmt::format("{}\nset-up {:.3g} s", counted(spread.runs, "run"), record->setup_s);
    list.push_back(std::move(time));
    if (!counts_restarts(*record))
      list.push_back({{"name", name + ", iterations"}, {"unit", "iterations"}, {"value", record->iterations}});
  }
  list.push_back({{"name", config.name + ": unsolved"}, {"unit", "cells"}, {"value", unsolved}});
}

void print_plan(const Config& config, const Plan& plan, const RunOptions& options) {
  const auto selected = select_cells(plan, options.only, options.shard);
  const RunLimits limits = limits_of_run(plan, selected, catalog(), options);
  std::map<std::string, const char*> states;
  for (const std::size_t index : selected)
    if (!plan.cells[index].missing.empty()) states[plan.cells[index].hash] = "missing";
  for (const std::size_t index : limits.to_run) states[plan.cells[index].hash] = "to run";
  for (const std::size_t index : limits.to_repeat) states[plan.cells[index].hash] = "repeat";
  print_line(fmt::format("{}: {}, {} to run{}", Style::out().bold(printable(config.name)), counted(selected.size(), "cell"),
                         limits.to_run.size(),
                         limits.to_repeat.empty() ? "" : fmt::format(", {} to time again", limits.to_repeat.size())));
  Table table({{""}, {""}, {"", false, Fit::shorten_left}});
  for (const std::size_t index : selected) {
    const Cell& cell = plan.cells[index];
    table.row({Entry(cell.hash, Tone::dim), Entry(states.contains(cell.hash) ? states[cell.hash] : "there", Tone::dim),
               printable(cell.id())});
  }
  print(table.text(Style::out(), stdout_width()));
  print_line("time: " + limits_text(limits, options.jobs));
}

namespace {

/// "; 3 cells unsupported: nsgs does not solve the ccp model", or nothing. No solver of the user is asked.
std::string unsupported_text(const Plan& plan) {
  std::map<std::pair<std::string, Model>, bool> known;
  std::set<std::string> reasons;
  std::size_t count = 0;
  for (const Cell& cell : plan.cells) {
    const std::string& name = cell.solver->solver;
    if (is_external_name(name)) continue;
    const auto [entry, is_new] = known.try_emplace({name, cell.model}, false);
    if (is_new) entry->second = solves(*catalog().make_solver(name), cell.model);
    if (entry->second) continue;
    ++count;
    reasons.insert(fmt::format("{} does not solve the {} model", name, model_name(cell.model)));
  }
  if (count == 0) return "";
  return fmt::format("; {} unsupported: {}", counted(count, "cell"),
                     join(std::vector<std::string>(reasons.begin(), reasons.end()), ", "));
}

}  // namespace

std::string plan_size(const Plan& plan) {
  std::set<std::string> problems, solvers;
  std::size_t steps = 0;
  std::set<Model> models;
  for (const Cell& cell : plan.cells) {
    if (problems.insert(cell.problem).second && cell.spec->sequence)
      steps += static_cast<std::size_t>(cell.spec->sequence->steps);
    solvers.insert(cell.label);
    models.insert(cell.model);
  }
  const std::string of_steps = steps > 0 ? fmt::format(" of {}", counted(steps, "step")) : std::string();
  return fmt::format("{}: {}{}, {}, {}", counted(plan.cells.size(), "cell"), counted(problems.size(), "problem"), of_steps,
                     counted(models.size(), "model"), counted(solvers.size(), "solver setting")) +
         unsupported_text(plan);
}

}  // namespace ccp::cli
