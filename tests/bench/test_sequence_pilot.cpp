#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/fake_catalog.hpp"
#include "bench/results/steps_csv.hpp"
#include "bench/run/sequence_pilot.hpp"
#include "bench/run/step_costs.hpp"
#include "bench/run/tape.hpp"
#include "bench/sequence_runs.hpp"
#include "io/motion_tape.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace fs = std::filesystem;

namespace {

const std::string place_of_sequence = "/problems/0/sequence";

SequencePilot look_at_steps(const std::string& text, const fs::path& folder, const Catalog& catalog = moving_scenes(),
                            double budget_s = 60.0) {
  const Plan plan = make_plan(parse_config(text, "c.json", catalog));
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < plan.cells.size(); ++i) all.push_back(i);
  return look_at_sequences(plan, all, catalog, folder, budget_s);
}

/// Scenes that move, and the solvers of the fake catalogue; `ipm_qp` is the real one.
Catalog moving_fakes() {
  Catalog catalog = fake_catalog();
  catalog.scenes = moving_scenes().scenes;
  catalog.solver_names.push_back("ipm_qp");
  catalog.make_solver = [fake = catalog.make_solver](const std::string& name) {
    return name == "ipm_qp" ? moving_scenes().make_solver(name) : fake(name);
  };
  return catalog;
}

/// What is left of a run of this cell that was broken off: eight steps of 2 s, with a mark after six of them, which took 18 s.
void leave_unfinished(const Cell& cell, const fs::path& results) {
  const fs::path of_cell = results / "cells" / cell.hash;
  fs::create_directories(of_cell);
  StepRow row;
  row.build_s = 0.5;
  row.setup_s = 0.25;
  row.solve_s = 1.25;
  {
    StepsCsv csv(of_cell / steps_name, {});
    for (row.step = 0; row.step < 8; ++row.step) csv.add(row);
  }
  write_step_mark(of_cell / step_mark_name, {6, {}, {}, {18.0, 0.0, 6, 0}});
}

/// 41 scenes on trajectories of their own, of which every second one is looked at: these have 12 steps. Of the others one has
/// 24, the rest 1200.
std::string many_sequences() {
  nlohmann::json config = {{"name", "x"}, {"solvers", {{{"solver", "apgd"}}}}, {"limits", {{"wall_s", 60}}}};
  for (int i = 0; i < 41; ++i)
    config["problems"].push_back({{"scene", "ball_box"},
                                  {"label", fmt::format("box {}", i)},
                                  {"parameters", {{"spheres", i + 1}}},
                                  {"sequence",
                                   {{"steps", i % 2 == 0 ? 12 : i == 1 ? 24 : 1200},
                                    {"trajectory", "own"},
                                    {"driver", {{"solver", "ipm_qp"}}}}}});
  return config.dump();
}

}  // namespace

TEST_CASE("Steps between known ones lie on a line, and those before and after as these begin and grow") {
  StepCosts costs;
  CHECK(costs.empty());
  CHECK(costs.total(0, 10) == 0.0);
  costs.add(4, 2.0);
  CHECK(costs.total(0, 10) == Approx(20.0));  // of one step nothing grows
  costs.add(8, 4.0);
  CHECK(costs.total(0, 5) == Approx(10.0));
  CHECK(costs.total(4, 9) == Approx(2.0 + 2.5 + 3.0 + 3.5 + 4.0));
  CHECK(costs.total(9, 11) == Approx(4.5 + 5.0));  // half a second a step, as before
  CHECK(costs.total(100, 102) == Approx(2 * StepCosts::most_growth * 4.0));

  StepCosts falling;  // contacts that part do not go on parting
  for (int step = 0; step < 4; ++step) falling.add(step, 4.0 - step);
  CHECK(falling.total(4, 6) == Approx(2 * 1.5));
  StepCosts growing;  // by halves: 1 s and 3 s, two steps apart
  for (int step = 0; step < 4; ++step) growing.add(step, step < 2 ? 1.0 : 3.0);
  CHECK(growing.total(4, 6) == Approx(4.5 + 5.5));
}

