#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "core/types.hpp"
#include "problems/articulated/joint_path.hpp"
#include "problems/dynamics/obstacle.hpp"

namespace ccp {

/// A six-axis arm with a spherical wrist, in maximal coordinates a chain of six links. Joint i turns link i about an axis of
/// link i − 1 through its own place in that link's frame; link 0 is the ground. Tasora 2021, sec. 8.3, gives no sizes: ours.
namespace arm {

constexpr std::size_t joints = 6;
using Angles = std::array<double, joints>;  ///< q₁ … q₆, rad; as rates rad/s

/// Place of joint i in the frame of link i − 1, m; the last one is the tip in the frame of link 6.
Vector3 offset(std::size_t joint);

/// The place of joint i, how link i is turned, and the axis of the joint, all in the world.
struct Link {
  Vector3 position;  ///< m
  Quaternion attitude;
  Vector3 axis;
};

/// Forward kinematics, from the base to the tool.
std::array<Link, joints> links(const Angles& angles);

/// A point of the tool, `along` its axis from joint 6 (m), with the velocity and spin that the rates of the angles give it.
ObstacleFrame tool(const Angles& angles, const Angles& rates, double along);

/// Inverse kinematics: the angles, elbow up, that put the tip at a point (m) with the given q₄, q₅, q₆. Nothing where the
/// point is out of reach.
std::optional<Angles> reaching(const Vector3& tip, const std::array<double, 3>& wrist);

using Path = JointPath<Angles>;

}  // namespace arm
}  // namespace ccp
