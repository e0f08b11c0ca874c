#include "problem/judge/judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cones/product_cone.hpp"
#include "cones/strict_projection.hpp"
#include "linalg/dense.hpp"
#include "problem/block_scale.hpp"
#include "problem/conversion.hpp"
#include "problem/judge/velocity_residual.hpp"

namespace ccp {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double apgd_step = 1e-6;       // g_d of Mazhar 2015, eq. 25
constexpr Index most_dense_rows = 3000;  // of an N that is dense and kept: 72 MB
constexpr int floors_without_N = 2;      // at the end of a run, and when a method says that it is done

}  // namespace

Judge::Judge(const ContactProblem& problem, Model model)
    : problem_(model == Model::ccp ? problem.symmetrised() : problem), model_(model), constraints_(problem.constraints()) {
  const Index m = constraints_.rows();
  if (problem_.given_global() && !problem_.mass().block_diagonal()) {
    BodyColumns* columns = body_columns();
    diagonal_blocks_ = columns != nullptr ? columns->diagonal_blocks()
                                          : delassus_diagonal_blocks(constraints_, problem_.global(), problem_.mass());
    step_ = block_steps(constraints_, diagonal_of(constraints_, diagonal_blocks_));
  } else {
    step_ = block_steps(constraints_, delassus_diagonal(problem_));
  }
  contacts_ = constraints_.count() - constraints_.count(ConstraintKind::bilateral);
  corrected_.resize(m);
  scratch_m_.resize(m);
  projected_.resize(m);
  const Vector zero = Vector::Zero(m);
  problem_.local_velocity(zero, scratch_n_, r_);
  initial_residual_ = evaluate(Measure::velocity_residual, {&zero, nullptr});
}

void Judge::set_point(const Vector& impulse) {
  problem_.local_velocity(impulse, scratch_n_, u_);
  corrected_ = u_;
  if (model_ == Model::ccp) return;
  de_saxce_shift(constraints_, u_, scratch_m_);
  corrected_ += scratch_m_;
}

double Judge::evaluate(Measure measure, const Point& point) {
  set_point(*point.impulse);
  return value(measure, point);
}

Measures Judge::evaluate(const std::vector<Measure>& wanted, const Point& point) {
  Measures values;
  values.fill(nan);
  set_point(*point.impulse);
  for (const Measure measure : wanted) values[measure_index(measure)] = value(measure, point);
  return values;
}

double Judge::value(Measure measure, const Point& point) {
  const Vector& gamma = *point.impulse;
  switch (measure) {
    case Measure::velocity_residual: return velocity_residual_with(gamma, corrected_);
    case Measure::relative_residual: {
      const double residual = velocity_residual_with(gamma, corrected_);
      return initial_residual_ > 0.0 ? residual / initial_residual_ : residual;
    }
    case Measure::natural_map: {
      const double scale = std::max({r_.norm(), gamma.norm(), u_.norm()});
      const double residual = natural_map_norm(gamma, 1.0);
      return scale > 0.0 ? residual / scale : residual;
    }
    case Measure::objective: return objective(gamma);
    case Measure::penetration_velocity: return penetration_velocity(u_);
    case Measure::own_penetration_velocity:
      return point.velocity != nullptr ? own_penetration_velocity(gamma, *point.velocity) : penetration_velocity(u_);
    case Measure::cone_violation: return product_distance(constraints_, gamma);
    case Measure::complementarity: return complementarity(gamma);
    case Measure::momentum_residual: return point.velocity != nullptr ? momentum_residual(gamma, *point.velocity) : nan;
    case Measure::apgd_residual: {
      const double scale = static_cast<double>(constraints_.rows()) * apgd_step;
      return scale > 0.0 ? natural_map_norm(gamma, apgd_step) / scale : 0.0;
    }
    case Measure::contact_residual: return contact_residual(gamma);
    case Measure::merit: return merit(gamma);
    case Measure::distance:
      return reference_.size() == u_.size() && u_.size() > 0 ? (u_ - reference_).cwiseAbs().maxCoeff() : nan;
    case Measure::rounding_floor: return rounding_floor(gamma);
    case Measure::lift_velocity: return lift_velocity(gamma);
  }
  return nan;
}

double Judge::velocity_residual_with(const Vector& impulse, const Vector& corrected_velocity) {
  return velocity_residual(constraints_, step_, impulse, corrected_velocity, projected_);
}

double Judge::natural_map_norm(const Vector& impulse, double step) {
  projected_ = impulse - step * corrected_;
  project_product(constraints_, projected_);
  return (impulse - projected_).norm();
}

double Judge::objective(const Vector& impulse) {
  if (!problem_.symmetric_mass()) return nan;  // u is the gradient of no function
  projected_ = impulse;
  project_product(constraints_, projected_);
  if (projected_ == impulse) return 0.5 * impulse.dot(u_ + r_) + 0.0;  // + 0.0: never −0
  problem_.local_velocity(projected_, scratch_n_, scratch_m_);
  return 0.5 * projected_.dot(scratch_m_ + r_);
}

double Judge::penetration_velocity(const Vector& u) const {
  double largest = 0.0;
  for (Index i = 0; i < constraints_.count(); ++i)
    if (constraints_.kind(i) != ConstraintKind::bilateral) largest = max_or_nan(largest, -u[constraints_.offset(i)]);
  return largest;
}

