#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "solvers/fixed_point/local_contact.hpp"

namespace ccp {
namespace {

/// The slip branch as functions of α: γ_T(α) and g(α) = ‖γ_T‖ − μ γ_n.
class SlipBranch {
 public:
  explicit SlipBranch(const LocalContact& contact) : contact_(contact) {
    const Matrix3& W = contact.W;
    const Vector3& q = contact.q;
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) S_(i, j) = W(i + 1, j + 1) - W(i + 1, 0) * W(0, j + 1) / W(0, 0);
      q_[i] = q[i + 1] - W(i + 1, 0) * q[0] / W(0, 0);
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
  double excess(double alpha) const {
    const Vector3 gamma = impulse(alpha);
    return std::hypot(gamma[1], gamma[2]) - contact_.mu * gamma[0];
  }

 private:
  const LocalContact& contact_;
  Matrix2 S_;
  Vector2 q_;
};

/// Root of a function that is positive at low and negative at high, by Ridders' rule inside the bracket, to rounding.
template <typename Function>
double bracketed_root(const Function& function, double low, double high) {
  double f_low = function(low), f_high = function(high);
  for (int step = 0; step < 200; ++step) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
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
    if (high - low <= 2.0 * std::numeric_limits<double>::epsilon() * high) break;
  }
  return high;
}

Vector3 solve_slip(const LocalContact& contact) {
  const SlipBranch branch(contact);
  double low = branch.lowest();
  double high = std::max(2.0 * low, branch.scale());
  if (!(high > 0.0)) high = 1.0;
  while (branch.excess(high) > 0.0 && high < 1e300) {
    low = high;
    high *= 16.0;
  }
  // At the lower end g may be infinite (singular S); any positive value keeps the bracket.
  const auto excess = [&](double alpha) {
    const double value = branch.excess(alpha);
    return std::isnan(value) ? std::numeric_limits<double>::max() : std::min(value, std::numeric_limits<double>::max());
  };
  Vector3 gamma = branch.impulse(bracketed_root(excess, low, high));
  // On the cone to the last bit, along the direction found.
  const double t = std::hypot(gamma[1], gamma[2]);
  if (gamma[0] < 0.0) gamma[0] = 0.0;
  if (t > contact.mu * gamma[0]) gamma.tail<2>() *= contact.mu * gamma[0] / t;
  return gamma;
}

}  // namespace

Vector3 solve_contact_exact(const LocalContact& contact) {
  const Matrix3& W = contact.W;
  if (contact.q[0] >= 0.0 || !(W(0, 0) > 0.0)) return contact.q.array().isNaN().any() ? contact.q : Vector3(Vector3::Zero());
  if (contact.mu == 0.0) return {-contact.q[0] / W(0, 0), 0.0, 0.0};
  const Vector3 stick = W.fullPivLu().solve(-contact.q);
  const bool solved = (W * stick + contact.q).norm() <= 1e-12 * contact.q.norm();
  if (solved && stick[0] >= 0.0 && std::hypot(stick[1], stick[2]) <= contact.mu * stick[0]) return stick;
  return solve_slip(contact);
}

}  // namespace ccp
