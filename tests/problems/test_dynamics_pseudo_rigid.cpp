#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <catch2/catch.hpp>
#include <cmath>

#include "problems/dynamics/pseudo_rigid.hpp"
#include "problems/dynamics/shaped_contacts.hpp"
#include "problems/random.hpp"
#include "problems/rigid/assembly.hpp"
#include "tests/problems/constants.hpp"
#include "tests/problems/moving_world.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

/// The sphere of the drum: 0.08 m, 100 kg/m³, 1 MPa, ν = 0.25.
PseudoRigidBody drum_sphere(double damping = 0.0) {
  return pseudo_rigid_ellipsoid(Vector3::Constant(0.08), 100.0, 1e6, 0.25, damping);
}

Matrix3 random_deformation(Random& random) {
  Matrix3 F = Matrix3::Identity();
  for (Index i = 0; i < 9; ++i) F(i / 3, i % 3) += random.uniform(-0.2, 0.2);
  return random.rotation() * F;
}

World one_body(const PseudoRigidBody& body, double h, const Vector3& gravity = Vector3::Zero()) {
  return World(settings_of(Stepping::moreau_midpoint, h, gravity), {{}, {body}, {}, {}, {}});
}

/// Circular frequency of an entry of F − I, from its first period of free motion.
double frequency(const Matrix3& strain, Index row, Index column) {
  PseudoRigidBody body = drum_sphere();
  body.deformation += strain;
  World world = one_body(body, 1e-6);
  const Matrix3 rest = Matrix3::Identity();
  double before = strain(row, column), crossing = 0.0;
  int crossings = 0;
  for (int n = 1; crossings < 9; ++n) {
    REQUIRE(n < 20000);
    take_step(world);
    const double now = world.pseudo_rigid()[0].deformation(row, column) - rest(row, column);
    if ((before > 0.0) != (now > 0.0)) {
      ++crossings;
      const double time = 1e-6 * (n - now / (now - before));
      if (crossings == 1) crossing = time;
      if (crossings == 9) return 8.0 * pi / (time - crossing);
    }
    before = now;
  }
  return 0.0;
}

}  // namespace

TEST_CASE("a pseudo-rigid sphere breathes and shears at its own frequencies") {
  const double s = 1e-7;
  Matrix3 shear = Matrix3::Zero();
  shear(0, 1) = shear(1, 0) = s;
  const double breathing = frequency(s * Matrix3::Identity(), 0, 0), shearing = frequency(shear, 0, 1);
  CHECK(breathing == Approx(3952.8).epsilon(2e-5));
  CHECK(shearing == Approx(2500.0).epsilon(2e-5));
}

TEST_CASE("a rotation has no stress, and the tangent is the derivative of the stress") {
  Random random(11);
  const PseudoRigidBody body = drum_sphere();
  for (int trial = 0; trial < 10; ++trial) {
    CHECK(piola_stress(body, random.rotation()).norm() < 1e-9 * body.shear);
    const Matrix3 F = random_deformation(random);
    const Matrix9 K = stress_tangent(body, F);
    CHECK((K - K.transpose()).norm() == 0.0);
    for (Index column = 0; column < 9; ++column) {
      Matrix3 ahead = F, behind = F;
      ahead(column / 3, column % 3) += 1e-5;
      behind(column / 3, column % 3) -= 1e-5;
      const Matrix3 difference = (piola_stress(body, ahead) - piola_stress(body, behind)) / 2e-5;
      for (Index row = 0; row < 9; ++row) CHECK(std::abs(K(row, column) - difference(row / 3, row % 3)) < 1e-7 * 1e6);
    }
    // Positive semidefinite at a rotation, with the three rotations as its null space.
    const Vector values =
        Eigen::SelfAdjointEigenSolver<Matrix9>(stress_tangent(body, nearest_rotation(F)), Eigen::EigenvaluesOnly)
            .eigenvalues();
    CHECK(std::abs(values[0]) < 1e-9 * values[8]);
    CHECK(std::abs(values[2]) < 1e-9 * values[8]);
    CHECK(values[3] > 0.1 * values[8]);
  }
}

