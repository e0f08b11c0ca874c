#pragma once

#include <algorithm>
#include <limits>

namespace ccp {

/// The penalty β (kg) of an augmented Lagrangian. It grows where the outer residual falls too slowly (Lee et al. 2025, eq.
/// 27), until it has cost digits or an inner problem: from then on it only falls.
class Penalty {
 public:
  struct Rule {
    double kappa = 10.0, zeta = 0.25;
    double first = 1.0, last = 1.0;  ///< β⁰ and β_max, kg
  };

  void restart(const Rule& rule) { *this = Penalty(rule); }
  Penalty() = default;

  operator double() const { return value_; }

  /// After an outer iteration with this residual ‖Dᵀv − z‖ (m/s). better: the residual of the problem is the lowest so far;
  /// unchanged: nothing changed. False when nothing will.
  bool update(double residual, bool better, bool unchanged) {
    const bool least = value_ <= rule_.first;
    if (better)
      waited_ = 0;
    else if (++waited_ == patience || unchanged)
      lower();
    if (growing_ && residual > rule_.zeta * last_residual_) value_ = std::min(rule_.kappa * value_, rule_.last);
    last_residual_ = residual;
    return !(unchanged && least);
  }
  /// For an inner problem that took too long: down to β⁰.
  void lower() {
    growing_ = false;
    waited_ = 0;
    value_ = std::max(value_ / rule_.kappa, std::min(value_, rule_.first));
  }
  /// For an inner problem that could not be solved. False when no penalty helps.
  bool retreat() {
    growing_ = false;
    value_ /= rule_.kappa;
    return value_ >= 1e-12 * rule_.first;
  }

 private:
  static constexpr int patience = 8;  ///< outer iterations without a better residual

  explicit Penalty(const Rule& rule) : rule_(rule), value_(rule.first) {}

  Rule rule_;
  double value_ = 1.0, last_residual_ = std::numeric_limits<double>::infinity();
  int waited_ = 0;
  bool growing_ = true;
};

}  // namespace ccp
