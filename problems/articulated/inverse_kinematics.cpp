#include "problems/articulated/inverse_kinematics.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <stdexcept>
#include <utility>

namespace ccp {
namespace {

constexpr double damping = 0.01, goal_tolerance = 1e-12;
constexpr int most_corrections = 200;

/// The rotation vector from one to another, for small ones.
Vector3 turn_between(const Matrix3& from, const Matrix3& to) {
  Vector3 sum = Vector3::Zero();
  for (Index axis = 0; axis < 3; ++axis) sum += Vector3(from.col(axis)).cross(Vector3(to.col(axis)));
  return 0.5 * sum;
}

}  // namespace

TreePose reaching_pose(const Tree& tree, TreePose pose, const LinkGoal& goal) {
  for (int i = 0; i < most_corrections; ++i) {
    const PlacedTree placed(tree, pose);
    const Placement& link = placed.links()[goal.link];
    const Vector3 point = link.position + link.rotation * goal.point;
    Eigen::Matrix<double, 6, 1> error;
    error << goal.position - point, goal.rotation ? turn_between(link.rotation, *goal.rotation) : Vector3::Zero();
    if (error.cwiseAbs().maxCoeff() < goal_tolerance) return pose;
    DenseMatrix J = placed.body_jacobian(goal.link, point);
    if (!goal.rotation) J.bottomRows<3>().setZero();
    if (goal.held >= 0) J.col(goal.held).setZero();
    Eigen::Matrix<double, 6, 6> A = J * J.transpose();
    A.diagonal().array() += damping * damping;
    pose = integrated(tree, std::move(pose), J.transpose() * A.llt().solve(error), 1.0);
  }
  throw std::logic_error("inverse kinematics do not reach the goal");
}

}  // namespace ccp
