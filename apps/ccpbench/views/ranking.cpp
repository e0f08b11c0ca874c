#include "views/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/text.hpp"
#include "terminal/table.hpp"

namespace ccp::cli {
namespace {

double time_of(const Result& result) { return result.setup_s + result.solve_s; }

double stop_value(const Result& result, const StopRule& stop) { return result.measures[measure_index(stop.measure)]; }

bool took_part(const Result& result) { return result.status != Status::unsupported; }

/// The stop measure, and the natural map beside it.
std::vector<Measure> ranked_measures(const StopRule& stop) {
  if (stop.measure == Measure::natural_map) return {stop.measure};
  return {stop.measure, Measure::natural_map};
}

Json run_json(const RankedRun& run, std::size_t rank) {
  const Result& result = run.result;
  Json json = {{"rank", rank},
               {"solver", run.solver},
               {"settings", run.settings},
               {"status", std::string(status_name(result.status))},
               {"reason", result.reason}};
  if (!took_part(result)) return json;
  json["iterations"] = result.iterations;
  json["time_s"] = time_of(result);
  json["setup_s"] = result.setup_s;
  json["solve_s"] = result.solve_s;
  for (const Measure measure : all_measures())
    json["measures"][std::string(measure_info(measure).name)] = json_number(result.measures[measure_index(measure)]);
  json["counters"] = {{"factorizations", result.counters.factorizations},
                      {"back_solves", result.counters.back_solves},
                      {"products", result.counters.products},
                      {"projections", result.counters.projections},
                      {"flops", json_number(result.counters.flops)}};
  json["accuracy"] = Json::array();
  for (int decade = first_decade; decade <= last_decade; ++decade) {
    const Crossing& crossing = result.crossings[static_cast<std::size_t>(decade - first_decade)];
    if (crossing.iteration < 0) break;
    json["accuracy"].push_back(
        {{"at", std::pow(10.0, -decade)}, {"iteration", crossing.iteration}, {"elapsed_s", crossing.elapsed_s}});
  }
  json["native_converged"] = result.native_converged;
  json["notes"] = result.notes;
  return json;
}

Records ranking_records(const std::vector<RankedRun>& runs, const StopRule& stop) {
  std::vector<RecordColumn> columns = {{"rank", "", true},
                                       {"solver", "solver"},
                                       {"settings", "settings"},
                                       {"status", "status"},
                                       {"iterations", "iterations", true},
                                       {"time_s", "time", true},
                                       {"setup_s", "set-up", true}};
  for (const Measure measure : ranked_measures(stop)) {
    const std::string name(measure_info(measure).name);
    columns.push_back({name, name, true});
  }
  Records table(columns);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Result& result = runs[i].result;
    const bool ran = took_part(result);
    std::vector<Datum> row = {Json(i + 1), runs[i].solver, runs[i].settings, status_name(result.status)};
    row.emplace_back(ran ? Json(result.iterations) : Json());
    row.push_back(ran ? seconds(time_of(result)) : Datum(Json()));
    row.push_back(ran ? seconds(result.setup_s) : Datum(Json()));
    for (const Measure measure : ranked_measures(stop))
      row.push_back(ran ? number(result.measures[measure_index(measure)]) : Datum(Json()));
    table.row(std::move(row));
  }
  return table;
}

}  // namespace

void rank(std::vector<RankedRun>& runs, const StopRule& stop) {
  const auto key = [&stop](const RankedRun& run) {
    const Result& result = run.result;
    const bool solved = result.status == Status::solved;
    const double value = solved ? time_of(result) : stop_value(result, stop);
    return std::make_tuple(!took_part(result), !solved, std::isnan(value), std::isnan(value) ? 0.0 : value);
  };
  std::stable_sort(runs.begin(), runs.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
}

void print_ranking(const std::vector<RankedRun>& runs, Model model, const StopRule& stop) {
  std::vector<Heading> headings = {{"", true}, {"solver", false, Fit::shorten}, {"status"}, {"iter.", true}, {"time", true}};
  for (const Measure measure : ranked_measures(stop)) headings.push_back({std::string(measure_info(measure).name), true});
  Table table(headings);
  Table reasons({{""}, {"", false, Fit::wrap}});
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Result& result = runs[i].result;
    const std::string label = runs[i].solver + (runs[i].settings.empty() ? "" : " (" + runs[i].settings + ")");
    std::vector<Entry> row = {Entry(fmt::format("{}", i + 1), Tone::dim), Entry(label),
                              Entry(std::string(status_name(result.status)), status_tone(result.status))};
    if (took_part(result)) {
      row.emplace_back(fmt::format("{}", result.iterations));
      row.emplace_back(duration(time_of(result)));
      for (const Measure measure : ranked_measures(stop))
        row.emplace_back(short_number(result.measures[measure_index(measure)]));
    }
    table.row(std::move(row));
    if (!result.reason.empty()) reasons.row({Entry(runs[i].solver), Entry(printable(result.reason), Tone::dim)});
  }
  print_line("");
  print_line(fmt::format("{}, {} ≤ {}", Style::out().bold(fmt::format("Ranking, model {}", model_name(model))),
                         measure_info(stop.measure).name, format_double(stop.tolerance)));
  print(table.text(Style::out(), stdout_width()));
  print_section("Why", reasons);
}

void print_ranking_records(const std::vector<RankedRun>& runs, const NamedProblem& named, Model model, const StopRule& stop,
                           Format format) {
  const ContactProblem& problem = named.problem;
  Json document = {{"problem",
                    {{"name", named.title},
                     {"form", problem.given_global() ? "global" : "local"},
                     {"contacts", problem.constraints().contacts()},
                     {"rows", problem.rows()},
                     {"degrees_of_freedom", problem.given_global() ? Json(problem.dofs()) : Json()}}},
                   {"model", model_name(model)},
                   {"stop", stop_json(stop)},
                   {"solvers", Json::array()}};
  for (std::size_t i = 0; i < runs.size(); ++i) document["solvers"].push_back(run_json(runs[i], i + 1));
  print_records(format, ranking_records(runs, stop), document);
}

}  // namespace ccp::cli
