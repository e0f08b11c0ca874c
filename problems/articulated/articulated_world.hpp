#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/fields.hpp"
#include "problem/motion.hpp"
#include "problem/placed_mesh.hpp"
#include "problems/articulated/joint_path.hpp"
#include "problems/articulated/robots/robots.hpp"
#include "problems/articulated/tree.hpp"
#include "problems/geometry/find_contacts.hpp"

namespace ccp {

/// A kind of robot. Many robots share one.
struct RobotModel {
  Tree tree;
  std::vector<LinkShape> shapes;
};

/// A controller that pulls joints to a path like springs and dampers, with the torques K (q_d − q) + D (q̇_d − q̇) at the end
/// of the step and those that carry the weight of the robot, or all of its bias.
struct JointImpedance {
  enum class Carries { nothing, weight, bias };

  Vector stiffness;        ///< K of each dof, N·m/rad or N/m; 0 on the dofs of a free joint
  Vector damping;          ///< D of each dof, N·m·s/rad or N·s/m; 0 there, too
  JointPath<Vector> path;  ///< q_d of each dof
  Carries carries = Carries::bias;
};

/// How the controllers enter a problem: as h D + h² K in H (the default), or as rows of their own without a bound, whose
/// compliance is 1/(h D + h² K) (B.3). Both move alike.
enum class ImpedanceForm { inertia, rows };
/// The parameter `impedance` of a scene.
void add_impedance_form(FieldTable& fields, ImpedanceForm* form);

/// A robot in motion.
struct Robot {
  std::shared_ptr<const RobotModel> model;
  TreePose pose;
  Vector velocity;                                       ///< of its dofs
  std::shared_ptr<const JointImpedance> impedance = {};  ///< none: no motors
};

/// Obstacles, which rest and have no dofs.
struct PlacedObstacle {
  Shape shape;
  Pose pose = {};
  int robot = -1;  ///< whose base it is: its links near the ground have no contact with it
};

/// A robot without fixed joints, and the shapes of what is fixed to the ground.
struct MergedRobot {
  RobotModel model;
  std::vector<PlacedObstacle> base;
};
/// Throws what Tree does.
MergedRobot merged_robot(const RobotDescription& description);

/// A body alone: a tree of one link on a free joint, whose frame is at its centre of mass, with a shape at `place` in it
/// (m). inertia: kg m², axes of the body.
Robot free_body(double mass, const Matrix3& inertia, const Shape& shape, const Vector3& position,
                const Vector3& place = Vector3::Zero());

class ArticulatedWorld;

struct ArticulatedWorldSettings {
  std::string name;                  ///< of the scene, in its states and problems
  double time_step = 1.0 / 240.0;    ///< h, s
  Vector3 gravity{0.0, 0.0, -9.81};  ///< m/s²
  double friction = 0.0;             ///< μ of all contacts; 0: a contact is one unilateral row
  double envelope = 0.01;            ///< m, see ArticulatedWorld
  double limit_margin = 0.1;         ///< rad or m, see ArticulatedWorld
  double joint_damping = 0.0;        ///< of each joint, N·m·s/rad or N·s/m
  ImpedanceForm impedance = ImpedanceForm::inertia;
  /// Facts of a task besides those of every world.
  std::function<std::vector<MotionFact>(const ArticulatedWorld&)> task = {};
  Vector memory = {};  ///< what a task remembers of its steps, at the start; a part of the state
  /// Changes the memory at the end of a step, given what the step did to the velocities.
  std::function<void(const ArticulatedWorld&, const Vector& change, Vector& memory)> remember = {};
};

/// Those that scenes of robots have as parameters, by the same names.
template <typename Parameters>
ArticulatedWorldSettings world_settings(const std::string& scene, const Parameters& p) {
  ArticulatedWorldSettings settings;
  settings.name = scene;
  settings.time_step = p.time_step;
  settings.gravity = {0.0, 0.0, -p.gravity};
  settings.friction = p.friction;
  settings.envelope = p.envelope;
  if constexpr (requires { p.impedance; }) settings.impedance = p.impedance;
  return settings;
}

/// The owner of a shape.
struct ShapeOwner {
  std::size_t robot = 0;
  std::size_t link = 0;
};

/// Shapes of a robot in the world: solids with the numbers first_id, first_id + 1, … in the order of its shapes.
std::vector<Solid> placed_shapes(const RobotModel& model, const PlacedTree& placed, int first_id);

/// Whether two links of a tree, or one and the ground, may be in contact: they are more than two joints apart.
bool may_touch(const Tree& tree, int one, int other);

/// Robots with contact, friction and joint limits over resting obstacles, stepped in time by the impulses at the start of
/// the step (velocity_impulse): H = M(q) + h B + h² K with B the damping of the joints and of the controllers, K the
/// stiffness of these, k = M v − h bias(q, v) + h (K (q_d − q) + D q̇_d + what the controllers carry), b = Φ/h. See
/// problems/docs/articulated.md.
///
/// The dofs of a problem are those of the robots in the order of their list. Its blocks are the contacts in the order of
/// their keys, in which the bodies are the shapes of all robots and then the obstacles, and a unilateral row for each bound
/// that a joint is near, Φ = q − q_min or q_max − q, with the numbers of both links (robot by robot) in their keys; then,
/// with ImpedanceForm::rows, one for each joint with a controller, whose K and D are then in neither H nor k. The problem
/// has the robots as its subsystems, with a part for each link that a block acts on.
///
/// Two shapes are in contact where Φ <= envelope + h (a + b), a and b the speeds at which the one and the other move towards
/// each other there by H⁻¹k, what recedes counting 0: of two that fall together the lower one may stop. A bound is near
/// where Φ <= limit_margin + h times such a speed.
class ArticulatedWorld final : public Motion, public ShowsMeshes {
 public:
  /// Throws InputError naming what is wrong: h <= 0, μ, an envelope, a margin or a damping that is negative, a robot whose
  /// velocity, pose or impedance does not fit its tree, a shape on a link that is not there.
  ArticulatedWorld(ArticulatedWorldSettings settings, std::vector<Robot> robots,
                   const std::vector<PlacedObstacle>& obstacles);

