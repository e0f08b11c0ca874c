#pragma once

#include <cstddef>
#include <numbers>
#include <vector>

#include "problems/articulated/tree.hpp"
#include "problems/geometry/shape.hpp"

namespace ccp {

/// A shape that is fixed to a link: of a tree, or of the list that one is made of.
struct LinkShape {
  std::size_t link = 0;
  Shape shape;
  Vector3 place = Vector3::Zero();     ///< of its centre in the frame of the link, m
  Matrix3 turn = Matrix3::Identity();  ///< of its axes in that frame
};

/// Links, fixed ones too, with the shapes of these links.
struct RobotDescription {
  std::vector<TreeLink> links;
  std::vector<LinkShape> shapes;
};

/// Franka Emika's Panda, seven joints on the ground and the flange: sizes of franka_ros (franka_arm.xacro, b2a62ff),
/// inertias of its inertial.yaml, identified by Gaz et al. 2019. Seven links; the flange is 0.107 m along z of the last one.
std::vector<TreeLink> panda();

/// Its ready pose (rad; the last axis points down), and the gains of libfranka's example joint_impedance_control.cpp
/// (N·m/rad, N·m·s/rad).
inline constexpr double panda_ready[] = {
    0.0, -0.25 * std::numbers::pi, 0.0, -0.75 * std::numbers::pi, 0.0, 0.5 * std::numbers::pi, 0.25 * std::numbers::pi};
inline constexpr double panda_stiffness[] = {600.0, 600.0, 600.0, 600.0, 250.0, 150.0, 50.0};
inline constexpr double panda_damping[] = {50.0, 50.0, 50.0, 50.0, 30.0, 25.0, 15.0};
inline constexpr double panda_flange = 0.107;  ///< m, along z of the last link

/// Unitree's Laikago, a free trunk and four legs of three joints, in the order FR, FL, RR, RL: unitree_ros
/// (laikago.urdf, 8414c77). 13 links, feet one with the calves.
std::vector<TreeLink> laikago();

/// What it collides with, from the same file: a box for the trunk, for each thigh and each calf, a ball for each foot. Hips
/// have none.
std::vector<LinkShape> laikago_shapes();

/// The right Allegro hand of Wonik Robotics (SimLab), 16 joints behind a palm that is fixed to the ground, fingers along z:
/// places, limits, boxes and balls of allegro_hand_ros (allegro_hand_description_right.urdf, 67e3138), the thumb as
/// mujoco_menagerie has it (BSD-2-Clause). Masses are those of boxes of 800 kg/m³, ours.
RobotDescription allegro_hand();

/// The upper body of Unitree's G1 on a torso that is fixed to the ground, 28 joints: two arms of seven, each with a Dex3-1
/// hand of three fingers and seven joints, first the left ones: unitree_ros (g1_dual_arm.urdf, 5ae4fa5; dex3_1_l.urdf,
/// 57d8346; BSD-3-Clause). The right side is the mirror image of the left one, to 10 µm that of the file. x is in front, z
/// up. For contact the hands have balls, ours: two of 19 mm a palm, five of 9 mm a finger.
RobotDescription g1_upper_body();

}  // namespace ccp