TEST_CASE("A look at a shared sequence drives it, solves steps of it, and leaves nothing behind") {
  const TemporaryFolder folder;
  const SequencePilot seen = look_at_steps(sequence_config(), folder / "x");
  CHECK(seen.cells.size() == 2);
  CHECK(seen.drive_s > 0.0);
  CHECK(seen.looked_steps == 24);  // they are short
  CHECK(seen.reach == 1.0);
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("A look at a sequence with a tape drives nothing, and a longer one goes on from there") {
  const TemporaryFolder folder;
  run_sequences(sequence_config({{"/solvers/1/label", "another"}}), folder);
  CHECK(look_at_steps(sequence_config(), folder / "x").drive_s == 0.0);
  const std::string longer = sequence_config({{place_of_sequence + "/steps", 15}});
  const SequencePilot seen = look_at_steps(longer, folder / "x");
  CHECK(seen.drive_s > 0.0);
  CHECK(seen.reach == 1.0);
  CHECK(tape_length(folder / "x" / "sequences" / sequence_plan(longer).cells.front().tape_key,
                    sequence_plan(longer).cells.front().tape_key) == 13);
}

TEST_CASE("A look at trajectories of their own begins to run them") {
  const TemporaryFolder folder;
  const SequencePilot seen = look_at_steps(
      sequence_config({{place_of_sequence + "/trajectory", "own"}, {place_of_sequence + "/settle", 6}}), folder / "x");
  CHECK(seen.cells.size() == 2);
  CHECK(seen.drive_s == 0.0);
  CHECK(seen.reach == 1.0);
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("A look at a sequence ends with its budget, and with what its solvers do") {
  const TemporaryFolder folder;
  const auto config = [](const std::string& solver, const std::string& limits) {
    return R"({"name": "x", "problems": [{"scene": "ball_box", "parameters": {"spheres": 8},
               "sequence": {"steps": 12, "driver": {"solver": "ipm_qp"}}}],
               "solvers": [{"solver": ")" +
           solver + R"("}])" + limits + "}";
  };
  CHECK(look_at_steps(config("hang", ""), folder / "x", moving_fakes(), 0.5).cells.empty());
  CHECK(look_at_steps(config("segfault", ""), folder / "x", moving_fakes()).cells.empty());
  CHECK(look_at_steps(config("throws", ""), folder / "x", moving_fakes()).cells.size() == 1);
  const SequencePilot refused = look_at_steps(config("picky", ""), folder / "x", moving_fakes());
  CHECK(refused.cells.size() == 1);
  CHECK(refused.looked_steps == 0);
  CHECK(look_at_steps(config("gives_up", ""), folder / "x", moving_fakes()).cells.size() == 1);
}

TEST_CASE("A run of a sequence that was broken off says what its steps take") {
  const TemporaryFolder folder;
  const Plan plan = sequence_plan(sequence_config());
  leave_unfinished(plan.cells.front(), folder / "x");
  const SequencePilot seen = look_at_sequences(plan, {0}, moving_scenes(), folder / "x", 60.0);
  CHECK(seen.cells.at(0) == Approx(6 * 3.0));  // 12 of the 18 s are known by name, and what is off these clocks goes on
  CHECK(seen.looked_steps == 8);
  CHECK(seen.reach == Approx(8.0 / 12.0));
}

TEST_CASE("What a look expects of a sequence ends at its wall limit") {
  const TemporaryFolder folder;
  const Plan plan = sequence_plan(sequence_config({{"/limits", {{"wall_s", 10}}}}));
  leave_unfinished(plan.cells.front(), folder / "x");
  CHECK(look_at_sequences(plan, {0}, moving_scenes(), folder / "x", 60.0).cells.at(0) == 10.0);
}

TEST_CASE("Sequences that were not looked at take the mean of a step, up to their wall limit") {
  const TemporaryFolder folder;
  const Plan plan = sequence_plan(many_sequences());
  REQUIRE(plan.cells.size() == 41);
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < plan.cells.size(); ++i) {
    all.push_back(i);
    if (i % 2 == 0) leave_unfinished(plan.cells[i], folder / "x");
  }
  const SequencePilot seen = look_at_sequences(plan, all, moving_scenes(), folder / "x", 600.0);
  CHECK(seen.looked_steps == 21 * 8);  // nothing was solved
  CHECK(seen.cells.at(0) == Approx(18.0));
  CHECK(seen.cells.at(1) == Approx(2 * 18.0));
  CHECK(seen.cells.at(3) == 60.0);
}

TEST_CASE("A look that saw little of a sequence is taken to a quarter of it, within a fifth of the time") {
  CHECK(deeper_look_s(0.25, 0.05, 10.0) == Approx(1.25));
  CHECK(deeper_look_s(0.25, 0.01, 10.0) == Approx(2.0));
  CHECK(deeper_look_s(0.25, 0.0, 10.0) == Approx(2.0));
  CHECK(deeper_look_s(0.25, 0.25, 10.0) == 0.25);
  CHECK(deeper_look_s(10.0, 0.01, 10.0) == 10.0);  // the only one
}
