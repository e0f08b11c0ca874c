#include "problems/dynamics/joint.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "core/error.hpp"
#include "problems/dynamics/body.hpp"
#include "problems/dynamics/elementary.hpp"

namespace ccp {
namespace {

/// Makes the rows of one joint at one time.
class RowMaker {
 public:
  RowMaker(const Joint& joint, const Placement& first, const Placement& second)
      : A_(first.rotation * joint.on_first.axes),
        B_(second.rotation * joint.on_second.axes),
        first_arm_(first.rotation * joint.on_first.point),
        second_arm_(second.rotation * joint.on_second.point),
        d_(second.position + second_arm_ - first.position - first_arm_) {}

  const Matrix3& A() const { return A_; }
  const Matrix3& B() const { return B_; }

  /// Ψ = A_i·d. A_i turns with the first body, hence the arm to the end of d.
  JointRow distance(Index i) const {
    const Vector3 axis = A_.col(i);
    JointRow row;
    row.value = axis.dot(d_);
    row.first << -axis, -(first_arm_ + d_).cross(axis);
    row.second << axis, second_arm_.cross(axis);
    return row;
  }

  /// Ψ = a·b with a fixed in the first body and b in the second: Ψ̇ = (ω_b − ω_a)·(b × a).
  static JointRow cosine(const Vector3& a, const Vector3& b) {
    JointRow row;
    row.value = a.dot(b);
    row.second.tail<3>() = b.cross(a);
    row.first.tail<3>() = -row.second.tail<3>();
    return row;
  }

  /// Component i of ½ vee(AᵀB − BᵀA).
  JointRow tilt(Index i) const {
    const Index j = (i + 1) % 3, k = (i + 2) % 3;
    JointRow row = cosine(A_.col(k), B_.col(j));
    const JointRow other = cosine(A_.col(j), B_.col(k));
    row.value = 0.5 * (row.value - other.value);
    row.first = 0.5 * (row.first - other.first);
    row.second = 0.5 * (row.second - other.second);
    return row;
  }

  /// Ψ = sin(angle − s): the cosine between B_x and A_y turned by s about A_z.
  JointRow angle(const MotorTarget& target) const {
    const double sine = taylor_sin(target.value), cosine_s = taylor_cos(target.value);
    const Vector3 x = cosine_s * A_.col(0) + sine * A_.col(1), y = cosine_s * A_.col(1) - sine * A_.col(0);
    JointRow row = cosine(y, B_.col(0));
    row.rate = -target.rate * x.dot(B_.col(0));
    return row;
  }

 private:
  Matrix3 A_, B_;
  Vector3 first_arm_, second_arm_, d_;
};

/// How many components of d, of δ and of B_z across A_z are held.
struct Held {
  int distances, tilts, axes;
};

Held held(JointKind kind) {
  switch (kind) {
    case JointKind::spherical: return {3, 0, 0};
    case JointKind::revolute: return {3, 0, 2};
    case JointKind::prismatic: return {2, 3, 0};
    case JointKind::fixed: return {3, 3, 0};
    case JointKind::cylindrical: return {2, 0, 2};
    case JointKind::guide: return {2, 0, 0};
  }
  return {};
}

}  // namespace

std::string joint_name(JointKind kind) {
  switch (kind) {
    case JointKind::spherical: return "spherical";
    case JointKind::revolute: return "revolute";
    case JointKind::prismatic: return "prismatic";
    case JointKind::fixed: return "fixed";
    case JointKind::cylindrical: return "cylindrical";
    case JointKind::guide: return "guide";
  }
  return {};
}

std::vector<JointRow> joint_rows(const Joint& joint, const Placement& first, const Placement& second, double time) {
  const RowMaker make(joint, first, second);
  const auto [distances, tilts, axes] = held(joint.kind);
  std::vector<JointRow> rows;
  for (Index i = 0; i < distances; ++i) rows.push_back(make.distance(i));
  for (Index i = 0; i < tilts; ++i) rows.push_back(make.tilt(i));
  for (Index i = 0; i < axes; ++i) rows.push_back(RowMaker::cosine(make.A().col(i), make.B().col(2)));
  if (!joint.motor) return rows;
  const MotorTarget target = joint.motor(time);
  if (joint.kind == JointKind::revolute) {
    rows.push_back(make.angle(target));
  } else {
    rows.push_back(make.distance(2));
    rows.back().value -= target.value;
    rows.back().rate = -target.rate;
  }
  return rows;
}

void check_joint(const Joint& joint, const std::string& name) {
  for (const JointFrame* frame : {&joint.on_first, &joint.on_second}) {
    require_finite(frame->point, "point of " + name);
    const double defect = (frame->axes.transpose() * frame->axes - Matrix3::Identity()).cwiseAbs().maxCoeff();
    if (!(defect < 1e-12) || frame->axes.determinant() < 0.0)
      throw InputError(fmt::format("axes of {} are no right-handed frame of unit vectors (defect {:.1e})", name, defect));
  }
  if (joint.motor && (joint.kind == JointKind::spherical || joint.kind == JointKind::fixed))
    throw InputError(fmt::format("{} is {} and has a motor, expected a revolute, prismatic, cylindrical or guide joint",
                                 name, joint_name(joint.kind)));
  if (!(joint.from < joint.until))
    throw InputError(
        fmt::format("{} lasts from {} s until {} s, expected an end after the beginning", name, joint.from, joint.until));
}

}  // namespace ccp
