#include <Eigen/Geometry>
#include <catch2/catch.hpp>
#include <cmath>

#include "problem/contact_match.hpp"
#include "problem/problem_builder.hpp"

using namespace ccp;

namespace {

/// Two contacts with μ = 0.5, a frictionless one and a row of a joint; `turn` about the normals moves the tangents.
MotionProblem blocks(const std::vector<ContactKey>& keys, double turn) {
  SparseMatrix N(8, 8);
  N.setIdentity();
  ProblemBuilder builder("blocks");
  builder.local(N, Vector::Zero(8)).contact(0.5).contact(0.5).unilateral().bilateral();
  const Matrix3 tilted = Eigen::AngleAxisd(0.3, Vector3(1.0, 2.0, 2.0) / 3.0).toRotationMatrix();
  const Matrix3 frame = tilted * Eigen::AngleAxisd(turn, Vector3::UnitX()).toRotationMatrix();
  return {builder.build(), keys, {frame, frame, frame}, {0.0, 0.0, 0.0}};
}

const std::vector<ContactKey> four = {
    {0, 1, 0, 0, 0}, {0, 2, 0, 0, 0}, {1, 2, 0, 0, 0}, {0, 1, ContactKey::joint_row, 0, 1}};

Vector sample_impulse() {
  Vector gamma(8);
  gamma << 2.0, 0.3, -0.4, 3.0, -1.0, 0.5, 1.5, -0.7;
  return gamma;
}

}  // namespace

TEST_CASE("matched impulses are the same vectors of the world in turned frames") {
  const MotionProblem before = blocks(four, 0.0), after = blocks(four, 1.1);
  const StepEnd end = step_end(before, sample_impulse(), 0.25);
  CHECK(end.carried == 0.25);
  const Vector gamma = matched_impulse(after, end);
  for (int contact = 0; contact < 2; ++contact) {
    const auto place = static_cast<std::size_t>(contact);
    const Vector3 old_world = before.frames[place] * sample_impulse().segment<3>(3 * contact);
    const Vector3 world = after.frames[place] * gamma.segment<3>(3 * contact);
    CHECK((world - old_world).norm() < 1e-15 * old_world.norm() * 10);
    CHECK((gamma - sample_impulse()).segment<2>(3 * contact + 1).norm() > 0.1);  // in other tangents
  }
  CHECK(gamma[6] == Approx(1.5).epsilon(1e-14));
  CHECK(gamma[7] == -0.7);
}

TEST_CASE("new contacts start from zero, and those that are gone are left out") {
  const StepEnd end = step_end(blocks(four, 0.0), sample_impulse(), 0.0);
  std::vector<ContactKey> keys = four;
  keys[0] = {0, 1, 0, 0, 7};
  const Vector gamma = matched_impulse(blocks(keys, 0.0), end);
  CHECK(gamma.head<3>().isZero(0.0));
  CHECK((gamma - sample_impulse()).tail<5>().norm() < 1e-14);
}

TEST_CASE("matched impulses lie in the cones") {
  MotionProblem after = blocks(four, 0.0);
  after.frames[0] = after.frames[0] * Eigen::AngleAxisd(0.8, Vector3::UnitY()).toRotationMatrix();  // the normal turns
  const Vector gamma = matched_impulse(after, step_end(blocks(four, 0.0), sample_impulse(), 0.0));
  CHECK(gamma.segment<2>(1).norm() <= 0.5 * gamma[0] * (1.0 + 1e-15));
  CHECK(gamma[0] > 0.0);
}

TEST_CASE("cohesive contacts are matched in the terms of the problem") {
  const auto cohesive = [](double push) {
    SparseMatrix N(3, 3);
    N.setIdentity();
    ProblemBuilder builder("cohesive");
    builder.local(N, Vector3(-push, 0.0, 0.0)).cohesive_contact(0.5, 2.0);
    return MotionProblem{builder.build(), {{0, 1, 0, 0, 0}}, {Matrix3::Identity()}, {0.0}};
  };
  const Vector pull = Vector3(-1.5, 0.1, 0.0);  // less than the cohesion
  CHECK((matched_impulse(cohesive(1.0), step_end(cohesive(2.0), pull, 0.0)) - pull).norm() < 1e-15);
}

TEST_CASE("multipliers go with their contacts, unprojected, and not to another method") {
  const Vector y = -sample_impulse();  // outside the cones
  const StepEnd end = step_end(blocks(four, 0.0), sample_impulse(), 0.25, y);
  CHECK((matched_multiplier(blocks(four, 0.0), end) - y).norm() < 1e-14);
  const MotionProblem before = blocks(four, 0.0), after = blocks(four, 1.1);
  const Vector turned = matched_multiplier(after, end);
  CHECK((after.frames[0] * turned.head<3>() - before.frames[0] * y.head<3>()).norm() < 1e-14);
  CHECK(same_multiplier(after, end) == y);
  std::vector<ContactKey> keys = four;
  keys[1].feature_b = 7;
  CHECK(matched_multiplier(blocks(keys, 0.0), end).segment<3>(3).isZero(0.0));
  CHECK(same_multiplier(blocks(keys, 0.0), end).isZero(0.0));
  const StepEnd impulses = for_another_method(end);
  CHECK(impulses.impulse == sample_impulse());
  CHECK(impulses.carried == 0.0);
  CHECK(matched_multiplier(before, impulses).size() == 0);
  CHECK(same_multiplier(before, impulses).size() == 0);
}

TEST_CASE("the same impulse is taken only where the lists of contacts agree") {
  const StepEnd end = step_end(blocks(four, 0.0), sample_impulse(), 0.0);
  CHECK(same_impulse(blocks(four, 1.0), end) == sample_impulse());
  std::vector<ContactKey> keys = four;
  keys[2].feature_b = 1;
  CHECK(same_impulse(blocks(keys, 0.0), end) == Vector::Zero(8));
}

TEST_CASE("moments persist about their axes, in space and in the plane") {
  const auto at = [](ConstraintKind kind, double turn) {
    const Index rows = constraint_rows(kind);
    SparseMatrix N(rows, rows);
    N.setIdentity();
    ProblemBuilder builder("moments");
    builder.local(N, Vector::Zero(rows)).rolling_contact(kind, 1.0, 1.0);
    // In the plane the contact turns about the axis of its moment, in space about its normal.
    const Vector3 axis = kind == ConstraintKind::rolling2d ? Vector3::UnitZ() : Vector3::UnitX();
    return MotionProblem{builder.build(), {four[0]}, {Eigen::AngleAxisd(turn, axis).toRotationMatrix()}, {0.0}};
  };
  Vector planar(3);
  planar << 1.0, 0.0, 0.25;
  const StepEnd in_plane = step_end(at(ConstraintKind::rolling2d, 0.0), planar, 0.0);
  CHECK(matched_impulse(at(ConstraintKind::rolling2d, 0.3), in_plane)[2] == Approx(0.25).epsilon(1e-14));
  Vector spatial(5);
  spatial << 1.0, 0.0, 0.0, 0.25, 0.0;
  const Vector turned =
      matched_impulse(at(ConstraintKind::rolling, 0.3), step_end(at(ConstraintKind::rolling, 0.0), spatial, 0.0));
  CHECK(turned[3] == Approx(0.25 * std::cos(0.3)).epsilon(1e-14));
  CHECK(turned[4] == Approx(-0.25 * std::sin(0.3)).epsilon(1e-14));
}
