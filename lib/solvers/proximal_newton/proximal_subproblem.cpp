#include "solvers/proximal_newton/proximal_subproblem.hpp"

#include <algorithm>
#include <cmath>

namespace ccp {

ProximalSubproblem::ProximalSubproblem(const ContactProblem& problem, Model model, double step_factor, NewtonSpace space)
    : blocks_(problem.constraints().narrow()),
      rolling_(rolling_blocks(problem.constraints())),
      model_(model),
      system_(make_newton_system(problem, space)),
      weight_(system_->mean_diagonal()),
      step_factor_(step_factor),
      residual_factor_(step_factor) {
  share_weights(rolling_, weight_);
  const auto blocks = uz(blocks_.count());
  for (Vector* vector : {&r_, &centre_, &x_, &u_, &direction_, &velocity_change_, &trial_x_, &trial_u_, &residual_})
    vector->setZero(size());
  scale_.resize(blocks);
  diagonal_.resize(blocks);
  identity_.assign(blocks, 0);
}

void ProximalSubproblem::begin(const Vector& centre, double a) {
  a_ = a;
  centre_ = centre;
  x_ = centre;
  step_ = (step_factor_ / (1.0 + a)) * weight_.cwiseInverse();
  system_->multiply(x_, u_);
  u_ += r_;  // the proximal term vanishes at the centre
  merit_ = merit_of(x_, u_);
}

/// body(i, map) for every constraint, `map` being its StrictContact, StrictPlanarContact or AnyConstraint.
template <typename Body>
void ProximalSubproblem::for_each(const Body& body) const {
  const Index count = blocks_.count();
  if (model_ == Model::ncp && rolling_.empty() && blocks_.all_contacts_3d()) {
    for (Index i = 0; i < count; ++i) body(i, StrictContact{blocks_.friction(i)});
    return;
  }
  if (model_ == Model::ncp && blocks_.count(ConstraintKind::contact2d) == count && rolling_.empty()) {
    for (Index i = 0; i < count; ++i) body(i, StrictPlanarContact{blocks_.friction(i)});
    return;
  }
  auto next = rolling_.begin();  // these are left out
  for (Index i = 0; i < count; ++i)
    if (next == rolling_.end() || i < next->first)
      body(i, AnyConstraint{blocks_.kind(i), blocks_.friction(i), model_});
    else if (i == next->last)
      ++next;
}

double ProximalSubproblem::merit_of(const Vector& x, const Vector& u) const {
  double sum = 0.0;
  for_each([&](Index i, const auto& map) {
    const Vector3 own = x.segment<3>(3 * i);
    const Vector3 s = own - step_[i] * u.segment<3>(3 * i);
    sum += (own - map.value(s)).squaredNorm() / (step_[i] * step_[i]);
  });
  for (const RollingBlock& block : rolling_) {
    const double rho = step_[block.first];
    const BlockColumn own = block.of(x);
    sum += (own - block.value(model_, own - rho * block.of(u))).squaredNorm() / (rho * rho);
  }
  return std::sqrt(sum);
}

bool ProximalSubproblem::sticking_point(Vector& x) {
  for (Index i = 0; i < blocks_.count(); ++i) {
    const auto block = uz(i);
    scale_[block] = step_[i] * Matrix3::Identity();
    diagonal_[block] = step_[i] * a_ * weight_[i] * Matrix3::Identity();
    residual_.segment<3>(3 * i) = -step_[i] * u_.segment<3>(3 * i);
    identity_[block] = 0;
  }
  couplings_.clear();
  if (!factorize()) return false;
  system_->solve(residual_, direction_);
  if (!direction_.allFinite()) return false;
  for (const RollingBlock& block : rolling_) block.put(block.value(model_, block.of(x_) + block.of(direction_)), x);
  for_each([&](Index i, const auto& map) {
    x.segment<3>(3 * i) = map.value(x_.segment<3>(3 * i) + direction_.segment<3>(3 * i));
  });
  return true;
}

bool ProximalSubproblem::factorize() {
  return rolling_.empty() ? system_->factorize(scale_, diagonal_, identity_)
                          : system_->factorize_rolling(scale_, diagonal_, identity_, couplings_);
}

void ProximalSubproblem::linearise_rolling() {
  couplings_.clear();
  for (const RollingBlock& block : rolling_) {
    const double rho = step_[block.first];
    const BlockColumn own = block.of(x_), s = own - rho * block.of(u_);
    block.put(block.value(model_, s) - own, residual_);
    const Matrix6 map = block.derivative(model_, s);
    const Matrix6 diagonal = Matrix6::Identity() + (rho * a_ * weight_[block.first] - 1.0) * map;
    RollingCoupling coupling{uz(block.first)};
    for (Index part = block.first; part <= block.last; ++part) {
      const Index at = 3 * (part - block.first);
      identity_[uz(part)] = map.isZero(0.0) ? 1 : 0;
      scale_[uz(part)] = rho * map.block<3, 3>(at, at);
      diagonal_[uz(part)] = diagonal.block<3, 3>(at, at);
    }
    coupling.scale_by_last = rho * map.topRightCorner<3, 3>();
    coupling.scale_by_first = rho * map.bottomLeftCorner<3, 3>();
    coupling.diagonal_by_last = diagonal.topRightCorner<3, 3>();
    coupling.diagonal_by_first = diagonal.bottomLeftCorner<3, 3>();
    if (block.last > block.first && identity_[uz(block.first)] == 0) couplings_.push_back(coupling);
  }
}

bool ProximalSubproblem::find_direction() {
  for_each([this](Index i, const auto& constraint) {
    const auto block = uz(i);
    const Vector3 own = x_.segment<3>(3 * i);
    const double rho = step_[i];
    const ContactMap map = constraint.map(own - rho * u_.segment<3>(3 * i));
    residual_.segment<3>(3 * i) = map.value - own;
    identity_[block] = map.open ? 1 : 0;
    const double factor = rho * a_ * weight_[i] - 1.0, *const B = map.derivative.data();
    double *const G = scale_[block].data(), *const E = diagonal_[block].data();
    for (int k = 0; k < 9; ++k) {
      G[k] = rho * B[k];
      E[k] = factor * B[k];
    }
    diagonal_[block].diagonal().array() += 1.0;
  });
  if (!rolling_.empty()) linearise_rolling();
  return factorize() && solve_for_direction();
}

bool ProximalSubproblem::repeat_direction() {
  for_each([this](Index i, const auto& constraint) {
    const Vector3 own = x_.segment<3>(3 * i);
    residual_.segment<3>(3 * i) = constraint.value(own - step_[i] * u_.segment<3>(3 * i)) - own;
  });
  for (const RollingBlock& block : rolling_) {
    const BlockColumn own = block.of(x_), s = own - step_[block.first] * block.of(u_);
    block.put(block.value(model_, s) - own, residual_);
  }
  return solve_for_direction();
}

/// J d = −F, and the change of u along d.
bool ProximalSubproblem::solve_for_direction() {
  system_->solve(residual_, direction_);
  if (!direction_.allFinite()) return false;
  system_->multiply(direction_, velocity_change_);
  for (Index i = 0; i < blocks_.count(); ++i)
    velocity_change_.segment<3>(3 * i) += a_ * weight_[i] * direction_.segment<3>(3 * i);
  return true;
}

double ProximalSubproblem::try_step(double s) {
  trial_x_ = x_ + s * direction_;
  trial_u_ = u_ + s * velocity_change_;
  trial_merit_ = merit_of(trial_x_, trial_u_);
  return trial_merit_;
}

void ProximalSubproblem::accept() {
  x_.swap(trial_x_);
  u_.swap(trial_u_);
  merit_ = trial_merit_;
}

double ProximalSubproblem::residual() const {
  const double ratio = residual_factor_ / step_factor_;  // residuals compare, whatever the step
  double largest = 0.0;
  for_each([&](Index i, const auto& map) {
    const double step = ratio * step_[i];
    const Vector3 own = x_.segment<3>(3 * i);
    const Vector3 u = u_.segment<3>(3 * i) - a_ * weight_[i] * (own - centre_.segment<3>(3 * i));
    largest = std::max(largest, fixed_point_defect(map, own, u, step) / step);
  });
  for (const RollingBlock& block : rolling_) {
    const double step = ratio * step_[block.first];
    const BlockColumn own = block.of(x_);
    const BlockColumn u = block.of(u_) - a_ * weight_[block.first] * (own - block.of(centre_));
    largest = std::max(largest, (own - block.value(model_, own - step * u)).norm() / step);
  }
  return largest;
}

void ProximalSubproblem::feasible_point(Vector& impulse) const {
  for_each([&](Index i, const auto& map) {
    const Vector3 value = map.value(x_.segment<3>(3 * i));
    impulse.segment(blocks_.offset(i), blocks_.rows(i)) = value.head(blocks_.rows(i));
  });
  for (const RollingBlock& block : rolling_)
    impulse.segment(blocks_.offset(block.first), block.cone.rows) = block.value(model_, block.of(x_));
}

}  // namespace ccp