TEST_CASE("the stress is the derivative of the elastic energy") {
  Random random(12);
  PseudoRigidBody body = drum_sphere();
  const Matrix3 F = random_deformation(random);
  const Matrix3 P = piola_stress(body, F);
  for (Index i = 0; i < 9; ++i) {
    const auto energy = [&](double change) {
      body.deformation = F;
      body.deformation(i / 3, i % 3) += change;
      return elastic_energy(body);
    };
    CHECK((energy(1e-5) - energy(-1e-5)) / 2e-5 == Approx(body.volume() * P(i / 3, i % 3)).epsilon(1e-7).margin(1e-3));
  }
}

TEST_CASE("the nearest rotation is proper, also of what is turned inside out") {
  Random random(13);
  for (int trial = 0; trial < 10; ++trial) {
    const Matrix3 F = random_deformation(random);
    const Matrix3 R = nearest_rotation(F);
    CHECK((R.transpose() * R - Matrix3::Identity()).norm() < 1e-14);
    CHECK(R.determinant() == Approx(1.0));
    const Matrix3 U = R.transpose() * F;
    CHECK((U - U.transpose()).norm() < 1e-14);
    CHECK(nearest_rotation(Matrix3(-F)).determinant() == Approx(1.0));
  }
}

TEST_CASE("a soft body that is squeezed hard still has a positive definite H") {
  PseudoRigidBody body = pseudo_rigid_ellipsoid(Vector3::Constant(0.08), 100.0, 1e6, 0.25, 0.0);
  const Matrix3 squeezed = Vector3(0.5, 0.5, 0.5).asDiagonal();
  const Vector values = Eigen::SelfAdjointEigenSolver<Matrix9>(stress_tangent(body, squeezed)).eigenvalues();
  CHECK(values[0] < 0.0);  // the exact tangent would not do
  const PseudoRigidStep step = pseudo_rigid_step(body, squeezed, Vector3::Zero(), 0.01);
  CHECK(Eigen::SelfAdjointEigenSolver<DenseMatrix>(DenseMatrix(step.H)).eigenvalues()[0] > 0.0);
  CHECK((step.H - step.H.transpose()).norm() == 0.0);
}

namespace {

/// A spinning ellipsoid that falls for 0.2 s: how much of its angular momentum is lost, and its last state.
struct Flight {
  double lost;
  PseudoRigidBody end;
};

Flight fly(double h, double damping) {
  PseudoRigidBody body = pseudo_rigid_ellipsoid({0.1, 0.06, 0.08}, 100.0, 1e6, 0.25, damping);
  body.velocity = {1.0, 0.0, 2.0};
  Matrix3 spin;  // ω = (0, 0, 3)
  spin << 0.0, -3.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0;
  body.deformation_rate = spin;
  World world = one_body(body, h, {0.0, 0.0, -9.81});
  const auto momentum = [&]() -> Matrix3 {
    const PseudoRigidBody& now = world.pseudo_rigid()[0];
    const Matrix3 product = now.deformation_rate * now.euler_tensor().asDiagonal() * now.deformation.transpose();
    return product - product.transpose();
  };
  const Matrix3 start = momentum();
  for (int n = 0; n < std::lround(0.2 / h); ++n) take_step(world);
  return {(momentum() - start).norm() / start.norm(), world.pseudo_rigid()[0]};
}

}  // namespace

TEST_CASE("a pseudo-rigid body falls, turns and keeps its momentum") {
  const Flight flight = fly(1e-3, 0.0);
  CHECK(flight.lost < 1e-10);
  CHECK(flight.end.position[2] == Approx(2.0 * 0.2 - 0.5 * 9.81 * 0.04).epsilon(1e-12));
  const Matrix3 R = nearest_rotation(flight.end.deformation);
  CHECK(std::atan2(R(1, 0), R(0, 0)) == Approx(0.6).epsilon(1e-3));
  CHECK((R.transpose() * flight.end.deformation - Matrix3::Identity()).norm() < 1e-2);
  // The damping η K acts on the rotation of a step, too: with η = h it takes 1.7 % of the spin here, in proportion to h².
  CHECK(fly(1e-3, 1e-3).lost == Approx(1.72e-2).epsilon(0.01));
  CHECK(fly(1e-4, 1e-4).lost < 2e-4);
}

