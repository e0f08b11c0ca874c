#pragma once

#include <algorithm>
#include <vector>

#include "core/constraints.hpp"
#include "solvers/fixed_point/delassus_rows.hpp"
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
  double native_tolerance = 1e-10;  ///< on max|Δγ| / max|γ| of a sweep
};

/// Native column of the fixed-point family.
inline NativeColumn impulse_change_column() {
  return {"impulse_change", "N·s", "largest change of an impulse component in the last sweep"};
}

/// The settings every sweeping method has.
inline void add_sweep_fields(FieldTable& fields, SweepOptions& sweep, OperatorForm& form) {
  fields
      .add("sweep", &sweep.order, {{"forward", SweepOrder::forward}, {"symmetric", SweepOrder::symmetric}},
           "order of the blocks in one iteration; symmetric: forward, then backward", "ours")
      .add("native_tolerance", &sweep.native_tolerance, Range::non_negative(), "",
           "native criterion: max|Δγ| of a sweep <= native_tolerance · max|γ|", "ours")
      .add("operator", &form, operator_form_names(), "form of the Delassus operator; auto: factored where it exists",
           "ours");
}

/// Sweeps until the monitor stops the run. update(i, u_i, γ_i) returns the new γ_i from the velocity u_i = (Nγ)_i + r_i +
/// s_i with the newest impulses (leading rows(i) components; the rest is zero and stays so).
template <typename Rows, typename Update>
Outcome run_sweeps(const ConstraintSet& blocks, Rows& rows, const Vector& free_velocity, const SweepOptions& options,
                   const WarmStart& start, Monitor& monitor, const Update& update) {
  Vector gamma = start.impulse.size() > 0 ? start.impulse : Vector::Zero(blocks.rows());
  rows.restart(gamma);
  std::vector<double> native{0.0};
  bool converged = false, unchanged = false;

  const auto relax_block = [&](Index i) {
    const Index offset = blocks.offset(i), size = blocks.rows(i);
    Vector3 velocity = rows.product(i, gamma), impulse = Vector3::Zero();
    velocity.head(size) += free_velocity.segment(offset, size);
    impulse.head(size) = gamma.segment(offset, size);
    const Vector3 updated = update(i, velocity, impulse);
    const Vector3 delta = updated - impulse;
    const double change = delta.cwiseAbs().maxCoeff();
    if (change == 0.0) return;
    native[0] = std::max(native[0], change);
    gamma.segment(offset, size) = updated.head(size);
    rows.changed(i, delta);
  };

  int sweeps_since_refresh = 0;
  while (monitor.go_on({gamma, nullptr, native, converged})) {
    if (unchanged || sweeps_since_refresh >= refresh_interval) {
      if (unchanged && sweeps_since_refresh <= 1) return {gamma, {}, 0.0, Status::stalled, "a whole sweep changed nothing"};
      rows.restart(gamma);
      sweeps_since_refresh = 0;
    }
    native[0] = 0.0;
    for (Index i = 0; i < blocks.count(); ++i) relax_block(i);
    if (options.order == SweepOrder::symmetric)
      for (Index i = blocks.count() - 1; i >= 0; --i) relax_block(i);
    const int sweeps = options.order == SweepOrder::symmetric ? 2 : 1;
    ++sweeps_since_refresh;
    monitor.counters().products += sweeps;
    monitor.counters().projections += sweeps;
    unchanged = native[0] == 0.0;
    converged = blocks.rows() == 0 || native[0] <= options.native_tolerance * gamma.cwiseAbs().maxCoeff();
  }
  return {gamma, {}, 0.0, std::nullopt, ""};
}

}  // namespace ccp
