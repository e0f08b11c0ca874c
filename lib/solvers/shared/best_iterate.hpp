#pragma once

#include <limits>

#include "core/types.hpp"
#include "solvers/monitor.hpp"

namespace ccp {

/// The iterate with the lowest residual so far. A method whose residual is not monotone returns it, unless the monitor has
/// accepted a later iterate. No allocation after the constructor.
class BestIterate {
 public:
  /// rows: entries of γ; dofs: of the velocity, 0 for a method that has none.
  explicit BestIterate(Index rows, Index dofs = 0) : impulse_(Vector::Zero(rows)), velocity_(Vector::Zero(dofs)) {}

  /// A run begins with this impulse; whatever is shown next is better.
  void restart(const Vector& impulse) { keep(std::numeric_limits<double>::infinity(), impulse); }
  /// Keeps this iterate. velocity: null where it has none.
  void keep(double residual, const Vector& impulse, const Vector* velocity = nullptr) {
    residual_ = residual;
    impulse_ = impulse;
    has_velocity_ = velocity != nullptr;
    if (has_velocity_) velocity_ = *velocity;
  }
  /// Shows an iterate with this residual to the monitor and returns its answer. Keeps the iterate if it is the best so far,
  /// or accepted.
  bool show(Monitor& monitor, double residual, const Vector& impulse, const Iterate& iterate) {
    const bool better = residual <= residual_;
    if (better) keep(residual, impulse, iterate.velocity);
    const bool go_on = monitor.go_on(iterate);
    if (monitor.solved() && !better) keep(residual, impulse, iterate.velocity);
    return go_on;
  }

  double residual() const { return residual_; }
  const Vector& impulse() const { return impulse_; }
  /// Its velocity, or an empty vector.
  Vector velocity() const { return has_velocity_ ? velocity_ : Vector(); }

 private:
  Vector impulse_, velocity_;
  double residual_ = std::numeric_limits<double>::infinity();
  bool has_velocity_ = false;
};

}  // namespace ccp
