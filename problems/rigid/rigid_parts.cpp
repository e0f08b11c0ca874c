#include "problems/rigid/rigid_parts.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace ccp {
namespace {

class ListTaker final : public RigidTaker {
 public:
  void take(const RigidBody& body) override { lists.bodies.push_back(body); }
  Vector3 position(int body) const override { return lists.bodies[uz(body)].position; }
  bool wants_geometry() const override { return true; }
  void take(const RigidConstraint& constraint) override { lists.constraints.push_back(constraint); }

  RigidLists lists;
};

class OutlineTaker final : public RigidTaker {
 public:
  void take(const RigidBody& body) override {
    ++outline.touch.bodies;
    outline.symmetric = outline.symmetric && !body.gyroscopic;
  }
  Vector3 position(int) const override { return Vector3::Zero(); }
  bool wants_geometry() const override { return false; }
  void take(const RigidConstraint& constraint) override {
    const auto [first, second] = std::minmax(constraint.first, constraint.second);
    for (const int body : {first, second})
      if (body != RigidConstraint::fixed) outline.touch.body.push_back(body);
    outline.touch.start.push_back(std::ssize(outline.touch.body));
    outline.first_row.push_back(outline.first_row.back() + constraint_rows(constraint.kind));
    if (constraint.kind != ConstraintKind::bilateral) ++outline.contacts;
    outline.moments = outline.moments || has_moments(constraint.kind);
  }

  ProblemOutline outline;
};

/// Numbers of a scene that are wanted, each at its place.
class Wanted {
 public:
  void add(int number) { wanted_.emplace_back(number, static_cast<int>(wanted_.size())); }
  void sort() { std::sort(wanted_.begin(), wanted_.end()); }
  Index count() const { return std::ssize(wanted_); }

  /// Its place; −1: not wanted.
  int find(int number) const {
    const auto found = std::lower_bound(wanted_.begin(), wanted_.end(), std::pair(number, 0));
    return found != wanted_.end() && found->first == number ? found->second : -1;
  }

  bool wants_next() const { return next_ < wanted_.size() && wanted_[next_].first == number_; }

  /// The place of the number 0, then of 1, and so on; −1: not wanted.
  int pass() {
    const bool wanted = wants_next();
    ++number_;
    return wanted ? wanted_[next_++].second : -1;
  }

 private:
  std::vector<std::pair<int, int>> wanted_;
  std::size_t next_ = 0;
  int number_ = 0;
};

/// The bodies of wanted constraints.
class BodiesTaker final : public RigidTaker {
 public:
  explicit BodiesTaker(Wanted constraints) : constraints_(std::move(constraints)) {}
  void take(const RigidBody&) override {}
  Vector3 position(int) const override { return Vector3::Zero(); }
  bool wants_geometry() const override { return false; }
  void take(const RigidConstraint& constraint) override {
    if (constraints_.pass() < 0) return;
    for (const int body : {constraint.first, constraint.second})
      if (body != RigidConstraint::fixed) touched.push_back(body);
  }

  std::vector<int> touched;

 private:
  Wanted constraints_;
};

/// Wanted bodies and constraints. touched: bodies whose position is needed, each once.
class PartTaker final : public RigidTaker {
 public:
  PartTaker(Wanted bodies, Wanted constraints, const std::vector<int>& touched)
      : bodies_(std::move(bodies)), constraints_(std::move(constraints)) {
    for (const int body : touched) touched_.add(body);
    touched_.sort();
    positions_.resize(touched.size());
    lists.bodies.resize(uz(bodies_.count()));
    lists.constraints.resize(uz(constraints_.count()));
  }

  void take(const RigidBody& body) override {
    if (const int place = touched_.pass(); place >= 0) positions_[uz(place)] = body.position;
    if (const int place = bodies_.pass(); place >= 0) lists.bodies[uz(place)] = body;
  }
  Vector3 position(int body) const override {
    const int place = touched_.find(body);
    return place >= 0 ? positions_[uz(place)] : Vector3(Vector3::Zero());
  }
  bool wants_geometry() const override { return constraints_.wants_next(); }
  void take(const RigidConstraint& constraint) override {
    const int place = constraints_.pass();
    if (place < 0) return;
    RigidConstraint& own = lists.constraints[uz(place)];
    own = constraint;
    // To D another body is as one at rest.
    own.first = bodies_.find(constraint.first);
    own.second = bodies_.find(constraint.second);
  }

  RigidLists lists;

 private:
  static_assert(RigidConstraint::fixed == -1);
  Wanted bodies_, constraints_, touched_;
  std::vector<Vector3> positions_;
};

class RigidParts final : public PartSource {
 public:
  RigidParts(RigidReplay replay, double time_step) : replay_(std::move(replay)), time_step_(time_step) {}

  ProblemOutline outline() const override {
    OutlineTaker taker;
    replay_(taker);
    taker.outline.bodies = uniform_blocks(6 * taker.outline.touch.bodies, 6);
    return std::move(taker.outline);
  }

  PartForm part(const std::vector<int>& bodies, const BlockLists& blocks) const override {
    Wanted wanted_bodies, wanted_blocks;
    for (const int body : bodies) wanted_bodies.add(body);
    for (const std::vector<int>& list : blocks)
      for (const int block : list) wanted_blocks.add(block);
    wanted_bodies.sort();
    wanted_blocks.sort();
    BodiesTaker neighbours(wanted_blocks);
    replay_(neighbours);
    std::vector<int>& touched = neighbours.touched;
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    PartTaker taker(std::move(wanted_bodies), std::move(wanted_blocks), touched);
    replay_(taker);
    return form_of(taker.lists, blocks);
  }

 private:
  PartForm form_of(const RigidLists& lists, const BlockLists& blocks) const {
    const std::span<const RigidConstraint> all = lists.constraints;
    const auto some = [&](std::size_t first, std::size_t count) {
      return rigid_blocks(lists.bodies, all.subspan(first, count), time_step_);
    };
    const std::size_t before = blocks[0].size(), own = blocks[1].size();
    return {rigid_mass(lists.bodies, time_step_),
            rigid_momentum(lists.bodies, time_step_),
            {some(0, before), some(before, own), some(before + own, blocks[2].size())}};
  }

  RigidReplay replay_;
  double time_step_;
};

}  // namespace

RigidLists rigid_lists(const RigidReplay& replay) {
  ListTaker taker;
  replay(taker);
  return std::move(taker.lists);
}

std::unique_ptr<PartSource> rigid_parts(RigidReplay replay, double time_step) {
  return std::make_unique<RigidParts>(std::move(replay), time_step);
}

}  // namespace ccp