TEST_CASE("an impulse on a pseudo-rigid body is the adjoint of the velocity of its point") {
  Random random(14);
  const Placement place{random.in_ball(), random_deformation(random)};
  const Vector3 point = random.in_ball(), direction = random.direction();
  const auto impulse = pseudo_rigid_impulse(place, point, direction);
  Vector u(12);
  for (Index i = 0; i < 12; ++i) u[i] = random.uniform(-1.0, 1.0);
  Matrix3 rate;
  rate << u.segment<3>(3).transpose(), u.segment<3>(6).transpose(), u.segment<3>(9).transpose();
  const Vector3 X = place.rotation.inverse() * (point - place.position);
  CHECK(impulse.dot(u) == Approx(direction.dot(u.head<3>() + rate * X)));
}

namespace {

/// The drum's sphere after 0.2 s on a smooth floor, held there by gravity (m/s²) or, without it, touching nothing. At first
/// it spins at 50 rad/s about y.
PseudoRigidBody spun(double gravity, double restitution = 0.0) {
  const double h = 1e-3, r = 0.08;
  PseudoRigidBody body = drum_sphere();
  body.position = {0.0, 0.0, gravity > 0.0 ? r - 1e-9 : 2.0 * r};
  body.deformation_rate = cross_matrix({0.0, 50.0, 0.0});
  WorldSettings settings = settings_of(Stepping::moreau_midpoint, h, {0.0, 0.0, -gravity});
  settings.restitution = restitution;
  World world(settings, {{}, {body}, {resting(Vector3::Zero())}, {}, sphere_on_plane(r, 0.0)});
  for (int n = 0; n < 200; ++n) take_step(world, Model::ncp, "nsgs");
  return world.pseudo_rigid()[0];
}

double spin_about_y(const PseudoRigidBody& body) {
  const Matrix3 rate = body.deformation_rate * body.deformation.inverse();
  return 0.5 * (rate(0, 2) - rate(2, 0));
}

}  // namespace

TEST_CASE("a pseudo-rigid sphere that spins does not sink into the floor, nor does the floor drive it or throw it off") {
  // Beside F of the half step it would sink at h/2 ω² r, 20 mm.
  const PseudoRigidBody end = spun(10.0);
  CHECK(std::abs(end.position[2] - 0.08) < 1e-4);
  CHECK(spin_about_y(end) == Approx(spin_about_y(spun(0.0))).epsilon(1e-3));
  CHECK(std::abs(spun(10.0, 0.9).position[2] - 0.08) < 1e-4);
}

TEST_CASE("contacts see the velocities of points of pseudo-rigid bodies that go on spinning") {
  const double h = 1e-4, r = 0.08;
  const Vector3 n = Vector3(1.0, 2.0, -1.0).normalized(), spin_a(20.0, -30.0, 10.0), spin_b(-25.0, 5.0, 35.0);
  WorldParts parts;
  parts.pseudo_rigid = {drum_sphere(), drum_sphere()};
  parts.pseudo_rigid[1].position = (2.0 * r - 1e-9) * n;
  Vector spinning = Vector::Zero(24);  // dF/dt = W F at the end of the step
  for (const Index body : {0, 1}) {
    const Matrix3 W = cross_matrix(body == 0 ? spin_a : spin_b), rest = Matrix3::Identity();
    parts.pseudo_rigid[static_cast<std::size_t>(body)].deformation_rate = W;
    const Matrix3 rate = W * (rest - 0.5 * h * W).inverse() * (rest + 0.5 * h * W);
    for (Index row = 0; row < 3; ++row) spinning.segment<3>(12 * body + 3 + 3 * row) = rate.row(row).transpose();
  }
  give_surfaces(parts, {{Sphere{r}, Sphere{r}}, {}, 0.0, 0.3});
  const World world(settings_of(Stepping::moreau_midpoint, h, Vector3::Zero()), std::move(parts));
  const MotionProblem step = world.problem();
  REQUIRE(step.problem.rows() == 3);
  const Vector3 b = step.problem.global().b, u = step.problem.global().D.transpose() * spinning + b;
  const Vector3 expected = step.frames[0].transpose() * (spin_b.cross(-r * n) - spin_a.cross(r * n));
  CAPTURE(u.transpose(), expected.transpose(), b.transpose());
  CHECK((u - expected).norm() < 5e-5);
  CHECK(b.cwiseAbs().minCoeff() > 2e-4);
}

