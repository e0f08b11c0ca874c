#pragma once

#include <vector>

#include "problems/articulated/tree.hpp"

namespace ccp {

/// Franka Emika's Panda, seven joints on the ground and the flange: sizes of franka_ros (franka_arm.xacro, b2a62ff),
/// inertias of its inertial.yaml, identified by Gaz et al. 2019. Seven links; the flange is 0.107 m along z of the last one.
std::vector<TreeLink> panda();

/// Unitree's Laikago, a free trunk and four legs of three joints, in the order FR, FL, RR, RL: unitree_ros
/// (laikago.urdf, 8414c77). 13 links, feet one with the calves.
std::vector<TreeLink> laikago();

}  // namespace ccp
