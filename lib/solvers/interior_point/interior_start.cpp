#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/interior_point/interior_iteration.hpp"

/// Cold and warm starting points.
namespace ccp {
namespace {

constexpr double nearly_rigid = 1e-6;  ///< compliance of the start `central`, in units of the mean N_ii
constexpr double hair = 1e-8;          ///< least y of a start from velocities, in units of that of a cold one

}  // namespace

bool InteriorIteration::start_cold(Monitor& monitor) {
  bool started = false;
  switch (settings_.starting_point) {
    case StartingPoint::central: started = cold_central(monitor); break;
    case StartingPoint::two_step: started = cold_two_step(monitor); break;
    case StartingPoint::mehrotra:
    case StartingPoint::ones: started = affine_start(nullptr, monitor); break;
  }
  if (started) begin_at_slip();
  return started;
}

/// De Saxcé's term of the starting y (with slack where series need it), and the residuals.
void InteriorIteration::begin_at_slip() {
  for (Index i = 0; i < barrier_.count() && barrier_.corrected; ++i) point_.s[i] -= slip_defect(i);
  evaluate();
  if (settings_.order == 0) return;
  for (Index i = 0; i < barrier_.count(); ++i)
    if (!barrier_.bilateral(i)) point_.s[i] = std::hypot(point_.s[i], settings_.slack * std::sqrt(mu_));
  evaluate();
}

/// λ and v of min ½vᵀHv − kᵀv + yᵀy/(2 weight), Dᵀv + Cλ + b = y on the cones, 0 on bilateral rows: (4.57) with y = −weight
/// λ.
bool InteriorIteration::least_squares(double weight, Monitor& monitor) {
  point_.lambda.setZero();
  system_->velocity_of(point_.lambda, point_.v);
  evaluate();
  for (Index i = 0; i < barrier_.count(); ++i) {
    auto& block = blocks_[uz(i)];
    block.basis.setIdentity();
    block.bent = false;
    block.diagonal.setConstant(barrier_.bilateral(i) ? 0.0 : weight);
  }
  if (!factorize(monitor)) return false;
  t_ = -u_;
  if (!system_->solve(point_.momentum, t_, direction_.dv, direction_.dlambda, refinement_steps, monitor)) {
    message_ = system_->message();
    return false;
  }
  point_.v += direction_.dv;
  point_.lambda = direction_.dlambda;
  return true;
}

/// (4.57): the least-squares impulses, y = −λ, then both along the axes of the cones until they are inside.
bool InteriorIteration::cold_two_step(Monitor& monitor) {
  if (!least_squares(1.0, monitor)) return false;
  point_.y = -point_.lambda;
  for (Index i = 0; i < barrier_.count(); ++i)
    if (barrier_.bilateral(i)) point_.y.segment<3>(3 * i).setZero();
  const double unit = std::max(rms(point_.lambda), std::numeric_limits<double>::min());
  for (Vector* x : {&point_.lambda, &point_.y}) {
    const double missing = -least_gap(*x);
    if (missing < -1e-8 * unit) continue;
    for (Index i = 0; i < barrier_.count(); ++i)
      if (!barrier_.bilateral(i)) (*x)[3 * i] += missing + unit;
  }
  return true;
}

/// Least-squares impulses for nearly rigid constraints, each moved into its cone by its own size, and the velocities that
/// put them on the central path.
bool InteriorIteration::cold_central(Monitor& monitor) {
  if (!least_squares(nearly_rigid, monitor)) return false;
  const double least = 1e-12 * rms(point_.lambda);
  double energy = 0.0;
  for (Index i = 0; i < barrier_.count(); ++i) {
    if (barrier_.bilateral(i)) continue;
    auto lambda = point_.lambda.segment<3>(3 * i);
    const double unit = std::max({lambda.norm(), least, std::numeric_limits<double>::min()});
    lambda[0] += unit + std::max(0.0, -lorentz_gap(lambda));
    energy += lambda.norm() * free_.segment<3>(3 * i).norm();
  }
  const double mu = std::max(energy / static_cast<double>(std::max<Index>(barrier_.cones, 1)), 1e-300);
  for (Index i = 0; i < barrier_.count(); ++i)
    if (!barrier_.bilateral(i))
      point_.y.segment<3>(3 * i) = jordan_quotient(point_.lambda.segment<3>(3 * i), mu * Vector3::UnitX());
    else
      point_.y.segment<3>(3 * i).setZero();
  return true;
}

/// (4.23): an affine step from ones, then the eigenvalues of λ and y at least one. `ones`: v = 1, γ = 1 N·s and u = 1 m/s,
/// as in the thesis; else the free velocities, and ones in units of the scaled free velocity at the constraints. A velocity
/// that is given takes the place of v, and y is its u (sec. 4.11), but for a hair inside the cones: the affine step then
/// makes the impulses of contacts that stay closed.
bool InteriorIteration::affine_start(const Vector* velocity, Monitor& monitor) {
  const double free = rms(free_);
  const double unit = free > 0.0 ? free : 1.0;
  const bool plain = settings_.starting_point == StartingPoint::ones;
  point_.lambda.setZero();
  system_->velocity_of(point_.lambda, point_.v);
  if (plain && system_->has_velocity()) point_.v.setOnes();
  if (velocity != nullptr && system_->has_velocity()) system_->take_velocity(*velocity, point_.v);
  point_.y.setZero();
  const auto unit_of = [&](Index i, bool impulse) {
    const double scale = barrier_.scale[3 * i];
    if (!plain || !(scale > 0.0)) return unit;
    return impulse ? 1.0 / scale : scale;
  };
  for (Index i = 0; i < barrier_.count(); ++i) {
    point_.lambda[3 * i] = unit_of(i, true);
    if (!barrier_.bilateral(i)) point_.y[3 * i] = unit_of(i, false);
  }
  evaluate();
  add_correction(u_);
  for (Index i = 0; velocity != nullptr && i < barrier_.count(); ++i)
    if (!barrier_.bilateral(i)) point_.y.segment<3>(3 * i) = lorentz_raise(u_.segment<3>(3 * i), hair * unit_of(i, false));
  if (velocity != nullptr) begin_at_slip();
  if (!scale_cones() || !factorize(monitor)) return false;
  target_affine();
  if (!find_direction(monitor)) return false;
  for (Index i = 0; i < barrier_.count(); ++i) {
    if (barrier_.bilateral(i)) continue;
    const NesterovTodd& W = scaling_[uz(i)];
    auto lambda = point_.lambda.segment<3>(3 * i), y = point_.y.segment<3>(3 * i);
    lambda = lorentz_raise(lambda + direction_.dlambda.segment<3>(3 * i), unit_of(i, true));
    y = lorentz_raise(y + W.apply(direction_.scaled_y.segment<3>(3 * i)), unit_of(i, false));
  }
  return true;
}

bool InteriorIteration::start_at(const Vector& velocity, Monitor& monitor) {
  if (!affine_start(&velocity, monitor)) return false;
  begin_at_slip();
  return true;
}

bool InteriorIteration::start_warm(const Vector& impulse, const Vector* velocity, Monitor& monitor) {
  if (settings_.warm_start == InteriorWarmStart::none || takes_velocities_alone()) return start_cold(monitor);
  point_.lambda.setZero();
  t_ = free_;
  add_correction(t_);
  const double cold = natural_residual(point_.lambda, t_);
  barrier_.to_scaled_impulse(impulse, point_.lambda);
  if (velocity != nullptr && system_->has_velocity())
    system_->take_velocity(*velocity, point_.v);
  else
    system_->velocity_of(point_.lambda, point_.v);
  scale_ = system_->residuals(point_.v, point_.lambda, point_.momentum, u_);
  if (settings_.warm_start == InteriorWarmStart::partial && !impulses_of_velocity(monitor)) return false;
  add_correction(u_);
  const double warm = natural_residual(point_.lambda, u_);
  if (!(warm < cold)) return start_cold(monitor);
  const double margin = std::max(warm, 1e-14 * std::max(max_norm(point_.lambda), max_norm(u_)));
  point_.y = u_;
  push_inside(point_.lambda, margin);
  push_inside(point_.y, margin);
  for (Index i = 0; i < barrier_.count(); ++i)
    if (barrier_.bilateral(i)) point_.y.segment<3>(3 * i).setZero();
  begin_at_slip();
  return true;
}

/// (J.9): the impulses complementary to the velocities at the constraints in u_ that make them.
bool InteriorIteration::impulses_of_velocity(Monitor& monitor) {
  const double unit = rms(free_);
  for (Index i = 0; i < barrier_.count(); ++i) {
    auto& block = blocks_[uz(i)];
    block.basis.setIdentity();
    block.bent = false;
    block.diagonal.setConstant(barrier_.bilateral(i) ? 0.0 : nearly_rigid);
    if (barrier_.bilateral(i) || !(unit > 0.0)) continue;
    const Vector3 u = u_.segment<3>(3 * i);
    const double tangential = u.tail<2>().norm();
    if (tangential > 0.0) {
      const double root = std::sqrt(0.5), q1 = u[1] / tangential, q2 = u[2] / tangential;
      block.basis << root, root, 0.0, root * q1, -root * q1, -q2, root * q2, -root * q2, q1;
    }
    block.diagonal += Vector3(u[0] + tangential, u[0] - tangential, u[0]).cwiseMax(0.0) / unit;
  }
  if (!factorize(monitor)) return false;
  point_.momentum.setZero();
  t_ = u_ - free_;
  if (!system_->solve(point_.momentum, t_, direction_.dv, point_.lambda, refinement_steps, monitor)) {
    message_ = system_->message();
    return false;
  }
  return true;
}

void InteriorIteration::push_inside(Vector& x, double margin) const {
  for (Index i = 0; i < barrier_.count(); ++i)
    if (!barrier_.bilateral(i)) x[3 * i] += std::max(0.0, margin - lorentz_gap(x.segment<3>(3 * i)));
}

double InteriorIteration::rms(const Vector& x) const {
  return x.size() > 0 ? x.norm() / std::sqrt(static_cast<double>(barrier_.count())) : 0.0;
}

double InteriorIteration::least_gap(const Vector& x) const {
  double gap = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < barrier_.count(); ++i)
    if (!barrier_.bilateral(i)) gap = std::min(gap, lorentz_gap(x.segment<3>(3 * i)));
  return gap;
}

/// max_i ‖λ_i − Π(λ_i − u_i)‖.
double InteriorIteration::natural_residual(const Vector& lambda, const Vector& u) const {
  double worst = 0.0;
  for (Index i = 0; i < barrier_.count(); ++i) {
    const Vector3 own = lambda.segment<3>(3 * i), velocity = u.segment<3>(3 * i);
    const Vector3 moved = own - velocity;
    const double t = moved.tail<2>().norm();
    Vector3 projected = moved;
    if (!barrier_.bilateral(i) && t > moved[0]) {
      const double head = std::max(0.0, 0.5 * (moved[0] + t));
      projected.tail<2>() *= t > 0.0 ? head / t : 0.0;
      projected[0] = head;
    }
    const double distance = (own - projected).norm();
    if (!(distance <= worst)) worst = distance;
  }
  return worst;
}

}  // namespace ccp
