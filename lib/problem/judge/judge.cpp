#include "problem/judge/judge.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "cones/product_cone.hpp"
#include "cones/rolling_cone.hpp"
#include "linalg/dense.hpp"
#include "problem/block_scale.hpp"
#include "problem/conversion.hpp"
#include "problem/delassus/operator_form.hpp"
#include "problem/judge/velocity_residual.hpp"
#include "problem/perturbation.hpp"

namespace ccp {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inside_cone = 1.0 - 1e-9;  ///< part of μ γ_n below which a contact counts as sticking

/// The pseudo-inverse of a block, and `step` on its null space.
template <typename Matrix>
Matrix extended_inverse(const Matrix& block, double step) {
  const Matrix inverse = pseudo_inverse(block);
  return inverse + step * (Matrix::Identity(block.rows(), block.cols()) - inverse * block);
}

/// velocity_residual() over all ranks.
double shared_residual(const Share* share, const ConstraintSet& set, const Vector& steps, const Vector& impulse,
                       const Vector& u, Correction correction) {
  if (share == nullptr) return velocity_residual(set, steps, impulse, u, correction);
  return largest_of_blocks(share, set,
                           [&](Index i) { return std::sqrt(defect_square(set, i, steps[i], impulse, u, correction)); });
}

}  // namespace

Judge::Judge(const ContactProblem& problem, Model model)
    : problem_(model == Model::ccp ? problem.symmetrised() : problem), model_(model), constraints_(problem_.constraints()) {
  const Index m = constraints_.rows();
  if (operator_form(problem_, OperatorUse::diagonal) == OperatorForm::solved) {
    BodyColumns* columns = body_columns();
    diagonal_blocks_ = columns != nullptr ? columns->diagonal_blocks()
                                          : delassus_diagonal_blocks(constraints_, problem_.global(), problem_.mass());
    step_ = block_steps(constraints_, diagonal_of(constraints_, diagonal_blocks_));
  } else {
    step_ = block_steps(constraints_, delassus_diagonal(problem_));
  }
  share_ = problem_.share();
  contacts_ = share_ != nullptr ? share_->contacts() : constraints_.count() - constraints_.count(ConstraintKind::bilateral);
  rows_ = share_ != nullptr ? share_->rows() : m;
  scratch_m_.resize(m);
  errors_.resize(m);
  projected_.resize(m);
  const Vector zero = Vector::Zero(m);
  if (share_ == nullptr) problem_.local_velocity(zero, scratch_n_, own_r_);
  initial_residual_ = evaluate(Measure::velocity_residual, {&zero, nullptr});
  initial_velocity_ = max_or_nan(initial_residual_, penetration_velocity(r()));
}

void Judge::set_added_compliance(Vector diagonal) {
  if (diagonal.size() == added_compliance_.size() && diagonal == added_compliance_) return;
  added_compliance_ = std::move(diagonal);
  of_own_law_.reset();
}

Judge& Judge::of_own_law() {
  if (added_compliance_.size() == 0) return *this;
  if (!of_own_law_) of_own_law_ = std::make_unique<Judge>(softened(problem_, added_compliance_), model_);
  return *of_own_law_;
}

void Judge::set_point(const Vector& impulse) {
  problem_.local_velocity(impulse, scratch_n_, u_);
  ++points_;
  errors_known_ = false;
  residual_.reset();
}

double Judge::residual(const Vector& impulse) {
  if (!residual_) residual_ = shared_residual(share_, constraints_, step_, impulse, u_, correction());
  return *residual_;
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
    case Measure::velocity_residual: return residual(gamma);
    case Measure::relative_residual: return initial_residual_ > 0.0 ? residual(gamma) / initial_residual_ : residual(gamma);
    case Measure::natural_map: return map_norm(gamma, 1.0) / natural_scale(gamma);
    case Measure::objective: return objective(gamma);
    case Measure::penetration_velocity: return penetration_velocity(u_);
    case Measure::own_penetration_velocity:
      return point.velocity != nullptr ? own_penetration_velocity(gamma, *point.velocity) : penetration_velocity(u_);
    case Measure::cone_violation: return cone_violation(gamma);
    case Measure::complementarity: return complementarity(gamma);
    case Measure::momentum_residual: return point.velocity != nullptr ? momentum_residual(gamma, *point.velocity) : nan;
    case Measure::apgd_residual: return map_norm(gamma, apgd_step) / static_cast<double>(std::max<Index>(rows_, 1));
    case Measure::contact_residual: return contact_residual(gamma);
    case Measure::merit: return merit(gamma);
    case Measure::distance:
      return reference_.size() == u_.size() && u_.size() > 0 ? (u_ - reference_).cwiseAbs().maxCoeff() : nan;
    case Measure::rounding_floor: return floor(Measure::velocity_residual, gamma);
    case Measure::lift_velocity: return lift_velocity(gamma);
    case Measure::given_map: return given_map(gamma) / given_scale(gamma);
    case Measure::creep_velocity: return creep_velocity(gamma);
    case Measure::regularised_residual: {
      Judge& own = of_own_law();
      return &own == this ? value(Measure::relative_residual, point) : own.evaluate(Measure::relative_residual, point);
    }
  }
  return nan;
}

