#include <catch2/catch.hpp>

#include "cli/program.hpp"
#include "cli/results.hpp"
#include "io/fclib_reader.hpp"
#include "io/hdf5_editor.hpp"
#include "problem/judge/judge.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp;
using namespace ccp::testing;

TEST_CASE("generate writes both forms with parameters, seed and a solution the judge certifies") {
  const Workplace place;
  const Answer answer =
      run_program(place, {"generate", "odd_mass_stack", "--set", "spheres=7", "--set", "heavy_index=3", "--seed", "42"});
  INFO(answer.err);
  CHECK(answer.code == 0);
  CHECK(answer.err.empty());
  CHECK_THAT(answer.out, Catch::Contains("solution certified"));
  CHECK(place.listing() == std::vector<std::string>{"odd_mass_stack.global.hdf5", "odd_mass_stack.local.hdf5"});
  for (const std::string& name : place.listing()) {
    INFO(name);
    const FclibFile file = read_fclib(place / name);
    CHECK(file.info.scene == "odd_mass_stack");
    CHECK(file.info.seed == 42U);
    CHECK_THAT(file.info.parameters, Catch::Contains("\"spheres\":7"));
    CHECK(file.contacts == 8);
    REQUIRE(file.solution);
    const Vector impulse = *file.impulse(*file.solution);
    Judge judge(*file.problem, Model::ncp);
    CHECK(judge.evaluate(Measure::relative_residual, {&impulse}) <= 1e-12);
    CHECK_THAT(file.info.certificate, Catch::StartsWith("certified: model ncp, "));
  }
  CHECK_THAT(run_program(place, {"inspect", "odd_mass_stack.local.hdf5"}).out, Catch::Contains("certified: model ncp, "));
}

TEST_CASE("an unsymmetric H goes through generate, inspect and solve") {
  const Workplace place;
  const Answer made = run_program(place, {"generate", "spinning_contacts", "--set", "contacts=6", "--set", "spin=60",
                                          "--form", "global", "--out", "a.hdf5"});
  CHECK(made.code == 0);
  CHECK_THAT(made.out, Catch::Contains("solution certified"));
  const Answer seen = run_program(place, {"inspect", "a.hdf5"});
  CHECK(seen.code == 0);
  CHECK_THAT(seen.out, Catch::Contains("|H_ij − H_ji| is up to"));
  const Answer solved = run_program(place, {"solve", "a.hdf5", "--solver", "admm", "--model", "ccp"});
  CHECK(solved.code == 0);
  CHECK_THAT(solved.out, Catch::Contains("linear system: saddle by mumps"));
  CHECK_THAT(run_program(place, {"solve", "a.hdf5", "--solver", "apgd"}).out,
             Catch::Contains("apgd needs a symmetric H; this one is off by"));
}

TEST_CASE("generate stores no solution that nobody wants or that is not certified, and says so") {
  const Workplace place;
  const Answer none =
      run_program(place, {"generate", "odd_mass_stack", "--no-solution", "--form", "local", "--out", "a.hdf5"});
  CHECK(none.code == 0);
  CHECK(lines_of(none.out).size() == 1);
  const Answer late =
      run_program(place, {"generate", "odd_mass_stack", "--time-limit", "1e-9", "--form", "local", "--out", "b.hdf5"});
  CHECK(late.code == 0);
  CHECK(late.err.empty());
  CHECK(lines_of(late.out).size() == 2);
  CHECK_THAT(late.out,
             Catch::Contains("no solution stored, none was certified: model ncp, relative residual 1.00e+00 > 1e-13"));
  for (const char* name : {"a.hdf5", "b.hdf5"}) {
    const FclibFile file = read_fclib(place / name);
    CHECK_FALSE(file.solution);
    CHECK(file.info.certificate.empty());
  }
}

TEST_CASE("a start from the reference solution is one of the unperturbed problem") {
  const Workplace place;
  const std::string config = place.write("warm.json", R"({
    "name": "warm", "model": [ "ccp", "ncp" ],
    "problems": [ { "scene": "random_contacts", "label": "problem", "parameters": { "contacts": 40 } },
                  { "scene": "random_contacts", "label": "neighbour", "parameters": { "contacts": 40 },
                    "perturb": { "noise": 0.01, "b_noise": 0.01 } } ],
    "solvers": [ { "solver": "proximal_newton", "label": "cold" },
                 { "solver": "proximal_newton", "label": "warm", "start": { "from": "reference" } } ],
    "stop": { "tolerance": 1e-9, "time_limit_s": 20 } })");
  const Answer answer = run_program(place, {"run", config, "--out", place.text("out"), "--repeat", "2"});
  INFO(answer.err);
  REQUIRE(answer.code == 0);
  const auto cells = read_results(place / "out/warm");
  for (const std::string model : {"ccp", "ncp"}) {
    CAPTURE(model);
    const auto iterations = [&](const std::string& id) { return cells.at(id).json.at("iterations").get<int>(); };
    CHECK(iterations("problem/" + model + "/warm") == 0);
    CHECK(iterations("neighbour/" + model + "/warm") > 0);
    CHECK(iterations("neighbour/" + model + "/warm") < iterations("neighbour/" + model + "/cold"));
    CHECK(cells.at("neighbour/" + model + "/warm").json.at("solver").at("start").at("from") == "reference");
    CHECK_FALSE(cells.at("neighbour/" + model + "/cold").json.at("solver").contains("start"));
  }
}

