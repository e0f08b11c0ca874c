#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/constraints.hpp"
#include "problem/contact_problem.hpp"
#include "problem/part_source.hpp"
#include "problem/scene_geometry.hpp"

namespace ccp {

/// A free rigid body of 6 dofs: the velocity of its centre of mass, then its angular velocity, both in the world frame.
struct RigidBody {
  double mass = 1.0;                      ///< kg
  Matrix3 inertia = Matrix3::Identity();  ///< about the centre, in the world frame, kg m²
  Vector3 position = Vector3::Zero();     ///< centre, m
  Vector3 velocity = Vector3::Zero();     ///< of the centre at the start of the step, m/s
  Vector3 spin = Vector3::Zero();         ///< angular velocity at the start of the step, rad/s
  Vector3 force = Vector3::Zero();        ///< applied force, N
  Vector3 torque = Vector3::Zero();       ///< applied torque about the centre, N m
  bool gyroscopic = false;                ///< with the torque −ω × inertia ω, linearised at the end of the step
};

/// A solid sphere at rest under gravity along −z.
RigidBody solid_sphere(double mass, double radius, const Vector3& position, double gravity);

/// One constraint block between two bodies. `normal` points from `first` to `second`, so that u_n >= 0 separates; either
/// body may be `fixed`, which stands for everything that does not move.
struct RigidConstraint {
  static constexpr int fixed = -1;

  ConstraintKind kind = ConstraintKind::contact;
  int first = fixed;
  int second = fixed;
  Vector3 point = Vector3::Zero();     ///< where the impulse acts, m
  Vector3 normal = Vector3::UnitZ();   ///< unit vector
  Vector3 tangent = Vector3::UnitX();  ///< unit vector orthogonal to the normal; the second tangent is normal × tangent
  double friction = 0.0;
  double rolling = 0.0, spinning = 0.0;  ///< μ_r, μ_s of a kind with moments, m
  double gap = 0.0;                      ///< Φ, m; negative where the bodies overlap
};

/// Some unit vector orthogonal to `normal`, the same for the same normal.
Vector3 any_tangent(const Vector3& normal);

/// The normal, its any_tangent() and their cross product, as columns.
Matrix3 contact_frame(const Vector3& normal);

/// The global form (A.1, A.2) of one step of length h: H = diag(m, m, m, inertia) for each body, k = M v⁽ˡ⁾ + h (f, τ), D
/// from the points and frames, b = (Φ/h, 0, 0). With ω the spin at the start and J the inertia of a gyroscopic body, J + h
/// ([ω]× J − [Jω]×) stands in the place of J in H, which is not symmetric then, and its k gains h ω × Jω. A contact has
/// three rows, and those of its moments about tangents and normal; unilateral and bilateral blocks have the normal row
/// alone. D is written column by column, without a list of triplets: 1e6 contacts take half a gigabyte.
ContactProblem rigid_step(const std::string& name, const std::vector<RigidBody>& bodies,
                          const std::vector<RigidConstraint>& constraints, double time_step);

/// What it is made of: H and k of some bodies; D, b and the set of some constraints between them, rows of moments scaled
/// (A.7).
SparseMatrix rigid_mass(const std::vector<RigidBody>& bodies, double time_step);
Vector rigid_momentum(const std::vector<RigidBody>& bodies, double time_step);
PartBlocks rigid_blocks(const std::vector<RigidBody>& bodies, std::span<const RigidConstraint> constraints,
                        double time_step);

/// Where the contacts among constraints are, for pictures. obstacle: the number of the surface that `fixed` stands for.
std::vector<PlacedContact> placed_contacts(const std::vector<RigidConstraint>& constraints,
                                           int obstacle = PlacedContact::at_rest);

}  // namespace ccp
