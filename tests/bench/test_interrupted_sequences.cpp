#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "bench/analysis/claims.hpp"
#include "bench/results/record_json.hpp"
#include "bench/results/result_table.hpp"
#include "bench/results/steps_csv.hpp"
#include "bench/run/driver.hpp"
#include "bench/run/step_loop.hpp"
#include "bench/run/tape.hpp"
#include "bench/sequence_runs.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace fs = std::filesystem;
using Document = nlohmann::json;

namespace {

const std::string of_sequence = "/problems/0/sequence";

/// Twelve steps, the first six of them the driver's, on a trajectory of its own.
std::string settling_config(const Document& wall_s = 600) {
  Document config = Document::parse(sequence_config({{of_sequence + "/trajectory", "own"},
                                                     {of_sequence + "/settle", 6},
                                                     {of_sequence + "/driver/wall_s", 1000},
                                                     {"/limits/wall_s", wall_s}}));
  config["solvers"].erase(1);
  return config.dump();
}

/// What a worker leaves that is killed after three of these steps.
void leave_mark(const TemporaryFolder& folder, const std::string& config, const StepsUsed& used) {
  const Cell cell = sequence_plan(config).cells.at(0);
  const auto motion = start_motion(cell, moving_scenes());
  const Driver driver(cell.spec->sequence->driver, Model::ccp, 1, moving_scenes());
  StepLoop loop{*motion};
  TapePart mark{cell.hash, 3};
  loop.run(
      3, [&](const MotionProblem& problem) { return driver.solve(*motion, problem, loop.last, 60.0); },
      [&](const Result& result) {
        if (loop.step == 3) append_state(mark, *motion, result);
      });
  mark.end = *loop.last;
  mark.used = used;
  const fs::path of_cell = folder / "x" / "cells" / cell.hash;
  fs::create_directories(of_cell);
  write_tape_part(of_cell / step_mark_name, mark);
}

bool notes_hold(const CellRecord& record, const std::string& text) {
  return std::any_of(record.notes.begin(), record.notes.end(),
                     [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

}  // namespace

TEST_CASE("sequences: one that was interrupted while it settled goes on there, with the time it has used") {
  const TemporaryFolder whole, folder;
  const SequenceOutcome expected = run_sequences(settling_config(), whole);
  REQUIRE(expected.record("apgd").status == Status::solved);
  leave_mark(folder, settling_config(), {500.0, 900.0, 3, 2});
  const SequenceOutcome outcome = run_sequences(settling_config(), folder);
  const CellRecord& record = outcome.record("apgd");
  CHECK(record.status == Status::solved);
  CHECK(record.wall_s > 500.0);
  CHECK(record.wall_s < 600.0);
  CHECK(notes_hold(record, "went on at step 3"));
  CHECK(notes_hold(record, "the driver left 2 of 6 steps unsolved"));
  const CsvTable there = expected.steps("apgd"), here = outcome.steps("apgd");
  REQUIRE(here.rows.size() == 6);
  for (const char* name : {"step", "iterations", "contacts", "relative_residual", "kinetic_J", "deepest_gap"})
    for (std::size_t row = 0; row < 6; ++row) CHECK(here.number(row, name) == there.number(row, name));
}

TEST_CASE("sequences: one whose mark is damaged begins anew") {
  const TemporaryFolder folder;
  leave_mark(folder, settling_config(), {500.0, 900.0, 3, 2});
  const fs::path mark = folder / "x" / "cells" / sequence_plan(settling_config()).cells.at(0).hash / step_mark_name;
  std::string bytes = read_text(mark);
  const auto bytes_of = [](double value) { return std::string(reinterpret_cast<const char*>(&value), sizeof value); };
  const std::size_t place = bytes.find(bytes_of(500.0));
  REQUIRE(place != std::string::npos);
  write_text(mark, bytes.replace(place, sizeof(double), bytes_of(400.0)));
  const CellRecord record = run_sequences(settling_config(), folder).record("apgd");
  CHECK(record.status == Status::solved);
  CHECK(record.wall_s < 400.0);
  CHECK_FALSE(notes_hold(record, "went on"));
}

TEST_CASE("sequences: the wall limit of one that goes on is what is left of it") {
  const TemporaryFolder folder;
  leave_mark(folder, settling_config(20), {21.0, 0.0, 3, 0});
  const CellRecord record = run_sequences(settling_config(20), folder).record("apgd");
  CHECK(record.status == Status::time_limit);
  CHECK(record.reason == "wall limit of 20 s");
  CHECK(record.wall_s >= 21.0);
  // With a larger limit it goes on again.
  const CellRecord again = run_sequences(settling_config(300), folder).record("apgd");
  CHECK(again.status == Status::solved);
  CHECK(again.wall_s > 21.0);
  CHECK(notes_hold(again, "went on at step 3"));
}

TEST_CASE("sequences: the driver of one that goes on has what is left of its time") {
  const TemporaryFolder own, shared;
  leave_mark(own, settling_config(), {1.0, 1000.0, 3, 0});
  const CellRecord late = run_sequences(settling_config(), own).record("apgd");
  CHECK(late.status == Status::failed);
  CHECK(late.reason == "the driver used up its 1000 s at step 3");

  const SequenceOutcome first = run_sequences(sequence_config(), shared);
  const fs::path tape = first.folder / "sequences" / first.plan.cells.front().tape_key;
  const std::string seconds = read_text(tape / "driver_s.txt");
  CHECK(std::stod(seconds) > 0.0);
  run_sequences(sequence_config({{"/solvers/0/label", "another"}}), shared);
  CHECK(read_text(tape / "driver_s.txt") == seconds);  // a tape that is long enough costs nothing
  write_text(tape / "driver_s.txt", "3600\n");
  const std::string longer = sequence_config({{of_sequence + "/steps", 15}});
  CHECK(run_sequences(longer, shared).record("apgd").reason == "the driver came to step 12 of 15 within 3600 s");
  const std::string more_time = sequence_config({{of_sequence + "/steps", 15}, {of_sequence + "/driver/wall_s", 3700}});
  CHECK(run_sequences(more_time, shared).record("apgd").status == Status::solved);
  CHECK(std::stod(read_text(tape / "driver_s.txt")) > 3600.0);
}

TEST_CASE("sequences: a run names the part of a tape that is damaged, and makes it again as it was") {
  const TemporaryFolder folder;
  const std::string config = sequence_config({{of_sequence + "/steps", 105}});
  const SequenceOutcome first = run_sequences(config, folder);
  CHECK(first.listener.notes_.empty());
  const fs::path tape = first.folder / "sequences" / first.plan.cells.front().tape_key;
  for (const std::string name : {"tape.000000.hdf5", "tape.000100.hdf5"}) {
    const std::string whole = read_text(tape / name);
    std::string damaged = whole;
    damaged[whole.find("kinetic_J")] = 'q';
    write_text(tape / name, damaged);
    write_text(tape / "driver_s.txt", "1000\n");
    fs::remove_all(first.folder / "cells");
    const SequenceOutcome again = run_sequences(config, folder);
    CHECK(again.record("apgd").sequence->steps == 105);
    REQUIRE(again.listener.notes_.size() == 1);
    CHECK_THAT(again.listener.notes_.front(), Catch::Contains(name + ": is damaged: its checksum is not that of"));
    CHECK((read_text(tape / name) == whole));
    CHECK(std::distance(fs::directory_iterator(tape), fs::directory_iterator()) == 3);
    // The driver's time is that of the states it still has: none, or one of two parts.
    const double seconds = std::stod(read_text(tape / "driver_s.txt"));
    CHECK((name == "tape.000000.hdf5" ? seconds < 500.0 : seconds >= 500.0 && seconds < 900.0));
  }
}

TEST_CASE("sequences: cell.json says all that its hash knows") {
  Cell cell = sequence_plan(sequence_config({{of_sequence + "/trace_steps", {3, 7}}, {of_sequence + "/driver/wall_s", 77}}))
                  .cells.at(0);
  const auto written = [&] { return Document::parse(record_to_json(cell, CellRecord{}))["problem"]["sequence"]; };
  CHECK(written()["trace_steps"] == Document({3, 7}));
  CHECK(written()["driver"]["wall_s"] == 77.0);
  CHECK_FALSE(written()["driver"].contains("peer_version"));
  auto spec = std::make_shared<ProblemSpec>(*cell.spec);
  spec->sequence->driver.peer_version = "peer 1.2";
  cell.spec = spec;
  CHECK(written()["driver"]["peer_version"] == "peer 1.2");
}

TEST_CASE("sequences: claims can bound what a scene says of its last state") {
  const auto claiming = [](const std::string& metric, const Document& bound) {
    return sequence_config(
        {{"/claims", {{{"id", "a"}, {"says", "b"}, {"of", "*"}, {"metric", metric}, {"at_most", bound}}}}});
  };
  CHECK_THAT(sequence_error(claiming("potential_K", 1.0)), Catch::Contains("/claims/0/metric") &&
                                                               Catch::Contains("unknown metric 'potential_K'") &&
                                                               Catch::Contains("potential_J"));
  CHECK_THAT(sequence_error(claiming("kinetic_J", {{"metric", "kinetic_K"}})),
             Catch::Contains("unknown metric 'kinetic_K'"));
  Document still = Document::parse(claiming("kinetic_J", 1.0));
  still["problems"][0] = {{"scene", "odd_mass_stack"}};
  still["solvers"].erase(1);
  CHECK_THAT(sequence_error(still.dump()), Catch::Contains("unknown metric 'kinetic_J'"));

  const TemporaryFolder folder;
  const SequenceOutcome outcome = run_sequences(claiming("kinetic_J", {{"metric", "potential_J"}, {"times", 1.0}}), folder);
  const ResultTable results(outcome.folder, moving_scenes());
  const ResultRow& row = results.rows().front();
  const double kinetic = results.metric(row, "kinetic_J", 0.0);
  CHECK(kinetic > 0.0);
  CHECK(kinetic == outcome.steps("apgd").number(11, "kinetic_J"));
  const auto verdicts = judge_claims(results);
  REQUIRE(verdicts.size() == 1);
  CHECK(verdicts.front().measured == Approx(kinetic).epsilon(0.1));
  CHECK(verdicts.front().bound == results.metric(row, "potential_J", 0.0));
}

TEST_CASE("sequences: the metrics of the steps bound claims") {
  const TemporaryFolder folder;
  const auto text = sequence_config({{"/stop", {{"max_iterations", 34}}}});
  const SequenceOutcome outcome = run_sequences(text, folder);
  const ResultTable results(outcome.folder, moving_scenes());
  const ResultRow& row = results.rows().front();
  const SequenceFacts& facts = *outcome.record("apgd").sequence;
  const auto is = [&](const char* name, double value) {
    CAPTURE(name);
    const auto& known = claim_metrics();
    CHECK(std::count(known.begin(), known.end(), name) == 1);
    CHECK(results.metric(row, name, 0.0) == value);
  };
  is("steps", 12.0);
  is("unsolved_steps", static_cast<double>(facts.unsolved_steps));
  is("iterations_per_step", facts.iterations_per_step);
  is("iterations_per_solved_step", facts.iterations_per_solved_step);
  is("iterations_max", 34.0);
  is("contacts_per_step", facts.contacts_per_step);
  is("contacts_max", static_cast<double>(facts.contacts_max));
  is("deepest_gap", facts.deepest_gap);
  is("energy_gain", facts.energy_gain);
  CHECK(facts.unsolved_steps > 0);
  CHECK(facts.contacts_max > 0);
}
