#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/analysis/baseline.hpp"
#include "bench/results/result_table.hpp"
#include "bench/run/driver.hpp"
#include "bench/run/step_loop.hpp"
#include "bench/run/tape.hpp"
#include "bench/sequence_runs.hpp"
#include "io/fclib_writer.hpp"
#include "io/motion_tape.hpp"
#include "io/stored_state.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

std::vector<double> column_of(const CsvTable& table, const std::string& name) {
  std::vector<double> values;
  for (std::size_t i = 0; i < table.rows.size(); ++i) values.push_back(table.number(i, name));
  return values;
}

double sum_of(const std::vector<double>& values) {
  double total = 0.0;
  for (const double value : values) total += value;
  return total;
}

/// Whether a column says how long something took.
bool is_time(const std::string& name) {
  return name.rfind("time_to_", 0) == 0 || (name.size() > 2 && name != "time_s" && name.ends_with("_s"));
}

/// The rows without what depends on the clock.
std::vector<std::vector<std::string>> timeless(const CsvTable& table) {
  std::vector<std::vector<std::string>> rows{{}};
  for (const std::string& name : table.columns)
    if (!is_time(name)) rows.front().push_back(name);
  for (const auto& fields : table.rows) {
    rows.emplace_back();
    for (std::size_t c = 0; c < fields.size(); ++c)
      if (!is_time(table.columns[c])) rows.back().push_back(fields[c]);
  }
  return rows;
}

/// A scene that cannot be built with more bodies than it has by default.
class Crowd final : public Scene {
 public:
  Crowd() { fields_.add("bodies", &bodies_, Range::at_least(1.0), "how many", "ours"); }
  const SceneInfo& info() const override { return info_; }

 private:
  std::unique_ptr<Motion> do_motion(std::uint64_t seed) const override {
    if (bodies_ > 1) throw std::logic_error("the crowd was built");
    return make_scene("single_ball")->motion(seed);
  }

  SceneInfo info_{"crowd", "A crowd", "ours"};
  int bodies_ = 1;
};

}  // namespace

TEST_CASE("sequences: a config is read without building what moves") {
  Catalog catalog = moving_scenes();
  catalog.scenes = {{"crowd"}, [](const std::string&) { return std::make_unique<Crowd>(); }};
  const auto read = [&catalog](const std::string& metric) {
    return parse_config(
        R"({"name": "x", "problems": [{"scene": "crowd", "parameters": {"bodies": 1000000}, "sequence": {"steps": 3}}],
                            "solvers": [{"solver": "apgd"}], "claims": [{"id": "a", "says": "b", "metric": ")" +
            metric + R"(", "of": "apgd", "at_most": 0}]})",
        "c.json", catalog);
  };
  CHECK(make_plan(read("kinetic_J")).cells.size() == 1);
  CHECK_THROWS_WITH(read("kinetic"), Catch::Contains("unknown metric 'kinetic' (did you mean 'kinetic_J'?)"));
}

