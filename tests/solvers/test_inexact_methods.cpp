#include <catch2/catch.hpp>
#include <cmath>

#include "solvers/fixed_point/local_contact.hpp"
#include "support/build_scene.hpp"
#include "support/run_solver.hpp"
#include "support/small_problems.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

StopRule until(double tolerance, int iterations) {
  StopRule stop;
  stop.tolerance = tolerance;
  stop.max_iterations = iterations;
  return stop;
}

Matrix3 random_block(Uniform& uniform) {
  const Matrix3 root = uniform.matrix(3, 3);
  return root * root.transpose() + 0.1 * Matrix3::Identity();
}

}  // namespace

TEST_CASE("raisim: of all impulses on the cone with u_n = 0, bisection finds the one of least energy nearby") {
  Uniform uniform(3);
  int slips = 0;
  for (int sample = 0; sample < 200; ++sample) {
    const LocalContact contact{random_block(uniform), uniform.vector(3), 0.3};
    const Vector3 gamma = solve_contact_bisection(contact, false), u = contact.N_ii * gamma + contact.w;
    const double reach = gamma.tail<2>().norm();
    CHECK(reach <= (1.0 + 1e-12) * contact.mu * gamma[0]);
    if (gamma[0] == 0.0 || u.norm() <= 1e-10) continue;  // open, or stuck
    ++slips;
    CHECK(std::abs(u[0]) <= 1e-12 * contact.w.norm());
    CHECK(reach == Approx(contact.mu * gamma[0]));
    const auto energy = [&](double turn) {
      const double angle = std::atan2(gamma[2], gamma[1]) + turn;
      const Vector3 ray(1.0, contact.mu * std::cos(angle), contact.mu * std::sin(angle));
      const double rate = contact.N_ii.row(0).dot(ray);
      const Vector3 other = -contact.w[0] / rate * ray;
      return 0.5 * other.dot(contact.N_ii * other) + other.dot(contact.w);
    };
    CHECK(energy(0.0) <= energy(1e-3) + 1e-12);
    CHECK(energy(0.0) <= energy(-1e-3) + 1e-12);
  }
  CHECK(slips > 20);
}

TEST_CASE("raisim is exact where N_ii couples no rows, and not where it does") {
  CHECK(run(point_mass(2.0, {-1.0, 2.0, 0.5}, 0.4), {"raisim", Model::ncp, until(1e-10, 20)}).status == Status::solved);
  const ContactProblem coupled = scene_with("random_contacts", {{"contacts", std::int64_t{60}}});
  const Result result = run(coupled, {"raisim", Model::ncp, until(1e-10, 500)});
  const double residual = result.measures[measure_index(Measure::relative_residual)];
  CHECK(result.status != Status::solved);
  CHECK(residual > 1e-6);
  CHECK(residual < 0.5);
}

TEST_CASE("staggered projections come to a solution of the ncp where they come to rest") {
  for (const std::uint64_t seed : {11, 12, 13}) {
    const ContactProblem problem = random_problem(seed, {4, 4, 1, 1, 1, 0.2});
    MemoryTrace trace;
    const Result result = run(problem, {"staggered_projections", Model::ncp, until(1e-9, 20000)}, &trace);
    CAPTURE(seed);
    CHECK(result.status == Status::solved);
    CHECK(trace.rows.back().outer > 0);
  }
}

TEST_CASE("admm_pinocchio with Nesterov's momentum needs fewer iterations on a packing") {
  const ContactProblem problem =
      scene_with("sphere_press", {{"packing", std::string("random")}, {"spheres", std::int64_t{60}}});
  const Result plain = run(problem, {"admm_pinocchio", Model::ncp, until(1e-6, 5000)});
  const Result fast = run(problem, {"admm_pinocchio", Model::ncp, until(1e-6, 5000), {{"accelerated", true}}});
  CHECK(plain.status == Status::solved);
  CHECK(fast.status == Status::solved);
  CHECK(fast.iterations < plain.iterations);
}
