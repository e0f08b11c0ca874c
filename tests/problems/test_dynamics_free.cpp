#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "problems/dynamics/attitude.hpp"
#include "problems/dynamics/elementary.hpp"
#include "problems/dynamics/free_spin.hpp"
#include "tests/problems/constants.hpp"
#include "tests/problems/moving_world.hpp"

using namespace ccp;
using namespace ccp::testing;

TEST_CASE("exp, sin and cos are those of the mathematics library but for the last bits") {
  for (int i = -400; i <= 400; ++i) {
    const double x = 0.1 * i + 1e-3;
    CAPTURE(x);
    CHECK(std::abs(taylor_sin(x) - std::sin(x)) < 3e-16);
    CHECK(std::abs(taylor_cos(x) - std::cos(x)) < 3e-16);
    CHECK(std::abs(taylor_exp(x) / std::exp(x) - 1.0) < 5e-16);
  }
  CHECK(std::abs(taylor_sin(123456.789) - std::sin(123456.789)) < 3e-16);
  CHECK(taylor_sin(1e-300) == 1e-300);
  CHECK(std::abs(taylor_sin(3.141592653589793) - 1.2246467991473532e-16) < 1e-31);
  CHECK(taylor_exp(0.0) == 1.0);
  CHECK(std::isinf(taylor_exp(1000.0)));
  CHECK(taylor_exp(-1000.0) == 0.0);
  CHECK(std::isnan(taylor_exp(NAN)));
  CHECK(std::isnan(taylor_cos(INFINITY)));
  // The same bits on every machine.
  CHECK(taylor_sin(1.0) == 0x1.aed548f090ceep-1);
  CHECK(taylor_cos(10.0) == -0x1.ad9ac890c6b1fp-1);
  CHECK(taylor_exp(1.0) == 0x1.5bf0a8b14576ap+1);
}

TEST_CASE("a quaternion turns as its rotation vector says") {
  const Vector3 axis = Vector3(1.0, -2.0, 0.5).normalized();
  const Matrix3 R = rotation_matrix(rotation_exponential(0.7 * axis));
  Matrix3 cross;
  cross << 0.0, -axis[2], axis[1], axis[2], 0.0, -axis[0], -axis[1], axis[0], 0.0;
  const Matrix3 rodrigues = Matrix3::Identity() + std::sin(0.7) * cross + (1.0 - std::cos(0.7)) * cross * cross;
  CHECK((R - rodrigues).cwiseAbs().maxCoeff() < 1e-15);
  // Turned in the world: exp(rotation) R, not R exp(rotation).
  const Quaternion q = turned(rotation_exponential({0.3, 0.0, 0.0}), {0.0, 0.0, 0.4});
  const Matrix3 expected =
      rotation_matrix(rotation_exponential({0.0, 0.0, 0.4})) * rotation_matrix(rotation_exponential({0.3, 0.0, 0.0}));
  CHECK((rotation_matrix(q) - expected).cwiseAbs().maxCoeff() < 1e-15);
  Quaternion whole;
  for (int i = 0; i < 1000; ++i) whole = turned(whole, 2e-3 * 3.141592653589793 * axis);
  CHECK(std::abs(std::abs(whole.w) - 1.0) < 1e-13);
}

TEST_CASE("a projectile flies the parabola of its integrator") {
  const double h = 0.01, v0 = 3.0, z0 = 1.5;
  for (const Stepping stepping : {Stepping::velocity_impulse, Stepping::moreau_midpoint}) {
    MovingBody body;
    body.position = {0.0, 0.0, z0};
    body.velocity = {2.0, 0.0, v0};
    World world(settings_of(stepping, h), {{body}, {}, {}, {}, {}});
    for (int n = 1; n <= 200; ++n) {
      take_step(world);
      const double t = h * n, fall = stepping == Stepping::velocity_impulse ? h * h * n * (n + 1.0) : t * t;
      CHECK(std::abs(world.bodies()[0].position[2] - (z0 + v0 * t - 0.5 * g * fall)) < 1e-13);
      CHECK(std::abs(world.bodies()[0].position[0] - 2.0 * t) < 1e-13);
    }
    CHECK(world.time() == 2.0);
  }
}

namespace {

/// Largest relative errors of the free top J₀ = diag(1, 2, 3), ω = (0.1, 5, 0.1) in 10 s, as seen from the world.
struct TopErrors {
  double energy, momentum;
};

TopErrors free_top(Stepping stepping, double h) {
  MovingBody top;
  top.inertia = {1.0, 2.0, 3.0};
  top.spin = {0.1, 5.0, 0.1};
  World world(settings_of(stepping, h, Vector3::Zero()), {{top}, {}, {}, {}, {}});
  const auto momentum = [&]() -> Vector3 {
    const Matrix3 R = rotation_matrix(world.bodies()[0].attitude);
    return R * top.inertia.cwiseProduct(R.transpose() * world.bodies()[0].spin);
  };
  const double energy = world.kinetic_energy();
  const Vector3 start = momentum();
  TopErrors errors{0.0, 0.0};
  for (int n = 0; n < std::lround(10.0 / h); ++n) {
    take_step(world);
    errors.energy = std::max(errors.energy, std::abs(world.kinetic_energy() / energy - 1.0));
    errors.momentum = std::max(errors.momentum, (momentum() - start).norm() / start.norm());
  }
  return errors;
}

}  // namespace

TEST_CASE("a free top keeps its energy, and its angular momentum to the order of the integrator") {
  const TopErrors first = free_top(Stepping::velocity_impulse, 0.01), second = free_top(Stepping::moreau_midpoint, 0.01);
  CHECK(first.energy < 1e-7);
  CHECK(second.energy < 1e-7);
  CHECK(first.momentum == Approx(1.43e-2).epsilon(5e-3));
  CHECK(second.momentum == Approx(6.4e-5).epsilon(1e-2));
  CHECK(free_top(Stepping::velocity_impulse, 0.005).momentum == Approx(first.momentum / 2.0).epsilon(0.02));
  CHECK(free_top(Stepping::moreau_midpoint, 0.005).momentum == Approx(second.momentum / 4.0).epsilon(0.02));
}

TEST_CASE("torque and force act over a step, and a body enters at its time") {
  MovingBody body;
  body.mass = 2.0;
  body.inertia = {0.5, 0.5, 0.5};
  body.force = {4.0, 0.0, 0.0};
  body.torque = {0.0, 0.0, 3.0};
  MovingBody late = body;
  late.enters = 0.02;
  World world(settings_of(Stepping::velocity_impulse, 0.01, Vector3::Zero()), {{late, body}, {}, {}, {}, {}});
  CHECK(world.problem().problem.dofs() == 6);
  CHECK_FALSE(world.has_entered(0));
  take_step(world);
  take_step(world);
  CHECK(world.bodies()[1].velocity[0] == Approx(0.04));
  CHECK(world.bodies()[1].spin[2] == Approx(0.12));
  CHECK(world.bodies()[0].velocity.norm() == 0.0);
  CHECK(world.velocity().size() == 12);
  take_step(world);
  CHECK(world.bodies()[0].velocity[0] == Approx(0.02));
  CHECK(world.bodies()[0].position[0] == Approx(2e-4));
}
