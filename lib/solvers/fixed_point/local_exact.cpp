#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/planar_contact.hpp"
#include "solvers/fixed_point/local_contact.hpp"

namespace ccp {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double zero_rate = zero_planar_rate;          // eigenvalues of S below this, against entries of N_ii, are rounding
constexpr double zero_velocity = zero_planar_velocity;  // and parts of u_T below this, against w
constexpr double largest_impulse = largest_planar_impulse;  // through N_ii of the size of 1, for w of the size of 1
constexpr double least_alpha = 1e-8;
constexpr double largest_double = std::numeric_limits<double>::max();

/// The power of two just above the largest entry of x in absolute value; 1 for zero and what is not finite. Dividing by it
/// is exact.
template <typename Derived>
double binary_scale(const Eigen::MatrixBase<Derived>& x) {
  const double largest = x.cwiseAbs().maxCoeff();
  if (!(largest > 0.0) || !std::isfinite(largest)) return 1.0;
  int exponent = 0;
  std::frexp(largest, &exponent);
  return std::ldexp(1.0, std::clamp(exponent, -1021, 1023));
}

/// The slip branch as functions of α (E.6): γ(α) with u_n = 0 and u_T = −α γ_T, and g(α) = ‖γ_T‖ − μ γ_n. α = 0 sticks.
class SlipBranch {
 public:
  explicit SlipBranch(const LocalContact& contact) : contact_(contact) {
    const Matrix3& N_ii = contact.N_ii;
    const Vector3& w = contact.w;
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) S_(i, j) = N_ii(i + 1, j + 1) - N_ii(i + 1, 0) * (N_ii(0, j + 1) / N_ii(0, 0));
      w_[i] = w[i + 1] - N_ii(i + 1, 0) * (w[0] / N_ii(0, 0));
    }
    reduce_singular();
  }

  /// (S + αI)⁻¹ exists and ‖γ_T‖ is finite for all α above this; S is PSD in theory, slightly indefinite in practice.
  double lowest() const {
    const double half = 0.5 * S_.trace(), square = half * half - S_.determinant();
    return std::max(0.0, -half + std::sqrt(std::max(0.0, square)));
  }
  double scale() const { return S_.cwiseAbs().maxCoeff(); }

  [[gnu::always_inline]] Vector3 impulse(double alpha) const {
    if (singular_) {
      const double rate = rate_ + alpha;
      return with_normal(rate > 0.0 ? -w_[0] / rate : 0.0, rate > 0.0 ? -w_[1] / rate : 0.0);
    }
    const double a = S_(0, 0) + alpha, d = S_(1, 1) + alpha;
    const double determinant = a * d - S_(0, 1) * S_(1, 0);
    const double t1 = -(d * w_[0] - S_(0, 1) * w_[1]) / determinant;
    const double t2 = -(a * w_[1] - S_(1, 0) * w_[0]) / determinant;
    return with_normal(t1, t2);
  }
  /// g(α), with any large number where it is infinite or not a number (singular S + αI).
  double excess(double alpha) const {
    const Vector3 gamma = impulse(alpha);
    const double value = std::hypot(gamma[1], gamma[2]) - contact_.mu * gamma[0];
    return std::isnan(value) ? largest_double : std::min(value, largest_double);
  }

 private:
  /// A singular S with w̃ in its range, both up to rounding, has no say in what γ_T is along the null space of S; rounding
  /// would. There γ_T = −w̃/(tr S + α), because w̃ is an eigenvector of the other eigenvalue, tr S. At α = 0 this is what
  /// slip tends to, so that the contact either sticks with it or slips.
  void reduce_singular() {
    const double trace = S_.trace();
    if (std::abs(S_.determinant()) > zero_rate * std::max(trace, zero_rate)) return;
    const Vector2 in_range = trace > zero_rate ? Vector2(S_ * w_ / trace) : Vector2(Vector2::Zero());
    if ((w_ - in_range).cwiseAbs().maxCoeff() > zero_velocity * contact_.w.cwiseAbs().maxCoeff()) return;
    singular_ = true;
    rate_ = std::max(trace, 0.0);
    w_ = in_range;
  }
  Vector3 with_normal(double t1, double t2) const {
    return {-(contact_.w[0] + contact_.N_ii(0, 1) * t1 + contact_.N_ii(0, 2) * t2) / contact_.N_ii(0, 0), t1, t2};
  }

  const LocalContact& contact_;
  Matrix2 S_;
  Vector2 w_;
  bool singular_ = false;
  double rate_ = 0.0;  ///< tr S of a singular one
};

