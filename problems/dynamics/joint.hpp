#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "problems/dynamics/configuration.hpp"

namespace ccp {

enum class JointKind { spherical, revolute, prismatic, fixed, cylindrical, guide };

/// s(t) and ṡ(t) of a motor: m and m/s, or rad and rad/s.
struct MotorTarget {
  double value = 0.0;
  double rate = 0.0;
};

/// A frame fixed in a body, in the axes of that body.
struct JointFrame {
  Vector3 point = Vector3::Zero();     ///< m
  Matrix3 axes = Matrix3::Identity();  ///< columns x, y, z
};

/// A joint between two bodies, obstacles or the ground. With the frames (p_a, A), (p_b, B) in the world and d = p_b − p_a
/// its constraints Ψ = 0 are (δ: ½ vee(AᵀB − BᵀA), sin(angle)·axis of the relative rotation)
///
///     spherical               Aᵀd
///     revolute about A_z      Aᵀd, A_x·B_z, A_y·B_z
///     prismatic along A_z     A_x·d, A_y·d, δ
///     fixed                   Aᵀd, δ
///     cylindrical about A_z   A_x·d, A_y·d, A_x·B_z, A_y·B_z
///     guide along A_z         A_x·d, A_y·d
///     motor, one row more     A_z·d − s(t); of a revolute joint sin(angle − s(t)), exact for any number of turns
///
/// d has components along A, not along the world's axes: impulses then conserve angular momentum although d is not quite 0.
struct Joint {
  static constexpr int ground = -1;

  JointKind kind = JointKind::spherical;
  int first = ground;  ///< number of a body or an obstacle
  int second = ground;
  JointFrame on_first, on_second;                          ///< on the ground: world axes
  std::function<MotorTarget(double time)> motor;           ///< of a revolute, prismatic, cylindrical or guide joint
  double from = -std::numeric_limits<double>::infinity();  ///< s; steps that begin before have no such joint
  double until = std::numeric_limits<double>::infinity();  ///< s; nor have those that begin then or later
};

/// "spherical", "revolute", …
std::string joint_name(JointKind kind);

/// One row: Ψ, its gradient with respect to (v, ω) of both sides, world axes, and ∂Ψ/∂t.
struct JointRow {
  using Gradient = Eigen::Matrix<double, 6, 1>;

  double value = 0.0;  ///< m, or 1
  double rate = 0.0;   ///< by the motor, not by the motion of an obstacle
  Gradient first = Gradient::Zero();
  Gradient second = Gradient::Zero();
};

/// The rows of a joint whose sides are at the given places (the ground: Placement{}) at a time (s).
std::vector<JointRow> joint_rows(const Joint& joint, const Placement& first, const Placement& second, double time);

/// Throws InputError naming what is wrong with the frames, the times or the motor of a joint. name: "joint 3".
void check_joint(const Joint& joint, const std::string& name);

}  // namespace ccp
