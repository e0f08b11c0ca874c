#include "problems/dynamics/assembly.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "problem/problem_builder.hpp"
#include "problems/dynamics/free_spin.hpp"
#include "problems/rigid/assembly.hpp"
#include "problems/rigid/rigid_system.hpp"

namespace ccp {
namespace {

std::size_t place(int number) { return static_cast<std::size_t>(number); }

const PseudoRigidBody& pseudo_rigid_of(const StepView& view, int number) {
  return view.parts.pseudo_rigid[place(number) - view.parts.bodies.size()];
}

struct ActiveJoint {
  const Joint* joint;
  int number;
  std::vector<JointRow> rows;
};

std::vector<ActiveJoint> active_joints(const StepView& view) {
  std::vector<ActiveJoint> list;
  for (std::size_t j = 0; j < view.parts.joints.size(); ++j) {
    const Joint& joint = view.parts.joints[j];
    if (!takes_part(joint, view.start_time, view.parts, view.at.present)) continue;
    list.push_back({&joint, static_cast<int>(j),
                    joint_rows(joint, side_of(view.at, joint.first), side_of(view.at, joint.second), view.at.time)});
  }
  return list;
}

void check_contact(const WorldParts& parts, const Configuration& at, const WorldContact& contact, const ContactKey* before) {
  const ContactKey& key = contact.key;
  const int a = key.body_a, b = key.body_b;
  const int bodies = parts.count(), all = parts.obstacle(parts.obstacles.size());
  const auto name = [&] {
    return fmt::format("contact ({}, {}, {}, {}, {})", key.body_a, key.body_b, key.kind, key.feature_a, key.feature_b);
  };
  const auto there = [&](int body) { return at.present[static_cast<std::size_t>(body)]; };
  if (a < 0 || a >= bodies || b <= a || b >= all)
    throw InputError(fmt::format("{} is between {} and {}, expected a body and a later one or an obstacle", name(), a, b));
  if (!there(a) || (b < bodies && !there(b)))
    throw InputError(fmt::format("{} is with a body that has not entered", name()));
  if (before != nullptr && !(*before < key))
    throw InputError(fmt::format("{} is not after the one before it, expected contacts in the order of their keys", name()));
  if (key.kind == ContactKey::joint_row)
    throw InputError(fmt::format("{} has the kind of joint rows, expected >= 0", name()));
  if (!(std::abs(contact.normal.squaredNorm() - 1.0) < 1e-9) || !std::isfinite(contact.gap) || !contact.point.allFinite())
    throw InputError(fmt::format("{} has normal length {} and gap {} m, expected a unit vector and finite numbers", name(),
                                 contact.normal.norm(), contact.gap));
  if (contact.planar && (contact.normal[1] != 0.0 || contact.cohesion != 0.0 || contact.spinning != 0.0))
    throw InputError(fmt::format("{} is planar, expected a normal across y, no cohesion and no spinning friction", name()));
}

using NumberPair = std::pair<int, int>;

/// What joints hold together, the smaller number first, in order.
std::vector<NumberPair> held_pairs(const WorldParts& parts, double time, const std::vector<bool>& present) {
  std::vector<NumberPair> pairs;
  for (const Joint& joint : parts.joints)
    if (takes_part(joint, time, parts, present)) pairs.push_back(std::minmax(joint.first, joint.second));
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

Index row_count(const WorldContact& contact) { return constraint_rows(block_kind(contact)); }

/// That of a planar contact has its tangent in the plane.
Matrix3 frame_of(const WorldContact& contact) {
  if (!contact.planar) return contact_frame(contact.normal);
  Matrix3 frame;
  frame << contact.normal, Vector3::UnitY().cross(contact.normal), Vector3::UnitY();
  return frame;
}

/// −(1 − lead) h Ω², with Ω of the spin that has the body's angular momentum, which stays finite where F collapses. A column
/// of a pseudo-rigid body has the F of the geometry, and the solution the dF/dt of the end of the step. Together they move
/// the surface of a body that spins at ω inwards, by h/2 ω² of its radius a second, so that it would sink into what it rolls
/// on. This times the arm takes that away, as a part of b: impulses keep their moments.
Matrix3 turning(const StepView& view, int number) {
  const PseudoRigidBody& body = pseudo_rigid_of(view, number);
  const Matrix3 &F = view.at.bodies[place(number)].rotation, identity = Matrix3::Identity();
  const Matrix3 FE = F * body.euler_tensor().asDiagonal(), S = FE * F.transpose(),
                P = FE * body.deformation_rate.transpose();
  const Vector3 momentum(P(1, 2) - P(2, 1), P(2, 0) - P(0, 2), P(0, 1) - P(1, 0));
  const Vector3 spin = (S.trace() * identity - S).inverse() * momentum;
  const Matrix3 square = spin * spin.transpose() - spin.squaredNorm() * identity;
  return (view.stepper.lead() - 1.0) * view.settings.time_step * square;
}

/// Writes the columns of one problem.
class ColumnMaker {
 public:
  ColumnMaker(const StepView& view, const DofMap& dofs, Index columns, Index entries)
      : view_(view), dofs_(dofs), D_(dofs.size, columns, entries) {
    const double end = view.start_time + view.settings.time_step;
    for (const PrescribedMotion& motion : view.parts.obstacles) moving_.push_back(motion(end));
    for (int body = static_cast<int>(view.parts.bodies.size()); body < view.parts.count(); ++body)
      turning_.push_back(dofs.has(body) ? turning(view, body) : Matrix3::Zero());
  }

  /// A column along `direction`; returns the obstacle's part of b, +d·(V + Ω × arm). V and Ω are those of the
  /// end of the step, the arm that of the geometry.
  double contact_column(const WorldContact& contact, const Vector3& direction) {
    D_.next_column();
    double& turned = turned_.emplace_back(insert(contact.key.body_a, -1.0, contact.point, direction));
    const int b = contact.key.body_b, bodies = view_.parts.count();
    if (b < bodies) {
      turned += insert(b, 1.0, contact.point, direction);
      return 0.0;
    }
    const ObstacleFrame& frame = moving_[place(b - bodies)];
    const Vector3 arm = contact.point - view_.at.obstacles[place(b - bodies)].position;
    return direction.dot(frame.velocity + frame.spin.cross(arm));
  }

  /// A column of a moment about `axis`; returns the obstacle's part of b. Moments act between rigid bodies.
  double moment_column(const WorldContact& contact, const Vector3& axis) {
    D_.next_column();
    turned_.push_back(0.0);
    const int rigid = static_cast<int>(view_.parts.bodies.size()), bodies = view_.parts.count();
    const auto insert_spin = [&](int body, double sign) {
      if (body >= rigid) throw InputError("rolling friction with a pseudo-rigid body, expected rigid ones");
      D_.insert(dofs_.start[place(body)] + 3, sign * axis);
    };
    insert_spin(contact.key.body_a, -1.0);
    if (contact.key.body_b >= bodies) return axis.dot(moving_[place(contact.key.body_b - bodies)].spin);
    insert_spin(contact.key.body_b, 1.0);
    return 0.0;
  }

  /// A column of a joint; returns the part of ∂Ψ/∂t that is the motion of obstacles.
  double joint_column(const Joint& joint, const JointRow& row) {
    D_.next_column();
    double rate = 0.0;
    const bool in_order = joint.first < joint.second;
    for (const bool is_first : {in_order, !in_order}) {
      const int side = is_first ? joint.first : joint.second;
      const JointRow::Gradient& gradient = is_first ? row.first : row.second;
      if (side == Joint::ground) continue;
      if (side < view_.parts.count()) {
        D_.insert(dofs_.start[place(side)], gradient);
        continue;
      }
      const ObstacleFrame& frame = view_.at.obstacles[place(side - view_.parts.count())];
      rate += gradient.head<3>().dot(frame.velocity) + gradient.tail<3>().dot(frame.spin);
    }
    return rate;
  }

  SparseMatrix finish() { return D_.finish(); }
  /// The pseudo-rigid bodies' part of b on the rows of contacts.
  const std::vector<double>& turned() const { return turned_; }

 private:
  /// Returns the part of b of a pseudo-rigid body.
  double insert(int body, double sign, const Vector3& point, const Vector3& direction) {
    const Placement& placement = view_.at.bodies[place(body)];
    const int rigid = static_cast<int>(view_.parts.bodies.size());
    if (body < rigid) {
      D_.insert(dofs_.start[place(body)], rigid_impulse(sign, direction, point - placement.position));
      return 0.0;
    }
    D_.insert(dofs_.start[place(body)], pseudo_rigid_impulse(placement, point, sign * direction));
    return sign * direction.dot(turning_[place(body - rigid)] * (point - placement.position));
  }

  const StepView& view_;
  const DofMap& dofs_;
  JacobianWriter D_;
  std::vector<ObstacleFrame> moving_;  ///< at the end of the step
  std::vector<Matrix3> turning_;       ///< of the pseudo-rigid bodies
  std::vector<double> turned_;
};

/// H and k.
std::pair<SparseMatrix, Vector> momentum(const StepView& view, const DofMap& dofs) {
  const double h = view.settings.time_step;
  Index entries = 0;
  for (int body = 0; body < view.parts.count(); ++body)
    if (dofs.has(body)) entries += body < static_cast<int>(view.parts.bodies.size()) ? 12 : 84;
  MassWriter H(dofs.size, entries);
  Vector k(dofs.size);
  for (int number = 0; number < view.parts.count(); ++number) {
    if (!dofs.has(number)) continue;
    const Index start = dofs.start[place(number)];
    const Matrix3& R = view.at.bodies[place(number)].rotation;
    if (number >= static_cast<int>(view.parts.bodies.size())) {
      const PseudoRigidBody& body = pseudo_rigid_of(view, number);
      const PseudoRigidStep step = pseudo_rigid_step(body, R, body.mass * view.settings.gravity, h);
      H.add_block(step.H);
      k.segment<12>(start) = step.k;
      continue;
    }
    const MovingBody& body = view.parts.bodies[place(number)];
    H.add_rigid(body.mass, world_inertia(body.inertia, R));
    k.segment<3>(start) = body.mass * body.velocity + h * (body.mass * view.settings.gravity + body.force);
    const Vector3 spin = free_spin(body.inertia, R.transpose() * body.spin, h);
    k.segment<3>(start + 3) = R * body.inertia.cwiseProduct(spin) + h * body.torque;
  }
  return {H.finish(), std::move(k)};
}

/// Turns the obstacles' part of b into b: offsets of contacts, Ψ/h of joints, and `turned`, the part of pseudo-rigid bodies.
/// That is for velocities of the end of the step; at its start, as long before F as the end is after it, it is the opposite.
void add_offsets(const StepView& view, const std::vector<WorldContact>& contacts, const std::vector<ActiveJoint>& joints,
                 const SparseMatrix& D, const std::vector<double>& turned, Vector& b) {
  const double h = view.settings.time_step;
  Index row = 0;
  for (const WorldContact& contact : contacts) {
    Approach approach{contact.gap, 0.0, view.settings.restitution, h};
    if (approach.restitution > 0.0)
      approach.velocity = D.col(row).dot(view.velocity) + b[row] - turned[static_cast<std::size_t>(row)];
    b[row] += view.stepper.normal_offset(approach);
    row += row_count(contact);
  }
  for (const ActiveJoint& active : joints)
    for (const JointRow& constraint : active.rows) b[row++] += constraint.rate + constraint.value / h;
  b.head(std::ssize(turned)) += Eigen::Map<const Vector>(turned.data(), std::ssize(turned));
}

/// C = c/h² on the rows of contacts, but for those of moments: under a force γ/h bodies overlap by c γ/h: the gap Φ + h u is
/// −c γ/h.
SparseMatrix contact_compliance(const std::vector<WorldContact>& contacts, Index rows, double compliance, double h) {
  SparseMatrix C(rows, rows);
  Index row = 0;
  for (const WorldContact& contact : contacts)
    for (Index i = 0, own = row_count(contact); i < own; ++i) {
      C.startVec(row);
      if (i <= block_shape(block_kind(contact)).tangents) C.insertBack(row, row) = compliance / (h * h);
      ++row;
    }
  for (; row < rows; ++row) C.startVec(row);
  C.finalize();
  return C;
}

/// The rows of a contact: its columns of D, its block, and the obstacle's part of b.
void add_contact(const WorldContact& contact, const Matrix3& frame, ColumnMaker& maker, ProblemBuilder& builder,
                 std::vector<double>& b) {
  const ConstraintKind kind = block_kind(contact);
  const BlockShape shape = block_shape(kind);
  if (contact.cohesion != 0.0 && has_moments(kind)) throw InputError("a contact with cohesion and rolling friction");
  for (int i = 0; i < 1 + shape.tangents; ++i) b.push_back(maker.contact_column(contact, frame.col(i)));
  for (int i = 3 - shape.rollings; i < 3; ++i) b.push_back(maker.moment_column(contact, frame.col(i)));
  if (shape.spins > 0) b.push_back(maker.moment_column(contact, frame.col(0)));
  if (has_moments(kind))
    builder.rolling_contact(kind, contact.friction, contact.rolling, contact.spinning);
  else if (kind == ConstraintKind::unilateral)
    builder.unilateral();
  else if (kind == ConstraintKind::contact2d)
    builder.contact2d(contact.friction);
  else if (contact.cohesion != 0.0)
    builder.cohesive_contact(contact.friction, contact.cohesion);
  else
    builder.contact(contact.friction);
}

}  // namespace

/// Without friction and cohesion a contact is one unilateral row, as in Mangoni's thesis.
ConstraintKind block_kind(const WorldContact& contact) {
  const bool rolls = contact.rolling > 0.0, spins = contact.spinning > 0.0;
  if (contact.planar && rolls) return ConstraintKind::rolling2d;
  if (rolls || spins)
    return !spins ? ConstraintKind::rolling : rolls ? ConstraintKind::rolling_torsion : ConstraintKind::torsion;
  if (contact.friction == 0.0 && contact.cohesion == 0.0) return ConstraintKind::unilateral;
  return contact.planar ? ConstraintKind::contact2d : ConstraintKind::contact;
}

DofMap dof_map(const WorldParts& parts, const std::vector<bool>& present) {
  DofMap dofs;
  for (std::size_t body = 0; body < present.size(); ++body) {
    dofs.start.push_back(present[body] ? dofs.size : -1);
    if (present[body]) dofs.size += body < parts.bodies.size() ? 6 : 12;
  }
  return dofs;
}

Placement side_of(const Configuration& at, int side) {
  if (side == Joint::ground) return {};
  const auto number = static_cast<std::size_t>(side);
  return number < at.bodies.size() ? at.bodies[number] : at.obstacle_placements[number - at.bodies.size()];
}

bool takes_part(const Joint& joint, double time, const WorldParts& parts, const std::vector<bool>& present) {
  const auto there = [&](int side) { return side < 0 || side >= parts.count() || present[place(side)]; };
  return joint.from <= time && time < joint.until && there(joint.first) && there(joint.second);
}

std::vector<WorldContact> free_contacts(const WorldParts& parts, const Configuration& at, double time) {
  if (!parts.contacts) return {};
  std::vector<WorldContact> found = parts.contacts(at);
  for (std::size_t i = 0; i < found.size(); ++i) check_contact(parts, at, found[i], i > 0 ? &found[i - 1].key : nullptr);
  const std::vector<NumberPair> held = held_pairs(parts, time, at.present);
  std::erase_if(found, [&](const WorldContact& contact) {
    return std::binary_search(held.begin(), held.end(), NumberPair(contact.key.body_a, contact.key.body_b));
  });
  return found;
}

MotionProblem assemble(const StepView& view, const DofMap& dofs) {
  std::vector<WorldContact> contacts = free_contacts(view.parts, view.at, view.start_time);
  std::erase_if(contacts, [&](const WorldContact& contact) { return !view.stepper.active(contact.gap); });
  const std::vector<ActiveJoint> joints = active_joints(view);
  const bool deforms = !view.parts.pseudo_rigid.empty();
  Index columns = 0;
  for (const WorldContact& contact : contacts) columns += row_count(contact);
  Index entries = columns * (deforms ? 24 : 12);
  for (const ActiveJoint& active : joints) {
    columns += std::ssize(active.rows);
    entries += 12 * std::ssize(active.rows);
  }
  ColumnMaker maker(view, dofs, columns, entries);
  std::vector<double> offsets;
  offsets.reserve(static_cast<std::size_t>(columns));
  std::vector<ContactKey> keys;
  std::vector<Matrix3> frames;
  std::vector<double> gaps;
  std::vector<Vector3> points;
  ProblemBuilder builder(view.settings.name);
  for (const WorldContact& contact : contacts) {
    frames.push_back(frame_of(contact));
    add_contact(contact, frames.back(), maker, builder, offsets);
    keys.push_back(contact.key);
    gaps.push_back(contact.gap);
    points.push_back(contact.point);
  }
  if (view.settings.compliance > 0.0)
    builder.compliance(contact_compliance(contacts, columns, view.settings.compliance, view.settings.time_step));
  for (const ActiveJoint& active : joints)
    for (std::size_t i = 0; i < active.rows.size(); ++i) {
      offsets.push_back(maker.joint_column(*active.joint, active.rows[i]));
      keys.push_back({active.joint->first, active.joint->second, ContactKey::joint_row, active.number, static_cast<int>(i)});
      builder.bilateral();
    }
  SparseMatrix D = maker.finish();
  Vector b = Eigen::Map<const Vector>(offsets.data(), std::ssize(offsets));
  add_offsets(view, contacts, joints, D, maker.turned(), b);
  auto [H, k] = momentum(view, dofs);
  builder.global(std::move(H), std::move(k), std::move(D), std::move(b));
  return {builder.build(), std::move(keys), std::move(frames), std::move(gaps), std::move(points)};
}

}  // namespace ccp
