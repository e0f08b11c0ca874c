#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "problem/part_source.hpp"
#include "problems/rigid/rigid_system.hpp"

namespace ccp {

/// Takes the bodies of a scene, then its constraints, one after the other.
class RigidTaker {
 public:
  virtual ~RigidTaker() = default;
  virtual void take(const RigidBody& body) = 0;
  /// Of one of the bodies that were taken; zero where no wanted constraint touches it.
  virtual Vector3 position(int body) const = 0;
  /// Whether the next constraint is looked at beyond its bodies and its kind.
  virtual bool wants_geometry() const = 0;
  virtual void take(const RigidConstraint& constraint) = 0;
};
/// Gives all of them, in the same order each time it is called. Where positions are zero, constraints may be wrong, but
/// between the same bodies and of the same kinds.
using RigidReplay = std::function<void(RigidTaker&)>;

/// The bodies and constraints themselves.
struct RigidLists {
  std::vector<RigidBody> bodies;
  std::vector<RigidConstraint> constraints;
};
RigidLists rigid_lists(const RigidReplay& replay);

/// Parts of what rigid_step() makes of rigid_lists(replay): replays keep only what is asked for, and for an outline 16 to 20
/// bytes a constraint.
std::unique_ptr<PartSource> rigid_parts(RigidReplay replay, double time_step);

}  // namespace ccp
