#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "bench/record/metrics.hpp"
#include "cli/program.hpp"
#include "core/status.hpp"
#include "problem/judge/measure.hpp"
#include "problems/registry.hpp"
#include "solvers/registry.hpp"
#include "support/places.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

std::string listed(const Workplace& place, const Arguments& words) {
  Arguments arguments = {"list"};
  arguments.insert(arguments.end(), words.begin(), words.end());
  const Answer answer = run_program(place, arguments, {{"COLUMNS", "300"}});
  INFO(answer.err);
  CHECK(answer.code == 0);
  CHECK(answer.err.empty());
  return answer.out;
}

void check_fields(const std::string& page, const FieldTable& table) {
  for (const Field& field : table.fields()) {
    INFO(field.name);
    CHECK_THAT(page, Catch::Contains("  " + field.name + " "));
    CHECK_THAT(page, Catch::Contains(field.meaning));
    CHECK_THAT(page, Catch::Contains("source: " + field.source));
    CHECK_THAT(page, Catch::Contains(field_text(field.default_value)));
    CHECK_THAT(page, Catch::Contains(field.unit));
    CHECK_THAT(page, Catch::Contains(field.range.text()));
    for (const std::string& choice : field.choices) CHECK_THAT(page, Catch::Contains(choice));
  }
}

}  // namespace

TEST_CASE("list solvers shows every registered method, and each with all it has") {
  const Workplace place;
  const std::string all = listed(place, {"solvers"});
  for (const std::string& name : solver_names()) {
    const auto solver = make_solver(name);
    CHECK_THAT(all, Catch::Contains(name + " "));
    CHECK_THAT(all, Catch::Contains(solver->info().title));
    const std::string page = listed(place, {"solvers", name});
    CHECK_THAT(page, Catch::Contains(solver->info().reference));
    check_fields(page, solver->settings());
    for (const NativeColumn& column : solver->info().native) {
      CHECK_THAT(page, Catch::Contains("  " + column.name + " "));
      CHECK_THAT(page, Catch::Contains(column.meaning));
    }
  }
}

TEST_CASE("list scenes shows every registered scene, and each with all it has") {
  const Workplace place;
  const std::string all = listed(place, {"scenes"});
  for (const std::string& name : scene_names()) {
    CHECK_THAT(all, Catch::Contains(name + " "));
    check_fields(listed(place, {"scenes", name}), make_scene(name)->parameters());
  }
}

TEST_CASE("list shows measures, metrics, statuses, linear solvers and the configs") {
  const Workplace place;
  const std::string measures = listed(place, {"measures"});
  for (const Measure measure : all_measures()) {
    CHECK_THAT(measures, Catch::Contains(std::string(measure_info(measure).name) + " "));
    CHECK_THAT(measures, Catch::Contains(std::string(measure_info(measure).definition)));
  }
  CHECK(lines_of(listed(place, {"measures", "natural_map"})).size() == 2);
  const std::string metric_page = listed(place, {"metrics"});
  for (const Metric& metric : metrics()) {
    CHECK_FALSE(metric.meaning.empty());
    CHECK_THAT(metric_page, Catch::Contains(metric.name + " "));
  }
  CHECK_THAT(listed(place, {"metrics", "energy_gain"}), Catch::Contains(" J ") && Catch::Contains("kinetic and potential"));
  const std::string statuses = listed(place, {"statuses"});
  for (const Status status : all_statuses()) CHECK_THAT(statuses, Catch::Contains(std::string(status_name(status)) + " "));
  CHECK(lines_of(listed(place, {"statuses", "stalled"})).size() == 1);
  CHECK_THAT(listed(place, {"linear-solvers"}), Catch::Contains("mumps "));
  CHECK_THAT(listed(place, {"linear-solvers", "mumps"}), Catch::Contains("indefinite"));
}

TEST_CASE("list configs reads the folder configs") {
  const Workplace place;
  std::filesystem::create_directory(place / "configs");
  std::filesystem::copy(config_file("test1a"), place / "configs" / "test1a.json");
  CHECK_THAT(listed(place, {"configs"}), Catch::StartsWith("test1a "));
  const std::string page = listed(place, {"configs", "test1a"});
  CHECK_THAT(page, Catch::Contains("ADMM balanced"));
  CHECK_THAT(page, Catch::Contains("odd_mass_stack"));
  CHECK_THAT(bad_input_line(run_program(place, {"list", "configs", "test1x"})), Catch::Contains("did you mean 'test1a'?"));
}

TEST_CASE("list config explains the keys and prints a schema that is JSON") {
  const Workplace place;
  const std::string keys = listed(place, {"config"});
  for (const char* key : {"problems", "solvers", "sweep", "time_limit_s", "claims"})
    CHECK_THAT(keys, Catch::Contains(std::string("  ") + key + " "));
  CHECK_THAT(listed(place, {"config", "stop"}), Catch::Contains("max_iterations"));
  const auto schema = nlohmann::json::parse(listed(place, {"config", "--schema"}));
  CHECK(schema.at("properties").contains("problems"));
}

TEST_CASE("list refuses what does not exist, with the nearest name") {
  const Workplace place;
  CHECK_THAT(bad_input_line(run_program(place, {"list", "solver"})), Catch::Contains("did you mean 'solvers'?"));
  CHECK_THAT(bad_input_line(run_program(place, {"list", "solvers", "amdm"})), Catch::Contains("did you mean 'admm'?"));
  CHECK_THAT(bad_input_line(run_program(place, {"list", "scenes", "odd_mass_stak"})),
             Catch::Contains("did you mean 'odd_mass_stack'?"));
  CHECK_THAT(bad_input_line(run_program(place, {"list", "measures", "natural_mapp"})), Catch::Contains("'natural_map'"));
  CHECK_THAT(bad_input_line(run_program(place, {"list", "statuses", "sovled"})), Catch::Contains("'solved'"));
  CHECK_THAT(bad_input_line(run_program(place, {"list", "metrics", "energy_gian"})), Catch::Contains("'energy_gain'"));
  CHECK_THAT(bad_input_line(run_program(place, {"list", "linear-solvers", "mump"})), Catch::Contains("'mumps'"));
  CHECK_THAT(bad_input_line(run_program(place, {"list", "config", "stopp"})), Catch::Contains("'stop'"));
  CHECK_THAT(bad_input_line(run_program(place, {"list", "solvers", "--schema"})), Catch::Contains("--schema"));
}
