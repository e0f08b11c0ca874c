#include "solvers/interior_point/interior_iteration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ccp {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double largest_eta = 0.9999;
constexpr double central_part = 0.1;  ///< of the mean, the least eigenvalue of λ∘y after a long step
/// Constants of the correctors, as in Gondzio 1996: how much longer a step they aim at, the part of that which they must
/// gain, and the eigenvalues of its products in units of σ μ_c.
constexpr double longer = 0.1, enough = 0.1, least_central = 0.1, most_central = 10.0;
constexpr double centring = 0.998;              ///< σ while s is astray (FAF, ipm.tex)
constexpr double largest_regularisation = 1.0;  ///< in units of the mean N_ii

}  // namespace

InteriorIteration::InteriorIteration(const InteriorSettings& settings, const ContactProblem& problem, Model model,
                                     Monitor& monitor)
    : settings_(settings), barrier_(problem, model == Model::ncp) {
  system_ = make_interior_system(problem, barrier_, settings.form, linear_backend_name(settings.backend), monitor);
  for (Vector* vector : {&point_.lambda, &point_.y, &u_, &point_.residual, &shift_, &free_, &t_, &direction_.target,
                         &direction_.dlambda, &direction_.scaled_lambda, &direction_.scaled_y})
    vector->setZero(barrier_.size());
  for (Vector* vector : {&point_.v, &point_.momentum, &direction_.dv, &mass_product_})
    vector->setZero(system_->primal_size());
  point_.s.setZero(barrier_.count());
  before_ = point_;
  last_ = direction_;
  scaling_.resize(uz(barrier_.count()));
  blocks_.resize(uz(barrier_.count()));
  set_regularisation(std::max(settings.compliance, system_->regularisation()));
}

void InteriorIteration::set_shift(const Vector& shift) {
  barrier_.to_scaled_velocity(shift, shift_);
  system_->set_shift(shift_);
  point_.lambda.setZero();
  point_.s.setZero();
  system_->velocity_of(point_.lambda, direction_.dv);
  system_->residuals(direction_.dv, point_.lambda, point_.momentum, free_);
}

bool InteriorIteration::step(Monitor& monitor) {
  if (!scale_cones() || !factorize(monitor)) return false;
  Lengths alpha;
  if (!predict_and_correct(alpha, monitor)) return false;
  for (int k = 0; k < settings_.correctors; ++k)
    if (!centre(alpha, monitor)) break;
  const double factor = eta(alpha);
  advance(shortened(factor, alpha));
  if (!unbounded()) return true;
  message_ = "the impulses grow without bound: the problem has no solution to within rounding";
  return false;
}

bool InteriorIteration::predict_and_correct(Lengths& alpha, Monitor& monitor) {
  const bool centres = astray();
  if (!centres) {
    target_affine();
    if (!find_direction(monitor)) return false;
    const Lengths far = lengths_to_boundary();
    const double ratio = mu_ > 0.0 ? trial_complementarity(far) / mu_ : 0.0;
    const double length = std::min(1.0, far.least());
    sigma_ = std::clamp(
        barrier_.corrected ? std::pow(std::max(0.0, ratio), std::max(1.0, 3.0 * length * length)) : ratio * ratio * ratio,
        0.0, 1.0);
    target_corrected(1.0);
    if (!find_direction(monitor)) return false;
    alpha = lengths_to_boundary();
    if (alpha.least() >= 0.1) return true;
  }
  // The second-order correction can exceed what it corrects: centre instead.
  sigma_ = centres ? centring : std::max(sigma_, 0.5);
  target_corrected(0.0);
  if (!find_direction(monitor)) return false;
  alpha = lengths_to_boundary();
  return true;
}

/// Whether s is farther from ‖y_T‖ than the products are from zero, both in J.
bool InteriorIteration::astray() const {
  if (!barrier_.corrected) return false;
  double defect = 0.0, products = 0.0;
  for (Index i = 0; i < barrier_.count(); ++i) {
    const double own = slip_defect(i);
    defect += own * own;
    products += jordan_product(point_.y.segment<3>(3 * i), point_.lambda.segment<3>(3 * i)).squaredNorm();
  }
  return defect > std::sqrt(products);
}

/// (0, y_T/‖y_T‖), the gradient of ‖y_T‖; 0 where that has none, and without De Saxcé's term. With series (0, y_T/s).
Vector3 InteriorIteration::slip_direction(Index i) const {
  const Vector2 slip = point_.y.segment<2>(3 * i + 1);
  const double speed = settings_.order > 0 ? point_.s[i] : slip.norm();
  if (!barrier_.corrected || !(speed > 0.0)) return Vector3::Zero();
  return {0.0, slip[0] / speed, slip[1] / speed};
}

