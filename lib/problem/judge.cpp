#include "problem/judge.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "cones/product_cone.hpp"
#include "cones/strict_projection.hpp"
#include "problem/conversion.hpp"

namespace ccp {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double apgd_step = 1e-6;  // g_d of Mazhar 2015, eq. 25

/// max that keeps a NaN, so that a diverged iterate never looks converged.
double max_or_nan(double a, double b) { return std::isnan(b) || b > a ? b : a; }

/// D_cᵀ H⁻¹ D_c for every column c, through per-body inverses.
Vector column_energies(const SparseMatrix& D, const MassMatrix& mass) {
  const std::vector<int> owner = mass.blocks().owner();
  Vector energies = Vector::Zero(D.cols());
  for (Index c = 0; c < D.cols(); ++c)
    for (SparseMatrix::InnerIterator a(D, c); a; ++a)
      for (SparseMatrix::InnerIterator b(D, c); b; ++b) {
        const int body = owner[static_cast<std::size_t>(a.row())];
        if (body != owner[static_cast<std::size_t>(b.row())]) continue;
        const Index first = mass.blocks().offset(body);
        energies[c] += a.value() * b.value() * mass.block_inverse(body)[(a.row() - first) + 6 * (b.row() - first)];
      }
  return energies;
}

/// H with everything dropped that couples different groups of 3 dofs (or different dofs when n is no multiple of 3).
SparseMatrix diagonal_blocks(const SparseMatrix& H) {
  const Index size = H.rows() % 3 == 0 ? 3 : 1;
  SparseMatrix blocks = H;
  blocks.prune([size](Index row, Index column, double) { return row / size == column / size; });
  return blocks;
}

/// diag(N) without forming N (design 1: the block-diagonal of H in place of H when H is not block-diagonal).
Vector delassus_diagonal(const ContactProblem& problem) {
  if (!problem.given_global()) return problem.local().N.diagonal();
  const GlobalForm& form = problem.global();
  Vector diagonal = problem.mass().block_diagonal() ? column_energies(form.D, problem.mass())
                                                    : column_energies(form.D, MassMatrix(diagonal_blocks(form.H)));
  if (form.C.nonZeros() > 0) diagonal += form.C.diagonal();
  return diagonal;
}

}  // namespace

Judge::Judge(const ContactProblem& problem, Model model)
    : problem_(model == Model::ccp ? problem.symmetrised() : problem), model_(model), constraints_(problem.constraints()) {
  const Index m = constraints_.rows();
  const Vector diagonal = delassus_diagonal(problem_);
  step_.resize(constraints_.count());
  for (Index i = 0; i < constraints_.count(); ++i) {
    const double trace = diagonal.segment(constraints_.offset(i), constraints_.rows(i)).sum();
    step_[i] = trace > 0.0 ? static_cast<double>(constraints_.rows(i)) / trace : 1.0;
  }
  corrected_.resize(m);
  scratch_m_.resize(m);
  projected_.resize(m);
  const Vector zero = Vector::Zero(m);
  problem_.local_velocity(zero, scratch_n_, r_);
  initial_residual_ = evaluate(Measure::velocity_residual, {&zero, nullptr});
}

void Judge::set_point(const Vector& impulse) {
  gamma_ = &impulse;
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
  switch (measure) {
    case Measure::velocity_residual: return velocity_residual_with(corrected_);
    case Measure::relative_residual: {
      const double residual = velocity_residual_with(corrected_);
      return initial_residual_ > 0.0 ? residual / initial_residual_ : residual;
    }
    case Measure::natural_map: {
      const double scale = std::max({r_.norm(), gamma_->norm(), u_.norm()});
      const double residual = natural_map_norm(1.0);
      return scale > 0.0 ? residual / scale : residual;
    }
    case Measure::objective: return objective();
    case Measure::penetration_velocity: return penetration_velocity();
    case Measure::cone_violation: return product_distance(constraints_, *gamma_);
    case Measure::complementarity: return complementarity();
    case Measure::momentum_residual: return point.velocity != nullptr ? momentum_residual(*point.velocity) : nan;
    case Measure::apgd_residual: {
      const double scale = static_cast<double>(constraints_.rows()) * apgd_step;
      return scale > 0.0 ? natural_map_norm(apgd_step) / scale : 0.0;
    }
    case Measure::contact_residual: return contact_residual();
    case Measure::merit: return merit();
    case Measure::distance:
      return reference_.size() == u_.size() && u_.size() > 0 ? (u_ - reference_).cwiseAbs().maxCoeff() : nan;
    case Measure::rounding_floor: return rounding_floor();
  }
  return nan;
}

