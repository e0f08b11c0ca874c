#include "solvers/interior_point/interior_iteration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ccp {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double largest_eta = 0.9999;
constexpr double central_part = 0.1;            ///< of the mean, the least eigenvalue of λ∘y after a long step
constexpr double nearly_rigid = 1e-6;           ///< compliance of the start `central`, in units of the mean N_ii
constexpr double hair = 1e-8;                   ///< least y of a start from velocities, in units of that of a cold one
constexpr double largest_regularisation = 1.0;  ///< in units of the mean N_ii

}  // namespace

InteriorIteration::InteriorIteration(const InteriorSettings& settings, const ContactProblem& problem, Monitor& monitor)
    : settings_(settings), barrier_(problem) {
  system_ = make_interior_system(problem, barrier_, settings.form, linear_backend_name(settings.backend), monitor);
  for (Vector* vector :
       {&point_.lambda, &point_.y, &u_, &residual_, &shift_, &free_, &target_, &t_, &dlambda_, &scaled_lambda_, &scaled_y_})
    vector->setZero(barrier_.size());
  for (Vector* vector : {&point_.v, &momentum_, &dv_}) vector->setZero(system_->primal_size());
  before_ = point_;
  scaling_.resize(static_cast<std::size_t>(barrier_.count()));
  blocks_.resize(static_cast<std::size_t>(barrier_.count()));
  set_regularisation(std::max(settings.compliance, system_->regularisation()));
}

void InteriorIteration::set_shift(const Vector& shift) {
  barrier_.to_scaled_velocity(shift, shift_);
  system_->set_shift(shift_);
  point_.lambda.setZero();
  system_->velocity_of(point_.lambda, dv_);
  system_->residuals(dv_, point_.lambda, momentum_, free_);
}

// ---- starting points

bool InteriorIteration::start_cold(Monitor& monitor) {
  bool started = false;
  switch (settings_.starting_point) {
    case StartingPoint::central: started = cold_central(monitor); break;
    case StartingPoint::two_step: started = cold_two_step(monitor); break;
    case StartingPoint::mehrotra:
    case StartingPoint::ones: started = affine_start(nullptr, monitor); break;
  }
  if (started) evaluate();
  return started;
}

/// λ and v of min ½vᵀHv − kᵀv + yᵀy/(2 weight), Dᵀv + Cλ + b = y on the cones, 0 on bilateral rows: (4.57) with y = −weight
/// λ.
bool InteriorIteration::least_squares(double weight, Monitor& monitor) {
  point_.lambda.setZero();
  system_->velocity_of(point_.lambda, point_.v);
  evaluate();
  for (Index i = 0; i < barrier_.count(); ++i) {
    auto& block = blocks_[static_cast<std::size_t>(i)];
    block.basis.setIdentity();
    block.diagonal.setConstant(barrier_.bilateral(i) ? 0.0 : weight);
  }
  if (!factorize(monitor)) return false;
  t_ = -u_;
  if (!system_->solve(momentum_, t_, dv_, dlambda_, settings_.refinement_steps, monitor)) {
    message_ = system_->message();
    return false;
  }
  point_.v += dv_;
  point_.lambda = dlambda_;
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
  if (velocity != nullptr && system_->has_velocity()) point_.v = *velocity;
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
  for (Index i = 0; velocity != nullptr && i < barrier_.count(); ++i)
    if (!barrier_.bilateral(i)) point_.y.segment<3>(3 * i) = lorentz_raise(u_.segment<3>(3 * i), hair * unit_of(i, false));
  if (velocity != nullptr) evaluate();
  if (!scale_cones() || !factorize(monitor)) return false;
  target_affine();
  if (!find_direction(monitor)) return false;
  for (Index i = 0; i < barrier_.count(); ++i) {
    if (barrier_.bilateral(i)) continue;
    const NesterovTodd& W = scaling_[static_cast<std::size_t>(i)];
    auto lambda = point_.lambda.segment<3>(3 * i), y = point_.y.segment<3>(3 * i);
    lambda = lorentz_raise(lambda + dlambda_.segment<3>(3 * i), unit_of(i, true));
    y = lorentz_raise(y + W.apply(scaled_y_.segment<3>(3 * i)), unit_of(i, false));
  }
  return true;
}

bool InteriorIteration::start_at(const Vector& velocity, Monitor& monitor) {
  if (!affine_start(&velocity, monitor)) return false;
  evaluate();
  return true;
}

