// What Tasora, Mangoni, Benatti and Garziera 2021 say of TEST 1, checked on what the program writes.
#include <catch2/catch.hpp>

#include "cli/program.hpp"
#include "cli/results.hpp"
#include "io/fclib_reader.hpp"
#include "problem/judge/judge.hpp"
#include "support/places.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

constexpr double step = 0.01, gravity = 9.8, mass = 10.0, heavy_mass = 10000.0, lone_mass = 1000.0;
constexpr int spheres = 20, heavy = 10;

std::map<std::string, CellResult> run_config(const Workplace& place, const std::string& name) {
  const Answer answer = run_program(place, {"run", config_file(name), "--quiet"});
  INFO(answer.err);
  REQUIRE(answer.code == 0);
  return read_results(place / ("results/" + name));
}

/// Impulses found by a solver, through the file it saves.
Vector saved_impulse(const Workplace& place, const Arguments& arguments, int expected_code = 0) {
  Arguments all = arguments;
  all.insert(all.end(), {"--save-solution", "solution.hdf5"});
  const Answer answer = run_program(place, all);
  INFO(answer.out << answer.err);
  REQUIRE(answer.code == expected_code);
  const FclibFile file = read_fclib(place / "solution.hdf5");
  REQUIRE(file.solution);
  return *file.impulse(*file.solution);
}

}  // namespace

TEST_CASE("TEST 1.A: balanced ADMM is at 1e-5 in fewer than 20 iterations and at 1e-9 in at most 22") {
  const Workplace place;
  const auto results = run_config(place, "test1a");
  const Csv admm(results.at("odd_mass_stack/ccp/ADMM balanced").folder / "trace.csv");
  const int rough = admm.first_at_most("relative_residual", 1e-5), fine = admm.first_at_most("relative_residual", 1e-9);
  CHECK(rough > 0);
  CHECK(rough < 20);
  CHECK(fine > 0);
  CHECK(fine <= 22);
  for (std::size_t row = 0; row < admm.rows(); ++row) CHECK(admm.number(row, "primal_residual") == 0.0);
  const Csv jacobi(results.at("odd_mass_stack/ccp/Jacobi").folder / "trace.csv");
  CHECK(jacobi.rows() == 1001);
  CHECK(jacobi.first_at_most("relative_residual", 1e-2) == -1);
}

TEST_CASE("TEST 1.A: run to 1e-12, ADMM gives the weight above each contact") {
  const Workplace place;
  // Ten rounding floors are 1.2e-11 of the residual at γ = 0: the program says so, and ends with 3.
  const Vector impulse =
      saved_impulse(place, {"solve", "scene:odd_mass_stack", "--solver", "admm", "--tolerance", "1e-12"}, 3);
  REQUIRE(impulse.size() == 3 * (spheres + 1));
  double above = 0.0;
  for (int sphere = spheres; sphere >= 1; --sphere) {
    above += sphere == heavy ? heavy_mass : mass;
    CHECK(impulse[3 * (sphere - 1)] == Approx(step * gravity * above).epsilon(1e-9));
  }
  CHECK(impulse[3 * spheres] == Approx(step * gravity * lone_mass).epsilon(1e-9));
}

TEST_CASE("TEST 1.B: the opened contact carries nothing and all that solve it agree on u") {
  const Workplace place;
  const auto results = run_config(place, "test1b");
  for (const char* label : {"ADMM balanced", "P-ADMM balanced", "P-ADMM fixed", "Normalised P-ADMM", "Chrono P-ADMM",
                            "FADMM", "P-FADMM", "P-SPG-FB"}) {
    INFO(label);
    CHECK(results.at("odd_mass_stack/ccp/" + std::string(label)).json.at("status") == "solved");
  }
  REQUIRE(run_program(place, {"generate", "odd_mass_stack", "--set", "lift_factor=2", "--form", "global", "--out", "b.hdf5"})
              .code == 0);
  const ContactProblem problem = *read_fclib(place / "b.hdf5").problem;
  Judge judge(problem, Model::ccp);
  Vector reference;
  int solved = 0;
  for (const auto& [id, cell] : results) {
    if (cell.json.at("status") != "solved") continue;
    INFO(id);
    Arguments arguments = {"solve",       "b.hdf5", "--model",  "ccp",
                           "--tolerance", "1e-10",  "--solver", cell.json.at("solver").at("name").get<std::string>()};
    for (const auto& [name, value] : cell.json.at("solver").at("parameters").items())
      arguments.insert(arguments.end(),
                       {"--set", name + "=" + (value.is_string() ? value.get<std::string>() : value.dump())});
    const Vector impulse = saved_impulse(place, arguments);
    // Chrono's impulse is not projected: it is small there, and not zero.
    CHECK(impulse.segment(3 * (heavy - 1), 3).isZero(id.find("Chrono") == std::string::npos ? 0.0 : 1e-6));
    judge.evaluate(Measure::velocity_residual, {&impulse});
    if (reference.size() == 0) reference = judge.local_velocity();
    CHECK((judge.local_velocity() - reference).cwiseAbs().maxCoeff() < 1e-6);
    ++solved;
  }
  CHECK(solved == 8);
}
