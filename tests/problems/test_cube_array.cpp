#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <catch2/catch.hpp>

#include "problem/conversion.hpp"
#include "problems/dynamics/obstacle.hpp"
#include "tests/problems/constants.hpp"
#include "tests/problems/driven_motion.hpp"
#include "tests/problems/same_bytes.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

/// Eight cubes, each with a mesh of eight nodes.
std::unique_ptr<Motion> eight_cubes(const char* kinematics = "elastic", const char* cells = "1") {
  return scene_in_time("cube_array",
                       {{"per_edge", "2"}, {"cells", cells}, {"kinematics", kinematics}, {"time_step", "0.001"}});
}

/// Steps that proximal_newton solves to 1e-8.
double shake(Motion& motion, int steps) {
  StopRule stop;
  stop.measure = Measure::relative_residual;
  stop.tolerance = 1e-8;
  stop.max_iterations = 400;
  double deepest = 0.0;
  for (int n = 0; n < steps; ++n) {
    const MotionProblem step = motion.problem();
    Vector impulse;
    if (step.problem.rows() > 0) {
      const Result result = run(step.problem, RunSpec{"proximal_newton", Model::ncp, stop});
      INFO("step " << n << ' ' << result.reason);
      REQUIRE(result.status == Status::solved);
      impulse = result.impulse;
    }
    motion.advance(end_velocity(step.problem, impulse), impulse);
    deepest = std::min(deepest, fact(motion, "deepest_gap"));
  }
  return deepest;
}

}  // namespace

TEST_CASE("125 cubes have the degrees of freedom of Koziara's") {
  const auto motion = scene_in_time("cube_array");
  CHECK(motion->velocity().size() == 10125);
  CHECK(motion->problem().gaps.empty());
  // 1 kg each, their centres 0.051 … 0.459 m above the floor.
  CHECK(fact(*motion, "potential_J") == Approx(125 * 10.0 * 0.255).epsilon(1e-12));
  CHECK(scene_in_time("cube_array", {{"kinematics", "rigid"}})->velocity().size() == 6 * 125);
}

TEST_CASE("cubes fall onto the floor and onto each other") {
  for (const char* kinematics : {"elastic", "rigid"}) {
    INFO(kinematics);
    const auto motion = eight_cubes(kinematics);
    CHECK(shake(*motion, 40) > -0.0005);
    // The lower ones have fallen by 1 mm, the upper ones by 3 mm, but for what they overlap.
    CHECK(fact(*motion, "kinetic_J") < 0.01);
    const double elastic = kinematics == std::string("elastic") ? fact(*motion, "elastic_J") : 0.0;
    CHECK(fact(*motion, "potential_J") - elastic == Approx(10.0 * (4 * 0.05 + 4 * 0.15)).epsilon(2e-3));
    CHECK(motion->problem().gaps.size() >= 16);
  }
}

TEST_CASE("bodies solved for at once have the Delassus matrix of the definition") {
  const auto motion = eight_cubes("elastic", "2");
  shake(*motion, 30);
  const MotionProblem step = motion->problem();
  const GlobalForm& form = step.problem.global();
  REQUIRE(form.D.cols() > 100);
  const DenseMatrix N = assemble_delassus(step.problem.constraints(), form, step.problem.mass()), D = form.D, H = form.H;
  const DenseMatrix exact = D.transpose() * H.ldlt().solve(D);
  CHECK((N - exact).cwiseAbs().maxCoeff() < 1e-10 * exact.cwiseAbs().maxCoeff());
  CHECK((N - N.transpose()).cwiseAbs().maxCoeff() == 0.0);
}

TEST_CASE("a sine sweep is what its acceleration integrates to") {
  const double frequency = 2.0, duration = 3.0;
  const Vector3 place(1.0, 2.0, 3.0), amplitude(4.0, 3.0, 0.0);
  const PrescribedMotion sweep = sweeping(place, {}, amplitude, std::make_shared<const SineSweep>(frequency, duration));
  CHECK(sweep(0.0).position == place);
  CHECK(sweep(0.0).velocity == Vector3::Zero());
  for (const double t : {0.3, 1.1, 2.0, 2.9995, 3.0005, 3.7}) {
    const double step = 1e-4;
    const ObstacleFrame before = sweep(t - step), now = sweep(t), after = sweep(t + step);
    CHECK(((after.position - before.position) / (2.0 * step) - now.velocity).norm() < 1e-6);
    const double phase = t <= duration ? pi * frequency * t * t / duration
                                       : pi * frequency * duration + 2.0 * pi * frequency * (t - duration);
    const double tolerance = std::abs(t - duration) < 0.01 ? 1e-2 : 1e-4;
    CHECK(((after.velocity - before.velocity) / (2.0 * step) - std::sin(phase) * amplitude).norm() < tolerance);
  }
}

TEST_CASE("cubes go on from a state to the last bit") {
  const auto motion = eight_cubes(), other = eight_cubes();
  shake(*motion, 20);
  other->restore(motion->state());
  CHECK(same_bytes(motion->problem().problem, other->problem().problem));
  CHECK(motion->problem().keys == other->problem().keys);
}

TEST_CASE("cubes that cannot be are refused by name") {
  const auto refused = [](const char* name, const char* value) { scene_in_time("cube_array", {{name, value}}); };
  using Catch::Contains;
  CHECK_THROWS_WITH(refused("poisson", "0.5"), Contains("poisson"));
  CHECK_THROWS_WITH(refused("cells", "0"), Contains("cells"));
  CHECK_THROWS_WITH(refused("gap", "0"), Contains("gap"));
  CHECK_THROWS_WITH(refused("duration", "-1"), Contains("duration"));
  CHECK_THROWS_WITH(refused("kinematics", "pseudo_rigid"), Contains("elastic"));
  // Not by the lack of memory for a table of the sweep.
  for (const char* frequency : {"1e15", "700"})
    CHECK_THROWS_WITH(refused("frequency", frequency), Contains("'frequency' times 'duration'") && Contains("at most 2000"));
  CHECK_THROWS_WITH(refused("duration", "1e300"), Contains("'frequency' times 'duration'"));
  CHECK_THROWS_WITH(SineSweep(2.0, 1001.0), Contains("is 2002, expected at most 2000"));
  CHECK_THROWS_WITH(SineSweep(0.0, 1.0), Contains("frequency of a sweep"));
}