double Judge::own_penetration_velocity(const Vector& impulse, const Vector& velocity) {
  const GlobalForm& form = problem_.global();
  scratch_m_ = form.b;
  scratch_m_.noalias() += form.D.transpose() * velocity;
  scratch_m_.noalias() += form.C * impulse;
  return penetration_velocity(scratch_m_);
}

double Judge::lift_velocity(const Vector& impulse) const {
  double largest = 0.0;
  for (Index i = 0; i < constraints_.count(); ++i) {
    const Index normal = constraints_.offset(i);
    if (has_friction(constraints_.kind(i)) && !(impulse[normal] <= 0.0)) largest = max_or_nan(largest, u_[normal]);
  }
  return largest;
}

double Judge::complementarity(const Vector& impulse) const {
  double sum = 0.0;
  for (Index i = 0; i < constraints_.count(); ++i) {
    const Index offset = constraints_.offset(i), rows = constraints_.rows(i);
    sum += std::abs(impulse.segment(offset, rows).dot(corrected_.segment(offset, rows)));
  }
  return sum;
}

double Judge::momentum_residual(const Vector& impulse, const Vector& velocity) {
  const GlobalForm& form = problem_.global();
  scratch_n_ = -form.k;
  scratch_n_.noalias() += form.H * velocity;
  scratch_n_.noalias() -= form.D * impulse;
  return max_norm(scratch_n_);
}

double Judge::contact_residual(const Vector& impulse) {
  if (constraints_.count() == 0) return 0.0;
  projected_ = impulse - u_;
  if (model_ == Model::ccp) {
    project_product(constraints_, projected_);
  } else {
    for (Index i = 0; i < constraints_.count(); ++i) {
      const Index offset = constraints_.offset(i);
      const double mu = constraints_.friction(i);
      switch (constraints_.kind(i)) {
        case ConstraintKind::contact:
          projected_.segment<3>(offset) = project_strict(Vector3(projected_.segment<3>(offset)), mu);
          break;
        case ConstraintKind::contact2d:
          projected_.segment<2>(offset) = project_strict(Vector2(projected_.segment<2>(offset)), mu);
          break;
        case ConstraintKind::unilateral: projected_[offset] = std::max(projected_[offset], 0.0); break;
        case ConstraintKind::bilateral: break;
      }
    }
  }
  return (impulse - projected_).norm() / static_cast<double>(std::max<Index>(contacts_, 1));
}

void Judge::invert_blocks() {
  for (Index i = 0; i < constraints_.count(); ++i) {
    // N_ii may be singular: its pseudo-inverse, and ρ_i on the null space, where a defect must show, too.
    Matrix3 block = diagonal_blocks_.empty() ? diagonal_block(i) : diagonal_blocks_[static_cast<std::size_t>(i)];
    if (!problem_.symmetric_mass()) block = 0.5 * (block + block.transpose()).eval();
    const Matrix3 inverse = pseudo_inverse(block);
    inverse_blocks_.emplace_back(inverse + step_[i] * (Matrix3::Identity() - inverse * block));
  }
}

double Judge::merit(const Vector& impulse) {
  if (inverse_blocks_.empty()) invert_blocks();
  projected_ = impulse - corrected_;
  project_product(constraints_, projected_);
  double spurious = 0.0, free_energy = 0.0;
  for (Index i = 0; i < constraints_.count(); ++i) {
    const Index offset = constraints_.offset(i), rows = constraints_.rows(i);
    const auto inverse = inverse_blocks_[static_cast<std::size_t>(i)].topLeftCorner(rows, rows);
    const auto free = r_.segment(offset, rows);
    const Vector defect = impulse.segment(offset, rows) - projected_.segment(offset, rows);
    spurious += defect.dot(inverse * defect);
    free_energy += free.dot(inverse * free);
  }
  return free_energy > 0.0 ? spurious / free_energy : spurious;
}

double Judge::rounding_floor(const Vector& impulse) {
  if (constraints_.rows() == 0) return 0.0;
  if (BodyColumns* columns = body_columns(); columns != nullptr && ++floors_ <= floors_without_N)
    columns->multiply_absolute(impulse, scratch_m_);
  else if (can_assemble())
    assembled().multiply_absolute(impulse, scratch_m_);
  else
    scratch_m_ = absolute_product(problem_.global(), problem_.mass(), impulse);
  return std::numeric_limits<double>::epsilon() * (scratch_m_ + r_.cwiseAbs()).maxCoeff();
}

BodyColumns* Judge::body_columns() {
  if (!problem_.given_global() || problem_.mass().groups().empty()) return nullptr;
  if (!body_columns_) body_columns_ = std::make_unique<BodyColumns>(constraints_, problem_.global(), problem_.mass());
  return body_columns_.get();
}

Matrix3 Judge::diagonal_block(Index block) {
  BodyColumns* columns = body_columns();
  return columns != nullptr ? columns->diagonal_block(block) : assembled().diagonal_block(block);
}

bool Judge::can_assemble() const {
  return !problem_.given_global() || !problem_.mass().groups().empty() || constraints_.rows() <= most_dense_rows;
}

const AssembledDelassus& Judge::assembled() {
  if (assembled_) return *assembled_;
  if (!problem_.given_global()) {
    assembled_ = std::make_unique<AssembledDelassus>(constraints_, problem_.local().N);
    return *assembled_;
  }
  assembled_ = std::make_unique<AssembledDelassus>(constraints_,
                                                   assemble_delassus(constraints_, problem_.global(), problem_.mass()));
  return *assembled_;
}

}  // namespace ccp
