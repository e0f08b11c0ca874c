#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/constraints.hpp"
#include "problem/block_order.hpp"
#include "problem/factored_delassus.hpp"
#include "solvers/fixed_point/group_loops.hpp"
#include "solvers/gradient/block_pass.hpp"
#include "solvers/solver.hpp"

/// What the Gauss–Seidel methods share: the loop over sweeps, its native criterion and its stall test. A method brings the
/// update of one block.
namespace ccp {

/// Sweeps after which rows that keep a running velocity start it anew, so that the rounding of old, large impulses does not
/// stay.
constexpr int refresh_interval = 50;

enum class SweepOrder { forward, symmetric };

struct SweepOptions {
  SweepOrder order = SweepOrder::forward;
  double lambda = 1.0;              ///< share of the new impulse in the average with the old one
  double native_tolerance = 1e-10;  ///< on max|Δγ| / max|γ| of a sweep
};

/// The way a sweep takes through the blocks.
struct SweepPlan {
  std::vector<int> order;  ///< each block once
  /// First places of groups of at most group_size 3D contacts of which no two share a body, and the end. Empty where blocks
  /// are taken one by one.
  std::vector<Index> groups;

  /// In the order of the operator, which has the bits of the order 0, 1, … .
  explicit SweepPlan(const FactoredDelassus& N) : order(N.order()) {
    if (!N.contact_pairs()) return;
    const int idle = static_cast<int>(N.bodies());
    std::vector<Index> last_use(static_cast<std::size_t>(idle) + 1, -1);  // of each body, as a place
    const Index count = N.constraints().count();
    groups.push_back(0);
    for (Index place = 0; place < count; ++place) {
      bool joins = place - groups.back() < group_size;
      const auto bodies = N.bodies_of(order[static_cast<std::size_t>(place)]);
      for (const int body : bodies)
        joins = joins && (body == idle || last_use[static_cast<std::size_t>(body)] < groups.back());
      if (!joins) groups.push_back(place);
      for (const int body : bodies) last_use[static_cast<std::size_t>(body)] = place;
    }
    groups.push_back(count);
  }
  /// In the order 0, 1, … .
  explicit SweepPlan(Index count) : order(static_cast<std::size_t>(count)) { std::iota(order.begin(), order.end(), 0); }

  /// Numbers of blocks, `each` a block, in the order of the places.
  Vector by_places(const Vector& of_blocks, Index each) const {
    Vector places(of_blocks.size());
    to_places(of_blocks, each, places);
    return places;
  }
  void to_places(const Vector& of_blocks, Index each, Vector& places) const {
    for (std::size_t k = 0; k < order.size(); ++k)
      places.segment(each * static_cast<Index>(k), each) = of_blocks.segment(each * order[k], each);
  }
};

/// Sweeps until the monitor stops the run. rows: see delassus_rows.hpp. update(block, u_i, γ_i) returns the new γ_i of a
/// ConeBlock from the velocity u_i = (Nγ)_i + r_i + s_i with the newest impulses. An update may have a way for the contacts
/// of a group at once, to the same bits: update.relax(first place, GroupVectors, largest).
template <typename Rows, typename Update>
class Sweeps {
 public:
  /// free_velocity: r + s, shift: s.
  Sweeps(const ConstraintSet& blocks, const SweepPlan& plan, Rows& rows, const Vector& free_velocity, const Vector& shift,
         const SweepOptions& options, const Update& update)
      : blocks_(blocks),
        plan_(plan),
        rows_(rows),
        free_velocity_(free_velocity),
        shift_(shift),
        options_(options),
        update_(update),
        base_(free_velocity) {
    if (!plan.groups.empty()) place_base_ = plan.by_places(base_, 3);
  }

  Outcome run(const WarmStart& start, Monitor& monitor) {
    gamma_ = start.impulse.size() > 0 ? start.impulse : Vector::Zero(blocks_.rows());
    if (!plan_.groups.empty()) place_gamma_ = plan_.by_places(gamma_, 3);
    rows_.restart(gamma_);
    std::vector<double> native{0.0};
    bool converged = false;
    int since_restart = 0;
    while (monitor.go_on({gamma_, nullptr, native, converged})) {
      const bool unchanged = since_restart > 0 && native[0] == 0.0;
      if (unchanged && since_restart == 1) return {gamma_, {}, 0.0, Status::stalled, "a whole sweep changed nothing"};
      if (unchanged || since_restart >= refresh_interval) {
        restart(unchanged);
        since_restart = 0;
      }
      sweep();
      native[0] = largest_.change;
      ++since_restart;
      const int sweeps = options_.order == SweepOrder::symmetric ? 2 : 1;
      monitor.counters().products += sweeps;
      monitor.counters().projections += sweeps;
      converged = blocks_.rows() == 0 || native[0] <= options_.native_tolerance * largest_.impulse;
    }
    return {gamma_, {}, 0.0, std::nullopt, ""};
  }

 private:
  using PointOf = Eigen::Map<const Vector3>;

