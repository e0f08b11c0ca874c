#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/fixed_point/local_contact.hpp"

namespace ccp {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
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

/// The slip branch as functions of α (E29): γ(α) with u_n = 0 and u_T = −α γ_T, and g(α) = ‖γ_T‖ − μ γ_n. α = 0 sticks.
class SlipBranch {
 public:
  explicit SlipBranch(const LocalContact& contact) : contact_(contact) {
    const Matrix3& W = contact.W;
    const Vector3& q = contact.q;
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) S_(i, j) = W(i + 1, j + 1) - W(i + 1, 0) * (W(0, j + 1) / W(0, 0));
      q_[i] = q[i + 1] - W(i + 1, 0) * (q[0] / W(0, 0));
    }
  }

  /// (S + αI)⁻¹ exists and ‖γ_T‖ is finite for all α above this; S is PSD in theory, slightly indefinite in practice.
  double lowest() const {
    const double half = 0.5 * S_.trace(), square = half * half - S_.determinant();
    return std::max(0.0, -half + std::sqrt(std::max(0.0, square)));
  }
  double scale() const { return S_.cwiseAbs().maxCoeff(); }

  Vector3 impulse(double alpha) const {
    const double a = S_(0, 0) + alpha, d = S_(1, 1) + alpha;
    const double determinant = a * d - S_(0, 1) * S_(1, 0);
    const double t1 = -(d * q_[0] - S_(0, 1) * q_[1]) / determinant;
    const double t2 = -(a * q_[1] - S_(1, 0) * q_[0]) / determinant;
    const double normal = -(contact_.q[0] + contact_.W(0, 1) * t1 + contact_.W(0, 2) * t2) / contact_.W(0, 0);
    return {normal, t1, t2};
  }
  /// g(α), with any large number where it is infinite or not a number (singular S + αI).
  double excess(double alpha) const {
    const Vector3 gamma = impulse(alpha);
    const double value = std::hypot(gamma[1], gamma[2]) - contact_.mu * gamma[0];
    return std::isnan(value) ? largest_double : std::min(value, largest_double);
  }

 private:
  const LocalContact& contact_;
  Matrix2 S_;
  Vector2 q_;
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
  return on_the_cone(branch.impulse(bracketed_root(excess, std::max(low, lowest), high)), contact.mu);
}

/// u = 0 to the rounding of its terms, and γ in the cone.
bool sticks(const LocalContact& contact, const Vector3& gamma) {
  const Vector3 u = contact.W * gamma + contact.q;
  return u.cwiseAbs().maxCoeff() <= 1e-12 * contact.q.cwiseAbs().maxCoeff() && gamma[0] >= 0.0 &&
         std::hypot(gamma[1], gamma[2]) <= contact.mu * gamma[0];
}

/// With W and q of the size of 1.
Vector3 solve_scaled(const LocalContact& contact) {
  const SlipBranch branch(contact);
  const Vector3 stick = branch.impulse(0.0);
  if (sticks(contact, stick)) return stick;
  // A singular N_ii may stick, too, when q is in its range.
  if (const Vector3 pivoted = contact.W.fullPivLu().solve(-contact.q); sticks(contact, pivoted)) return pivoted;
  return solve_slip(contact, branch);
}

}  // namespace

Vector3 solve_contact_exact(const LocalContact& contact) {
  const Matrix3& W = contact.W;
  if (contact.q.array().isNaN().any()) return contact.q;
  if (contact.q[0] >= 0.0 || !(W(0, 0) > 0.0)) return Vector3::Zero();
  if (contact.mu == 0.0) return {-contact.q[0] / W(0, 0), 0.0, 0.0};
  const double size = binary_scale(W), speed = binary_scale(contact.q);
  return solve_scaled({W / size, contact.q / speed, contact.mu}) * (speed / size);
}

}  // namespace ccp