/// Root of a function that is positive at low and not at high, by Ridders' rule inside the bracket, to rounding.
template <typename Function>
double bracketed_root(const Function& function, double low, double high) {
  double f_low = function(low), f_high = function(high);
  for (int step = 0; step < 200 && high - low > 2.0 * epsilon * high; ++step) {
    const double middle = 0.5 * (low + high);
    const double f_middle = function(middle);
    const double root = std::sqrt(f_middle * f_middle - f_low * f_high);
    double next = middle;
    if (std::isfinite(root) && root > 0.0) next += (middle - low) * f_middle / root;
    if (!(next > low && next < high)) next = middle;
    const double f_next = function(next);
    if (f_next == 0.0) return next;
    for (const auto& [x, f] : {std::pair(middle, f_middle), std::pair(next, f_next)}) {
      if (f > 0.0 && x > low) {
        low = x;
        f_low = f;
      } else if (!(f > 0.0) && x < high) {
        high = x;
        f_high = f;
      }
    }
  }
  return high;
}

/// On the cone to the last bit, along the direction found. The larger of the two parts stays: the other one is its small
/// multiple, and lost its digits in a difference of large terms.
Vector3 on_the_cone(Vector3 gamma, double mu) {
  const double t = std::hypot(gamma[1], gamma[2]);
  if (mu > 1.0) {
    gamma[0] = std::max(t / mu, gamma[0]);
    return gamma;
  }
  gamma[0] = std::max(gamma[0], 0.0);
  if (t > mu * gamma[0]) gamma.tail<2>() *= mu * gamma[0] / t;
  return gamma;
}

/// The α in [low, high] at which the function is largest: on a grid of its logarithm, then by the golden section between
/// the neighbours of the best point.
template <typename Function>
double largest_at(const Function& function, double low, double high) {
  constexpr double grid = 1.25, golden = 0.6180339887498949;
  double best = high, value = function(high);
  for (double alpha = high / grid; alpha >= low; alpha /= grid)
    if (const double here = function(alpha); here > value) {
      best = alpha;
      value = here;
    }
  double left = best / grid, right = best * grid;
  for (int step = 0; step < 40; ++step) {
    const double part = (1.0 - golden) * (right - left);
    if (function(left + part) < function(right - part))
      left += part;
    else
      right -= part;
  }
  const double refined = 0.5 * (left + right);
  return function(refined) > value ? refined : best;
}

/// A contact that does not stick and for which no α of the size of rounding will do. Two roots may lie close together. If
/// there are none, the contact jams: an impulse in the cone along the null space of N_ii takes nothing from u_n < 0. Then
/// the α nearest to a root is as good as any.
Vector3 solve_jammed(const SlipBranch& branch) {
  const auto excess = [&](double alpha) { return branch.excess(alpha); };
  double high = 1.0;
  while (excess(high) > 0.0 && high < 1e300) high *= 16.0;
  const double nearest = largest_at(excess, least_alpha, high);
  return branch.impulse(excess(nearest) > 0.0 ? bracketed_root(excess, nearest, high) : nearest);
}

Vector3 solve_slip(const LocalContact& contact, const SlipBranch& branch) {
  const auto excess = [&](double alpha) { return branch.excess(alpha); };
  const double lowest = branch.lowest();
  double high = std::max(2.0 * lowest, branch.scale());
  if (!(high > 0.0)) high = 1.0;
  // A bracket within a factor of 16, wherever the root lies: bisecting from 0 would take a step per bit of its smallness.
  while (excess(high) > 0.0 && high < 1e300) high *= 16.0;
  double low = high / 16.0;
  while (low > lowest && low > epsilon * epsilon && !(excess(low) > 0.0)) {
    high = low;
    low /= 16.0;
  }
  Vector3 gamma = branch.impulse(bracketed_root(excess, std::max(low, lowest), high));
  if (!(gamma.cwiseAbs().maxCoeff() <= largest_impulse)) gamma = solve_jammed(branch);
  return on_the_cone(gamma, contact.mu);
}

/// u = 0 to the rounding of its terms, and γ in the cone.
bool sticks(const LocalContact& contact, const Vector3& gamma) {
  const Vector3 u = contact.N_ii * gamma + contact.w;
  return u.cwiseAbs().maxCoeff() <= zero_velocity * contact.w.cwiseAbs().maxCoeff() && gamma[0] >= 0.0 &&
         std::hypot(gamma[1], gamma[2]) <= contact.mu * gamma[0];
}

/// With N_ii and w of the size of 1.
Vector3 solve_scaled(const LocalContact& contact) {
  const SlipBranch branch(contact);
  const Vector3 stick = branch.impulse(0.0);
  if (sticks(contact, stick)) return stick;
  return solve_slip(contact, branch);
}

}  // namespace

Vector3 solve_contact_exact(const LocalContact& contact) {
  const Matrix3& N_ii = contact.N_ii;
  if (contact.w.array().isNaN().any()) return contact.w;
  if (contact.w[0] >= 0.0 || !(N_ii(0, 0) > 0.0)) return Vector3::Zero();
  if (contact.mu == 0.0) return {-contact.w[0] / N_ii(0, 0), 0.0, 0.0};
  const double size = binary_scale(N_ii), speed = binary_scale(contact.w);
  return solve_scaled({N_ii / size, contact.w / speed, contact.mu}) * (speed / size);
}

}  // namespace ccp
