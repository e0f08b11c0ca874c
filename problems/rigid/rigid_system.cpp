#include "problems/rigid/rigid_system.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <cstddef>

#include "problem/problem_builder.hpp"

namespace ccp {
namespace {

SparseMatrix mass_matrix(const std::vector<RigidBody>& bodies) {
  const auto size = static_cast<Index>(6 * bodies.size());
  SparseMatrix H(size, size);
  H.reserve(static_cast<Index>(12 * bodies.size()));
  for (std::size_t body = 0; body < bodies.size(); ++body) {
    const auto start = static_cast<Index>(6 * body);
    for (Index axis = 0; axis < 3; ++axis) {
      H.startVec(start + axis);
      H.insertBack(start + axis, start + axis) = bodies[body].mass;
    }
    for (Index column = 0; column < 3; ++column) {
      H.startVec(start + 3 + column);
      for (Index row = 0; row < 3; ++row)
        if (const double entry = bodies[body].inertia(row, column); entry != 0.0)
          H.insertBack(start + 3 + row, start + 3 + column) = entry;
    }
  }
  H.finalize();
  return H;
}

/// The open column of D gets an impulse of size `sign` along `direction` on `body` at `point`.
void add_impulse(SparseMatrix& D, Index column, int body, double sign, const Vector3& direction, const Vector3& arm) {
  const Vector3 torque = arm.cross(direction);
  for (Index axis = 0; axis < 3; ++axis)
    if (direction[axis] != 0.0) D.insertBack(6 * body + axis, column) = sign * direction[axis];
  for (Index axis = 0; axis < 3; ++axis)
    if (torque[axis] != 0.0) D.insertBack(6 * body + 3 + axis, column) = sign * torque[axis];
}

void add_column(SparseMatrix& D, Index column, const std::vector<RigidBody>& bodies, const RigidConstraint& constraint,
                const Vector3& direction) {
  D.startVec(column);
  const bool in_order = constraint.first < constraint.second;
  for (const bool is_first : {in_order, !in_order}) {  // rows of a column ascend
    const int body = is_first ? constraint.first : constraint.second;
    if (body == RigidConstraint::fixed) continue;
    const Vector3 arm = constraint.point - bodies[static_cast<std::size_t>(body)].position;
    add_impulse(D, column, body, is_first ? -1.0 : 1.0, direction, arm);
  }
}

SparseMatrix transpose_jacobian(const std::vector<RigidBody>& bodies, const std::vector<RigidConstraint>& constraints) {
  Index columns = 0, entries = 0;
  for (const RigidConstraint& constraint : constraints) {
    const int sides = (constraint.first != RigidConstraint::fixed) + (constraint.second != RigidConstraint::fixed);
    columns += constraint_rows(constraint.kind);
    entries += 6 * sides * constraint_rows(constraint.kind);
  }
  SparseMatrix D(static_cast<Index>(6 * bodies.size()), columns);
  D.reserve(entries);
  Index column = 0;
  for (const RigidConstraint& constraint : constraints) {
    const Vector3 directions[3] = {constraint.normal, constraint.tangent, constraint.normal.cross(constraint.tangent)};
    for (int row = 0; row < constraint_rows(constraint.kind); ++row)
      add_column(D, column++, bodies, constraint, directions[row]);
  }
  D.finalize();
  return D;
}

}  // namespace

RigidBody solid_sphere(double mass, double radius, const Vector3& position, double gravity) {
  RigidBody body;
  body.mass = mass;
  body.inertia = 0.4 * mass * radius * radius * Matrix3::Identity();
  body.position = position;
  body.force = {0.0, 0.0, -mass * gravity};
  return body;
}

Vector3 any_tangent(const Vector3& normal) {
  Index smallest = 0;
  normal.cwiseAbs().minCoeff(&smallest);
  return Vector3::Unit(smallest).cross(normal).normalized();
}

ContactProblem rigid_step(const std::string& name, const std::vector<RigidBody>& bodies,
                          const std::vector<RigidConstraint>& constraints, double time_step) {
  Vector k(static_cast<Index>(6 * bodies.size()));
  for (std::size_t body = 0; body < bodies.size(); ++body) {
    const RigidBody& state = bodies[body];
    const auto start = static_cast<Index>(6 * body);
    k.segment<3>(start) = state.mass * state.velocity + time_step * state.force;
    k.segment<3>(start + 3) = state.inertia * state.spin;
  }
  SparseMatrix D = transpose_jacobian(bodies, constraints);
  Vector b = Vector::Zero(D.cols());
  ConstraintSet set;
  for (const RigidConstraint& constraint : constraints) {
    b[set.rows()] = constraint.gap / time_step;
    set.add(constraint.kind, constraint.friction);
  }
  ProblemBuilder builder(name);
  builder.global(mass_matrix(bodies), std::move(k), std::move(D), std::move(b)).constraints(set);
  return builder.build();
}

}  // namespace ccp
