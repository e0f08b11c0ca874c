#include <Eigen/Geometry>
#include <catch2/catch.hpp>
#include <cmath>

#include "core/error.hpp"
#include "problems/articulated/robots/robots.hpp"
#include "problems/random.hpp"
#include "tests/problems/constants.hpp"

using namespace ccp;

namespace {

const Vector3 no_gravity = Vector3::Zero(), gravity(0.0, 0.0, -g);

Vector random_velocity(Random& random, Index size) {
  Vector v(size);
  for (double& entry : v) entry = random.uniform(-1.0, 1.0);
  return v;
}

TreePose random_pose(Random& random, const Tree& tree) {
  TreePose pose = tree.rest();
  pose.base = random.in_ball();
  pose.attitude = rotation_exponential(2.0 * random.in_ball());
  for (double& angle : pose.joints) angle = random.uniform(-1.5, 1.5);
  return pose;
}

/// Two massless rods of 1 m with a point mass at the end of each, in the plane of x and z, hanging: q = 0 is down.
std::vector<TreeLink> double_pendulum() {
  TreeLink upper;
  upper.axis = Vector3::UnitY();
  upper.mass = 1.0;
  upper.centre = {0.0, 0.0, -1.0};
  TreeLink lower = upper;
  lower.parent = 0;
  lower.place = {0.0, 0.0, -1.0};
  return {upper, lower};
}

double kinetic(const Tree& tree, const TreePose& pose, const Vector& velocity) {
  return 0.5 * velocity.dot(PlacedTree(tree, pose).joint_inertia() * velocity);
}

double potential(const Tree& tree, const TreePose& pose) {
  const PlacedTree placed(tree, pose);
  double energy = 0.0;
  for (std::size_t i = 0; i < tree.links().size(); ++i) energy -= tree.links()[i].mass * gravity.dot(placed.centre(i));
  return energy;
}

/// Σ JᵀMJ over the links.
DenseMatrix inertia_by_jacobians(const Tree& tree, const PlacedTree& placed) {
  DenseMatrix H = DenseMatrix::Zero(tree.dofs(), tree.dofs());
  for (std::size_t i = 0; i < tree.links().size(); ++i) {
    const TreeLink& link = tree.links()[i];
    const DenseMatrix J = placed.body_jacobian(i, placed.centre(i));
    const Matrix3& R = placed.links()[i].rotation;
    H += link.mass * J.topRows<3>().transpose() * J.topRows<3>() +
         J.bottomRows<3>().transpose() * (R * link.inertia * R.transpose()) * J.bottomRows<3>();
  }
  return H;
}

}  // namespace

TEST_CASE("a double pendulum of unit lengths and masses has the inertia and the bias that are worked out by hand") {
  const Tree tree(double_pendulum());
  TreePose pose = tree.rest();
  pose.joints = {0.3, 0.5 * pi};
  const PlacedTree placed(tree, pose);
  DenseMatrix expected(2, 2);
  expected << 3.0, 1.0, 1.0, 1.0;
  CHECK((placed.joint_inertia() - expected).norm() < 1e-15);
  const double a = 0.7, b = -1.9;
  const Vector bias = placed.bias_force(Vector2(a, b), no_gravity);
  CHECK(bias[0] == Approx(-b * (2.0 * a + b)).epsilon(1e-14));
  CHECK(bias[1] == Approx(a * a).epsilon(1e-14));
}

TEST_CASE("the Panda has the inertia, the holding torques and the flange that are known") {
  const Tree tree(panda());
  REQUIRE(tree.dofs() == 7);
  TreePose pose = tree.rest();
  pose.joints = {0.0, -0.25 * pi, 0.0, -0.75 * pi, 0.0, 0.5 * pi, 0.25 * pi};
  const PlacedTree placed(tree, pose);
  const DenseMatrix H = placed.joint_inertia();
  const double diagonal[7] = {0.46117832, 1.44495889, 0.87892524, 0.78873558, 0.02785462, 0.03255677, 0.00490965};
  const double torque[7] = {0.0, -1.77137555, -0.64400032, 18.57359039, 0.63384619, 1.69368473, 0.0};
  const Vector bias = placed.bias_force(Vector::Zero(7), gravity);
  for (Index i = 0; i < 7; ++i) {
    CAPTURE(i);
    CHECK(H(i, i) == Approx(diagonal[i]).margin(5e-9));
    CHECK(bias[i] == Approx(torque[i]).margin(5e-9));
  }
  CHECK(H(0, 2) == Approx(0.39902596).margin(5e-9));
  const Placement& last = placed.links()[6];
  CHECK((last.position + 0.107 * last.rotation.col(2) - Vector3(0.30689057, 0.0, 0.59028205)).norm() < 1e-8);
}

