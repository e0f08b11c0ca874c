#include <catch2/catch.hpp>
#include <string>

#include "bench/fake_catalog.hpp"
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
  CHECK(times.cells.at(0) < 1.0);
  CHECK(times.cells.count(1) == 1);
  CHECK(times.cells.count(2) == 1);
  CHECK(times.cells.count(3) == 0);
  CHECK(times.build_s > 0.0);
}

TEST_CASE("A look goes by the iteration limit, the time limit and the wall limit") {
  const double by_iterations = look_by_text(slow_pebbles(R"({"max_iterations": 3000000, "time_limit_s": 1e6})")).cells.at(0);
  const double twice_as_many = look_by_text(slow_pebbles(R"({"max_iterations": 6000000, "time_limit_s": 1e6})")).cells.at(0);
  CHECK(by_iterations > 2.0);
  CHECK(twice_as_many == Approx(2.0 * by_iterations).epsilon(0.7));
  const double by_time = look_by_text(slow_pebbles(R"({"max_iterations": 2000000000, "time_limit_s": 30})")).cells.at(0);
  CHECK(by_time >= 30.0);
  CHECK(by_time < 600.0);  // with what judging takes
  CHECK(look_by_text(slow_pebbles(R"({"max_iterations": 2000000000, "time_limit_s": 1e6}, "limits": {"wall_s": 50})"))
            .cells.at(0) == 50.0);
}

TEST_CASE("A look ends with its budget") { CHECK(look_by_text(solvers_config({"hang"}), 0.3).cells.empty()); }
