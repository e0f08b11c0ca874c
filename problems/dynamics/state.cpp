#include "problems/dynamics/state.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"

namespace ccp {
namespace {

constexpr double largest_way = 1e8;  // in a step, m or rad

MovingBody unpacked(MovingBody body, const double* values, std::size_t number) {
  body.position = Eigen::Map<const Vector3>(values);
  body.attitude = {values[3], values[4], values[5], values[6]};
  body.velocity = Eigen::Map<const Vector3>(values + 7);
  body.spin = Eigen::Map<const Vector3>(values + 10);
  check_unit_quaternion(values + 3, "body", number);
  return body;
}

PseudoRigidBody unpacked(PseudoRigidBody body, const double* values, std::size_t number) {
  body.position = Eigen::Map<const Vector3>(values);
  body.deformation = from_rows(Eigen::Map<const Eigen::Matrix<double, 9, 1>>(values + 3));
  body.velocity = Eigen::Map<const Vector3>(values + 12);
  body.deformation_rate = from_rows(Eigen::Map<const Eigen::Matrix<double, 9, 1>>(values + 15));
  if (const double ratio = body.deformation.determinant(); !(ratio > 0.0))
    throw InputError(fmt::format("damaged state: body {} is deformed to {} times its volume, expected a positive number",
                                 number, format_double(ratio)));
  return body;
}

}  // namespace

void check_origin(const MotionState& state, const std::string& scene) {
  if (state.scene != scene) throw InputError(fmt::format("state is of '{}', expected '{}'", state.scene, scene));
  if (state.step < 0) throw InputError(fmt::format("state has step {}, expected >= 0", state.step));
}

void check_finite(const Vector& values) {
  for (Index i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      throw InputError(fmt::format("damaged state: number {} is {}, expected a finite one", i, format_double(values[i])));
}

void check_unit_quaternion(const double* quaternion, std::string_view what, std::size_t number) {
  const double norm = Eigen::Map<const Eigen::Vector4d>(quaternion).norm();
  if (!(std::abs(norm - 1.0) < 1e-12))
    throw InputError(
        fmt::format("damaged state: quaternion of {} {} has norm {}, expected 1", what, number, format_double(norm)));
}

void check_solution(const Vector& velocity, const Vector& impulse, Index dofs, std::int64_t step) {
  if (velocity.size() != dofs)
    throw InputError(fmt::format("velocity of step {} has {} entries, expected {}", step, velocity.size(), dofs));
  if (!velocity.allFinite() || !impulse.allFinite())
    throw InputError(fmt::format("solution of step {} is not finite", step));
}

void check_way(const Vector& velocity, double h, std::string_view what, std::int64_t step) {
  if (const double way = h * max_norm(velocity); !(way < largest_way))
    throw InputError(
        fmt::format("step {} would move a {} by {:.0e} m or rad, expected less than {:.0e}: the motion has "
                    "broken down",
                    step, what, way, largest_way));
}

Eigen::Matrix<double, 9, 1> by_rows(const Matrix3& matrix) {
  Eigen::Matrix<double, 9, 1> rows;
  rows << matrix.row(0).transpose(), matrix.row(1).transpose(), matrix.row(2).transpose();
  return rows;
}

Matrix3 from_rows(const Eigen::Matrix<double, 9, 1>& rows) {
  Matrix3 matrix;
  matrix << rows.segment<3>(0).transpose(), rows.segment<3>(3).transpose(), rows.segment<3>(6).transpose();
  return matrix;
}

Vector packed(const std::vector<MovingBody>& bodies, const std::vector<PseudoRigidBody>& pseudo_rigid) {
  Vector values(rigid_state_size * std::ssize(bodies) + pseudo_rigid_state_size * std::ssize(pseudo_rigid));
  Index place = 0;
  for (const MovingBody& body : bodies) {
    const Quaternion& q = body.attitude;
    values.segment<rigid_state_size>(place) << body.position, q.w, q.x, q.y, q.z, body.velocity, body.spin;
    place += rigid_state_size;
  }
  for (const PseudoRigidBody& body : pseudo_rigid) {
    values.segment<pseudo_rigid_state_size>(place) << body.position, by_rows(body.deformation), body.velocity,
        by_rows(body.deformation_rate);
    place += pseudo_rigid_state_size;
  }
  return values;
}

void unpack(const Vector& values, std::vector<MovingBody>& bodies, std::vector<PseudoRigidBody>& pseudo_rigid) {
  const Index expected = rigid_state_size * std::ssize(bodies) + pseudo_rigid_state_size * std::ssize(pseudo_rigid);
  if (values.size() != expected)
    throw InputError(fmt::format("state has {} numbers, expected {} ({} rigid bodies of 13, {} pseudo-rigid ones of 24)",
                                 values.size(), expected, bodies.size(), pseudo_rigid.size()));
  check_finite(values);
  std::vector<MovingBody> rigid;
  std::vector<PseudoRigidBody> deformable;
  const double* place = values.data();
  for (const MovingBody& body : bodies) {
    rigid.push_back(unpacked(body, place, rigid.size()));
    place += rigid_state_size;
  }
  for (const PseudoRigidBody& body : pseudo_rigid) {
    deformable.push_back(unpacked(body, place, rigid.size() + deformable.size()));
    place += pseudo_rigid_state_size;
  }
  bodies = std::move(rigid);
  pseudo_rigid = std::move(deformable);
}

}  // namespace ccp