TEST_CASE("the Laikago has the mass and the inertia that are known, and legs that do not couple") {
  const Tree tree(laikago());
  REQUIRE(tree.links().size() == 13);
  REQUIRE(tree.dofs() == 18);
  CHECK(tree.mass() == Approx(25.433).epsilon(1e-14));
  const TreePose rest = tree.rest();
  const PlacedTree placed(tree, rest);
  const DenseMatrix H = placed.joint_inertia();
  CHECK(H(6, 6) == Approx(0.072558206).margin(5e-10));
  CHECK(H(7, 7) == Approx(0.065657724).margin(5e-10));
  CHECK(H(8, 8) == Approx(0.013633215).margin(5e-10));
  CHECK(H(7, 8) == Approx(0.0248168597).margin(5e-11));
  // About the centre of mass of the trunk, which is where the dofs of a free base are.
  const Vector3 moments(0.55688255, 1.118486068, 0.999204134);
  for (Index axis = 0; axis < 3; ++axis) {
    CAPTURE(axis);
    CHECK(H(3 + axis, 3 + axis) == Approx(moments[axis]).margin(5e-9));
  }
  for (Index leg = 0; leg < 4; ++leg)
    for (Index other = leg + 1; other < 4; ++other) CHECK(H.block<3, 3>(6 + 3 * leg, 6 + 3 * other).norm() == 0.0);
  CHECK((H.array() != 0.0).select(DenseMatrix::Ones(18, 18), 0.0).triangularView<Eigen::Lower>().toDenseMatrix().sum() <=
        117.0);
  const std::vector<Index> parents = tree.dof_parents();
  CHECK(parents == std::vector<Index>{-1, 0, 1, 2, 3, 4, 5, 6, 7, 5, 9, 10, 5, 12, 13, 5, 15, 16});
}

TEST_CASE("composite bodies, recursion and Jacobians agree with each other and with the Lagrangian") {
  Random random(12);
  for (const auto& links : {panda(), laikago(), double_pendulum()}) {
    const Tree tree(links);
    const TreePose pose = random_pose(random, tree);
    const PlacedTree placed(tree, pose);
    const DenseMatrix H = placed.joint_inertia();
    CHECK((H - inertia_by_jacobians(tree, placed)).norm() < 1e-12 * H.norm());
    // d/dt(H v) − ∂T/∂q + ∂V/∂q at constant v, by differences along the dofs of the pose (of a tree on the ground: angles).
    if (tree.links()[0].joint == TreeJoint::free) continue;
    const Vector v = random_velocity(random, tree.dofs());
    const double h = 1e-5;
    const auto momentum = [&](double t) -> Vector {
      return PlacedTree(tree, integrated(tree, pose, v, t)).joint_inertia() * v;
    };
    Vector expected = (momentum(h) - momentum(-h)) / (2.0 * h);
    for (Index d = 0; d < tree.dofs(); ++d) {
      const Vector unit = Vector::Unit(tree.dofs(), d);
      const TreePose ahead = integrated(tree, pose, unit, h), behind = integrated(tree, pose, unit, -h);
      expected[d] -= (kinetic(tree, ahead, v) - kinetic(tree, behind, v)) / (2.0 * h);
      expected[d] += (potential(tree, ahead) - potential(tree, behind)) / (2.0 * h);
    }
    CHECK((placed.bias_force(v, gravity) - expected).norm() < 1e-7 * (1.0 + expected.norm()));
  }
}

TEST_CASE("the bias is what the links resist by Newton and Euler, on the ground and free") {
  Random random(14);
  for (const auto& links : {panda(), laikago(), double_pendulum()}) {
    const Tree tree(links);
    const TreePose pose = random_pose(random, tree);
    const PlacedTree placed(tree, pose);
    const Vector v = random_velocity(random, tree.dofs());
    const double h = 1e-5;
    const TreePose ahead = integrated(tree, pose, v, h), behind = integrated(tree, pose, v, -h);
    const PlacedTree next(tree, ahead), last(tree, behind);
    Vector expected = Vector::Zero(tree.dofs());
    for (std::size_t i = 0; i < tree.links().size(); ++i) {
      const DenseMatrix J = placed.body_jacobian(i, placed.centre(i));
      const Vector rate = (next.body_jacobian(i, next.centre(i)) - last.body_jacobian(i, last.centre(i))) * v / (2.0 * h);
      const Matrix3 I = placed.links()[i].rotation * tree.links()[i].inertia * placed.links()[i].rotation.transpose();
      const Vector3 spin = (J * v).tail<3>();
      Vector force(6);
      force << tree.links()[i].mass * (rate.head<3>() - gravity), I * rate.tail<3>() + spin.cross(Vector3(I * spin));
      expected += J.transpose() * force;
    }
    CHECK((placed.bias_force(v, gravity) - expected).norm() < 1e-7 * expected.norm());
  }
}