TEST_CASE("sequences: what cannot be is refused by name") {
  const std::string sequence = "/problems/0/sequence";
  const auto refused = [](const std::vector<std::pair<std::string, json>>& changes, const std::string& text) {
    CAPTURE(text);
    CHECK_THAT(sequence_error(sequence_config(changes)), Catch::Contains(text));
  };
  CHECK(sequence_error(sequence_config()) == "no error");
  refused({{sequence + "/steps", 0}}, "'steps' is 0, expected a value");
  refused({{sequence + "/settle", 12}}, "'settle' is 12, expected less than 'steps', which is 12");
  refused({{sequence + "/trajectory", "mine"}}, "'trajectory' is 'mine', expected one of shared, own");
  refused({{sequence + "/trace_steps", {12}}}, "step 12 is not solved, expected 0 to 11");
  refused({{sequence + "/trace_steps", {3, 3}}}, "'3' stands twice");
  refused({{sequence + "/trace_steps", 3}}, "expected a list of whole numbers");
  refused({{sequence + "/driver/solver", "nobody"}}, "unknown solver 'nobody'");
  refused({{sequence + "/driver/solver", "nsgs"}, {sequence + "/driver/model", "ccp"}},
          "the driver nsgs does not solve the ccp");
  refused({{sequence + "/driver/parameters/nothing", 1}}, "nothing");
  refused({{sequence + "/state", "none.hdf5"}}, "none.hdf5");
  refused({{"/problems/0/perturb/noise", 0.1}}, "has a 'sequence', whose problems have no neighbours");
  refused({{"/kernels", true}}, "/problems/0 has a 'sequence'");
  refused({{"/solvers/0/start/from", "reference"}}, "starts from a reference solution");
  refused({{"/solvers/1/start/match", "all"}}, "'match' is 'all', expected one of contacts, same");
  refused({{"/solvers/0/start", {{"from", "nothing"}, {"match", "same"}}}}, "'match' belongs to");
  refused({{"/problems/0/scene", "odd_mass_stack"}, {"/problems/0/parameters", json::object()}},
          "scene 'odd_mass_stack' does not move");
  refused({{sequence + "/trajectory", "own"}, {sequence + "/driver/model", "ccp"}},
          "'model' belongs to a shared trajectory");
  refused({{sequence + "/trajectory", "own"}, {sequence + "/driver/solver", "nsgs"}},
          "the driver nsgs does not solve the ccp model of the config");
  json plain = json::parse(sequence_config());
  plain["problems"][0].erase("sequence");
  CHECK_THAT(sequence_error(plain.dump()),
             Catch::Contains("starts from the previous step, but /problems/0 has no 'sequence'"));
  plain["problems"][0] = {{"fclib", "*.hdf5"}, {"sequence", {{"steps", 1}}}};
  CHECK_THAT(sequence_error(plain.dump()), Catch::Contains("'sequence' belongs to a scene"));
}

TEST_CASE("sequences: states of other scenes, other numbers of bodies and damaged ones are refused") {
  const TemporaryFolder folder;
  const auto write_state = [&](const std::string& name, const std::string& scene_name) {
    const auto scene = make_scene(scene_name);
    if (scene_name == "ball_box") scene->parameters().set("spheres", std::int64_t{9});
    const auto motion = scene->motion(0);
    const MotionProblem problem = motion->problem();
    const StoredState stored{motion->state(), 0.0, "{}", 0, std::nullopt};
    write_fclib(folder / name, problem.problem, FclibForm::global, {}, {}, &stored);
  };
  const auto refused = [&](const std::string& text) {
    CAPTURE(text);
    CHECK_THAT(sequence_error(sequence_config({{"/problems/0/sequence/state", "s.hdf5"}}), (folder / "c.json").string()),
               Catch::Contains(text));
  };
  write_state("s.hdf5", "single_ball");
  refused("state is of 'single_ball', expected 'ball_box'");
  write_state("s.hdf5", "ball_box");
  refused("expected 104");
  write_text(folder / "s.hdf5", "no HDF5");
  refused("s.hdf5");
}

TEST_CASE("sequences: what makes another cell, another tape, and neither") {
  const Plan plan = sequence_plan(sequence_config());
  const auto changed = [&](const std::string& pointer, const json& value) {
    const Plan other = sequence_plan(sequence_config({{pointer, value}}));
    return std::pair(other.cells[1].hash != plan.cells[1].hash, other.cells[1].tape_key != plan.cells[1].tape_key);
  };
  CHECK(plan.cells[0].hash != plan.cells[1].hash);
  CHECK(plan.cells[0].tape_key == plan.cells[1].tape_key);
  CHECK(changed("/problems/0/sequence/steps", 13) == std::pair(true, false));
  CHECK(changed("/problems/0/sequence/settle", 3) == std::pair(true, false));
  CHECK(changed("/problems/0/sequence/trace_steps", {3}) == std::pair(true, false));
  CHECK(changed("/problems/0/sequence/driver/tolerance", 1e-9) == std::pair(true, true));
  CHECK(changed("/problems/0/sequence/driver/solver", "apgd") == std::pair(true, true));
  CHECK(changed("/problems/0/sequence/driver/guarded_start", true) == std::pair(true, true));
  CHECK(changed("/problems/0/sequence/driver/guarded_start", false) == std::pair(false, false));
  CHECK(changed("/problems/0/seed", 3) == std::pair(true, true));
  CHECK(changed("/solvers/1/start/match", "same") == std::pair(true, false));
  CHECK(changed("/solvers/1/start/match", "contacts") == std::pair(false, false));
  CHECK(changed("/limits/wall_s", 33) == std::pair(false, false));
}

