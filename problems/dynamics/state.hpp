#pragma once

#include <vector>

#include "core/types.hpp"
#include "problems/dynamics/body.hpp"
#include "problems/dynamics/pseudo_rigid.hpp"

namespace ccp {

constexpr Index rigid_state_size = 13, pseudo_rigid_state_size = 24;

/// What bodies are and do now, as in MotionState::values.
Vector packed(const std::vector<MovingBody>& bodies, const std::vector<PseudoRigidBody>& pseudo_rigid);

/// The inverse. Throws InputError, and changes nothing, when the size is wrong, a number is not finite, a quaternion is no
/// unit quaternion or a body is turned inside out.
void unpack(const Vector& values, std::vector<MovingBody>& bodies, std::vector<PseudoRigidBody>& pseudo_rigid);

/// A matrix as its rows one after the other, and back.
Eigen::Matrix<double, 9, 1> by_rows(const Matrix3& matrix);
Matrix3 from_rows(const Eigen::Matrix<double, 9, 1>& rows);

}  // namespace ccp
