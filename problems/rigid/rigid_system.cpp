#include "problems/rigid/rigid_system.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <cstddef>

#include "core/taken.hpp"
#include "problem/problem_builder.hpp"
#include "problems/rigid/assembly.hpp"

namespace ccp {
namespace {

/// J − h ∂(−ω × Jω)/∂ω.
Matrix3 angular_inertia(const RigidBody& body, double time_step) {
  if (!body.gyroscopic) return body.inertia;
  return body.inertia +
         time_step * (cross_matrix(body.spin) * body.inertia - cross_matrix(Vector3(body.inertia * body.spin)));
}

/// moment: the column acts on spins alone.
void add_column(JacobianWriter& D, const std::vector<RigidBody>& bodies, const RigidConstraint& constraint,
                const Vector3& direction, bool moment) {
  D.next_column();
  const bool in_order = constraint.first < constraint.second;
  for (const bool is_first : {in_order, !in_order}) {  // rows of a column ascend
    const int body = is_first ? constraint.first : constraint.second;
    if (body == RigidConstraint::fixed) continue;
    if (moment) {
      D.insert(6 * body + 3, is_first ? Vector3(-direction) : direction);
      continue;
    }
    const Vector3 arm = constraint.point - bodies[static_cast<std::size_t>(body)].position;
    D.insert(6 * body, rigid_impulse(is_first ? -1.0 : 1.0, direction, arm));
  }
}

SparseMatrix transpose_jacobian(const std::vector<RigidBody>& bodies, std::span<const RigidConstraint> constraints) {
  Index columns = 0, entries = 0;
  for (const RigidConstraint& constraint : constraints) {
    const int sides = (constraint.first != RigidConstraint::fixed) + (constraint.second != RigidConstraint::fixed);
    columns += constraint_rows(constraint.kind);
    entries += 6 * sides * constraint_rows(constraint.kind);
  }
  JacobianWriter D(static_cast<Index>(6 * bodies.size()), columns, entries);
  for (const RigidConstraint& constraint : constraints) {
    const Vector3 directions[3] = {constraint.normal, constraint.tangent, constraint.normal.cross(constraint.tangent)};
    const BlockShape shape = block_shape(constraint.kind);
    for (int row = 0; row < 1 + shape.tangents; ++row) add_column(D, bodies, constraint, directions[row], false);
    for (int row = 1; row <= shape.rollings; ++row) add_column(D, bodies, constraint, directions[row], true);
    if (shape.spins > 0) add_column(D, bodies, constraint, directions[0], true);
  }
  return D.finish();
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

Matrix3 contact_frame(const Vector3& normal) {
  const Vector3 tangent = any_tangent(normal);
  Matrix3 frame;
  frame << normal, tangent, normal.cross(tangent);
  return frame;
}

SparseMatrix rigid_mass(const std::vector<RigidBody>& bodies, double time_step) {
  const auto count = static_cast<Index>(bodies.size());
  MassWriter H(6 * count, 12 * count);
  for (const RigidBody& body : bodies) H.add_rigid(body.mass, angular_inertia(body, time_step));
  return H.finish();
}

Vector rigid_momentum(const std::vector<RigidBody>& bodies, double time_step) {
  Vector k(static_cast<Index>(6 * bodies.size()));
  for (std::size_t body = 0; body < bodies.size(); ++body) {
    const RigidBody& state = bodies[body];
    const auto start = static_cast<Index>(6 * body);
    k.segment<3>(start) = state.mass * state.velocity + time_step * state.force;
    k.segment<3>(start + 3) = state.inertia * state.spin + time_step * state.torque;
    // h f − h (∂f/∂ω) ω with f = −ω × Jω, which is quadratic: h (f − 2 f).
    if (state.gyroscopic) k.segment<3>(start + 3) += time_step * state.spin.cross(state.inertia * state.spin);
  }
  return k;
}

PartBlocks rigid_blocks(const std::vector<RigidBody>& bodies, std::span<const RigidConstraint> constraints,
                        double time_step) {
  PartBlocks blocks;
  SparseMatrix(transpose_jacobian(bodies, constraints)).swap(blocks.D);
  blocks.b = Vector::Zero(blocks.D.cols());
  for (const RigidConstraint& constraint : constraints) {
    const Index row = blocks.set.rows();
    blocks.b[row] = constraint.gap / time_step;
    if (!has_moments(constraint.kind)) {
      blocks.set.add(constraint.kind, constraint.friction);
      continue;
    }
    const MomentFriction moments =
        scaled_moments(constraint.kind, constraint.friction, constraint.rolling, constraint.spinning);
    blocks.set.add(constraint.kind, constraint.friction, moments);
    for (Index r = row + 1 + block_shape(constraint.kind).tangents; r < blocks.set.rows(); ++r)  // (A.7)
      blocks.D.col(r) *= moments.length;
  }
  blocks.C.resize(blocks.D.cols(), blocks.D.cols());
  return blocks;
}

ContactProblem rigid_step(const std::string& name, const std::vector<RigidBody>& bodies,
                          const std::vector<RigidConstraint>& constraints, double time_step) {
  PartBlocks blocks = rigid_blocks(bodies, constraints, time_step);
  ProblemBuilder builder(name);
  builder.global(rigid_mass(bodies, time_step), rigid_momentum(bodies, time_step), taken(blocks.D), std::move(blocks.b))
      .constraints(blocks.set);
  return std::move(builder).build();
}

std::vector<PlacedContact> placed_contacts(const std::vector<RigidConstraint>& constraints, int obstacle) {
  std::vector<PlacedContact> contacts;
  for (const RigidConstraint& constraint : constraints) {
    if (constraint.kind == ConstraintKind::bilateral) continue;
    const auto number = [&](int body) { return body == RigidConstraint::fixed ? obstacle : body; };
    PlacedContact& contact = contacts.emplace_back();
    contact.point = constraint.point;
    contact.frame << constraint.normal, constraint.tangent, constraint.normal.cross(constraint.tangent);
    contact.gap = constraint.gap;
    contact.body_a = number(constraint.first);
    contact.body_b = number(constraint.second);
  }
  return contacts;
}

}  // namespace ccp