TEST_CASE("a contact of a flattened body sees its spin, and not its shear") {
  // Ω has the angular momentum L of the body, and of all motions with that the rotation has the least kinetic energy T:
  // ω² <= 2 T/J_min. The spin part of dF/dt F⁻¹ has no such bound: it is hundreds of rad/s here.
  Random random(15);
  const double h = 1e-3;
  double largest = 0.0;
  for (int trial = 0; trial < 50; ++trial) {
    PseudoRigidBody body = drum_sphere();
    const Matrix3 flat = Vector3(1.0, 0.9, 1e-3).asDiagonal();
    body.deformation = random.rotation() * flat * random.rotation();
    for (Index i = 0; i < 9; ++i) body.deformation_rate(i / 3, i % 3) = random.uniform(-0.3, 0.3);
    const Matrix3 F = body.deformation + 0.5 * h * body.deformation_rate;
    const Matrix3 S = F * body.euler_tensor().asDiagonal() * F.transpose();
    const Vector3 squares = Eigen::SelfAdjointEigenSolver<Matrix3>(S).eigenvalues();  // ascending
    const World world(settings_of(Stepping::moreau_midpoint, h, Vector3::Zero()),
                      {{}, {body}, {resting({0.0, 0.0, 1e-9 - 0.08})}, {}, sphere_on_plane(0.08, 0.3)});
    const MotionProblem step = world.problem();
    REQUIRE(step.problem.rows() == 3);
    const double speed = step.problem.global().b.norm();
    const double bound = 0.5 * h * 2.0 * world.kinetic_energy() / (squares[0] + squares[1]) * 0.08;  // h/2 ω² r
    CAPTURE(trial, speed, bound);
    CHECK(speed < bound * 1.000001);
    largest = std::max(largest, speed / bound);
  }
  CHECK(largest > 0.1);
}

namespace {

/// The state of the drum's sphere, thrown on a floor, after 20 steps.
Vector thrown(Model model, const std::string& solver) {
  const double h = 1e-3, r = 0.08;
  PseudoRigidBody body = drum_sphere(h);
  body.position = {0.0, 0.0, r - 1e-9};
  body.velocity = {0.1, 0.0, -0.2};
  World world(settings_of(Stepping::moreau_midpoint, h, {0.0, 0.0, -10.0}),
              {{}, {body}, {resting(Vector3::Zero())}, {}, sphere_on_plane(r, 0.3)});
  const MotionProblem first = world.problem();
  CHECK(first.problem.dofs() == 12);
  CHECK(first.problem.rows() == 3);
  CHECK_FALSE(first.problem.has_factored());
  for (int n = 0; n < 20; ++n) take_step(world, model, solver, 20000);
  return world.state().values;
}

}  // namespace

TEST_CASE("problems of pseudo-rigid bodies are solved through every operator") {
  const Vector convex = thrown(Model::ccp, "proximal_newton"), coulomb = thrown(Model::ncp, "proximal_newton");
  for (const std::string solver : {"ipm_cone", "apgd", "gauss_seidel"}) {
    CAPTURE(solver);
    CHECK((thrown(Model::ccp, solver) - convex).cwiseAbs().maxCoeff() < 1e-7);
  }
  for (const std::string solver : {"nsgs", "pqn"}) {
    CAPTURE(solver);
    CHECK((thrown(Model::ncp, solver) - coulomb).cwiseAbs().maxCoeff() < 1e-7);
  }
  CHECK(coulomb[2] < 0.08 + 1e-6);
  CHECK(std::abs(coulomb[11] - 1.0) > 1e-5);  // F_zz: it is squeezed
}
