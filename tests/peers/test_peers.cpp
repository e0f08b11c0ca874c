#include <unistd.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>

#include "peers/peers.hpp"
#include "support/environment.hpp"
#include "support/places.hpp"
#include "support/run_solver.hpp"
#include "support/skip.hpp"
#include "support/small_problems.hpp"

/// The peers of general optimisation and of physics engines on problems with known solutions, where they are installed; what
/// they refuse, and what becomes of an adapter that misbehaves, on any machine.
using namespace ccp;
using namespace ccp::testing;
using Catch::Matchers::Contains;

namespace {

ContactProblem mass_thrown_at(const Vector3& free_velocity) { return point_mass(2.0, free_velocity, 0.4, "thrown"); }

RunSpec small_run(const std::string& solver, Model model) {
  RunSpec spec{solver, model};
  spec.stop.tolerance = 1e-8;
  spec.stop.max_iterations = 10000;
  spec.stop.time_limit_s = 5.0;
  return spec;
}

Result solved_by(const std::string& name, const ContactProblem& problem, Model model) {
  const Variable folder("CCPBENCH_PEER_FOLDER", adapters_folder);
  RunSpec spec = small_run(name, model);
  if (problem.rows() == 3) spec.start.impulse = Vector3(1.0, 0.0, 0.0);  // so that no start is a solution
  return run(problem, *make_peer_solver(name), spec);
}

/// Skips the test where the program is missing.
bool is_there(const std::string& name) {
  const Variable folder("CCPBENCH_PEER_FOLDER", adapters_folder);
  const auto peer = make_peer_solver(name);
  const auto defect = peer->supports(mass_thrown_at({-1.0, 2.0, 0.0}), peer->info().models.front());
  if (defect) skip(*defect);
  return !defect;
}

void check_impulse(const std::string& name, const Vector3& free_velocity, Model model, const Vector3& expected,
                   double within) {
  for (const ContactProblem& problem : {mass_thrown_at(free_velocity), as_local(mass_thrown_at(free_velocity))}) {
    CAPTURE(name, free_velocity, problem.given_global());
    const Result result = solved_by(name, problem, model);
    CAPTURE(result.reason, result.impulse);
    REQUIRE(result.impulse.size() == 3);
    CHECK((result.impulse - expected).cwiseAbs().maxCoeff() <= within);
    CHECK(result.solve_s > 0.0);
  }
}

/// Exact solutions: sliding in the plane, γ_n = m |r_n| and |γ_T| = μ γ_n against the slip; sticking, γ = −m r.
void check_coulomb(const std::string& name, double within) {
  check_impulse(name, {-1.0, 2.0, 0.0}, Model::ncp, {2.0, -0.8, 0.0}, within);
  check_impulse(name, {-1.0, 0.1, -0.2}, Model::ncp, {2.0, -0.2, 0.4}, within);
  check_impulse(name, {1.0, 0.5, 0.0}, Model::ncp, {0.0, 0.0, 0.0}, within);
}

/// Slip along the diagonal of the tangents: a box gives √2 times the friction of the cone.
void check_box(const std::string& name, double within) {
  check_coulomb(name, within);
  check_impulse(name, {-1.0, 3.0, 3.0}, Model::ncp, {2.0, -0.8, -0.8}, within);
}

void check_cone(const std::string& name, double within) {
  check_coulomb(name, within);
  const double half = 0.8 / std::sqrt(2.0);
  check_impulse(name, {-1.0, 3.0, 3.0}, Model::ncp, {2.0, -half, -half}, within);
}

/// The convex model projects −m r on the cone: (2, −4) on |γ_t| ≤ 0.4 γ_n.
void check_convex(const std::string& name, double within) {
  const double normal = (2.0 + 0.4 * 4.0) / (1.0 + 0.16);
  check_impulse(name, {-1.0, 2.0, 0.0}, Model::ccp, {normal, -0.4 * normal, 0.0}, within);
  check_impulse(name, {-1.0, 0.1, -0.2}, Model::ccp, {2.0, -0.2, 0.4}, within);
  const ContactProblem problem = random_problem(11, RandomShape{4, 4}, "contacts");
  const Result own = run(problem, small_run("ipm_cone", Model::ccp));
  REQUIRE(own.status == Status::solved);
  const Result result = solved_by(name, problem, Model::ccp);
  CAPTURE(name, result.reason);
  CHECK(result.measures[measure_index(Measure::objective)] ==
        Approx(own.measures[measure_index(Measure::objective)]).epsilon(1e-6));
}

}  // namespace

