#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "solvers/fixed_point/local_contact.hpp"

namespace ccp {
namespace {

/// The impulses γ(θ) on the surface of the cone with u_n = 0, and the derivative of the energy ½ γᵀN γ + γᵀw along them
/// (E.7).
class SlipCurve {
 public:
  SlipCurve(const LocalContact& contact, double angle) : contact_(contact) {
    const double c = std::cos(angle), s = std::sin(angle);
    const Vector3 ray(1.0, contact.mu * c, contact.mu * s), turn(0.0, -contact.mu * s, contact.mu * c);
    const double rate = contact.N_ii.row(0).dot(ray);
    exists_ = rate > 0.0;
    if (!exists_) return;
    const double normal = -contact.w[0] / rate;
    impulse_ = normal * ray;
    change_ = normal * (turn - contact.N_ii.row(0).dot(turn) / rate * ray);
  }
  /// Whether an impulse in that direction can stop the approach.
  bool exists() const { return exists_; }
  const Vector3& impulse() const { return impulse_; }
  double slope() const { return (contact_.N_ii * impulse_ + contact_.w).dot(change_); }

 private:
  const LocalContact& contact_;
  bool exists_ = false;
  Vector3 impulse_ = Vector3::Zero(), change_ = Vector3::Zero();
};

}  // namespace

Vector3 solve_contact_bisection(const LocalContact& contact, bool planar) {
  if (contact.w[0] >= 0.0) return Vector3::Zero();
  const Vector3 stick = contact.N_ii.fullPivLu().solve(-contact.w);
  const double reach = stick.tail<2>().norm();
  const bool stops = (contact.N_ii * stick + contact.w).norm() <= 1e-12 * contact.w.norm();
  if (stops && reach <= contact.mu * stick[0]) return stick;
  const Vector2 aim = reach > 0.0 ? stick.tail<2>() : Vector2(-contact.w.tail<2>());
  double angle = std::atan2(aim[1], aim[0]);
  if (planar) angle = aim[0] < 0.0 ? std::numbers::pi : 0.0;
  const SlipCurve first(contact, angle);
  if (planar || contact.mu == 0.0 || !first.exists() || first.slope() == 0.0)
    return first.exists() ? first.impulse() : Vector3::Zero();

  // Downhill in growing steps until the slope changes its sign or no impulse stops the approach; then bisection.
  const double sign = first.slope() > 0.0 ? -1.0 : 1.0;
  double near = angle, far = angle;
  for (double step = 0.1; std::abs(far - angle) < 2.0 * std::numbers::pi; step *= 1.5) {
    near = far;
    far += sign * step;
    const SlipCurve ahead(contact, far);
    if (!ahead.exists() || sign * ahead.slope() > 0.0) break;
  }
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (near + far);
    const SlipCurve between(contact, middle);
    (between.exists() && sign * between.slope() <= 0.0 ? near : far) = middle;
  }
  return SlipCurve(contact, near).impulse();
}

}  // namespace ccp
