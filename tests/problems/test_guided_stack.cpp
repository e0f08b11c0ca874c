#include <catch2/catch.hpp>

#include "core/error.hpp"
#include "problem/judge/judge.hpp"
#include "support/build_scene.hpp"
#include "tests/problems/driven_motion.hpp"
#include "tests/problems/same_bytes.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

/// γ_n = g h × mass above, the guides idle; `rows` rows for a contact.
Vector weights(const std::vector<double>& masses, Index rows, double gravity_times_step) {
  Vector impulse = Vector::Zero(static_cast<Index>(masses.size()) * (rows + 2));
  double above = 0.0;
  for (Index i = std::ssize(masses) - 1; i >= 0; --i) {
    above += masses[static_cast<std::size_t>(i)];
    impulse[i * (rows + 2)] = gravity_times_step * above;
  }
  return impulse;
}

void check_solution(const ContactProblem& problem, const Vector& impulse) {
  REQUIRE(impulse.size() == problem.rows());
  for (const Model model : {Model::ccp, Model::ncp}) {
    Judge judge(problem, model);
    CHECK(judge.evaluate(Measure::relative_residual, {&impulse, nullptr}) < 1e-12);
    CHECK(judge.initial_residual() > 0.1);
  }
}

}  // namespace

TEST_CASE("guided spheres carry the weight above them") {
  check_solution(build_scene("guided_stack"), weights(std::vector<double>(10, 100.0), 1, 9.81 * 0.05));
  check_solution(build_scene("guided_stack", {{"mass", "1e12"}, {"spheres", "3"}}),
                 weights(std::vector<double>(3, 1e12), 1, 9.81 * 0.05));
  std::vector<double> powers;
  for (int n = 1; n <= 15; ++n) powers.push_back(std::pow(10.0, n));
  check_solution(build_scene("guided_stack", {{"mass", "10"}, {"growth", "10"}, {"spheres", "15"}}),
                 weights(powers, 1, 9.81 * 0.05));
  check_solution(build_scene("guided_stack", {{"friction", "0.4"}}),
                 weights(std::vector<double>(10, 100.0), 3, 9.81 * 0.05));
}

TEST_CASE("a guided sphere has one unilateral row and two bilateral ones, and a radius from its mass") {
  const ContactProblem problem = build_scene("guided_stack", {{"spheres", "2"}, {"growth", "8"}});
  REQUIRE(problem.rows() == 6);
  REQUIRE(problem.dofs() == 12);
  CHECK(problem.constraints().count(ConstraintKind::unilateral) == 2);
  CHECK(problem.constraints().count(ConstraintKind::bilateral) == 4);
  CHECK(build_scene("guided_stack", {{"friction", "0.1"}}).constraints().count(ConstraintKind::contact) == 10);
  // Radius of 100 kg of water: (300/(4000 π))^(1/3) = 0.287941 m; eight times the mass has twice the radius.
  const SparseMatrix& H = problem.global().H;
  CHECK(H.coeff(3, 3) == Approx(0.4 * 100.0 * 0.287941 * 0.287941).epsilon(1e-5));
  CHECK(H.coeff(9, 9) == Approx(32.0 * H.coeff(3, 3)).epsilon(1e-14));
  CHECK(H.coeff(6, 6) == 800.0);
  // The guide of the upper sphere locks x and y of its centre and nothing else.
  const DenseMatrix D = DenseMatrix(problem.global().D);
  DenseMatrix expected = DenseMatrix::Zero(12, 6);
  expected(2, 0) = expected(0, 1) = expected(1, 2) = 1.0;
  expected(2, 3) = -1.0;
  expected(8, 3) = expected(6, 4) = expected(7, 5) = 1.0;
  CHECK(D == expected);
}

TEST_CASE("a guided stack is the same bytes whatever the seed, and refuses masses out of all range") {
  CHECK(same_bytes(build_scene("guided_stack", {}, 1), build_scene("guided_stack", {}, 2)));
  CHECK_THROWS_WITH(build_scene("guided_stack", {{"mass", "1e12"}, {"growth", "10"}, {"spheres", "30"}}),
                    Catch::Contains("sphere 20 would have 1e+31 kg"));
  CHECK_THROWS_AS(build_scene("guided_stack", {{"spheres", "0"}}), InputError);
  CHECK_NOTHROW(build_scene("guided_stack", {{"spheres", "2000"}}));
}

TEST_CASE("the first step of a guided stack in time is its problem with the contacts first") {
  for (const char* drop : {"0", "0.25"}) {
    const ContactProblem built = build_scene("guided_stack", {{"spheres", "4"}, {"growth", "3"}, {"drop", drop}});
    const MotionProblem first =
        scene_in_time("guided_stack", {{"spheres", "4"}, {"growth", "3"}, {"drop", drop}})->problem();
    // Contacts in the order of their keys, (0, 1), (0, floor), (1, 2), (2, 3), then the guides.
    const Index order[12] = {3, 0, 6, 9, 1, 2, 4, 5, 7, 8, 10, 11};
    CHECK(DenseMatrix(first.problem.global().H).isApprox(DenseMatrix(built.global().H), 1e-15));
    CHECK(first.problem.global().k == built.global().k);
    for (Index row = 0; row < 12; ++row) {
      CAPTURE(drop, row);
      CHECK(first.problem.constraints().kind(row) == built.constraints().kind(order[row]));
      CHECK((first.problem.global().D.col(row) - built.global().D.col(order[row])).norm() < 1e-14);
      CHECK(first.problem.global().b[row] == Approx(built.global().b[order[row]]).epsilon(1e-12).margin(1e-12));
    }
  }
  const double radius = std::cbrt(300.0 / (4000.0 * 3.14159265358979));
  CHECK(build_scene("guided_stack", {{"drop", "0.25"}}).global().b[3] == Approx(0.25 * radius / 0.05).epsilon(1e-12));
}

TEST_CASE("a guided stack that touches stays at rest") {
  const auto motion = scene_in_time("guided_stack", {{"spheres", "8"}, {"mass", "10"}, {"growth", "2"}});
  const Vector start = motion->state().values;
  const Drive rest = drive(*motion, 20, {"ipm_qp", Model::ccp, 1e-12});
  CHECK((motion->state().values - start).norm() < 1e-9);
  for (const MotionProblem& step : rest.problems) CHECK(step.keys == rest.problems.front().keys);
}

TEST_CASE("a guided stack that is dropped comes down to the same stack at rest") {
  const auto motion = scene_in_time("guided_stack", {{"spheres", "5"}, {"drop", "0.3"}});
  const Vector rest = scene_in_time("guided_stack", {{"spheres", "5"}})->state().values;
  CHECK(motion->state().values[13 * 4 + 2] > rest[13 * 4 + 2] + 0.4);
  drive(*motion, 60, {"ipm_qp", Model::ccp, 1e-12});
  CHECK((motion->state().values - rest).norm() < 1e-8);
  CHECK(fact(*motion, "joint_error") < 1e-12);
  CHECK(fact(*motion, "missed") == 0.0);
}