double Judge::velocity_residual_with(const Vector& impulse, const Vector& corrected_velocity) {
  return shared_residual(share_, constraints_, step_, impulse, corrected_velocity, Correction::none);
}

double Judge::map_norm(const Vector& impulse, double step) const {
  return std::sqrt(sum([&](Index i) { return defect_square(constraints_, i, step, impulse, u_, correction()); }));
}

double Judge::natural_scale(const Vector& impulse) const {
  const double scale =
      std::max({norm(share_, constraints_, r()), norm(share_, constraints_, impulse), norm(share_, constraints_, u_)});
  return scale > 0.0 ? scale : 1.0;
}

double Judge::objective(const Vector& impulse) {
  if (!problem_.symmetric_mass()) return nan;  // u is the gradient of no function
  projected_ = impulse;
  project_product(constraints_, projected_);
  if (equal(share_, constraints_, projected_, impulse)) {
    scratch_m_ = u_ + r();
    return 0.5 * dot(share_, constraints_, impulse, scratch_m_) + 0.0;  // + 0.0: never −0
  }
  problem_.local_velocity(projected_, scratch_n_, scratch_m_);
  scratch_m_ += r();
  return 0.5 * dot(share_, constraints_, projected_, scratch_m_);
}

double Judge::penetration_velocity(const Vector& u) const {
  return largest(
      [&](Index i) { return constraints_.kind(i) != ConstraintKind::bilateral ? -u[constraints_.offset(i)] : 0.0; });
}

double Judge::cone_violation(const Vector& impulse) const {
  const double own = product_distance(constraints_, impulse);
  return share_ == nullptr ? own : over_chunks(*share_, share_->blocks(), max_or_nan, [&](Index, Index) { return own; });
}

double Judge::own_penetration_velocity(const Vector& impulse, const Vector& velocity) {
  const GlobalForm& form = problem_.global();
  scratch_m_ = form.b;
  scratch_m_.noalias() += form.D.transpose() * velocity;
  scratch_m_.noalias() += form.C * impulse;
  return penetration_velocity(scratch_m_);
}

double Judge::lift_velocity(const Vector& impulse) const {
  return largest([&](Index i) {
    const Index normal = constraints_.offset(i);
    return has_friction(constraints_.kind(i)) && !(impulse[normal] <= 0.0) ? u_[normal] : 0.0;
  });
}

double Judge::creep_velocity(const Vector& impulse) {
  scratch_m_ = u_;
  if (problem_.given_global() && problem_.global().C.nonZeros() > 0) scratch_m_.noalias() -= problem_.global().C * impulse;
  return largest([&](Index i) {
    if (!has_friction(constraints_.kind(i))) return 0.0;
    const Index normal = constraints_.offset(i), tangents = block_shape(constraints_.kind(i)).tangents;
    const double left =
        inside_cone * constraints_.friction(i) * impulse[normal] - impulse.segment(normal + 1, tangents).norm();
    return left <= 0.0 ? 0.0 : scratch_m_.segment(normal + 1, tangents).norm();
  });
}

double Judge::complementarity(const Vector& impulse) const {
  return sum([&](Index i) { return std::abs(block_power(constraints_, i, impulse, u_, correction())); });
}

double Judge::momentum_residual(const Vector& impulse, const Vector& velocity) {
  const GlobalForm& form = problem_.global();
  scratch_n_ = -form.k;
  scratch_n_.noalias() += form.H * velocity;
  scratch_n_.noalias() -= form.D * impulse;
  return max_norm(scratch_n_);
}

double Judge::strict_defect_square(Index block, const Vector& impulse) const {
  const Index row = constraints_.offset(block), rows = constraints_.rows(block);
  if (has_moments(constraints_.kind(block)))
    return rolling_strict_defect(rolling_cone(constraints_, block), impulse.segment(row, rows), u_.segment(row, rows))
        .squaredNorm();
  if (constraints_.kind(block) == ConstraintKind::contact)
    return strict_defect<3>(impulse.segment<3>(row), u_.segment<3>(row), constraints_.friction(block)).squaredNorm();
  if (constraints_.kind(block) != ConstraintKind::contact2d)
    return defect_square(constraints_, block, 1.0, impulse, u_, Correction::none);
  return strict_defect<2>(impulse.segment<2>(row), u_.segment<2>(row), constraints_.friction(block)).squaredNorm();
}

