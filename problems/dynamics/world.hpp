#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "problem/motion.hpp"
#include "problems/dynamics/body.hpp"
#include "problems/dynamics/configuration.hpp"
#include "problems/dynamics/joint.hpp"
#include "problems/dynamics/obstacle.hpp"
#include "problems/dynamics/pseudo_rigid.hpp"
#include "problems/dynamics/stepper.hpp"
#include "problems/geometry/shape.hpp"

namespace ccp {

struct WorldSettings {
  std::string name;                  ///< of the scene, in its states and problems
  double time_step = 0.01;           ///< h, s
  Vector3 gravity{0.0, 0.0, -9.81};  ///< m/s²
  Stepping stepping = Stepping::velocity_impulse;
  double restitution = 0.0;  ///< e, 0 … 1
  double compliance = 0.0;   ///< of a contact in its normal and tangents, m/N
};

/// The parts of a world. Numbers: rigid bodies, pseudo-rigid bodies, obstacles, each in the order of their list.
struct WorldParts {
  std::vector<MovingBody> bodies;
  std::vector<PseudoRigidBody> pseudo_rigid;
  std::vector<PrescribedMotion> obstacles;
  std::vector<Joint> joints;
  ContactFinder contacts;  ///< none: nothing touches
  /// Shapes of bodies and obstacles for pictures, in the order of their numbers; empty: unknown.
  std::vector<Shape> shapes = {};

  int count() const { return static_cast<int>(bodies.size() + pseudo_rigid.size()); }
  /// Number of the first obstacle is count().
  int obstacle(std::size_t index) const { return count() + static_cast<int>(index); }
};

/// Rigid and pseudo-rigid bodies with contact, friction and joints, stepped in time: the matrices of each step, and what its
/// solution does to the bodies. See problems/docs/dynamics.md for the equations.
///
/// The dofs of a problem are those of the bodies that have entered, in the order of their numbers: 6 of a rigid one (v, ω in
/// world axes), 12 of a pseudo-rigid one. Its blocks are the contacts and then the rows of the joints.
class World : public Motion {
 public:
  /// Throws InputError naming what is wrong: h <= 0, e outside [0, 1], a negative compliance, a body, a joint to a body that
  /// is not there or cannot have one, shapes of other than all bodies and obstacles, pseudo-rigid bodies with
  /// velocity_impulse (their integrator is the midpoint rule).
  World(WorldSettings settings, WorldParts parts);

  const WorldSettings& settings() const { return settings_; }
  const std::vector<MovingBody>& bodies() const { return parts_.bodies; }
  const std::vector<PseudoRigidBody>& pseudo_rigid() const { return parts_.pseudo_rigid; }
  const std::vector<Joint>& joints() const { return parts_.joints; }
  double time() const { return static_cast<double>(step_) * settings_.time_step; }
  /// The present configuration.
  Configuration configuration() const;
  /// Whether a body takes part in the present step.
  bool has_entered(int body) const;
  /// Largest ‖Ψ‖ of a joint now; m, and rad for rows of angles.
  double joint_error() const;
  /// J, of the bodies that have entered; elastic energy is in the potential one, and forces besides gravity are not.
  double kinetic_energy() const;
  double potential_energy() const;
  /// The least gap of a contact now, m; 0 where nothing overlaps.
  double deepest_gap() const;
  /// Pairs that overlap now by more than 0.01 of WorldContact::size and had no contact in the last step: bodies that tunnel.
  int missed() const;

  MotionProblem problem() const override;
  void advance(const Vector& velocity, const Vector& impulse) override;
  Vector velocity() const override;
  std::int64_t step() const override { return step_; }
  double time_step() const override { return settings_.time_step; }
  MotionState state() const override;
  void restore(const MotionState& state) override;
  /// kinetic_J, potential_J, joint_error, deepest_gap, missed
  std::vector<MotionFact> facts() const override;
  /// With velocity_impulse at the start of the step, with moreau_midpoint halfway.
  SceneGeometry surfaces() const override;

 private:
  Configuration configuration_at(double lead) const;
  std::vector<WorldContact> contacts_now() const;
  int missed_of(const std::vector<WorldContact>& contacts) const;

  WorldSettings settings_;
  WorldParts parts_;
  const Stepper* stepper_;
  std::int64_t step_ = 0;
};

/// A joint that holds two bodies, obstacles or the ground as they are at t = 0, where `point` (m) and `axes` are in the
/// world.
Joint joint_here(const WorldParts& parts, JointKind kind, int first, int second, const Vector3& point,
                 const Matrix3& axes = Matrix3::Identity());

}  // namespace ccp