TEST_CASE("sequences: configs without one keep their hashes") {
  const Plan plan =
      sequence_plan(R"({"name": "x", "problems": [{"scene": "odd_mass_stack"}], "solvers": [{"solver": "jacobi"}]})");
  CHECK(plan.cells.at(0).problem_key == "9935cba4c371969bc085d6a9c1519113afb7aad5c0e09f83d786a4273177ff7c");
  CHECK(plan.cells.at(0).hash == "4c6de5f19bf9c386");  // another one with each solver_version
}

TEST_CASE("sequences: a cell runs all steps, and its record is their sum") {
  const TemporaryFolder folder;
  const SequenceOutcome outcome = run_sequences(
      sequence_config({{"/problems/0/sequence/settle", 2}, {"/problems/0/sequence/trace_steps", {5}}}), folder);
  const CsvTable steps = outcome.steps("warm");
  const CellRecord& record = outcome.record("warm");
  CHECK(record.status == Status::solved);
  REQUIRE(record.sequence);
  CHECK(record.sequence->steps == 10);
  CHECK(record.sequence->unsolved_steps == 0);
  CHECK(column_of(steps, "step").front() == 2.0);
  CHECK(column_of(steps, "time_s").back() == Approx(11 * 0.02));
  CHECK(record.iterations == sum_of(column_of(steps, "iterations")));
  CHECK(static_cast<double>(record.counters.products) == sum_of(column_of(steps, "products")));
  CHECK(record.solve_s == Approx(sum_of(column_of(steps, "solve_s"))));
  CHECK(record.crossings[2].iteration == sum_of(column_of(steps, "iterations_to_1e-4")));
  CHECK(record.crossings.back().iteration == -1);  // 1e-12 is below the tolerance
  const auto residuals = column_of(steps, "relative_residual");
  CHECK(record.measures[measure_index(Measure::relative_residual)] == *std::max_element(residuals.begin(), residuals.end()));
  CHECK(record.problem->contacts == record.sequence->contacts_max);
  CHECK(record.sequence->contacts_max > 0);
  CHECK(record.sequence->iterations_per_step == record.iterations / 10.0);
  const auto gaps = column_of(steps, "deepest_gap");
  CHECK(record.sequence->deepest_gap == std::min(0.0, *std::min_element(gaps.begin(), gaps.end())));
  CHECK(record.sequence->deepest_gap < 0.0);
  for (const Cell& cell : outcome.plan.cells) {
    const fs::path of_cell = outcome.folder / "cells" / cell.hash;
    CHECK(fs::exists(of_cell / "trace.5.csv"));
    CHECK_FALSE(fs::exists(of_cell / "trace.4.csv"));
    CHECK_FALSE(fs::exists(of_cell / "start.hdf5"));
    const auto traced = static_cast<double>(read_csv(of_cell / "trace.5.csv").rows.size());
    CHECK(traced == outcome.steps(cell.label).number(3, "iterations") + 1.0);
  }
  // All solvers meet the same problems, and one that goes on from the step before has less to do.
  for (const char* name : {"contacts", "kinetic_J", "deepest_gap", "missed"})
    CHECK(column_of(steps, name) == column_of(outcome.steps("apgd"), name));
  CHECK(record.iterations < outcome.record("apgd").iterations);
}

