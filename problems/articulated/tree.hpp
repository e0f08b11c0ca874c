#pragma once

#include <limits>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "problems/dynamics/attitude.hpp"
#include "problems/dynamics/configuration.hpp"

namespace ccp {

/// How a link moves on its parent.
enum class TreeJoint { fixed, revolute, prismatic, free };

/// A link of a tree and the joint that carries it. The frame of a link is that of its joint: at rest it is at `place`,
/// turned by `turn`, in the frame of its parent.
struct TreeLink {
  static constexpr int ground = -1;

  std::string name;
  int parent = ground;  ///< a link before this one
  TreeJoint joint = TreeJoint::revolute;
  Vector3 place = Vector3::Zero();  ///< m
  Matrix3 turn = Matrix3::Identity();
  Vector3 axis = Vector3::UnitZ();                          ///< unit vector, frame of the link
  double mass = 0.0;                                        ///< kg
  Vector3 centre = Vector3::Zero();                         ///< of mass, frame of the link, m
  Matrix3 inertia = Matrix3::Zero();                        ///< about the centre of mass, axes of the link, kg m²
  double lower = -std::numeric_limits<double>::infinity();  ///< of the joint, rad or m
  double upper = std::numeric_limits<double>::infinity();
  double damping = 0.0;  ///< of the joint, N·m·s/rad or N·s/m
};

/// Where a link of the list that a tree was made of is in it.
struct MergedLink {
  int link = TreeLink::ground;      ///< of the tree; ground: fixed to the ground
  Vector3 place = Vector3::Zero();  ///< in the frame of that link, m
  Matrix3 turn = Matrix3::Identity();
};

/// The state of a tree. Entries of joints that are not revolute or prismatic are 0.
struct TreePose {
  Vector3 base = Vector3::Zero();  ///< centre of mass of link 0 where its joint is free, m
  Quaternion attitude;             ///< of that link
  std::vector<double> joints;      ///< of each link, rad or m
};

/// Links on joints, parents first, on the ground or free. The dofs go from the root to the leaves, in the order of the
/// links: 6 of a free joint, the velocity of the centre of mass of its link and the spin, world axes; one rate of each other
/// joint.
class Tree {
 public:
  /// Links on fixed joints become one with their parents, and those behind them are moved to these. Throws InputError naming
  /// a link without parents before it, with a free joint other than on the ground and first, with an axis that is no unit
  /// vector, an inertia that is not symmetric and positive definite where it moves (fixed ones may have none), or bounds
  /// that are out of order.
  explicit Tree(const std::vector<TreeLink>& links);

  /// Without the fixed ones.
  const std::vector<TreeLink>& links() const { return links_; }
  /// Of each link that the tree was made of, fixed ones too.
  const std::vector<MergedLink>& merged() const { return merged_; }
  Index dofs() const { return dofs_; }
  /// The first dof of a link.
  Index first_dof(std::size_t link) const { return first_dof_[link]; }
  Index dof_count(std::size_t link) const { return links_[link].joint == TreeJoint::free ? 6 : 1; }
  /// The parent of each dof: the next one on its way to the root, −1 at the root. L of H = LᵀL has entries on these ways
  /// alone.
  std::vector<Index> dof_parents() const;
  double mass() const;
  /// All joints at 0.
  TreePose rest() const;

 private:
  std::vector<TreeLink> links_;
  std::vector<MergedLink> merged_;
  std::vector<Index> first_dof_;
  Index dofs_ = 0;
};

/// A tree in a pose: where the links are and what each dof moves.
class PlacedTree {
 public:
  PlacedTree(const Tree& tree, const TreePose& pose);

  /// Frames of the links in the world.
  const std::vector<Placement>& links() const { return links_; }
  /// Centre of mass of a link, m.
  Vector3 centre(std::size_t link) const;
  /// H, n×n, by composite bodies (CRBA; Featherstone 2008, ch. 6).
  DenseMatrix joint_inertia() const;
  /// What M v̇ + bias = τ asks for: the generalised forces that keep v̇ = 0 under gravity (m/s²), by RNEA (Featherstone 2008,
  /// ch. 5), n.
  Vector bias_force(const Vector& velocity, const Vector3& gravity) const;
  /// 6×n: velocity of a point of a link (m, world) and spin of the link, per unit of each dof. Only the dofs between the
  /// link and the root move it.
  DenseMatrix body_jacobian(std::size_t link, const Vector3& point) const;

 private:
  using Spatial = Eigen::Matrix<double, 6, 1>;  ///< linear part at origin_, then the angular one

  Eigen::Matrix<double, 6, 6> spatial_inertia(std::size_t link) const;

  const Tree& tree_;
  std::vector<Placement> links_;
  std::vector<Spatial> motions_;  ///< of each dof
  Vector3 origin_;                ///< what spatial vectors are about: the base, not the origin of the world
};

/// The pose after a step of h (s) with constant velocity: q + h q̇, and exp(h ω) on a free base.
TreePose integrated(const Tree& tree, TreePose pose, const Vector& velocity, double h);

}  // namespace ccp
