#include "solvers/fixed_point/local_rolling.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

namespace ccp {
namespace {

constexpr double rolling_epsilon = std::numeric_limits<double>::epsilon();
constexpr double solved = 1e-14;  // of the size of an impulse
constexpr int most_newton = 30;   // steps
constexpr int most_bisections = 80;

/// Steps ρ of (E.5), one for the normal and one for each disc.
BlockColumn natural_steps(const RollingContact& contact) {
  BlockColumn steps(contact.cone.rows);
  const auto inverse = [](double rate) { return rate > 0.0 ? 1.0 / rate : 1.0; };
  steps[0] = inverse(contact.N_ii(0, 0));
  for (int i = 0; i < contact.cone.count; ++i) {
    const ConeDisc& disc = contact.cone.disc[uz(i)];
    const double trace = contact.N_ii.diagonal().segment(disc.first, disc.size).sum();
    steps.segment(disc.first, disc.size).setConstant(inverse(trace / disc.size));
  }
  return steps;
}

/// Newton steps on F(x) = x − T(x − ρ u) from x. True when F vanishes to rounding.
bool newton(const RollingContact& contact, BlockColumn& x) {
  const int rows = contact.cone.rows;
  const BlockColumn steps = natural_steps(contact);
  const double reach = steps.cwiseProduct(contact.w).cwiseAbs().maxCoeff();
  const BlockSquare one = BlockSquare::Identity(rows, rows), moves = one - BlockSquare(steps.asDiagonal() * contact.N_ii);
  BlockColumn value(rows);
  for (int step = 0; step <= most_newton; ++step) {
    const BlockColumn s = x - steps.cwiseProduct(contact.N_ii * x + contact.w);
    project_rolling_strict(contact.cone, s.data(), value.data());
    const BlockColumn F = x - value;
    if (!F.allFinite()) return false;
    if (F.cwiseAbs().maxCoeff() <= solved * (x.cwiseAbs().maxCoeff() + reach)) return true;
    const BlockSquare J = one - rolling_strict_derivative(contact.cone, s.data()) * moves;
    x -= Eigen::PartialPivLU<BlockSquare>(J).solve(F);
  }
  return false;
}

/// The impulses with u_n = 0 and u_i = −α_i γ_i, for any α (E.6).
class SlipRates {
 public:
  explicit SlipRates(const RollingContact& contact)
      : contact_(contact), least_(16.0 * rolling_epsilon * contact.N_ii.diagonal().cwiseAbs().maxCoeff()) {}

  /// Finds the rates of the discs from `first` on, given those before; leaves the impulse in gamma().
  void solve_from(int first) {
    if (first == contact_.cone.count) {
      find_impulse();
      return;
    }
    rate_[uz(first)] = 0.0;
    if (!(excess(first) > 0.0)) return;
    double high = contact_.N_ii.cwiseAbs().maxCoeff();
    while (excess_at(first, high) > 0.0 && high < 1e200) high *= 16.0;
    double low = high / 16.0;
    while (low > least_ && !(excess_at(first, low) > 0.0)) {
      high = low;
      low /= 16.0;
    }
    for (int k = 0; k < most_bisections && high - low > 2.0 * rolling_epsilon * high; ++k) {
      const double middle = 0.5 * (low + high);
      (excess_at(first, middle) > 0.0 ? low : high) = middle;
    }
    excess_at(first, high);
  }
  const BlockColumn& gamma() const { return gamma_; }

 private:
  double excess_at(int disc, double rate) {
    rate_[uz(disc)] = rate;
    return excess(disc);
  }
  /// ‖γ_i‖ − c_i γ_n of a disc with the following ones solved; large where that is no number.
  double excess(int i) {
    solve_from(i + 1);
    const ConeDisc& disc = contact_.cone.disc[uz(i)];
    const double value = gamma_.segment(disc.first, disc.size).norm() - disc.radius * gamma_[0];
    return std::isnan(value) ? std::numeric_limits<double>::max() : value;
  }
  void find_impulse() {
    BlockSquare matrix = contact_.N_ii;
    matrix.diagonal().array() += least_;
    for (int i = 0; i < contact_.cone.count; ++i) {
      const ConeDisc& disc = contact_.cone.disc[uz(i)];
      matrix.diagonal().segment(disc.first, disc.size).array() += rate_[uz(i)];
    }
    gamma_ = -Eigen::PartialPivLU<BlockSquare>(matrix).solve(contact_.w);
  }

  const RollingContact& contact_;
  double least_;  ///< added where N_ii is singular, whose null space has no say
  std::array<double, 3> rate_{};
  BlockColumn gamma_;
};

}  // namespace

BlockColumn solve_rolling_exact(const RollingContact& contact, const BlockColumn& gamma) {
  if (contact.w.array().isNaN().any()) return contact.w;
  if (contact.w[0] >= 0.0 || !(contact.N_ii(0, 0) > 0.0)) return BlockColumn::Zero(contact.cone.rows);
  BlockColumn x = gamma;
  if (x[0] <= 0.0) {  // an open contact has no slope to follow
    x.setZero();
    x[0] = -contact.w[0] / contact.N_ii(0, 0);
  }
  if (!newton(contact, x)) {
    SlipRates rates(contact);
    rates.solve_from(0);
    x = rates.gamma();
    if (BlockColumn refined = x; newton(contact, refined)) x = refined;
    if (!x.allFinite()) x.setZero();
  }
  project_rolling_strict(contact.cone, x.data(), x.data());
  return x;
}

}  // namespace ccp
