#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "problem/motion.hpp"
#include "problems/dynamics/body.hpp"
#include "problems/dynamics/pseudo_rigid.hpp"

namespace ccp {

constexpr Index rigid_state_size = 13, pseudo_rigid_state_size = 24;

/// The state of the bodies, as in MotionState::values.
Vector packed(const std::vector<MovingBody>& bodies, const std::vector<PseudoRigidBody>& pseudo_rigid);

/// The inverse. Throws InputError, and changes nothing, when the size is wrong, a number is not finite, a quaternion is no
/// unit quaternion or a body is turned inside out.
void unpack(const Vector& values, std::vector<MovingBody>& bodies, std::vector<PseudoRigidBody>& pseudo_rigid);

/// Throws InputError unless the state is of `scene` and its step is not negative.
void check_origin(const MotionState& state, const std::string& scene);

/// Throws InputError at the first number that is not finite.
void check_finite(const Vector& values);

/// Throws InputError unless the four numbers are a unit quaternion; `what` has it, such as "body" 3.
void check_unit_quaternion(const double* quaternion, std::string_view what, std::size_t number);

/// Throws InputError where the solution of a step has the wrong size or a number that is not finite.
void check_solution(const Vector& velocity, const Vector& impulse, Index dofs, std::int64_t step);

/// Throws InputError where a step of the length h moves `what` by 1e8 m or rad, or farther: taylor_sin() knows angles below
/// 1e9.
void check_way(const Vector& velocity, double h, std::string_view what, std::int64_t step);

/// A matrix as its rows one after the other, and back.
Eigen::Matrix<double, 9, 1> by_rows(const Matrix3& matrix);
Matrix3 from_rows(const Eigen::Matrix<double, 9, 1>& rows);

}  // namespace ccp