double Judge::velocity_residual_with(const Vector& corrected_velocity) {
  for (Index i = 0; i < constraints_.count(); ++i) {
    const Index offset = constraints_.offset(i), rows = constraints_.rows(i);
    projected_.segment(offset, rows) = gamma_->segment(offset, rows) - step_[i] * corrected_velocity.segment(offset, rows);
  }
  project_product(constraints_, projected_);
  double largest = 0.0;
  for (Index i = 0; i < constraints_.count(); ++i) {
    const Index offset = constraints_.offset(i), rows = constraints_.rows(i);
    largest = max_or_nan(largest, (gamma_->segment(offset, rows) - projected_.segment(offset, rows)).norm() / step_[i]);
  }
  return largest;
}

double Judge::natural_map_norm(double step) {
  projected_ = *gamma_ - step * corrected_;
  project_product(constraints_, projected_);
  return (*gamma_ - projected_).norm();
}

double Judge::objective() {
  projected_ = *gamma_;
  project_product(constraints_, projected_);
  if (projected_ == *gamma_) return 0.5 * gamma_->dot(u_ + r_) + 0.0;  // + 0.0: never −0
  problem_.local_velocity(projected_, scratch_n_, scratch_m_);
  return 0.5 * projected_.dot(scratch_m_ + r_);
}

double Judge::penetration_velocity() const {
  double largest = 0.0;
  for (Index i = 0; i < constraints_.count(); ++i)
    if (constraints_.kind(i) != ConstraintKind::bilateral) largest = max_or_nan(largest, -u_[constraints_.offset(i)]);
  return largest;
}

double Judge::complementarity() const {
  double sum = 0.0;
  for (Index i = 0; i < constraints_.count(); ++i) {
    const Index offset = constraints_.offset(i), rows = constraints_.rows(i);
    sum += std::abs(gamma_->segment(offset, rows).dot(corrected_.segment(offset, rows)));
  }
  return sum;
}

double Judge::momentum_residual(const Vector& velocity) {
  const GlobalForm& form = problem_.global();
  scratch_n_ = -form.k;
  scratch_n_.noalias() += form.H * velocity;
  scratch_n_.noalias() -= form.D * *gamma_;
  return scratch_n_.size() > 0 ? scratch_n_.cwiseAbs().maxCoeff() : 0.0;
}

double Judge::contact_residual() {
  if (constraints_.count() == 0) return 0.0;
  projected_ = *gamma_ - u_;
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
  return (*gamma_ - projected_).norm() / static_cast<double>(constraints_.count());
}

double Judge::merit() {
  if (inverse_blocks_.empty())
    for (Index i = 0; i < constraints_.count(); ++i)  // a pseudo-inverse, because N_ii may be singular
      inverse_blocks_.emplace_back(
          Eigen::CompleteOrthogonalDecomposition<Matrix3>(assembled().diagonal_block(i)).pseudoInverse());
  projected_ = *gamma_ - corrected_;
  project_product(constraints_, projected_);
  double spurious = 0.0, free_energy = 0.0;
  for (Index i = 0; i < constraints_.count(); ++i) {
    const Index offset = constraints_.offset(i), rows = constraints_.rows(i);
    const auto inverse = inverse_blocks_[static_cast<std::size_t>(i)].topLeftCorner(rows, rows);
    const auto free = r_.segment(offset, rows);
    const Vector defect = gamma_->segment(offset, rows) - projected_.segment(offset, rows);
    spurious += defect.dot(inverse * defect);
    free_energy += free.dot(inverse * free);
  }
  return free_energy > 0.0 ? spurious / free_energy : spurious;
}

double Judge::rounding_floor() {
  if (constraints_.rows() == 0) return 0.0;
  assembled().multiply_absolute(*gamma_, scratch_m_);
  return std::numeric_limits<double>::epsilon() * (scratch_m_ + r_.cwiseAbs()).maxCoeff();
}

const AssembledDelassus& Judge::assembled() {
  if (assembled_) return *assembled_;
  if (!problem_.given_global()) {
    assembled_ = std::make_unique<AssembledDelassus>(constraints_, problem_.local().N);
    return *assembled_;
  }
  const GlobalForm& form = problem_.global();
  const MassMatrix& mass = problem_.mass();
  std::unique_ptr<FactoredDelassus> blocks;
  if (mass.block_diagonal()) blocks = std::make_unique<FactoredDelassus>(constraints_, form.D, form.C, mass);
  assembled_ = std::make_unique<AssembledDelassus>(constraints_, assemble_delassus(form, mass, blocks.get()));
  return *assembled_;
}

}  // namespace ccp