  const std::vector<Robot>& robots() const { return robots_; }
  double kinetic_energy() const;    ///< J
  double potential_energy() const;  ///< J
  /// The most that a joint is beyond a bound now, rad or m.
  double limit_error() const;
  /// The least gap now, m; 0 where nothing overlaps.
  double deepest_gap() const;

  MotionProblem problem() const override;
  void advance(const Vector& velocity, const Vector& impulse) override;
  Vector velocity() const override;
  std::int64_t step() const override { return step_; }
  double time_step() const override { return settings_.time_step; }
  MotionState state() const override;
  void restore(const MotionState& state) override;
  double time() const { return static_cast<double>(step_) * settings_.time_step; }
  const Vector& memory() const { return memory_; }
  /// kinetic_J, potential_J, joint_error (that of the limits), deepest_gap, and those of the task
  std::vector<MotionFact> facts() const override;
  SceneGeometry surfaces() const override;
  std::vector<PlacedMesh> meshes() const override;

 private:
  Index dofs() const;
  std::vector<PlacedTree> placed() const;
  /// Contacts of all pairs that may touch, with Φ <= envelope (m).
  Contacts contacts(const std::vector<PlacedTree>& placed, double envelope) const;

  ArticulatedWorldSettings settings_;
  std::vector<Robot> robots_;
  std::vector<Solid> obstacles_;    ///< numbered after the shapes
  std::vector<int> based_;          ///< PlacedObstacle::robot of each
  std::vector<ShapeOwner> owners_;  ///< of each shape, in the order of the robots
  std::int64_t step_ = 0;
  Vector memory_;
  mutable std::optional<double> deepest_gap_;  ///< of this state, once it was asked for
};

}  // namespace ccp