TEST_CASE("sequences: a full start at a step whose problem does not change takes no iteration") {
  const TemporaryFolder folder;
  // At rest from its first step on.
  const std::string text =
      sequence_config({{"/problems/0", json::parse(R"({"scene": "single_ball", "parameters": {"drop": 0},
      "sequence": {"steps": 6, "driver": {"solver": "ipm_qp", "tolerance": 1e-12}}})")}});
  const auto iterations = column_of(run_sequences(text, folder).steps("warm"), "iterations");
  CHECK(iterations.front() > 0.0);
  CHECK(std::vector<double>(iterations.begin() + 1, iterations.end()) == std::vector<double>(5, 0.0));
}

TEST_CASE("sequences: the problems of a tape are those of the driver, to the last byte, and a longer run goes on with it") {
  const TemporaryFolder folder;
  run_sequences(sequence_config(), folder);
  const Cell cell = sequence_plan(sequence_config()).cells.front();
  const fs::path tape = folder / "x" / "sequences" / cell.tape_key;
  CHECK(read_tape_part(tape / "tape.000000.hdf5").states.size() == 13);
  const std::string first = read_text(tape / "tape.000000.hdf5");
  TapeReader reader(tape, cell.tape_key, "ball_box");
  const auto there = start_motion(cell, moving_scenes()), here = start_motion(cell, moving_scenes());
  const Driver driver(cell.spec->sequence->driver, Model::ccp, 1, moving_scenes());
  StepLoop loop{*here};
  const auto compare_and_solve = [&](const MotionProblem& b) {
    there->restore(reader.state(loop.step));
    const MotionProblem a = there->problem();
    CHECK(a.keys == b.keys);
    CHECK(a.problem.global().k == b.problem.global().k);
    CHECK(a.problem.global().b == b.problem.global().b);
    CHECK(DenseMatrix(a.problem.global().D) == DenseMatrix(b.problem.global().D));
    return driver.solve(*here, b, loop.last, 60.0);
  };
  loop.run(12, compare_and_solve);
  CHECK(loop.step == 12);
  CHECK(here->state().values == reader.state(12).values);
  CHECK_THROWS_WITH(reader.state(13), Catch::Contains("lacks state 13"));
  // Fifteen steps at once, and twelve and then three more.
  const std::string longer = sequence_config({{"/problems/0/sequence/steps", 15}});
  const TemporaryFolder other;
  run_sequences(longer, folder);
  run_sequences(longer, other);
  const std::string grown = read_text(tape / "tape.000000.hdf5");
  CHECK(grown != first);
  CHECK(grown == read_text(other / "x" / "sequences" / cell.tape_key / "tape.000000.hdf5"));
}

TEST_CASE("sequences: a guarded start leaves out impulses that raise the objective, and no others") {
  const auto cell_with = [](bool guarded) {
    const json driver = {{"solver", "apgd"}, {"max_iterations", 2}, {"guarded_start", guarded}};
    return sequence_plan(sequence_config({{"/problems/0/sequence/driver", driver}})).cells.front();
  };
  const Cell cell = cell_with(false);
  const auto motion = start_motion(cell, moving_scenes());
  const Driver plain(cell.spec->sequence->driver, Model::ccp, 1, moving_scenes());
  const Driver guarded(cell_with(true).spec->sequence->driver, Model::ccp, 1, moving_scenes());
  StepLoop loop{*motion};
  loop.run(12, [&](const MotionProblem& problem) { return plain.solve(*motion, problem, loop.last, 60.0); });
  const MotionProblem next = motion->problem();
  const auto from = [&](const Driver& driver, double factor) {
    StepEnd start = *loop.last;
    for (Vector3& impulse : start.impulses) impulse *= factor;
    return Vector(driver.solve(*motion, next, start, 60.0).impulse);
  };
  const Vector cold = plain.solve(*motion, next, std::nullopt, 60.0).impulse;
  CHECK(from(guarded, 1.0) == from(plain, 1.0));
  CHECK(from(guarded, 1000.0) == cold);
  CHECK(from(plain, 1000.0) != cold);
  CHECK(from(plain, 1.0) != cold);
}

TEST_CASE("sequences: the same bytes on one and two threads, and in repeats and replays") {
  const TemporaryFolder folder, other;
  const auto text =
      sequence_config({{"/problems/0/parameters/friction", 0.3}, {"/problems/0/sequence/driver/solver", "proximal_newton"}});
  RunOptions threads;
  threads.threads = 2;
  const SequenceOutcome one = run_sequences(text, folder), two = run_sequences(text, other, threads);
  CHECK(timeless(one.steps("warm")) == timeless(two.steps("warm")));
  for (const int passes : {1, 2}) {
    const TemporaryFolder again;
    RunOptions repeats;
    repeats.repeat = 2;
    repeats.passes = passes;
    const CellRecord record = run_sequences(text, again, repeats).record("warm");
    CHECK(record.runs.size() == static_cast<std::size_t>(passes + 1));
    CHECK(differing_runs(record).empty());
    CHECK(record.runs.back().pass == passes);
  }
}

TEST_CASE("sequences: a driver that fails fails its cells by name") {
  const TemporaryFolder folder;
  const auto reason = [&](const std::string& pointer, const json& value) {
    const SequenceOutcome outcome = run_sequences(sequence_config({{pointer, value}}), folder);
    CHECK(outcome.record("apgd").status == Status::failed);
    return outcome.record("warm").reason;
  };
  CHECK_THAT(reason("/problems/0/parameters/friction", 0.3),
             Catch::Contains("the driver: step 0: ipm_qp takes no friction"));
  CHECK_THAT(reason("/problems/0/sequence/driver/wall_s", 1e-9), Catch::Contains("the driver came to step 0 of 12 within"));
}

TEST_CASE(
    "sequences: a driver that has used up its time ends a trajectory of its own, too, and what it leaves unsolved is said") {
  const TemporaryFolder folder;
  const std::string sequence = "/problems/0/sequence";
  const std::string hasty =
      sequence_config({{sequence + "/trajectory", "own"}, {sequence + "/settle", 6}, {sequence + "/driver/wall_s", 1e-9}});
  const CellRecord late = run_sequences(hasty, folder).record("apgd");
  CHECK(late.status == Status::failed);
  CHECK_THAT(late.reason, Catch::Contains("the driver used up its 1e-09 s at step"));

  const TemporaryFolder other;
  const SequenceOutcome sloppy = run_sequences(sequence_config({{sequence + "/driver/max_iterations", 1}}), other);
  const CellRecord& all = sloppy.record("apgd");
  CHECK(all.sequence->driver_unsolved_steps > 0.0);
  const TemporaryFolder third;
  const std::string late_start = sequence_config({{sequence + "/settle", 6}, {sequence + "/driver/max_iterations", 1}});
  const CellRecord rest = run_sequences(late_start, third).record("apgd");
  CHECK(rest.sequence->driver_unsolved_steps == all.sequence->driver_unsolved_steps);
  CHECK(std::any_of(sloppy.record("apgd").notes.begin(), sloppy.record("apgd").notes.end(), [](const std::string& note) {
    return note.find("the driver left ") == 0 && note.find(" of 12 steps unsolved") != std::string::npos;
  }));
}

TEST_CASE("sequences: a fresh run makes its tapes anew") {
  const TemporaryFolder folder;
  const SequenceOutcome first = run_sequences(sequence_config(), folder);
  const fs::path mark = first.folder / "sequences" / first.plan.cells.front().tape_key / "mark";
  write_text(mark, "of the earlier run");
  run_sequences(sequence_config(), folder);
  CHECK(fs::exists(mark));
  RunOptions options;
  options.fresh = true;
  CHECK(run_sequences(sequence_config(), folder, options).record("apgd").status == Status::solved);
  CHECK_FALSE(fs::exists(mark));
}

TEST_CASE("sequences: a step that is not solved gives the cell its status, and the others still run") {
  const TemporaryFolder folder;
  const SequenceOutcome outcome = run_sequences(sequence_config({{"/stop", {{"max_iterations", 34}}}}), folder);
  const CellRecord& record = outcome.record("apgd");
  CHECK(record.status == Status::iteration_limit);
  CHECK(record.sequence->steps == 12);
  CHECK(record.sequence->unsolved_steps > 0);
  CHECK(record.sequence->unsolved_steps < 12);
  CHECK_THAT(record.reason, Catch::StartsWith("step "));
  CHECK(record.sequence->iterations_per_solved_step < record.sequence->iterations_per_step);
}

TEST_CASE("sequences: steps that meet the method's own criterion are counted beside the verdict of the measure") {
  const TemporaryFolder folder;
  const json loose = {{"tolerance_primal", 1e-2}, {"tolerance_dual", 1e-2}};
  const SequenceOutcome outcome =
      run_sequences(sequence_config({{"/solvers/0", {{"solver", "admm"}, {"native_stop", true}, {"parameters", loose}}},
                                     {"/stop", {{"max_iterations", 27}}}}),
                    folder);
  const CellRecord& record = outcome.record("admm");
  CHECK(record.status != Status::solved);
  CHECK_FALSE(outcome.record("warm").native_stop);
  REQUIRE(record.native_stop);
  const CsvTable steps = outcome.steps("admm");
  double met = 0.0, iterations = 0.0, most = 0.0, factorizations = 0.0, residual = 0.0, others = 0.0;
  for (std::size_t i = 0; i < steps.rows.size(); ++i) {
    const bool ended_there = steps.number(i, "native_converged") == 1.0;
    // Nothing is solved for its own criterion alone, and what is left unmet is at its limit.
    if (steps.rows[i][static_cast<std::size_t>(steps.column("status"))] == "solved")
      CHECK(steps.number(i, "relative_residual") <= 1e-8);
    if (!ended_there) CHECK(steps.number(i, "iterations") == 27.0);
    if (!ended_there) others += 1.0;
    if (!ended_there || steps.number(i, "rows") == 0.0) continue;
    met += 1.0;
    iterations += steps.number(i, "iterations");
    factorizations += steps.number(i, "factorizations");
    most = std::max(most, steps.number(i, "iterations"));
    residual = std::max(residual, steps.number(i, "relative_residual"));
  }
  REQUIRE(met > 0.0);
  REQUIRE(others > 0.0);
  CHECK(residual > 1e-8);
  const ResultTable results(outcome.folder, moving_scenes());
  const auto metric = [&](const std::string& name) { return results.metric(results.rows().at(0), name, 0.0); };
  CHECK(metric("native_unmet_steps") == others);
  CHECK(metric("native_iterations_per_step") == Approx(iterations / met));
  CHECK(metric("native_iterations_max") == most);
  CHECK(metric("native_factorizations_per_step") == Approx(factorizations / met));
  CHECK(metric("native_relative_residual") == residual);
  CHECK(std::isnan(results.metric(results.rows().at(1), "native_iterations_max", 0.0)));
  const std::vector<double> contacts = column_of(steps, "contacts");
  const auto with_contacts = std::count_if(contacts.begin(), contacts.end(), [](double count) { return count > 0.0; });
  CHECK(metric("contacts_per_step") == Approx(sum_of(contacts) / static_cast<double>(with_contacts)));
  CHECK(metric("unknowns_per_step") ==
        Approx(6.0 * 8.0 + sum_of(column_of(steps, "rows")) / static_cast<double>(with_contacts)));
  CHECK(metric("flops_per_step") == Approx(metric("flops") / metric("steps")));
  CHECK(metric("seconds_per_back_solve") == Approx(metric("back_solve_s") / metric("back_solves")));
  CHECK(metric("seconds_per_factorization") == Approx(metric("factorization_s") / metric("factorizations")));
}

TEST_CASE("sequences: mean residual, and steps that take longer than they move by") {
  const auto row = [](double time, double setup, double solve, Index contacts, double residual) {
    StepRow one;
    one.time_s = time, one.setup_s = setup, one.solve_s = solve, one.contacts = contacts;
    one.measures[measure_index(Measure::contact_residual)] = residual;
    return one;
  };
  const std::vector<StepRow> rows{row(0.0, 0.002, 0.001, 2, 1e-4), row(0.01, 0.01, 0.005, 3, 3e-4),
                                  row(0.02, 0.0, 0.0, 0, 0.0)};
  const SequenceFacts facts = facts_of(rows, 3);
  CHECK(facts.contact_residual_per_step == Approx(2e-4));
  CHECK(facts.seconds_per_step == Approx(0.006));
  CHECK(facts.step_s_max == Approx(0.015));
  CHECK(facts.late_steps == 1);
  CHECK(facts_of({rows[1]}, 1).late_steps == 0);
}

TEST_CASE("sequences: steps that were asked for and never taken have not met the method's own criterion") {
  StepRow met, empty;
  met.rows = 3;
  met.iterations = 4;
  met.native_converged = empty.native_converged = true;
  CHECK(native_stop_of({met, empty}, 5).unmet_steps == 3);
  CHECK(native_stop_of({met, empty}, 5).iterations_per_step == 4.0);
  CHECK(std::isnan(native_stop_of({empty}, 1).iterations_max));
  met.measures[measure_index(Measure::relative_residual)] = std::nan("");
  StepRow other = met;
  other.measures[measure_index(Measure::relative_residual)] = 1e-3;
  CHECK(std::isnan(native_stop_of({met, other}, 2).relative_residual));
}

TEST_CASE("sequences: a solver that the scene does not suit is unsupported") {
  const TemporaryFolder folder;
  const SequenceOutcome outcome = run_sequences(sequence_config({{"/problems/0/parameters/friction", 0.3},
                                                                 {"/problems/0/sequence/driver/solver", "proximal_newton"},
                                                                 {"/solvers/0", {{"solver", "ipm_qp"}}}}),
                                                folder);
  CHECK(outcome.record("ipm_qp").status == Status::unsupported);
  CHECK_THAT(outcome.record("ipm_qp").reason, Catch::StartsWith("step 0: "));
}

TEST_CASE("sequences: on a trajectory of its own a solver leads, and the driver helps out") {
  const TemporaryFolder folder;
  const auto own = [](const json& iterations) {
    return sequence_config({{"/problems/0/sequence/trajectory", "own"}, {"/stop", {{"max_iterations", iterations}}}});
  };
  const SequenceOutcome solved = run_sequences(own(1000), folder), limited = run_sequences(own(34), folder);
  CHECK(sum_of(column_of(solved.steps("apgd"), "fallback")) == 0.0);
  const CsvTable helped = limited.steps("apgd");
  CHECK(sum_of(column_of(helped, "fallback")) == static_cast<double>(limited.record("apgd").sequence->unsolved_steps));
  CHECK(sum_of(column_of(helped, "fallback")) > 0.0);
  const SequenceFacts &alone = *solved.record("apgd").sequence, &with_help = *limited.record("apgd").sequence;
  CHECK(alone.fallback_s == 0.0);
  CHECK(with_help.fallback_s == Approx(sum_of(column_of(helped, "fallback_s"))));
  CHECK(with_help.fallback_s > 0.0);
  const ResultTable table(limited.folder, moving_scenes());
  const auto metric = [&](const char* name) { return table.metric(table.rows().front(), name, 0.0); };
  CHECK(table.rows().front().label == "apgd");
  CHECK(metric("runtime_s") == Approx(metric("build_s") + metric("setup_s") + metric("solve_s") + with_help.fallback_s));
  CHECK(metric("solver_share") == Approx(1.0 - metric("build_s") / metric("runtime_s")));
  CHECK(metric("all_solved") == 0.0);
  // Worlds that solutions of 1e-8 lead apart stay together for so few steps.
  CHECK(column_of(helped, "kinetic_J").back() == Approx(column_of(solved.steps("apgd"), "kinetic_J").back()).epsilon(1e-4));
  CHECK(column_of(solved.steps("apgd"), "kinetic_J") != column_of(solved.steps("warm"), "kinetic_J"));
  CHECK_FALSE(fs::exists(folder / "x" / "sequences"));
}

TEST_CASE("sequences: results know their metrics, and baselines the iterations of each step") {
  const TemporaryFolder folder, stored;
  const SequenceOutcome outcome = run_sequences(sequence_config(), folder);
  const ResultTable results(outcome.folder, moving_scenes());
  const ResultRow& row = results.rows().at(1);
  CHECK(results.metric(row, "steps", 0.0) == 12.0);
  CHECK(results.metric(row, "iterations_max", 0.0) == outcome.record("warm").sequence->iterations_max);
  CHECK(results.metric(row, "iterations_to", 1e-4) == outcome.record("warm").crossings[2].iteration);
  CHECK(results.metric(row, "iterations_to", 1e-12) == never);
  CHECK(std::isnan(results.metric(row, "products_to", 1e-4)));
  write_baseline(results, stored.path());
  CHECK(compare_with_baseline(results, stored.path()).changes.empty());
  const fs::path curve = stored / "steps_of_warm.csv";
  std::string text = read_text(curve);
  const auto line_end = text.rfind('\n');
  text.replace(text.rfind(',', line_end), std::string::npos, ",999\n");
  write_text(curve, text);
  const auto changes = compare_with_baseline(results, stored.path()).changes;
  REQUIRE(changes.size() == 1);
  CHECK(changes.front().what == "iterations of step 11");
}
