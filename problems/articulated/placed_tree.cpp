#include <Eigen/Geometry>

#include "problems/articulated/tree.hpp"
#include "problems/rigid/assembly.hpp"

namespace ccp {
namespace {

using SpatialVector = Eigen::Matrix<double, 6, 1>;

SpatialVector spatial(const Vector3& linear, const Vector3& angular) {
  SpatialVector result;
  result << linear, angular;
  return result;
}

/// The rate of a motion that is fixed in a body with velocity v, and of a force.
SpatialVector motion_cross(const SpatialVector& v, const SpatialVector& m) {
  const Vector3 w = v.tail<3>(), u = v.head<3>(), linear = m.head<3>(), angular = m.tail<3>();
  return spatial(w.cross(linear) + u.cross(angular), w.cross(angular));
}

SpatialVector force_cross(const SpatialVector& v, const SpatialVector& f) {
  const Vector3 w = v.tail<3>(), u = v.head<3>(), force = f.head<3>(), moment = f.tail<3>();
  return spatial(w.cross(force), u.cross(force) + w.cross(moment));
}

}  // namespace

PlacedTree::PlacedTree(const Tree& tree, const TreePose& pose) : tree_(tree), origin_(Vector3::Zero()) {
  for (std::size_t i = 0; i < tree.links().size(); ++i) {
    const TreeLink& link = tree.links()[i];
    if (link.joint == TreeJoint::free) {
      const Matrix3 R = rotation_matrix(pose.attitude);
      links_.push_back({pose.base - R * link.centre, R});
      origin_ = pose.base;
      for (Index d = 0; d < 3; ++d) motions_.push_back(spatial(Vector3::Unit(d), Vector3::Zero()));
      for (Index d = 0; d < 3; ++d) motions_.push_back(spatial(Vector3::Zero(), Vector3::Unit(d)));
      continue;
    }
    const Placement parent = link.parent == TreeLink::ground ? Placement{} : links_[static_cast<std::size_t>(link.parent)];
    const Vector3 joint = parent.position + parent.rotation * link.place;
    const Matrix3 R = parent.rotation * link.turn;
    const Vector3 axis = R * link.axis;
    if (i == 0) origin_ = joint;
    const double q = pose.joints[i];
    if (link.joint == TreeJoint::prismatic) {
      links_.push_back({joint + q * axis, R});
      motions_.push_back(spatial(axis, Vector3::Zero()));
    } else {
      links_.push_back({joint, R * rotation_matrix(rotation_exponential(q * link.axis))});
      motions_.push_back(spatial((joint - origin_).cross(axis), axis));
    }
  }
}

Vector3 PlacedTree::centre(std::size_t link) const {
  return links_[link].position + links_[link].rotation * tree_.links()[link].centre;
}

Eigen::Matrix<double, 6, 6> PlacedTree::spatial_inertia(std::size_t link) const {
  const TreeLink& body = tree_.links()[link];
  const Matrix3& R = links_[link].rotation;
  const Matrix3 r = cross_matrix(centre(link) - origin_);
  Eigen::Matrix<double, 6, 6> result;
  result << body.mass * Matrix3::Identity(), -body.mass * r, body.mass * r,
      R * body.inertia * R.transpose() - body.mass * r * r;
  return result;
}

DenseMatrix PlacedTree::joint_inertia() const {
  const std::size_t count = links_.size();
  std::vector<Eigen::Matrix<double, 6, 6>> composite;
  for (std::size_t i = 0; i < count; ++i) composite.push_back(spatial_inertia(i));
  for (std::size_t i = count; i-- > 0;)
    if (const int parent = tree_.links()[i].parent; parent != TreeLink::ground)
      composite[static_cast<std::size_t>(parent)] += composite[i];
  DenseMatrix H = DenseMatrix::Zero(tree_.dofs(), tree_.dofs());
  for (std::size_t i = 0; i < count; ++i)
    for (Index d = tree_.first_dof(i); d < tree_.first_dof(i) + tree_.dof_count(i); ++d) {
      const Spatial force = composite[i] * motions_[static_cast<std::size_t>(d)];
      for (int link = static_cast<int>(i); link != TreeLink::ground;
           link = tree_.links()[static_cast<std::size_t>(link)].parent) {
        const auto at = static_cast<std::size_t>(link);
        for (Index e = tree_.first_dof(at); e < tree_.first_dof(at) + tree_.dof_count(at); ++e)
          H(d, e) = H(e, d) = motions_[static_cast<std::size_t>(e)].dot(force);
      }
    }
  return H;
}

Vector PlacedTree::bias_force(const Vector& velocity, const Vector3& gravity) const {
  const std::size_t count = links_.size();
  std::vector<Spatial> speed(count), acceleration(count), force(count);
  for (std::size_t i = 0; i < count; ++i) {
    const int parent = tree_.links()[i].parent;
    speed[i] = parent == TreeLink::ground ? Spatial(Spatial::Zero()) : speed[static_cast<std::size_t>(parent)];
    acceleration[i] =
        parent == TreeLink::ground ? spatial(-gravity, Vector3::Zero()) : acceleration[static_cast<std::size_t>(parent)];
    const Index first = tree_.first_dof(i);
    if (tree_.links()[i].joint == TreeJoint::free) {
      // The velocity is that of the centre of mass, which the origin does not follow.
      speed[i] += velocity.segment<6>(first);
      acceleration[i].head<3>() -= velocity.segment<3>(first + 3).cross(velocity.segment<3>(first));
    } else {
      const Spatial motion = velocity[first] * motions_[static_cast<std::size_t>(first)];
      speed[i] += motion;
      acceleration[i] += motion_cross(speed[i], motion);
    }
    const Eigen::Matrix<double, 6, 6> inertia = spatial_inertia(i);
    force[i] = inertia * acceleration[i] + force_cross(speed[i], inertia * speed[i]);
  }
  Vector bias(tree_.dofs());
  for (std::size_t i = count; i-- > 0;) {
    for (Index d = tree_.first_dof(i); d < tree_.first_dof(i) + tree_.dof_count(i); ++d)
      bias[d] = motions_[static_cast<std::size_t>(d)].dot(force[i]);
    if (const int parent = tree_.links()[i].parent; parent != TreeLink::ground)
      force[static_cast<std::size_t>(parent)] += force[i];
  }
  return bias;
}

DenseMatrix PlacedTree::body_jacobian(std::size_t link, const Vector3& point) const {
  DenseMatrix J = DenseMatrix::Zero(6, tree_.dofs());
  for (int at = static_cast<int>(link); at != TreeLink::ground; at = tree_.links()[static_cast<std::size_t>(at)].parent) {
    const auto i = static_cast<std::size_t>(at);
    for (Index d = tree_.first_dof(i); d < tree_.first_dof(i) + tree_.dof_count(i); ++d) {
      const Spatial& motion = motions_[static_cast<std::size_t>(d)];
      const Vector3 angular = motion.tail<3>();
      J.col(d) << motion.head<3>() + angular.cross(point - origin_), angular;
    }
  }
  return J;
}

}  // namespace ccp
