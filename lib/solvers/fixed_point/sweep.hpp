#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/constraints.hpp"
#include "problem/block_order.hpp"
#include "problem/factored_delassus.hpp"
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
  std::vector<int> order;         ///< each block once
  std::vector<char> independent;  ///< for each group_size places, whether they are 3D contacts of which no two share a body

  /// In the order of the operator, which has the bits of the order 0, 1, … .
  explicit SweepPlan(const FactoredDelassus& N) : order(N.order()) {
    const Index groups = N.constraints().all_contacts_3d() ? N.constraints().count() / group_size : 0;
    independent.assign((order.size() + group_size - 1) / group_size, 0);
    std::vector<int> bodies;
    for (Index g = 0; g < groups; ++g) {
      bodies.clear();
      for (Index k = group_size * g; k < group_size * (g + 1); ++k)
        for (const int body : N.bodies_of(order[static_cast<std::size_t>(k)])) bodies.push_back(body);
      std::sort(bodies.begin(), bodies.end());
      independent[static_cast<std::size_t>(g)] = std::adjacent_find(bodies.begin(), bodies.end()) == bodies.end();
    }
  }
  /// In the order 0, 1, …, one by one.
  explicit SweepPlan(Index count) : order(static_cast<std::size_t>(count)) {
    std::iota(order.begin(), order.end(), 0);
    independent.assign((order.size() + group_size - 1) / group_size, 0);
  }
};

/// Sweeps until the monitor stops the run. rows: see delassus_rows.hpp. update(block, u_i, γ_i) returns the new γ_i of a
/// ConeBlock from the velocity u_i = (Nγ)_i + r_i + s_i with the newest impulses. An update may have a way for group_size
/// contacts at once, update.together(order, velocities, γ, updated), to the same bits.
template <typename Rows, typename Update>
class Sweeps {
 public:
  Sweeps(const ConstraintSet& blocks, const SweepPlan& plan, Rows& rows, const Vector& free_velocity,
         const SweepOptions& options, const Update& update)
      : blocks_(blocks), plan_(plan), rows_(rows), free_velocity_(free_velocity), options_(options), update_(update) {}

  Outcome run(const WarmStart& start, Monitor& monitor) {
    gamma_ = start.impulse.size() > 0 ? start.impulse : Vector::Zero(blocks_.rows());
    rows_.restart(gamma_);
    std::vector<double> native{0.0};
    bool converged = false;
    int since_restart = 0;
    while (monitor.go_on({gamma_, nullptr, native, converged})) {
      const bool unchanged = since_restart > 0 && native[0] == 0.0;
      if (unchanged && since_restart == 1) return {gamma_, {}, 0.0, Status::stalled, "a whole sweep changed nothing"};
      if (unchanged || since_restart >= refresh_interval) {
        rows_.restart(gamma_);
        since_restart = 0;
      }
      native[0] = sweep();
      ++since_restart;
      const int sweeps = options_.order == SweepOrder::symmetric ? 2 : 1;
      monitor.counters().products += sweeps;
      monitor.counters().projections += sweeps;
      converged = blocks_.rows() == 0 || native[0] <= options_.native_tolerance * gamma_.cwiseAbs().maxCoeff();
    }
    return {gamma_, {}, 0.0, std::nullopt, ""};
  }

 private:
  /// One sweep, or one forward and one backward; the largest change of a component.
  double sweep() {
    const auto groups = static_cast<Index>(plan_.independent.size());
    largest_ = 0.0;
    for (Index g = 0; g < groups; ++g) relax_places(g, 1);
    if (options_.order == SweepOrder::symmetric)
      for (Index g = groups - 1; g >= 0; --g) relax_places(g, -1);
    return largest_;
  }

  /// One group of places, in that direction.
  void relax_places(Index group, Index step) {
    const int* order = plan_.order.data() + group_size * group;
    if (plan_.independent[static_cast<std::size_t>(group)]) {
      relax_together(order);
      return;
    }
    const Index count = std::min(group_size, blocks_.count() - group_size * group);
    if (step < 0) order += count - 1;
    for_blocks(
        blocks_, 0, count, [order, step](Index k) { return Index{order[step * k]}; },
        [this](const auto& block) __attribute__((always_inline)) {
          assign(block, update_(block, velocity(block), block.of(std::as_const(gamma_))));
        });
  }

  /// Contacts that share no body: in any order the same bits. Step by step, so that the processor works at all of them.
  [[gnu::flatten]] void relax_together(const int* order) {
    using Block = ConeBlock<ConstraintKind::contact>;
    typename Block::Point velocities[group_size], updated[group_size];
    const auto block = [&](Index k) { return Block{order[k], 3 * Index{order[k]}, blocks_.friction(order[k])}; };
    const auto find_velocities = [&](auto fetch) {
      for (Index k = 0; k < group_size; ++k) {
        if constexpr (fetch) rows_.template fetch_ahead<Block::rows>(order[k]);
        velocities[k] = velocity(block(k));
      }
    };
    if (rows_.far())
      find_velocities(std::true_type());
    else
      find_velocities(std::false_type());
    if constexpr (requires { update_.together(order, velocities, gamma_, updated); })
      update_.together(order, velocities, gamma_, updated);
    else
      for (Index k = 0; k < group_size; ++k)
        updated[k] = update_(block(k), velocities[k], typename Block::Point(block(k).of(std::as_const(gamma_))));
    for (Index k = 0; k < group_size; ++k) assign(block(k), updated[k]);
  }

  /// u_i with the newest impulses.
  template <typename Block>
  [[gnu::always_inline]] inline typename Block::Point velocity(const Block& block) const {
    return rows_.template product<Block::rows>(block.index, gamma_) + block.of(free_velocity_);
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
    largest_ = std::max(largest_, change);
  }

  const ConstraintSet& blocks_;
  const SweepPlan& plan_;
  Rows& rows_;
  const Vector& free_velocity_;
  const SweepOptions& options_;
  const Update& update_;
  Vector gamma_;
  double largest_ = 0.0;  ///< change of a component in this sweep
};

}  // namespace ccp
