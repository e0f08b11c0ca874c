#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "problem/motion.hpp"
#include "problem/placed_mesh.hpp"
#include "problems/dynamics/obstacle.hpp"
#include "problems/dynamics/stepper.hpp"
#include "problems/finite_elements/elastic_body.hpp"
#include "problems/finite_elements/elastic_step.hpp"
#include "problems/finite_elements/penalty_contact.hpp"
#include "problems/finite_elements/rigid_partner.hpp"
#include "problems/finite_elements/surface_contact.hpp"
#include "problems/geometry/shape.hpp"

namespace ccp {

class ProblemBuilder;

struct ElasticWorldSettings {
  std::string name;                  ///< of the scene, in its states and problems
  double time_step = 0.05;           ///< h, s
  Vector3 gravity{0.0, 0.0, -9.81};  ///< m/s²
  Stepping stepping = Stepping::velocity_impulse;
  double envelope = 0.005;         ///< contacts of bodies at rest have Φ <= this, m
  double friction = 0.0;           ///< μ of all contacts; 0: a contact is one unilateral row
  PenaltyLaw penalty = {};         ///< springs instead of rows; with velocity_impulse and without friction
  bool remembers_fastest = false;  ///< states have one number more, the fact `fastest`
};

/// A half-space, a cylinder, a sphere or a box with a prescribed motion. With a mass it is a rigid body of the problem,
/// which six bilateral rows hold to that motion; without one only its velocity is known there.
struct ElasticObstacle {
  Shape shape;
  PrescribedMotion motion;
  double mass = 0.0;                  ///< kg
  Vector3 inertia = Vector3::Zero();  ///< principal moments, kg m²
};

/// Bodies of finite elements with contact and friction, and free rigid bodies among them, stepped in time. See
/// problems/docs/finite_elements.md for the equations. Elastic bodies have the first numbers, then come rigid ones and
/// obstacles. The dofs of a problem are those of the rigid bodies and of the obstacles that have a mass, 6 each (v, ω in
/// world axes), and then those of the nodes of the bodies in the order of their numbers, 3 a node. Its blocks are the
/// contacts and then the rows of these obstacles.
///
/// With velocity_impulse a pair is in contact where Φ <= envelope + h · max(speed of either), the speed of a body the
/// largest of its nodes in v⁽ˡ⁾ and in H⁻¹k. The relative speed would not do: layers fall equally fast, the lower one stops,
/// and the upper one enters it. With moreau_midpoint it is where Φ <= 0 at the half step.
class ElasticWorld final : public Motion, public ShowsMeshes {
 public:
  /// Throws InputError naming what is wrong: h <= 0, an envelope, a mass or μ < 0, an obstacle or a rigid body of another
  /// shape, a rigid body that has no contact with an obstacle, springs with friction, with another integrator or with rigid
  /// bodies.
  ElasticWorld(ElasticWorldSettings settings, std::vector<ElasticBody> bodies, std::vector<ElasticObstacle> obstacles,
               std::vector<RigidPartner> partners = {});

  const std::vector<ElasticBody>& bodies() const { return bodies_; }
  const std::vector<RigidPartner>& partners() const { return partners_; }
  /// J; the potential one is that of gravity alone.
  double kinetic_energy() const;
  double potential_energy() const;
  /// The least gap now, m; 0 where nothing overlaps.
  double deepest_gap() const;

  MotionProblem problem() const override;
  void advance(const Vector& velocity, const Vector& impulse) override;
  Vector velocity() const override;
  std::int64_t step() const override { return step_; }
  double time_step() const override { return settings_.time_step; }
  MotionState state() const override;
  void restore(const MotionState& state) override;
  /// kinetic_J, potential_J (of gravity and elastic), elastic_J, deepest_gap, inverted (elements with det F <= 0), and where
  /// the settings say so fastest (the largest speed of a node at the end of a step so far, m/s)
  std::vector<MotionFact> facts() const override;
  /// The rigid bodies and the obstacles.
  SceneGeometry surfaces() const override;
  std::vector<PlacedMesh> meshes() const override;

 private:
  using Places = std::vector<std::vector<Vector3>>;

  Index dofs() const { return rigid_dofs() + node_dofs(); }
  Index rigid_dofs() const { return 6 * (std::ssize(partners_) + std::ssize(driven_)); }
  Index node_dofs() const;
  /// Numbers of a state: nodes, rigid bodies, the fastest.
  Index state_size() const;
  /// First dof of a rigid body or of an obstacle with a mass by its number; -1 of other obstacles.
  Index first_rigid_dof(int number) const;
  /// Frames of the rigid bodies after `lead` of a step with their velocities.
  std::vector<ObstacleFrame> frames_after(double lead) const;
  /// H and k of an obstacle with a mass.
  ElasticStep driven_step(const ElasticObstacle& obstacle) const;
  double time() const { return static_cast<double>(step_) * settings_.time_step; }
  Places places_after(double lead) const;
  /// places: after `lead` of a step. speeds: of the elastic bodies, m/s; empty: only what touches or overlaps.
  std::vector<SurfaceContact> contacts(const Places& places, double lead, const std::vector<double>& speeds) const;
  void add_driven_blocks(ProblemBuilder& builder, std::vector<ContactKey>& keys) const;
  /// With springs for contacts.
  MotionProblem sprung_problem(const std::vector<ElasticStep>& steps, const Places& places) const;
  /// D and b, those of obstacles with a mass at the end. frames: normal and tangents of each contact.
  std::pair<SparseMatrix, Vector> contact_rows(const std::vector<SurfaceContact>& contacts,
                                               const std::vector<Matrix3>& frames) const;

  ElasticWorldSettings settings_;
  std::vector<ElasticBody> bodies_;
  std::vector<ElasticObstacle> obstacles_;
  std::vector<RigidPartner> partners_;
  std::vector<std::size_t> driven_;  ///< obstacles with a mass
  const Stepper* stepper_;
  std::int64_t step_ = 0;
  double fastest_ = 0.0;
};

}  // namespace ccp
