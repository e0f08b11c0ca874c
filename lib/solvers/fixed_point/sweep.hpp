#pragma once

#include <algorithm>
#include <vector>

#include "core/constraints.hpp"
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

/// Sweeps until the monitor stops the run. rows: see delassus_rows.hpp. update(block, u_i, γ_i) returns the new γ_i of a
/// ConeBlock from the velocity u_i = (Nγ)_i + r_i + s_i with the newest impulses.
template <typename Rows, typename Update>
class Sweeps {
 public:
  Sweeps(const ConstraintSet& blocks, Rows& rows, const Vector& free_velocity, const SweepOptions& options,
         const Update& update)
      : blocks_(blocks), rows_(rows), free_velocity_(free_velocity), options_(options), update_(update) {}

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
    double largest = 0.0;
    const auto relax = [&](const auto& block) { largest = std::max(largest, relax_block(block)); };
    for_blocks(blocks_, 0, blocks_.count(), relax);
    if (options_.order == SweepOrder::symmetric)
      for (Index i = blocks_.count() - 1; i >= 0; --i) for_blocks(blocks_, i, i + 1, relax);
    return largest;
  }

  template <typename Block>
  [[gnu::always_inline]] inline double relax_block(const Block& block) {
    using Part = typename Block::Point;
    const Part old = block.of(std::as_const(gamma_));
    const Part velocity = rows_.template product<Block::rows>(block.index, gamma_) + block.of(free_velocity_);
    Part updated = update_(block, velocity, old);
    if (options_.lambda != 1.0) updated = options_.lambda * updated + (1.0 - options_.lambda) * old;
    const Part delta = updated - old;
    double change = 0.0;
    for (int r = 0; r < Block::rows; ++r) change = std::max(change, std::abs(delta[r]));
    if (change == 0.0 && !delta.hasNaN()) return 0.0;
    block.of(gamma_) = updated;
    rows_.template changed<Block::rows>(block.index, delta);
    return change;
  }

  const ConstraintSet& blocks_;
  Rows& rows_;
  const Vector& free_velocity_;
  const SweepOptions& options_;
  const Update& update_;
  Vector gamma_;
};

}  // namespace ccp
