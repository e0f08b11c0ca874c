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
#include "problems/finite_elements/surface_contact.hpp"
#include "problems/geometry/shape.hpp"

namespace ccp {

struct ElasticWorldSettings {
  std::string name;                  ///< of the scene, in its states and problems
  double time_step = 0.05;           ///< h, s
  Vector3 gravity{0.0, 0.0, -9.81};  ///< m/s²
  Stepping stepping = Stepping::velocity_impulse;
  double envelope = 0.005;  ///< contacts of bodies at rest have Φ <= this, m
  double friction = 0.0;    ///< μ of all contacts; 0: a contact is one unilateral row
};

/// A half-space or a cylinder that moves as it is told.
struct ElasticObstacle {
  Shape shape;
  PrescribedMotion motion;
};

/// Bodies of finite elements with contact and friction, stepped in time. See problems/README.md for the equations. The dofs
/// of a problem are those of the nodes of the bodies in the order of their numbers, 3 a node.
///
/// With velocity_impulse a pair is in contact where Φ <= envelope + h · max(speed of either), the speed of a body the
/// largest of its nodes in v⁽ˡ⁾ and in H⁻¹k. The relative speed would not do: layers fall equally fast, the lower one stops,
/// and the upper one enters it. With moreau_midpoint it is where Φ <= 0 at the half step.
class ElasticWorld final : public Motion, public ShowsMeshes {
 public:
  /// Throws InputError naming what is wrong: h <= 0, an envelope or μ < 0, an obstacle of another shape.
  ElasticWorld(ElasticWorldSettings settings, std::vector<ElasticBody> bodies, std::vector<ElasticObstacle> obstacles);

  const std::vector<ElasticBody>& bodies() const { return bodies_; }
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
  /// kinetic_J, potential_J (of gravity and elastic), elastic_J, deepest_gap, inverted (elements with det F <= 0)
  std::vector<MotionFact> facts() const override;
  /// The obstacles.
  SceneGeometry surfaces() const override;
  std::vector<PlacedMesh> meshes() const override;

 private:
  using Places = std::vector<std::vector<Vector3>>;

  Index dofs() const;
  double time() const { return static_cast<double>(step_) * settings_.time_step; }
  Places places_after(double lead) const;
  /// speeds: of the bodies, m/s; empty: only what touches or overlaps.
  std::vector<SurfaceContact> contacts(const Places& places, double time, const std::vector<double>& speeds) const;
  /// D and b. frames: normal and tangents of each contact.
  std::pair<SparseMatrix, Vector> contact_rows(const std::vector<SurfaceContact>& contacts,
                                               const std::vector<Matrix3>& frames) const;

  ElasticWorldSettings settings_;
  std::vector<ElasticBody> bodies_;
  std::vector<ElasticObstacle> obstacles_;
  const Stepper* stepper_;
  std::int64_t step_ = 0;
};

}  // namespace ccp
