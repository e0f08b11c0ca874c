#include "problems/scenes/robot_arm.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "problems/dynamics/elementary.hpp"

namespace ccp::arm {
namespace {

constexpr std::array<Index, joints> axis_of_joint{2, 1, 1, 0, 1, 0};
constexpr double offsets[joints + 1][3] = {{0.0, 0.0, 0.0}, {0.35, 0.0, 0.75}, {0.0, 0.0, 1.25}, {0.4, 0.0, 0.05},
                                           {1.1, 0.0, 0.0}, {0.23, 0.0, 0.0},  {0.2, 0.0, 0.0}};

Quaternion turn_about(Index axis, double angle) { return rotation_exponential(angle * Vector3::Unit(axis)); }

double hypotenuse(double x, double y) { return std::sqrt(x * x + y * y); }

}  // namespace

Vector3 offset(std::size_t joint) { return {offsets[joint][0], offsets[joint][1], offsets[joint][2]}; }

std::array<Link, joints> links(const Angles& angles) {
  std::array<Link, joints> chain;
  Link before{Vector3::Zero(), {}, Vector3::Zero()};
  for (std::size_t i = 0; i < joints; ++i) {
    const Matrix3 R = rotation_matrix(before.attitude);
    chain[i] = {before.position + R * offset(i),
                unit_quaternion(product(before.attitude, turn_about(axis_of_joint[i], angles[i])), "a link"),
                R.col(axis_of_joint[i])};
    before = chain[i];
  }
  return chain;
}

ObstacleFrame tool(const Angles& angles, const Angles& rates, double along) {
  const std::array<Link, joints> chain = links(angles);
  const Link& last = chain.back();
  ObstacleFrame frame;
  frame.attitude = last.attitude;
  frame.position = last.position + along * rotation_matrix(last.attitude).col(0);
  for (std::size_t i = 0; i < joints; ++i) {
    frame.spin += rates[i] * chain[i].axis;
    frame.velocity += rates[i] * chain[i].axis.cross(frame.position - chain[i].position);
  }
  return frame;
}

std::optional<Angles> reaching(const Vector3& tip, const std::array<double, 3>& wrist) {
  // With the wrist given, the tip is a point of link 3: two links and a turn of the base lead there.
  const Matrix3 turn = rotation_matrix(product(turn_about(0, wrist[0]), turn_about(1, wrist[1])));
  const Vector3 end = offset(3) + offset(4) + turn * (offset(5) + offset(6));
  const double across = end[1], square = tip.head<2>().squaredNorm() - across * across;
  if (!(square > 0.0)) return std::nullopt;
  const double forward = std::sqrt(square) - offset(1)[0], up = tip[2] - offset(1)[2];
  const double upper = offset(2)[2], lower = hypotenuse(end[0], end[2]);
  const double cosine = (forward * forward + up * up - upper * upper - lower * lower) / (2.0 * upper * lower);
  if (!(std::abs(cosine) < 1.0)) return std::nullopt;
  const double sine = std::sqrt(1.0 - cosine * cosine);
  // Angles from z towards x, as turns about y are.
  const double elbow = taylor_atan2(sine, cosine);
  const double base = taylor_atan2(tip[1], tip[0]) - taylor_atan2(across, std::sqrt(square));
  const double shoulder = taylor_atan2(forward, up) - taylor_atan2(lower * sine, upper + lower * cosine);
  return Angles{base, shoulder, elbow - taylor_atan2(end[0], end[2]), wrist[0], wrist[1], wrist[2]};
}

}  // namespace ccp::arm
