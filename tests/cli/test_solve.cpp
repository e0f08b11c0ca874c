#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "cli/results.hpp"
#include "io/fclib_reader.hpp"
#include "io/fclib_writer.hpp"
#include "problem/problem_builder.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp;
using namespace ccp::testing;

TEST_CASE("solve says at a glance how it ended") {
  const Workplace place;
  const Answer answer = run_program(place, {"solve", "scene:odd_mass_stack", "--solver", "admm", "--set", "rho=0.2"});
  INFO(answer.out);
  CHECK(answer.code == 0);
  CHECK(answer.err.empty());
  for (const char* part :
       {"21 3D contacts", "126 degrees of freedom, 63 rows", "rho = 0.2 (default 0.1)", "\nsolved  ", "velocity_residual",
        "relative_residual", "natural_map", "m/s", "factorization", "back-solve", "set-up"})
    CHECK_THAT(answer.out, Catch::Contains(part));
  CHECK(answer.out.find('\x1b') == std::string::npos);
}

TEST_CASE("a time limit is in seconds or has its unit") {
  const Workplace place;
  for (const auto& [limit, seconds] : {std::pair("60", 60.0), std::pair("1.5s", 1.5), std::pair("250ms", 0.25),
                                       std::pair("10m", 600.0), std::pair("1h30m", 5400.0)}) {
    const Answer answer = run_program(place, {"solve", "scene:odd_mass_stack", "--solver", "jacobi", "--max-iterations", "1",
                                              "--time-limit", limit, "--json"});
    INFO(limit << answer.err);
    CHECK(nlohmann::json::parse(answer.out).at("stop").at("time_limit_s") == seconds);
  }
}

TEST_CASE("solve gives exit code 3 when the problem is not solved") {
  const Workplace place;
  const Answer answer = run_program(place, {"solve", "scene:odd_mass_stack", "--solver", "jacobi", "--max-iterations", "5"});
  CHECK(answer.code == 3);
  CHECK(answer.err.empty());
  CHECK_THAT(answer.out, Catch::Contains("\niteration_limit  "));
  const Answer unsupported = run_program(place, {"solve", "scene:odd_mass_stack", "--solver", "nsgs", "--model", "ccp"});
  CHECK(unsupported.code == 3);
  CHECK_THAT(unsupported.out, Catch::Contains("\nunsupported  nsgs does not solve the ccp model\n"));
}

TEST_CASE("inspect, solve and reference name the contact that nothing can keep from closing") {
  const Workplace place;
  ProblemBuilder builder("a fixed body");
  SparseMatrix N(6, 6);
  for (int i = 0; i < 3; ++i) N.insert(i, i) = 1.0;
  Vector r = Vector::Zero(6);
  r[0] = -0.2;
  r[3] = -0.1;
  write_fclib(place.path() / "fixed.hdf5", builder.local(N, r).contact(0.3).contact(0.3).build(), FclibForm::local);
  const std::string sentence = "contact 1: no impulse changes its velocity, and it closes at 0.1 m/s";
  CHECK_THAT(run_program(place, {"inspect", "fixed.hdf5"}).out, Catch::Contains("no solution: " + sentence));
  CHECK_THAT(run_program(place, {"inspect", "fixed.hdf5", "--format", "json"}).out, Catch::Contains(sentence));
  for (const char* solver : {"nsgs", "reference"}) {
    const Answer answer = run_program(place, {"solve", "fixed.hdf5", "--solver", solver, "--model", "ncp"});
    INFO(answer.out);
    CHECK(answer.code == 3);
    CHECK_THAT(answer.out, Catch::Contains("\ninfeasible  ") && Catch::Contains(sentence));
  }
}

TEST_CASE("solve writes a trace and a solution that inspect reads back") {
  const Workplace place;
  const Answer answer = run_program(place, {"solve", "scene:odd_mass_stack", "--solver", "admm", "--trace", "trace µ.csv",
                                            "--save-solution", "solution.hdf5", "--tolerance", "1e-10"});
  CHECK(answer.code == 0);
  CHECK_THAT(answer.out, Catch::Contains("trace: trace µ.csv\n") && Catch::Contains("solution: solution.hdf5\n"));
  CHECK(place.listing() == std::vector<std::string>{"solution.hdf5", "trace µ.csv"});
  const Csv trace(place / "trace µ.csv");
  CHECK(trace.first_at_most("relative_residual", 1e-10) == static_cast<int>(trace.rows()) - 1);
  CHECK(trace.number(0, "primal_residual") == 0.0);
  const FclibFile file = read_fclib(place / "solution.hdf5");
  REQUIRE(file.solution);
  CHECK(file.impulse(*file.solution)->size() == 63);
  const Answer inspected = run_program(place, {"inspect", "solution.hdf5"});
  CHECK(inspected.code == 0);
  CHECK_THAT(inspected.out, Catch::Contains("solution  ccp") && Catch::Contains("63, full"));
}

TEST_CASE("a solution that solve saves does not keep the certificate of the one it replaces") {
  const Workplace place;
  REQUIRE(run_program(place, {"generate", "odd_mass_stack", "--set", "spheres=5", "--set", "heavy_index=3"}).code == 0);
  REQUIRE_FALSE(read_fclib(place / "odd_mass_stack.local.hdf5").info.certificate.empty());
  run_program(place, {"solve", "odd_mass_stack.local.hdf5", "--solver", "jacobi", "--max-iterations", "2", "--save-solution",
                      "rough.hdf5"});
  CHECK(read_fclib(place / "rough.hdf5").info.certificate.empty());
}

TEST_CASE("the trace of solve is the same with and without the file, and with two threads") {
  const Workplace place;
  const Arguments base = {"solve", "scene:odd_mass_stack:spheres=100", "--solver", "gauss_seidel", "--max-iterations", "50"};
  const auto saved = [&](const std::string& name, Arguments more) {
    Arguments arguments = base;
    arguments.insert(arguments.end(), {"--save-solution", name + ".hdf5"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    REQUIRE(run_program(place, arguments).code == 3);
    return read_text(place / (name + ".hdf5"));
  };
  const std::string plain = saved("plain", {});
  CHECK(plain == saved("traced", {"--trace", "one.csv"}));
  CHECK(plain == saved("threads", {"--trace", "two.csv", "--threads", "2"}));
  CHECK(Csv(place / "one.csv").without("elapsed_s") == Csv(place / "two.csv").without("elapsed_s"));
}

TEST_CASE("scenes take parameters and the native stop gives the solver's own behaviour") {
  const Workplace place;
  const Answer answer = run_program(place, {"solve", "scene:odd_mass_stack:spheres=5,heavy_index=2", "--solver", "admm"});
  CHECK(answer.code == 0);
  CHECK_THAT(answer.out, Catch::Contains("6 3D contacts"));
  const Answer native = run_program(place, {"solve", "scene:odd_mass_stack", "--solver", "admm", "--native-stop", "--set",
                                            "tolerance_primal=1e3", "--set", "tolerance_dual=1e3"});
  CHECK(native.code == 3);
  CHECK_THAT(native.out, Catch::Contains("\nfalse_converged  "));
}
