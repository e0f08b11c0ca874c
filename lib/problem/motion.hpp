#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "problem/contact_problem.hpp"
#include "problem/scene_geometry.hpp"

namespace ccp {

/// Names a constraint block from step to step, compared in the order of the members: two bodies with body_a < body_b
/// (obstacles have the larger numbers), the kind of contact, and a feature of each.
struct ContactKey {
  static constexpr int joint_row = -1;  ///< kind of a row of a joint: features are the number of the joint and of its row

  int body_a = 0;
  int body_b = 0;
  int kind = 0;
  int feature_a = 0;
  int feature_b = 0;

  auto operator<=>(const ContactKey&) const = default;
};

/// The problem of one step, with what is needed to carry impulses over to the next one. Its blocks are contacts first, in
/// the order of their keys, then the rows of joints, one block each. A contact without friction and cohesion is a unilateral
/// block: the row of its normal.
struct MotionProblem {
  ContactProblem problem;
  std::vector<ContactKey> keys;  ///< one a block
  std::vector<Matrix3> frames;  ///< of the contacts: normal (from body_a to body_b) and both tangents as columns, world axes
  std::vector<double> gaps;     ///< Φ of the contacts, m
  std::vector<Vector3> points{};  ///< of the contacts: where their impulses act, m
};

/// All that a motion remembers between two steps.
struct MotionState {
  std::string scene;      ///< what moves
  std::int64_t step = 0;  ///< steps taken; the time is step·h
  /// 13 numbers a rigid body: centre (3), quaternion (w, x, y, z), velocity (3), spin (3); then 24 a pseudo-rigid one:
  /// centre (3), F row by row (9), velocity (3), dF/dt row by row (9). Elastic bodies: 6 numbers a node, place and velocity.
  /// Robots: centre and quaternion of a free base, an entry for each link (the angle or way of its joint), the velocities.
  /// SI units.
  Vector values;
};

/// A number that a motion knows of itself.
struct MotionFact {
  std::string name;
  double value = 0.0;
};

/// A scene that moves: it hands out the problem of the present step and takes the solution. The same states give the same
/// problems, to the last bit.
class Motion {
 public:
  virtual ~Motion() = default;

  /// The problem of the step from step() to step() + 1.
  virtual MotionProblem problem() const = 0;

  /// Takes that step. velocity: v = H⁻¹(k + D γ) of problem(), n (see end_velocity()), never a method's own v; impulse: γ,
  /// m. Throws InputError when the size of the velocity does not fit or a number is not finite.
  virtual void advance(const Vector& velocity, const Vector& impulse) = 0;

  /// v⁽ˡ⁾ in the order of the dofs of problem(), n.
  virtual Vector velocity() const = 0;
  virtual std::int64_t step() const = 0;
  /// Length h of a step, s.
  virtual double time_step() const = 0;

  virtual MotionState state() const = 0;
  /// Goes on from a state. Throws InputError when it belongs to another scene, has another number of bodies or is damaged;
  /// the motion is then as it was.
  virtual void restore(const MotionState& state) = 0;

  /// Energies and other facts of the present state.
  virtual std::vector<MotionFact> facts() const = 0;

  /// What there is to see, as problem() sees it, but for the contacts: see geometry_of(). Without shapes nothing.
  virtual SceneGeometry surfaces() const { return {}; }
};

/// What there is to see, with the contacts of `step`, the present problem of the motion.
inline SceneGeometry geometry_of(const Motion& motion, const MotionProblem& step) {
  SceneGeometry geometry = motion.surfaces();
  for (std::size_t i = 0; i < step.points.size(); ++i)
    geometry.contacts.push_back({step.points[i], step.frames[i], step.gaps[i], step.keys[i].body_a, step.keys[i].body_b});
  return geometry;
}

/// v = H⁻¹(k + D γ) (A.1) of a problem given in global form. impulse: γ as solvers hand it back, in the terms of the
/// problem as given.
inline Vector end_velocity(const ContactProblem& problem, const Vector& impulse) {
  const GlobalForm& form = problem.global();
  Vector velocity = form.k;
  if (problem.constraints().has_moments()) {
    velocity.noalias() += form.D * problem.own_impulse(impulse);
  } else {
    velocity.noalias() += form.D * impulse;
    if (problem.impulse_shift().size() > 0) velocity.noalias() += form.D * problem.impulse_shift();
  }
  problem.mass().solve(velocity, velocity);
  return velocity;
}

}  // namespace ccp