bool InteriorIteration::start_warm(const Vector& impulse, const Vector* velocity, Monitor& monitor) {
  if (settings_.warm_start == InteriorWarmStart::none || takes_velocities_alone()) return start_cold(monitor);
  point_.lambda.setZero();
  const double cold = natural_residual(point_.lambda, free_);
  barrier_.to_scaled_impulse(impulse, point_.lambda);
  if (velocity != nullptr && system_->has_velocity())
    point_.v = *velocity;
  else
    system_->velocity_of(point_.lambda, point_.v);
  scale_ = system_->residuals(point_.v, point_.lambda, momentum_, u_);
  if (settings_.warm_start == InteriorWarmStart::partial && !impulses_of_velocity(monitor)) return false;
  const double warm = natural_residual(point_.lambda, u_);
  if (!(warm < cold)) return start_cold(monitor);
  const double margin = std::max(warm, 1e-14 * std::max(max_norm(point_.lambda), max_norm(u_)));
  point_.y = u_;
  push_inside(point_.lambda, margin);
  push_inside(point_.y, margin);
  for (Index i = 0; i < barrier_.count(); ++i)
    if (barrier_.bilateral(i)) point_.y.segment<3>(3 * i).setZero();
  evaluate();
  return true;
}

/// (J.9): the impulses complementary to the velocities at the constraints in u_ that make them.
bool InteriorIteration::impulses_of_velocity(Monitor& monitor) {
  const double unit = rms(free_);
  for (Index i = 0; i < barrier_.count(); ++i) {
    auto& block = blocks_[static_cast<std::size_t>(i)];
    block.basis.setIdentity();
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
  momentum_.setZero();
  t_ = u_ - free_;
  if (!system_->solve(momentum_, t_, dv_, point_.lambda, settings_.refinement_steps, monitor)) {
    message_ = system_->message();
    return false;
  }
  return true;
}

// ---- one iteration

bool InteriorIteration::step(Monitor& monitor) {
  if (!scale_cones() || !factorize(monitor)) return false;
  target_affine();
  if (!find_direction(monitor)) return false;
  const double affine = trial_complementarity(lengths_to_boundary());
  const double ratio = mu_ > 0.0 ? affine / mu_ : 0.0;
  sigma_ = std::clamp(ratio * ratio * ratio, 0.0, 1.0);
  target_corrected(1.0);
  if (!find_direction(monitor)) return false;
  Lengths alpha = lengths_to_boundary();
  if (alpha.least() < 0.1) {
    // The second-order correction can exceed what it corrects: centre instead.
    sigma_ = std::max(sigma_, 0.5);
    target_corrected(0.0);
    if (!find_direction(monitor)) return false;
    alpha = lengths_to_boundary();
  }
  const double factor = eta(alpha);
  advance({std::min(1.0, factor * alpha.primal), std::min(1.0, factor * alpha.dual)});
  if (!unbounded()) return true;
  message_ = "the impulses grow without bound: the problem has no solution to within rounding";
  return false;
}

/// True for impulses far above the free velocity that change no velocity: the objective falls for ever along such a ray, and
/// the rounding of the impulses would hide any residual.
bool InteriorIteration::unbounded() {
  if (!(max_norm(point_.lambda) > 1e8 * max_norm(free_)) || max_norm(free_) == 0.0) return false;
  system_->velocity_of(point_.lambda, dv_);
  system_->residuals(dv_, point_.lambda, momentum_, u_);
  const double curvature = point_.lambda.dot(u_ - free_);
  evaluate();
  return curvature < 4.0 * epsilon * point_.lambda.squaredNorm();
}

/// Two steps add (α_P − α_D) H Δv to the momentum equation, which has both v and λ in it (thesis, eq. 4.14a). They are taken
/// only where they leave a smaller remainder than one step does; `split_always` takes them as they are (4.11).
void InteriorIteration::advance(const Lengths& alpha) {
  const Lengths equal{alpha.least(), alpha.least()};
  if (settings_.step_lengths == StepLengths::split_always) {
    move(alpha);
    evaluate();
    return;
  }
  if (settings_.step_lengths == StepLengths::split) before_ = point_;
  move(equal);
  evaluate();
  if (settings_.step_lengths == StepLengths::equal || alpha.primal == alpha.dual) return;
  const double left = remainder();
  point_ = before_;
  move(alpha);
  evaluate();
  if (remainder() <= left) return;
  point_ = before_;
  move(equal);
  evaluate();
}

double InteriorIteration::remainder() const {
  return convergence_.bilateral + convergence_.cones + convergence_.momentum + convergence_.complementarity;
}

bool InteriorIteration::scale_cones() {
  for (Index i = 0; i < barrier_.count(); ++i) {
    auto& block = blocks_[static_cast<std::size_t>(i)];
    if (barrier_.bilateral(i)) {
      block.diagonal.setZero();
      continue;
    }
    NesterovTodd& W = scaling_[static_cast<std::size_t>(i)];
    if (!nesterov_todd(point_.lambda.segment<3>(3 * i), point_.y.segment<3>(3 * i), W)) {
      message_ = "an impulse or a velocity is on the surface of its cone to within rounding";
      return false;
    }
    block.basis = W.basis;
    block.diagonal = W.weight.cwiseAbs2();
  }
  return true;
}

/// Raises δ, for good, while the matrix is not positive definite to within rounding.
bool InteriorIteration::factorize(Monitor& monitor) {
  while (!system_->factorize(blocks_, monitor)) {
    const double next = 100.0 * delta_;
    if (!(next <= largest_regularisation)) {
      message_ = "the linear system cannot be factorised: " + system_->message();
      return false;
    }
    set_regularisation(next);
  }
  return true;
}

void InteriorIteration::set_regularisation(double delta) {
  delta_ = delta;
  for (Index i = 0; i < barrier_.count(); ++i)
    blocks_[static_cast<std::size_t>(i)].soft = delta * barrier_.curvature.segment<3>(3 * i);
}

void InteriorIteration::target_affine() {
  for (Index i = 0; i < barrier_.count(); ++i)
    if (!barrier_.bilateral(i)) target_.segment<3>(3 * i) = -scaling_[static_cast<std::size_t>(i)].point;
}

/// −z + z \ (σ μ_c e − weight · W⁻¹Δy ∘ WΔλ) with the last direction.
void InteriorIteration::target_corrected(double weight) {
  for (Index i = 0; i < barrier_.count(); ++i) {
    if (barrier_.bilateral(i)) continue;
    const Vector3& z = scaling_[static_cast<std::size_t>(i)].point;
    Vector3 wanted = -weight * jordan_product(scaled_y_.segment<3>(3 * i), scaled_lambda_.segment<3>(3 * i));
    wanted[0] += sigma_ * mu_;
    target_.segment<3>(3 * i) = jordan_quotient(z, wanted) - z;
  }
}

bool InteriorIteration::find_direction(Monitor& monitor) {
  t_ = -residual_;
  for (Index i = 0; i < barrier_.count(); ++i)
    if (!barrier_.bilateral(i))
      t_.segment<3>(3 * i) += scaling_[static_cast<std::size_t>(i)].apply(target_.segment<3>(3 * i));
  if (!system_->solve(momentum_, t_, dv_, dlambda_, settings_.refinement_steps, monitor)) {
    message_ = "the linear system cannot be solved: " + system_->message();
    return false;
  }
  for (Index i = 0; i < barrier_.count(); ++i) {
    if (barrier_.bilateral(i)) continue;
    scaled_lambda_.segment<3>(3 * i) = scaling_[static_cast<std::size_t>(i)].apply(dlambda_.segment<3>(3 * i));
    scaled_y_.segment<3>(3 * i) = target_.segment<3>(3 * i) - scaled_lambda_.segment<3>(3 * i);
  }
  return true;
}

/// The steps that reach the surface of a cone, from z in scaled space: at most 1/0.
InteriorIteration::Lengths InteriorIteration::lengths_to_boundary() const {
  constexpr double far = std::numeric_limits<double>::infinity();
  Lengths alpha{far, far};
  for (Index i = 0; i < barrier_.count(); ++i) {
    if (barrier_.bilateral(i)) continue;
    const Vector3& z = scaling_[static_cast<std::size_t>(i)].point;
    alpha.primal = std::min(alpha.primal, lorentz_step(z, scaled_y_.segment<3>(3 * i)));
    alpha.dual = std::min(alpha.dual, lorentz_step(z, scaled_lambda_.segment<3>(3 * i)));
  }
  return alpha;
}

double InteriorIteration::trial_complementarity(const Lengths& alpha) const {
  const double primal = std::min(1.0, alpha.primal), dual = std::min(1.0, alpha.dual);
  double sum = 0.0;
  for (Index i = 0; i < barrier_.count(); ++i) {
    if (barrier_.bilateral(i)) continue;
    const Vector3& z = scaling_[static_cast<std::size_t>(i)].point;
    sum += (z + primal * scaled_y_.segment<3>(3 * i)).dot(z + dual * scaled_lambda_.segment<3>(3 * i));
  }
  return barrier_.cones > 0 ? sum / static_cast<double>(barrier_.cones) : 0.0;
}

double InteriorIteration::eta(const Lengths& alpha) const {
  if (settings_.eta_policy == EtaPolicy::fixed) return std::min(settings_.eta, largest_eta);
  const double sum = convergence_.complementarity * static_cast<double>(barrier_.cones);
  const double eta = std::min(0.1 * std::exp(-sum) + 0.9, largest_eta);
  if (settings_.eta_policy == EtaPolicy::adaptive || eta <= settings_.eta) return eta;
  return stays_central({std::min(1.0, eta * alpha.primal), std::min(1.0, eta * alpha.dual)}) ? eta : settings_.eta;
}

/// Whether the steps leave the least eigenvalue of each λ_i∘y_i, in scaled space, above a part of their mean.
bool InteriorIteration::stays_central(const Lengths& alpha) const {
  const double least = central_part * trial_complementarity(alpha);
  for (Index i = 0; i < barrier_.count(); ++i) {
    if (barrier_.bilateral(i)) continue;
    const Vector3& z = scaling_[static_cast<std::size_t>(i)].point;
    const Vector3 y = z + alpha.primal * scaled_y_.segment<3>(3 * i);
    const Vector3 lambda = z + alpha.dual * scaled_lambda_.segment<3>(3 * i);
    const double product = y.dot(lambda);
    const double spread = product * product - lorentz_determinant(y) * lorentz_determinant(lambda);
    if (!(product - std::sqrt(std::max(0.0, spread)) >= least)) return false;
  }
  return true;
}

void InteriorIteration::move(const Lengths& alpha) {
  step_primal_ = alpha.primal;
  step_dual_ = alpha.dual;
  point_.v += alpha.primal * dv_;
  point_.lambda += alpha.dual * dlambda_;
  for (Index i = 0; i < barrier_.count(); ++i)
    if (!barrier_.bilateral(i))
      point_.y.segment<3>(3 * i) += alpha.primal * scaling_[static_cast<std::size_t>(i)].apply(scaled_y_.segment<3>(3 * i));
  keep_inside(point_.lambda);
  keep_inside(point_.y);
}

/// Keeps a point a few units in the last place from the surface, onto which it may round.
void InteriorIteration::keep_inside(Vector& x) const {
  for (Index i = 0; i < barrier_.count(); ++i) {
    if (barrier_.bilateral(i)) continue;
    const double t = x.segment<2>(3 * i + 1).norm();
    x[3 * i] = std::max(x[3 * i], (1.0 + 8.0 * epsilon) * t);
  }
}

void InteriorIteration::push_inside(Vector& x, double margin) const {
  for (Index i = 0; i < barrier_.count(); ++i)
    if (!barrier_.bilateral(i)) x[3 * i] += std::max(0.0, margin - lorentz_gap(x.segment<3>(3 * i)));
}

void InteriorIteration::evaluate() {
  scale_ = system_->residuals(point_.v, point_.lambda, momentum_, u_);
  residual_ = u_ - point_.y;
  double bilateral = 0.0, cones = 0.0, product = 0.0, terms = 0.0;
  const double free = max_norm(free_);
  const bool absolute = settings_.criterion == InteriorCriterion::absolute;
  Index bilaterals = 0;
  for (Index i = 0; i < barrier_.count(); ++i) {
    Vector3 own = residual_.segment<3>(3 * i);
    for (Index c = 0; absolute && c < 3; ++c)
      if (barrier_.scale[3 * i + c] > 0.0) own[c] /= barrier_.scale[3 * i + c];
    if (barrier_.bilateral(i)) {
      bilateral += own.squaredNorm();
      ++bilaterals;
      continue;
    }
    cones += own.squaredNorm();
    product += point_.y.segment<3>(3 * i).dot(point_.lambda.segment<3>(3 * i));
    terms = std::max(terms, point_.lambda.segment<3>(3 * i).norm() * free);
  }
  const auto mean = [](double norm, Index n, double of) {
    return n > 0 && of > 0.0 ? norm / (static_cast<double>(n) * of) : 0.0;
  };
  mu_ = barrier_.cones > 0 ? product / static_cast<double>(barrier_.cones) : 0.0;
  convergence_.bilateral = mean(std::sqrt(bilateral), bilaterals, scale_.kinematic);
  convergence_.cones = mean(std::sqrt(cones), barrier_.cones, scale_.kinematic);
  convergence_.momentum = mean(momentum_.norm(), momentum_.size(), scale_.momentum);
  convergence_.complementarity = mean(mu_, 1, terms);
  if (!absolute) return;
  convergence_ = {mean(std::sqrt(bilateral), bilaterals, 1.0), mean(std::sqrt(cones), barrier_.cones, 1.0),
                  mean(momentum_.norm(), momentum_.size(), 1.0), mu_};
}

bool InteriorIteration::converged() const {
  return convergence_.bilateral < settings_.tolerance_residual && convergence_.cones < settings_.tolerance_residual &&
         convergence_.momentum < settings_.tolerance_residual &&
         convergence_.complementarity < settings_.tolerance_complementarity;
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