TEST_CASE("generate takes one form and a name, and the same call gives the same bytes") {
  const Workplace place;
  REQUIRE(run_program(place, {"generate", "odd_mass_stack", "--form", "global", "--out", "a.hdf5"}).code == 0);
  REQUIRE(run_program(place, {"generate", "odd_mass_stack", "--form", "global", "--out", "b.hdf5"}).code == 0);
  REQUIRE(run_program(place, {"generate", "odd_mass_stack", "--out", "both.hdf5"}).code == 0);
  CHECK(place.listing() == std::vector<std::string>{"a.hdf5", "b.hdf5", "both.global.hdf5", "both.local.hdf5"});
  CHECK(read_text(place / "a.hdf5") == read_text(place / "b.hdf5"));
  CHECK(read_fclib(place / "a.hdf5").form == FclibForm::global);
}

TEST_CASE("solve takes both forms of a generated dump") {
  const Workplace place;
  REQUIRE(run_program(place, {"generate", "odd_mass_stack", "--set", "spheres=4", "--set", "heavy_index=2"}).code == 0);
  for (const char* form : {"local", "global"})
    for (const char* solver : {"admm", "gauss_seidel", "nsgs"}) {
      INFO(form << " " << solver);
      const Answer answer = run_program(place, {"solve", std::string("odd_mass_stack.") + form + ".hdf5", "--solver", solver,
                                                "--tolerance", "1e-6", "--max-iterations", "200000"});
      INFO(answer.out << answer.err);
      CHECK(answer.code == 0);
      CHECK(answer.err.empty());
    }
}

TEST_CASE("inspect shows several files with a blank line between, and goes on after a bad one") {
  const Workplace place;
  REQUIRE(run_program(place, {"generate", "odd_mass_stack"}).code == 0);
  place.write("bad.hdf5", "nothing");
  const Answer answer =
      run_program(place, {"inspect", "odd_mass_stack.local.hdf5", "bad.hdf5", "odd_mass_stack.global.hdf5"});
  CHECK(answer.code == 2);
  CHECK(lines_of(answer.err).size() == 1);
  CHECK_THAT(answer.err, Catch::Contains("bad.hdf5"));
  CHECK_THAT(answer.out, Catch::StartsWith("odd_mass_stack.local.hdf5\n"));
  CHECK_THAT(answer.out, Catch::Contains("\n\nodd_mass_stack.global.hdf5\n"));
  CHECK_THAT(answer.out, Catch::Contains("fclib_local") && Catch::Contains("fclib_global"));
  CHECK_THAT(answer.out, Catch::Contains("positive definite"));
}

TEST_CASE("rolling problems are generated, inspected, converted and solved; methods that cannot say so") {
  const Workplace place;
  REQUIRE(run_program(place, {"generate", "rolling_body", "--set", "spinning_friction=0.01", "--out", "rolls.hdf5"}).code ==
          0);
  const Answer shown = run_program(place, {"inspect", "rolls.hdf5"});
  INFO(shown.err);
  CHECK(shown.code == 0);
  CHECK_THAT(shown.out, Catch::Contains("fclib_global_rolling") && Catch::Contains("rolling μ_r   0.02 m") &&
                            Catch::Contains("spinning μ_s  0.01 m"));
  REQUIRE(run_program(place, {"convert", "rolls.hdf5", "--solution"}).code == 0);
  const Answer local = run_program(place, {"inspect", "rolls.local.hdf5"});
  CHECK_THAT(local.out, Catch::Contains("fclib_local_rolling") && Catch::Contains("other programs of FCLib do not read it"));
  for (const char* file : {"rolls.hdf5", "rolls.local.hdf5"})
    CHECK(run_program(place, {"solve", file, "--solver", "nsgs"}).code == 0);
  CHECK_THAT(run_program(place, {"solve", "rolls.hdf5", "--solver", "pqn"}).err, Catch::Contains("no rolling or spinning"));
}