/// s − ‖y_T‖; 0 without De Saxcé's term.
double InteriorIteration::slip_defect(Index i) const {
  return barrier_.corrected ? point_.s[i] - point_.y.segment<2>(3 * i + 1).norm() : 0.0;
}

/// u of every cone becomes û.
void InteriorIteration::add_correction(Vector& u) const {
  for (Index i = 0; i < barrier_.count() && barrier_.corrected; ++i)
    if (!barrier_.bilateral(i)) u[3 * i] += u.segment<2>(3 * i + 1).norm();
}

/// True for impulses far above the free velocity that change no velocity: the objective falls for ever along such a ray, and
/// the rounding of the impulses would hide any residual.
bool InteriorIteration::unbounded() {
  if (!(max_norm(point_.lambda) > 1e8 * max_norm(free_)) || max_norm(free_) == 0.0) return false;
  system_->velocity_of(point_.lambda, direction_.dv);
  system_->residuals(direction_.dv, point_.lambda, last_.dv, t_);
  const double curvature = point_.lambda.dot(t_ - free_);
  return curvature < 4.0 * epsilon * point_.lambda.squaredNorm();
}

/// Two steps add (α_P − α_D) H Δv to the momentum equation, which has both v and λ in it (thesis, eq. 4.14a). They are taken
/// only where they leave a smaller remainder than one step does; `split_always` takes them as they are (4.11).
void InteriorIteration::advance(const Lengths& alpha) {
  const Lengths equal{alpha.least(), alpha.least()};
  if (settings_.step_lengths == StepLengths::split_always) {
    go(alpha);
    return;
  }
  if (settings_.step_lengths == StepLengths::split) before_ = point_;
  go(equal);
  if (settings_.step_lengths == StepLengths::equal || alpha.primal == alpha.dual) return;
  const double left = remainder();
  point_ = before_;
  go(alpha);
  if (remainder() <= left) return;
  point_ = before_;
  go(equal);
}

/// Moves and evaluates. Carried residuals are scaled as the step does it but for rounding (thesis, eqs. 4.14, corrected).
void InteriorIteration::go(const Lengths& alpha) {
  move(alpha);
  if (settings_.criterion != InteriorCriterion::carried) {
    evaluate();
    return;
  }
  point_.momentum *= 1.0 - alpha.dual;
  if (alpha.primal != alpha.dual) {
    system_->mass_product(direction_.dv, mass_product_);
    point_.momentum += (alpha.primal - alpha.dual) * mass_product_;
  }
  point_.residual *= 1.0 - alpha.primal;
  take_stock();
}

double InteriorIteration::remainder() const {
  return convergence_.bilateral + convergence_.cones + convergence_.momentum + convergence_.complementarity;
}

