#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "core/constraints.hpp"
#include "solvers/blocks/block_pass.hpp"
#include "solvers/fixed_point/group_loops.hpp"
#include "solvers/fixed_point/sweep_plan.hpp"
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

/// Sweeps until the monitor stops the run. rows: see delassus_rows.hpp. update(block, u_i, γ_i) returns the new γ_i of a
/// ConeBlock from the velocity u_i = (Nγ)_i + r_i + s_i with the newest impulses. An update may have a way for the contacts
/// of a group at once, to the same bits: update.relax(first lane, GroupVectors, largest).
template <typename Rows, typename Update>
class Sweeps final : public ImpulseSource {
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
    if (!plan.groups.empty()) plan.put_in_lanes(base_, lane_base_);
  }

  Outcome run(const WarmStart& start, Monitor& monitor) {
    in_lanes_only_ = false;
    gamma_ = start.impulse.size() > 0 ? start.impulse : Vector::Zero(blocks_.rows());
    if (!plan_.groups.empty()) plan_.put_in_lanes(gamma_, lane_gamma_);
    rows_.restart(gamma_);
    std::vector<double> native{0.0};
    bool converged = false;
    int since_restart = 0;
    while (monitor.go_on({*this, nullptr, native, converged})) {
      const bool unchanged = since_restart > 0 && native[0] == 0.0;
      if (unchanged && since_restart == 1) return {impulse(), {}, 0.0, Status::stalled, "a whole sweep changed nothing"};
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
    return {impulse(), {}, 0.0, std::nullopt, ""};
  }

  /// From the lanes only when somebody looks: in a sweep it would take a tenth of the time.
  const Vector& impulse() override {
    if (in_lanes_only_) plan_.take_from_lanes(lane_gamma_, gamma_);
    in_lanes_only_ = false;
    return gamma_;
  }

 private:
  static_assert(most_tiles * lane_count == group_size);

  /// Computes anew what the rows keep. `exactly`: where the sweeps have got as far as their velocities are good, these start
  /// from those of γ as the problem has them, as in iterative refinement.
  void restart(bool exactly) {
    if constexpr (requires { rows_.restart_from_velocity(gamma_, base_); }) {
      const bool refined = exactly && rows_.restart_from_velocity(impulse(), base_);
      if (refined) base_ += shift_;
      if (refined || refined_) {
        if (!refined) base_ = free_velocity_;
        if (!plan_.groups.empty()) plan_.put_in_lanes(base_, lane_base_);
        refined_ = refined;
      }
      if (refined) return;
    }
    rows_.restart(impulse());
  }

  /// One sweep, or one forward and one backward.
  void sweep() {
    largest_ = {};
    const bool symmetric = options_.order == SweepOrder::symmetric;
    if constexpr (requires { rows_.find_products(Index{}, Index{}, nullptr, nullptr); }) {
      if (!plan_.groups.empty()) return sweep_groups(symmetric);
    }
    relax_one_by_one(plan_.order.data(), 1);
    if (symmetric) relax_one_by_one(plan_.order.data() + plan_.order.size() - 1, -1);
    largest_.impulse = gamma_.size() > 0 ? gamma_.cwiseAbs().maxCoeff() : 0.0;
  }

  void sweep_groups(bool symmetric) {
    const std::size_t groups = plan_.groups.size() - 1;
    in_lanes_only_ = true;
    LaneLargest largest;
    for (std::size_t g = 0; g < groups; ++g) relax_together(g, largest);
    if (symmetric) {
      std::fill(largest.impulse, largest.impulse + lane_count, 0.0);
      for (std::size_t g = groups; g-- > 0;) relax_together(g, largest);
    }
    largest_ = largest.all();
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
  void relax_together(std::size_t group, LaneLargest& largest) {
    const Index place = plan_.groups[group], count = plan_.groups[group + 1] - place;
    const Index tile = plan_.tiles[group], first = tile_numbers * tile;
    const GroupVectors at{plan_.tiles[group + 1] - tile, options_.lambda, lane_gamma_.data() + first, product_.data(),
                          lane_base_.data() + first,     delta_.data()};
    rows_.find_products(place, count, at.gamma, product_.data());
    if (!relax_group(group, at, largest)) return;
    rows_.add_changes(place, count, delta_.data());
  }

  bool relax_group(std::size_t group, const GroupVectors& at, LaneLargest& largest) {
    if constexpr (requires { update_.relax(Index{}, at, largest); }) {
      return update_.relax(lane_count * plan_.tiles[group], at, largest);
    } else {
      std::array<double, most_tiles * tile_numbers> updated{};
      const Index first = lane_count * plan_.tiles[group];
      plan_.for_lanes(group, [&](Index block, Index lane) {
        const Index k = lane - first;
        const Vector3 gamma = in_lane(at.gamma, k);
        const Vector3 u = in_lane(at.product, k) + in_lane(at.r, k);
        in_lane(updated.data(), k) =
            update_(ConeBlock<ConstraintKind::contact>{block, 3 * block, blocks_.friction(block)}, u, gamma);
      });
      return loops_.accept(at, updated.data(), largest);
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
  Vector gamma_;                   ///< behind the sweeps while in_lanes_only_
  Vector base_;                    ///< what the products of the rows are added to: r + s
  bool in_lanes_only_ = false;     ///< where the newest γ is
  bool refined_ = false;           ///< or the velocity and s, where they are of changes alone
  Vector lane_gamma_, lane_base_;  ///< γ and base_ in lanes, where the plan has groups
  alignas(64) std::array<double, most_tiles * tile_numbers> product_{}, delta_{};  ///< of a group
  Largest largest_;  ///< components: change in this sweep, and impulse
};

}  // namespace ccp