TEST_CASE("run takes FCLib files from a folder") {
  const Workplace place;
  std::filesystem::create_directory(place / "dumps");
  REQUIRE(run_program(place, {"generate", "odd_mass_stack", "--set", "spheres=3", "--set", "heavy_index=2", "--out",
                              place.text("dumps/three.hdf5")})
              .code == 0);
  const std::string config = place.write("dumps.json", R"({
    "name": "dumps", "problems": [ { "fclib": "*.hdf5" } ], "model": [ "ccp", "ncp" ],
    "solvers": [ { "solver": "admm" } ], "stop": { "tolerance": 1e-8, "time_limit_s": 5 } })");
  const Answer answer = run_program(place, {"run", config, "--fclib", place.text("dumps")});
  INFO(answer.err);
  CHECK(answer.code == 0);
  CHECK_THAT(answer.out, Catch::Contains("4 cells: 4 solved"));
  const Answer by_environment = run_program(place, {"check", config}, {{"CCPBENCH_FCLIB_DIR", place.text("dumps")}});
  CHECK_THAT(by_environment.out, Catch::Contains("4 cells: 2 problems, 2 models, 1 solver setting"));
}

TEST_CASE("convert forms N of a global dump, keeps guesses, and stores a solution where it is asked for") {
  const Workplace place;
  REQUIRE(run_program(place, {"generate", "ball_box", "--set", "spheres=8", "--steps", "14:14", "--form", "global"}).code ==
          0);
  const FclibFile given = read_fclib(place / "ball_box.000014.global.hdf5");
  REQUIRE(given.guesses.size() == 1);
  const Answer plain = run_program(place, {"convert", "ball_box.000014.global.hdf5"});
  INFO(plain.err);
  REQUIRE(plain.code == 0);
  CHECK(lines_of(plain.out).size() == 1);
  const FclibFile local = read_fclib(place / "ball_box.000014.local.hdf5");
  CHECK(local.form == FclibForm::local);
  CHECK(local.info == given.info);
  CHECK(DenseMatrix(local.problem->local().N) == DenseMatrix(given.problem->local().N));
  CHECK(local.problem->local().r == given.problem->local().r);
  CHECK(local.friction_max == given.friction_max);
  REQUIRE(local.guesses.size() == 1);
  CHECK(*local.impulse(local.guesses[0]) == *given.impulse(given.guesses[0]));
  CHECK_FALSE(local.solution);

  std::filesystem::create_directory(place / "solved");
  const Answer solved = run_program(place, {"convert", "ball_box.000014.local.hdf5", "--form", "local", "--solution",
                                            "--model", "ccp", "--out", "solved"});
  CHECK(solved.code == 0);
  CHECK_THAT(solved.out, Catch::Contains("solution certified: model ccp"));
  const FclibFile again = read_fclib(place / "solved/ball_box.000014.local.hdf5");
  CHECK(DenseMatrix(again.problem->local().N) == DenseMatrix(local.problem->local().N));
  REQUIRE(again.solution);
  const Vector impulse = *again.impulse(*again.solution);
  Judge judge(*again.problem, Model::ccp);
  CHECK(judge.evaluate(Measure::relative_residual, {&impulse}) <= 1e-12);
  CHECK_THAT(again.info.certificate, Catch::StartsWith("certified: model ccp, "));

  // Without --solution a file says nothing about the solution of the one it was made from.
  REQUIRE(run_program(place, {"convert", "solved/ball_box.000014.local.hdf5", "--form", "global", "--out", "solved"}).code ==
          0);
  const FclibFile factors = read_fclib(place / "solved/ball_box.000014.global.hdf5");
  CHECK(factors.form == FclibForm::global);
  CHECK(factors.info.certificate.empty());
  const DenseMatrix formed = DenseMatrix(factors.problem->local().N), N = DenseMatrix(local.problem->local().N);
  CHECK((formed - N).norm() <= 1e-12 * N.norm());
}

TEST_CASE("convert refuses what would be written over, and goes on after a bad file") {
  const Workplace place;
  REQUIRE(run_program(place, {"generate", "odd_mass_stack", "--set", "spheres=3", "--set", "heavy_index=2"}).code == 0);
  const std::string local = "odd_mass_stack.local.hdf5", global = "odd_mass_stack.global.hdf5";
  const std::string bytes = read_text(place / local);
  CHECK_THAT(bad_input_line(run_program(place, {"convert", local})), Catch::Contains("would be written over"));
  CHECK_THAT(bad_input_line(run_program(place, {"convert", global, "--out", "nowhere"})), Catch::Contains("is no folder"));
  std::filesystem::create_directory(place / "out");
  CHECK_THAT(bad_input_line(run_program(place, {"convert", local, global, "--out", "out"})),
             Catch::Contains("would be written to out/odd_mass_stack.local.hdf5, as odd_mass_stack.local.hdf5 would"));
  place.write("bad.hdf5", "nothing");
  CHECK(place.listing() == std::vector<std::string>{"bad.hdf5", global, local, "out"});
  const Answer answer = run_program(place, {"convert", "bad.hdf5", global, "--out", "out"});
  CHECK(answer.code == 2);
  CHECK(lines_of(answer.err).size() == 1);
  CHECK_THAT(answer.err, Catch::Contains("bad.hdf5"));
  CHECK(place.listing() == std::vector<std::string>{"bad.hdf5", global, local, "out", "out/" + local});
  CHECK(read_text(place / local) == bytes);
}