bool InteriorIteration::scale_cones() {
  for (Index i = 0; i < barrier_.count(); ++i) {
    auto& block = blocks_[uz(i)];
    if (barrier_.bilateral(i)) {
      block.diagonal.setZero();
      continue;
    }
    NesterovTodd& W = scaling_[uz(i)];
    if (!nesterov_todd(point_.lambda.segment<3>(3 * i), point_.y.segment<3>(3 * i), W)) {
      message_ = "an impulse or a velocity is on the surface of its cone to within rounding";
      return false;
    }
    block.basis = W.basis;
    block.diagonal = W.weight.cwiseAbs2();
    const Vector3 slip = slip_direction(i);
    block.bent = slip.squaredNorm() > 0.0;
    if (block.bent) block.bend = Matrix3::Identity() - W.basis.row(0).transpose() * (slip.transpose() * W.basis);
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
  for (Index i = 0; i < barrier_.count(); ++i) blocks_[uz(i)].soft = delta * barrier_.curvature.segment<3>(3 * i);
}

void InteriorIteration::target_affine() {
  for (Index i = 0; i < barrier_.count(); ++i)
    if (!barrier_.bilateral(i)) direction_.target.segment<3>(3 * i) = -scaling_[uz(i)].point;
}

/// −z + z \ (σ μ_c e − weight · W⁻¹Δy ∘ WΔλ) with the last direction.
void InteriorIteration::target_corrected(double weight) {
  for (Index i = 0; i < barrier_.count(); ++i) {
    if (barrier_.bilateral(i)) continue;
    const Vector3& z = scaling_[uz(i)].point;
    Vector3 wanted =
        -weight * jordan_product(direction_.scaled_y.segment<3>(3 * i), direction_.scaled_lambda.segment<3>(3 * i));
    wanted[0] += sigma_ * mu_;
    direction_.target.segment<3>(3 * i) = jordan_quotient(z, wanted) - z;
  }
}

/// One more corrector (J.11): what the products of a step longer than α lack to be near σ μ_c, solved with the same factor.
/// Keeps the new direction where it goes farther, else the last one.
bool InteriorIteration::centre(Lengths& alpha, Monitor& monitor) {
  const double wanted = sigma_ * mu_;
  if (alpha.least() >= 1.0 || !(wanted > 0.0)) return false;
  const bool equal = settings_.step_lengths == StepLengths::equal;
  const double primal = std::min(1.0, (equal ? alpha.least() : alpha.primal) + longer);
  const double dual = std::min(1.0, (equal ? alpha.least() : alpha.dual) + longer);
  last_ = direction_;
  for (Index i = 0; i < barrier_.count(); ++i) {
    if (barrier_.bilateral(i)) continue;
    const Vector3& z = scaling_[uz(i)].point;
    const Vector3 product = jordan_product(z + primal * direction_.scaled_y.segment<3>(3 * i),
                                           z + dual * direction_.scaled_lambda.segment<3>(3 * i));
    const Vector3 missing = lorentz_map(product, [&](double value) {
      return std::max(-most_central * wanted, std::clamp(value, least_central * wanted, most_central * wanted) - value);
    });
    direction_.target.segment<3>(3 * i) += jordan_quotient(z, missing);
  }
  if (!find_direction(monitor)) return false;
  const Lengths next = lengths_to_boundary();
  if (next.least() < alpha.least() + enough * longer) {
    std::swap(direction_, last_);
    return false;
  }
  alpha = next;
  return true;
}

bool InteriorIteration::find_direction(Monitor& monitor) {
  t_ = -point_.residual;
  for (Index i = 0; i < barrier_.count(); ++i) {
    if (barrier_.bilateral(i)) continue;
    const Vector3 wanted = scaling_[uz(i)].apply(direction_.target.segment<3>(3 * i));
    t_.segment<3>(3 * i) += wanted;
    if (barrier_.corrected) t_[3 * i] += slip_defect(i) - slip_direction(i).dot(wanted);
  }
  if (!system_->solve(point_.momentum, t_, direction_.dv, direction_.dlambda, refinement_steps, monitor)) {
    message_ = "the linear system cannot be solved: " + system_->message();
    return false;
  }
  for (Index i = 0; i < barrier_.count(); ++i) {
    if (barrier_.bilateral(i)) continue;
    auto scaled = direction_.scaled_lambda.segment<3>(3 * i);
    scaled = scaling_[uz(i)].apply(direction_.dlambda.segment<3>(3 * i));
    direction_.scaled_y.segment<3>(3 * i) = direction_.target.segment<3>(3 * i) - scaled;
  }
  return true;
}

/// The steps that reach the surface of a cone, from z in scaled space: at most 1/0.
InteriorIteration::Lengths InteriorIteration::lengths_to_boundary() const {
  constexpr double far = std::numeric_limits<double>::infinity();
  Lengths alpha{far, far};
  for (Index i = 0; i < barrier_.count(); ++i) {
    if (barrier_.bilateral(i)) continue;
    const Vector3& z = scaling_[uz(i)].point;
    alpha.primal = std::min(alpha.primal, lorentz_step(z, direction_.scaled_y.segment<3>(3 * i)));
    alpha.dual = std::min(alpha.dual, lorentz_step(z, direction_.scaled_lambda.segment<3>(3 * i)));
  }
  return alpha;
}

double InteriorIteration::trial_complementarity(const Lengths& alpha) const {
  const double primal = std::min(1.0, alpha.primal), dual = std::min(1.0, alpha.dual);
  double sum = 0.0;
  for (Index i = 0; i < barrier_.count(); ++i) {
    if (barrier_.bilateral(i)) continue;
    const Vector3& z = scaling_[uz(i)].point;
    sum += (z + primal * direction_.scaled_y.segment<3>(3 * i)).dot(z + dual * direction_.scaled_lambda.segment<3>(3 * i));
  }
  return barrier_.cones > 0 ? sum / static_cast<double>(barrier_.cones) : 0.0;
}

double InteriorIteration::eta(const Lengths& alpha) const {
  if (settings_.eta_policy == EtaPolicy::fixed) return std::min(settings_.eta, largest_eta);
  const double sum = convergence_.complementarity * static_cast<double>(barrier_.cones);
  const double eta = std::min(0.1 * std::exp(-sum) + 0.9, largest_eta);
  if (settings_.eta_policy == EtaPolicy::adaptive || eta <= settings_.eta) return eta;
  return stays_central(shortened(eta, alpha)) ? eta : settings_.eta;
}

/// The steps of a part η of the way to the surface, at most whole ones (thesis, eq. 4.11); or η of what is left of a whole
/// step there.
InteriorIteration::Lengths InteriorIteration::shortened(double eta, const Lengths& alpha) const {
  if (settings_.eta_of == EtaOf::step) return {eta * std::min(1.0, alpha.primal), eta * std::min(1.0, alpha.dual)};
  return {std::min(1.0, eta * alpha.primal), std::min(1.0, eta * alpha.dual)};
}

/// Whether the steps leave the least eigenvalue of each λ_i∘y_i, in scaled space, above a part of their mean.
bool InteriorIteration::stays_central(const Lengths& alpha) const {
  const double least = central_part * trial_complementarity(alpha);
  for (Index i = 0; i < barrier_.count(); ++i) {
    if (barrier_.bilateral(i)) continue;
    const Vector3& z = scaling_[uz(i)].point;
    const Vector3 y = z + alpha.primal * direction_.scaled_y.segment<3>(3 * i);
    const Vector3 lambda = z + alpha.dual * direction_.scaled_lambda.segment<3>(3 * i);
    const double product = y.dot(lambda);
    const double spread = product * product - lorentz_determinant(y) * lorentz_determinant(lambda);
    if (!(product - std::sqrt(std::max(0.0, spread)) >= least)) return false;
  }
  return true;
}

void InteriorIteration::move(const Lengths& alpha) {
  step_primal_ = alpha.primal;
  step_dual_ = alpha.dual;
  point_.v += alpha.primal * direction_.dv;
  point_.lambda += alpha.dual * direction_.dlambda;
  for (Index i = 0; i < barrier_.count(); ++i) {
    if (barrier_.bilateral(i)) continue;
    const Vector3 dy = scaling_[uz(i)].apply(direction_.scaled_y.segment<3>(3 * i));
    if (barrier_.corrected) point_.s[i] += alpha.primal * (slip_direction(i).dot(dy) - slip_defect(i));
    point_.y.segment<3>(3 * i) += alpha.primal * dy;
  }
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

void InteriorIteration::evaluate() {
  scale_ = system_->residuals(point_.v, point_.lambda, point_.momentum, u_);
  point_.residual = u_ - point_.y;
  for (Index i = 0; i < barrier_.count() && barrier_.corrected; ++i) point_.residual[3 * i] += point_.s[i];
  take_stock();
}

/// What the criterion sees of the residuals of the point.
void InteriorIteration::take_stock() {
  double bilateral = 0.0, cones = 0.0, bilateral_own = 0.0, cones_own = 0.0, product = 0.0, terms = 0.0;
  const double free = max_norm(free_);
  Index bilaterals = 0;
  for (Index i = 0; i < barrier_.count(); ++i) {
    const Vector3 scaled = point_.residual.segment<3>(3 * i);
    Vector3 own = scaled;
    for (Index c = 0; c < 3; ++c)
      if (barrier_.scale[3 * i + c] > 0.0) own[c] /= barrier_.scale[3 * i + c];
    if (barrier_.bilateral(i)) {
      bilateral += scaled.squaredNorm();
      bilateral_own += own.squaredNorm();
      ++bilaterals;
      continue;
    }
    const double slip = slip_defect(i), own_slip = barrier_.scale[3 * i] > 0.0 ? slip / barrier_.scale[3 * i] : 0.0;
    cones += scaled.squaredNorm() + slip * slip;
    cones_own += own.squaredNorm() + own_slip * own_slip;
    product += point_.y.segment<3>(3 * i).dot(point_.lambda.segment<3>(3 * i));
    terms = std::max(terms, point_.lambda.segment<3>(3 * i).norm() * free);
  }
  const auto mean = [](double norm, Index n, double of) {
    return n > 0 && of > 0.0 ? norm / (static_cast<double>(n) * of) : 0.0;
  };
  mu_ = barrier_.cones > 0 ? product / static_cast<double>(barrier_.cones) : 0.0;
  absolute_ = {mean(std::sqrt(bilateral_own), bilaterals, 1.0), mean(std::sqrt(cones_own), barrier_.cones, 1.0),
               mean(point_.momentum.norm(), point_.momentum.size(), 1.0), mu_};
  convergence_ = {mean(std::sqrt(bilateral), bilaterals, scale_.kinematic),
                  mean(std::sqrt(cones), barrier_.cones, scale_.kinematic),
                  mean(point_.momentum.norm(), point_.momentum.size(), scale_.momentum), mean(mu_, 1, terms)};
  if (settings_.criterion != InteriorCriterion::relative) convergence_ = absolute_;
}

bool InteriorIteration::converged() const {
  return convergence_.bilateral < settings_.tolerance_residual && convergence_.cones < settings_.tolerance_residual &&
         convergence_.momentum < settings_.tolerance_residual &&
         convergence_.complementarity < settings_.tolerance_complementarity;
}

}  // namespace ccp