  /// Computes anew what the rows keep. `exactly`: where the sweeps have got as far as their velocities are good, these start
  /// from those of γ as the problem has them, as in iterative refinement.
  void restart(bool exactly) {
    if constexpr (requires { rows_.restart_from_velocity(gamma_, base_); }) {
      const bool refined = exactly && rows_.restart_from_velocity(gamma_, base_);
      if (refined) base_ += shift_;
      if (refined || refined_) {
        if (!refined) base_ = free_velocity_;
        if (!plan_.groups.empty()) plan_.to_places(base_, 3, place_base_);
        refined_ = refined;
      }
      if (refined) return;
    }
    rows_.restart(gamma_);
  }

  /// One sweep, or one forward and one backward.
  void sweep() {
    largest_ = {};
    const bool symmetric = options_.order == SweepOrder::symmetric;
    if constexpr (requires { rows_.find_products(Index{}, Index{}, nullptr, nullptr); }) {
      if (!plan_.groups.empty()) {
        const std::size_t groups = plan_.groups.size() - 1;
        for (std::size_t g = 0; g < groups; ++g) relax_together(plan_.groups[g], plan_.groups[g + 1]);
        if (symmetric) largest_.impulse = 0.0;
        for (std::size_t g = groups; symmetric && g-- > 0;) relax_together(plan_.groups[g], plan_.groups[g + 1]);
        return;
      }
    }
    relax_one_by_one(plan_.order.data(), 1);
    if (symmetric) relax_one_by_one(plan_.order.data() + plan_.order.size() - 1, -1);
    largest_.impulse = gamma_.size() > 0 ? gamma_.cwiseAbs().maxCoeff() : 0.0;
  }

  /// All blocks, from that place of the order in that direction.
  void relax_one_by_one(const int* first, Index step) {
    for_blocks(
        blocks_, 0, blocks_.count(), [first, step](Index k) { return Index{first[step * k]}; },
        [this](const auto& block) __attribute__((always_inline)) {
          assign(block, update_(block, velocity(block), block.of(std::as_const(gamma_))));
        });
  }

  /// Contacts that share no body: in any order the same bits. Step by step, so that the processor works at all of them.
  void relax_together(Index begin, Index end) {
    double product[3 * group_size], delta[3 * group_size];
    const GroupVectors at{
        end - begin, options_.lambda, place_gamma_.data() + 3 * begin, product, place_base_.data() + 3 * begin, delta};
    rows_.find_products(begin, at.count, at.gamma, product);
    if (!relax_group(begin, at)) return;
    for (Index k = 0; k < at.count; ++k)
      Eigen::Map<Vector3>(gamma_.data() + 3 * plan_.order[static_cast<std::size_t>(begin + k)]) = PointOf(at.gamma + 3 * k);
    rows_.add_changes(begin, at.count, delta);
  }

  bool relax_group(Index begin, const GroupVectors& at) {
    if constexpr (requires { update_.relax(begin, at, largest_); }) {
      return update_.relax(begin, at, largest_);
    } else {
      double updated[3 * group_size];
      for (Index k = 0; k < at.count; ++k) {
        const int i = plan_.order[static_cast<std::size_t>(begin + k)];
        const Vector3 u = PointOf(at.product + 3 * k) + PointOf(at.r + 3 * k), gamma = PointOf(at.gamma + 3 * k);
        Eigen::Map<Vector3>(updated + 3 * k) =
            update_(ConeBlock<ConstraintKind::contact>{i, 3 * Index{i}, blocks_.friction(i)}, u, gamma);
      }
      return loops_.accept(at, updated, largest_);
    }
  }

  /// u_i with the newest impulses.
  template <typename Block>
  [[gnu::always_inline]] inline typename Block::Point velocity(const Block& block) const {
    return rows_.template product<Block::rows>(block.index, gamma_) + block.of(base_);
  }

  template <typename Block>
  [[gnu::always_inline]] inline void assign(const Block& block, typename Block::Point updated) {
    using Part = typename Block::Point;
    const Part old = block.of(std::as_const(gamma_));
    if (options_.lambda != 1.0) updated = options_.lambda * updated + (1.0 - options_.lambda) * old;
    const Part delta = updated - old;
    double change = 0.0;
    for (int r = 0; r < Block::rows; ++r) change = std::max(change, std::abs(delta[r]));
    if (change == 0.0 && !delta.hasNaN()) return;
    block.of(gamma_) = updated;
    rows_.template changed<Block::rows>(block.index, delta);
    largest_.change = std::max(largest_.change, change);
  }

  const ConstraintSet& blocks_;
  const SweepPlan& plan_;
  Rows& rows_;
  const Vector &free_velocity_, &shift_;
  const SweepOptions& options_;
  const Update& update_;
  const GroupLoops& loops_ = group_loops(widest_instruction_set());
  Vector gamma_;
  Vector base_;                      ///< what the products of the rows are added to: r + s
  bool refined_ = false;             ///< or the velocity and s, where they are of changes alone
  Vector place_gamma_, place_base_;  ///< γ and base_ in the order of the plan, where it has groups
  Largest largest_;                  ///< components: change in this sweep, and impulse
};

}  // namespace ccp