double Judge::row_length(Index block, Index row_of_block) const {
  const int forces = 1 + block_shape(constraints_.kind(block)).tangents;
  return row_of_block < forces ? 1.0 : constraints_.moments(block).length;
}

double Judge::given_defect_square(Index block, const Vector& impulse) const {
  if (!has_moments(constraints_.kind(block))) return defect_square(constraints_, block, 1.0, impulse, u_, correction());
  const Index row = constraints_.offset(block), rows = constraints_.rows(block);
  const double length = constraints_.moments(block).length;
  RollingCone cone = rolling_cone(constraints_, block);
  BlockColumn g = impulse.segment(row, rows), u = u_.segment(row, rows);
  for (Index k = 0; k < rows; ++k) {
    g[k] *= row_length(block, k);
    u[k] /= row_length(block, k);
  }
  for (int d = 1; d < cone.count; ++d) cone.disc[uz(d)].radius *= length;
  return rolling_defect(cone, g, u, correction()).squaredNorm();
}

double Judge::given_map(const Vector& impulse) const {
  return std::sqrt(sum([&](Index i) { return given_defect_square(i, impulse); }));
}

double Judge::given_scale(const Vector& impulse) const {
  if (!constraints_.has_moments()) return natural_scale(impulse);  // as many sums, for ranks that have moments
  const auto norm_with = [&](const Vector& x, auto&& in_given_unit) {
    return std::sqrt(sum([&](Index i) {
      double square = 0.0;
      for (Index k = 0; k < constraints_.rows(i); ++k)
        square += std::pow(in_given_unit(x[constraints_.offset(i) + k], row_length(i, k)), 2);
      return square;
    }));
  };
  const double free = norm_with(r(), std::divides<>()), gamma = norm_with(impulse, std::multiplies<>()),
               u = norm_with(u_, std::divides<>()), scale = std::max({free, gamma, u});
  return scale > 0.0 ? scale : 1.0;
}

double Judge::contact_residual(const Vector& impulse) {
  const auto contacts = static_cast<double>(std::max<Index>(contacts_, 1));
  if (model_ == Model::ccp) return map_norm(impulse, 1.0) / contacts;
  return std::sqrt(sum([&](Index i) { return strict_defect_square(i, impulse); })) / contacts;
}

void Judge::invert_blocks() {
  for (Index i = 0; i < constraints_.count(); ++i) {
    // N_ii may be singular, and a defect must show on its null space, too.
    BlockSquare block = diagonal_blocks_.empty() ? diagonal_block(i) : diagonal_blocks_[uz(i)];
    if (!problem_.symmetric_mass()) block = 0.5 * (block + block.transpose()).eval();
    inverse_blocks_.push_back(block.rows() == 3 ? BlockSquare(extended_inverse(Matrix3(block), step_[i]))
                                                : BlockSquare(extended_inverse(DenseMatrix(block), step_[i])));
  }
}

double Judge::merit_scale() {
  if (inverse_blocks_.empty()) invert_blocks();
  const double free_energy = sum([&](Index i) {
    const Index rows = constraints_.rows(i);
    const auto free = r().segment(constraints_.offset(i), rows);
    return free.dot(inverse_blocks_[uz(i)].topLeftCorner(rows, rows) * free);
  });
  return free_energy > 0.0 ? free_energy : 1.0;
}

double Judge::merit(const Vector& impulse) {
  const double scale = merit_scale();
  const double spurious = sum([&](Index i) {
    const BlockColumn defect = block_defect(constraints_, i, 1.0, impulse, u_, correction());
    const Index rows = constraints_.rows(i);
    const auto inverse = inverse_blocks_[uz(i)].topLeftCorner(rows, rows);
    return defect.head(rows).dot(inverse * defect.head(rows));
  });
  return spurious / scale;
}

BodyColumns* Judge::body_columns() {
  if (!problem_.given_global() || problem_.mass().groups().empty()) return nullptr;
  if (!body_columns_) body_columns_ = std::make_unique<BodyColumns>(constraints_, problem_.global(), problem_.mass());
  return body_columns_.get();
}

BlockSquare Judge::diagonal_block(Index block) {
  if (share_ != nullptr) return problem_.shared().diagonal_block(block);
  BodyColumns* columns = body_columns();
  return columns != nullptr ? columns->diagonal_block(block) : assembled().diagonal_block(block);
}

const AssembledDelassus& Judge::assembled() {
  if (assembled_) return *assembled_;
  if (!problem_.given_global()) {
    assembled_ = std::make_unique<AssembledDelassus>(constraints_, problem_.local().N);
    return *assembled_;
  }
  assembled_ =
      std::make_unique<AssembledDelassus>(constraints_, assemble_delassus(constraints_, problem_.global(), problem_.mass()));
  return *assembled_;
}

}  // namespace ccp
