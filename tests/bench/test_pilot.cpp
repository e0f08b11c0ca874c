#include <catch2/catch.hpp>
#include <string>

#include "bench/fake_catalog.hpp"
#include "bench/run/kernel_times.hpp"
#include "bench/run/pilot.hpp"
#include "bench/runs.hpp"

using namespace ccp;
using ccp::testing::fake_catalog;
using ccp::testing::solvers_config;

namespace {

PilotTimes look_by_text(const std::string& text, double budget_s = 4.0) {
  const Plan plan = make_plan(parse_config(text, "c.json", fake_catalog()));
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < plan.cells.size(); ++i) all.push_back(i);
  return look_at(plan, all, fake_catalog(), budget_s);
}

std::string slow_pebbles(const std::string& stop) {
  return R"({"name": "x", "problems": [{"scene": "pebbles", "parameters": {"count": 300}}],
             "solvers": [{"solver": "good", "parameters": {"step": 1e-9}}], "stop": )" +
         stop + "}";
}

}  // namespace

TEST_CASE("A look takes cells that end at their word, and sees which ones harm their worker") {
  const PilotTimes times =
      look_by_text(solvers_config({"good", "throws", "picky", "segfault"}, R"(, "limits": {"wall_s": 3})"));
  REQUIRE(times.cells.count(0) == 1);
  CHECK(times.cells.at(0) < 3.0);  // not the wall limit
  CHECK(times.cells.count(1) == 1);
  CHECK(times.cells.count(2) == 1);
  CHECK(times.cells.count(3) == 0);
  CHECK(times.build_s > 0.0);
}

TEST_CASE("The time of a run that was stopped is set-up and what its iterations cost, to the tolerance or a limit") {
  StopRule stop;
  stop.measure = Measure::relative_residual;
  stop.tolerance = 1e-8;
  stop.max_iterations = 1000;
  stop.time_limit_s = 1e6;
  Result result;
  result.iterations = 50;
  result.setup_s = 1.0;
  result.solve_s = 4.0;  // of 5 s with judging
  result.measures[measure_index(stop.measure)] = 1e-4;
  CHECK(expected_solve_s(stop, result, 6.0) == Approx(1.0 + 100 * 0.1));  // four decades in 50 iterations, eight to come
  stop.max_iterations = 80;
  CHECK(expected_solve_s(stop, result, 6.0) == Approx(1.0 + 80 * 0.1));
  result.measures[measure_index(stop.measure)] = 2.0;  // no pace to go by
  stop.max_iterations = 1000;
  CHECK(expected_solve_s(stop, result, 6.0) == Approx(1.0 + 1000 * 0.1));
  stop.time_limit_s = 9.0;
  CHECK(expected_solve_s(stop, result, 6.0) == Approx(1.0 + 8.0 / 0.8));
}

TEST_CASE("The start of a peer is counted once, and so is what passes beside a single iteration") {
  StopRule stop;
  stop.max_iterations = 1000;
  stop.time_limit_s = 10.0;
  Result result;
  result.iterations = 2;
  result.solve_s = 0.01;  // of 0.5 s
  CHECK(expected_solve_s(stop, result, 0.5, true) == Approx(0.49 + 5.0));
  CHECK(expected_solve_s(stop, result, 0.5, false) == Approx(250.0));
  result.iterations = 1;
  CHECK(expected_solve_s(stop, result, 0.5, false) == Approx(0.49 + 10.0));
}

TEST_CASE("A look goes by the time limit and the wall limit") {
  CHECK(look_by_text(slow_pebbles(R"({"max_iterations": 2000000000, "time_limit_s": 30})")).cells.at(0) >= 30.0);
  CHECK(look_by_text(slow_pebbles(R"({"max_iterations": 2000000000, "time_limit_s": 1e6}, "limits": {"wall_s": 50})"))
            .cells.at(0) == 50.0);
}

TEST_CASE("A cell that has not ended is looked at for longer while the budget lasts") {
  // Each of many cells has a short look at first. The iterations of one are quick after a start that takes 0.3 s.
  const std::string text = R"({"name": "x", "problems": [{"scene": "pebbles"}],
    "solvers": [{"solver": "good", "parameters": {"seconds": 0.3}}, {"solver": "good", "label": "quick"}],
    "sweep": {"/solvers/1/parameters/step": [0.3, 0.31, 0.32, 0.33, 0.34, 0.35, 0.36, 0.37, 0.38, 0.39, 0.4, 0.41, 0.42, 0.43, 0.44,
                                             0.45, 0.46, 0.47, 0.48, 0.49, 0.5, 0.51, 0.52, 0.53, 0.54, 0.55, 0.56, 0.57, 0.58]},
    "stop": {"tolerance": 1e-8, "max_iterations": 1000}})";
  const PilotTimes times = look_by_text(text);
  REQUIRE(times.cells.size() == 30);
  CHECK(times.cells.at(0) > 0.3);
  CHECK(times.cells.at(0) < 1.0);
}

TEST_CASE("Of many cells, some of every solver are looked at") {
  std::string steps = "0.5";
  for (int i = 1; i < 150; ++i) steps += "," + std::to_string(0.5 + 0.001 * i);
  const std::string text = R"({"name": "x", "problems": [{"scene": "pebbles"}],
    "solvers": [{"solver": "good"}, {"solver": "noisy", "label": "other"}], "stop": {"tolerance": 1e-8},
    "sweep": {"/solvers/*/parameters/step": [)" + steps + "]}}";
  CHECK(look_by_text(text, 8.0).cells.size() == 300);
}

TEST_CASE("A look counts the time of measuring kernels, once a problem") {
  const std::string solvers = R"("solvers": [{"solver": "good"}, {"solver": "good", "label": "again"}])";
  const std::string two = R"({"name": "x", "problems": [{"scene": "pebbles"}, {"scene": "pebbles", "label": "three",
    "parameters": {"count": 3}}], )";
  CHECK(look_by_text(two + R"("kernels": true, )" + solvers + "}").build_s > 2 * least_measuring_s);
  CHECK(look_by_text(two + solvers + "}").build_s < least_measuring_s);
}

TEST_CASE("A look ends with its budget") { CHECK(look_by_text(solvers_config({"hang"}), 0.3).cells.empty()); }
