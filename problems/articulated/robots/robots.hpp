#pragma once

#include <cstddef>
#include <vector>

#include "problems/articulated/tree.hpp"
#include "problems/geometry/shape.hpp"

namespace ccp {

/// A shape that is fixed to a link of a tree without fixed joints.
struct LinkShape {
  std::size_t link = 0;
  Shape shape;
  Vector3 place = Vector3::Zero();  ///< of its centre in the frame of the link, m; its axes are those of the link
};

/// Franka Emika's Panda, seven joints on the ground and the flange: sizes of franka_ros (franka_arm.xacro, b2a62ff),
/// inertias of its inertial.yaml, identified by Gaz et al. 2019. Seven links; the flange is 0.107 m along z of the last one.
std::vector<TreeLink> panda();

/// Unitree's Laikago, a free trunk and four legs of three joints, in the order FR, FL, RR, RL: unitree_ros
/// (laikago.urdf, 8414c77). 13 links, feet one with the calves.
std::vector<TreeLink> laikago();

/// What it collides with, from the same file: a box for the trunk, for each thigh and each calf, a ball for each foot. Hips
/// have none.
std::vector<LinkShape> laikago_shapes();

}  // namespace ccp
