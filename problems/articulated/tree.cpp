#include "problems/articulated/tree.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <cmath>

#include "core/error.hpp"

namespace ccp {
namespace {

std::string shown_name(const TreeLink& link, std::size_t number) {
  return link.name.empty() ? fmt::format("link {}", number) : fmt::format("link {} ('{}')", number, link.name);
}

void check_moving_inertia(const TreeLink& link, const std::string& name) {
  if (!(link.mass > 0.0) || !std::isfinite(link.mass))
    throw InputError(fmt::format("{} has a mass of {} kg, expected > 0", name, link.mass));
  const double defect = (link.inertia - link.inertia.transpose()).cwiseAbs().maxCoeff();
  const double least = Eigen::SelfAdjointEigenSolver<Matrix3>(link.inertia).eigenvalues()[0];
  if (!(defect <= 1e-12 * link.inertia.cwiseAbs().maxCoeff()) || !(least >= 0.0))
    throw InputError(fmt::format("inertia of {} is not symmetric and positive (least moment {} kg m²)", name, least));
}

void check_link(const TreeLink& link, std::size_t number) {
  const std::string name = shown_name(link, number);
  if (link.parent < TreeLink::ground || link.parent >= static_cast<int>(number))
    throw InputError(fmt::format("{} is on link {}, expected the ground (-1) or a link before it", name, link.parent));
  if (link.joint == TreeJoint::free && (number != 0 || link.parent != TreeLink::ground))
    throw InputError(fmt::format("{} has a free joint, expected one on the first link alone, on the ground", name));
  if (!(std::abs(link.axis.squaredNorm() - 1.0) < 1e-12))
    throw InputError(fmt::format("axis of {} has length {}, expected 1", name, link.axis.norm()));
  if (!(link.lower < link.upper))
    throw InputError(fmt::format("joint of {} goes from {} to {}, expected bounds in order", name, link.lower, link.upper));
}

/// m (|r|² I − r rᵀ)
Matrix3 steiner(double mass, const Vector3& r) { return mass * (r.squaredNorm() * Matrix3::Identity() - r * r.transpose()); }

/// Adds a body that is fixed at (place, turn) in the frame of another.
void merge(TreeLink& into, const TreeLink& fixed, const Vector3& place, const Matrix3& turn) {
  const Vector3 centre = place + turn * fixed.centre;
  const double mass = into.mass + fixed.mass;
  if (!(mass > 0.0)) return;
  const Vector3 common = (into.mass * into.centre + fixed.mass * centre) / mass;
  into.inertia += steiner(into.mass, into.centre - common) + turn * fixed.inertia * turn.transpose() +
                  steiner(fixed.mass, centre - common);
  into.mass = mass;
  into.centre = common;
}

}  // namespace

Tree::Tree(const std::vector<TreeLink>& links) {
  for (std::size_t i = 0; i < links.size(); ++i) {
    TreeLink link = links[i];
    check_link(link, i);
    if (link.parent != TreeLink::ground) {
      const MergedLink& parent = merged_[static_cast<std::size_t>(link.parent)];
      link.place = parent.place + parent.turn * link.place;
      link.turn = parent.turn * link.turn;
      link.parent = parent.link;
    }
    if (link.joint == TreeJoint::fixed) {
      merged_.push_back({link.parent, link.place, link.turn});
      if (link.parent != TreeLink::ground) merge(links_[static_cast<std::size_t>(link.parent)], link, link.place, link.turn);
      continue;
    }
    merged_.push_back({static_cast<int>(links_.size()), Vector3::Zero(), Matrix3::Identity()});
    links_.push_back(link);
  }
  for (std::size_t i = 0; i < links_.size(); ++i) {
    check_moving_inertia(links_[i], shown_name(links_[i], i));
    first_dof_.push_back(dofs_);
    dofs_ += dof_count(i);
  }
}

std::vector<Index> Tree::dof_parents() const {
  std::vector<Index> parents;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const int parent = links_[i].parent;
    const auto at = static_cast<std::size_t>(parent);
    parents.push_back(parent == TreeLink::ground ? -1 : first_dof_[at] + dof_count(at) - 1);
    for (Index d = 1; d < dof_count(i); ++d) parents.push_back(first_dof_[i] + d - 1);
  }
  return parents;
}

double Tree::mass() const {
  double sum = 0.0;
  for (const TreeLink& link : links_) sum += link.mass;
  return sum;
}

TreePose Tree::rest() const {
  TreePose pose;
  pose.joints.assign(links_.size(), 0.0);
  if (!links_.empty() && links_[0].joint == TreeJoint::free) pose.base = links_[0].place + links_[0].turn * links_[0].centre;
  return pose;
}

TreePose integrated(const Tree& tree, TreePose pose, const Vector& velocity, double h) {
  for (std::size_t i = 0; i < tree.links().size(); ++i) {
    const Index first = tree.first_dof(i);
    if (tree.links()[i].joint != TreeJoint::free) {
      pose.joints[i] += h * velocity[first];
      continue;
    }
    pose.base += h * velocity.segment<3>(first);
    pose.attitude = turned(pose.attitude, h * velocity.segment<3>(first + 3));
  }
  return pose;
}

}  // namespace ccp