TEST_CASE("a free robot falls with its centre of mass and keeps its angular momentum") {
  Random random(13);
  const Tree tree(laikago());
  const TreePose pose = random_pose(random, tree);
  const Vector v = random_velocity(random, tree.dofs());
  const PlacedTree placed(tree, pose);
  // v̇ of free flight, and the momenta of the whole by differences over a short time.
  const Vector rate = placed.joint_inertia().ldlt().solve(-placed.bias_force(v, gravity));
  const auto momenta = [&](double t) {
    const TreePose at = integrated(tree, pose, v + 0.5 * t * rate, t);
    const PlacedTree now(tree, at);
    Vector3 linear = Vector3::Zero(), angular = Vector3::Zero();
    const Vector speed = v + t * rate;
    for (std::size_t i = 0; i < tree.links().size(); ++i) {
      const Vector twist = now.body_jacobian(i, now.centre(i)) * speed;
      const Matrix3& R = now.links()[i].rotation;
      const Vector3 p = tree.links()[i].mass * twist.head<3>(), w = twist.tail<3>();
      linear += p;
      angular += now.centre(i).cross(p) + R * tree.links()[i].inertia * R.transpose() * w;
    }
    return std::pair(linear, angular);
  };
  const double h = 1e-5;
  Vector3 moment = Vector3::Zero();
  for (std::size_t i = 0; i < tree.links().size(); ++i)
    moment += placed.centre(i).cross(Vector3(tree.links()[i].mass * gravity));
  const auto ahead = momenta(h), behind = momenta(-h);
  CHECK(((ahead.first - behind.first) / (2.0 * h) - tree.mass() * gravity).norm() < 1e-5);
  CHECK(((ahead.second - behind.second) / (2.0 * h) - moment).norm() < 1e-5);
}

TEST_CASE("a tree of one free body is a rigid body, wherever it is") {
  TreeLink body;
  body.joint = TreeJoint::free;
  body.mass = 2.0;
  body.inertia = Vector3(0.1, 0.2, 0.4).asDiagonal();
  const Tree tree({body});
  TreePose pose = tree.rest();
  pose.base = {1e6, -3.0, 2.0};
  pose.attitude = rotation_exponential({0.3, -0.5, 0.9});
  const Matrix3 R = rotation_matrix(pose.attitude), J = R * body.inertia * R.transpose();
  Vector v(6);
  v << 1.0, 2.0, 3.0, -0.4, 0.5, 0.6;
  const PlacedTree placed(tree, pose);
  DenseMatrix expected = DenseMatrix::Zero(6, 6);
  expected.topLeftCorner(3, 3) = 2.0 * Matrix3::Identity();
  expected.bottomRightCorner(3, 3) = J;
  CHECK((placed.joint_inertia() - expected).norm() < 1e-15);
  const Vector bias = placed.bias_force(v, gravity);
  const Vector3 w = v.tail<3>();
  CHECK((bias.head<3>() + 2.0 * gravity).norm() < 1e-14);
  CHECK((bias.tail<3>() - w.cross(Vector3(J * w))).norm() < 1e-15);
}

TEST_CASE("a tree that is none is refused by name") {
  const auto refused = [](const auto& change, const char* text) {
    std::vector<TreeLink> links = laikago();
    change(links);
    CAPTURE(text);
    CHECK_THROWS_AS(Tree(links), InputError);
    CHECK_THROWS_WITH(Tree(links), Catch::Contains(text));
  };
  refused([](auto& links) { links[2].parent = 3; },
          "link 2 ('FR_thigh') is on link 3, expected the ground (-1) or a link before it");
  refused([](auto& links) { links[1].parent = 1; }, "is on link 1");
  refused([](auto& links) { links[5].mass = 0.0; }, "link 4 ('FL_hip') has a mass of 0 kg, expected > 0");
  refused([](auto& links) { links[1].inertia(0, 1) = 1.0; }, "inertia of link 1 ('FR_hip') is not symmetric");
  refused([](auto& links) { links[1].axis *= 2.0; }, "axis of link 1 ('FR_hip') has length 2, expected 1");
  refused([](auto& links) { links[1].joint = TreeJoint::free; }, "has a free joint, expected one on the first link alone");
  refused([](auto& links) { std::swap(links[1].lower, links[1].upper); }, "expected bounds in order");
}
