#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "core/types.hpp"
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

/// Angles that go through points in turn and rest at each: between two, q = q_a + s (q_b − q_a) with s = 10τ³ − 15τ⁴ + 6τ⁵,
/// τ the share of the time. At rest at the last one from then on.
class Path {
 public:
  struct Point {
    double time;  ///< s, later than that of the point before; 0 of the first one
    Angles angles;
  };
  explicit Path(std::vector<Point> points) : points_(std::move(points)) {}

  Angles angles(double time) const;
  Angles rates(double time) const;

 private:
  struct Piece;
  Piece piece(double time) const;

  std::vector<Point> points_;
};

}  // namespace arm
}  // namespace ccp