TEST_CASE("coneqp of CVXOPT has the exact solutions of the convex model, from the primal and from the dual program") {
  if (is_there("cvxopt/coneqp")) check_convex("cvxopt/coneqp", 1e-6);
}

TEST_CASE("Ipopt has the exact solutions of the convex model") {
  if (is_there("ipopt/ccp")) check_convex("ipopt/ccp", 1e-6);
}

TEST_CASE("the solvers of DART have the exact solutions with friction in a box") {
  if (!is_there("dart/pgs")) return;
  check_box("dart/dantzig", 1e-9);
  check_box("dart/pgs", 1e-9);
}

TEST_CASE("the solvers of Bullet have the exact solutions with friction in a box") {
  if (!is_there("bullet/pgs")) return;
  check_box("bullet/dantzig", 1e-9);
  check_box("bullet/pgs", 1e-9);
}

TEST_CASE("the solvers of Simbody have the exact solutions with friction in a cone") {
  if (!is_there("simbody/pgs")) return;
  check_cone("simbody/pgs", 1e-6);
  check_cone("simbody/plus", 1e-6);
}

TEST_CASE("peers refuse what they cannot take, each with its reason") {
  const Variable folder("CCPBENCH_PEER_FOLDER", "/nowhere"), python("CCPBENCH_CVXOPT_PYTHON", "/nowhere/python3");
  const ContactProblem problem = mass_thrown_at({-1.0, 2.0, 0.0});
  const auto refusal = [](const std::string& name, const ContactProblem& refused, Model model) {
    return make_peer_solver(name)->supports(refused, model).value_or("");
  };
  CHECK_THAT(refusal("dart/dantzig", problem, Model::ccp), Contains("does not solve the ccp model"));
  CHECK_THAT(refusal("ipopt/ccp", problem, Model::ncp), Contains("solves the ccp model alone"));
  CHECK_THAT(refusal("cvxopt/coneqp", point_mass(1.0, {-1.0, 0.0, 0.0}, 0.0), Model::ccp), Contains("no interior"));
  CHECK_THAT(refusal("bullet/pgs", random_problem(12, RandomShape{6, 2, 2, 2, 2}, "mixed kinds"), Model::ncp),
             Contains("contacts of three rows"));
  CHECK_THAT(refusal("simbody/plus", redundant_point_mass(1.0, {-1.0, 0.0, 0.0}, 0.5, 2001), Model::ncp),
             Contains("2000 contacts at most, not 2001"));
  CHECK_THAT(refusal("dart/pgs", problem, Model::ncp),
             Contains("/nowhere/ccpbench-peer-dart") && Contains("No such file") && Contains("libdart-dev"));
  CHECK_THAT(refusal("cvxopt/coneqp", problem, Model::ccp), Contains("/nowhere/python3") && Contains("python3-cvxopt"));
}

TEST_CASE("an adapter that is a program of its own harms nothing, whatever it does") {
  namespace fs = std::filesystem;
  const fs::path place = fs::temp_directory_path() / ("ccpbench-fake-peers-" + std::to_string(::getpid()));
  fs::create_directory(place);
  fs::create_symlink(fake_adapter_file, place / "ccpbench-peer-dart");
  const Variable folder("CCPBENCH_PEER_FOLDER", place.string()), program("FAKE_PROGRAM", "dart");
  const auto fake = [](const std::string& role) {
    const Variable does("FAKE_ADAPTER", role);
    return run(mass_thrown_at({-1.0, 2.0, 0.0}), *make_peer_solver("dart/dantzig"), small_run("dart/dantzig", Model::ncp));
  };
  const Result crashed = fake("crash"), noisy = fake("noise"), lying = fake("lie");
  fs::remove_all(place);
  CHECK(crashed.status == Status::crashed);
  CHECK_THAT(crashed.reason, Contains("the process of DART died") && Contains("SIGSEGV"));
  CHECK_THAT(noisy.reason, Contains("DART gave up after 1 iteration (it returned 5)"));
  CHECK(lying.status == Status::stalled);
  CHECK(noisy.impulse == lying.impulse);
}
