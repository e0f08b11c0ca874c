#include <algorithm>
#include <cmath>
#include <limits>

#include "cones/cone_kernels.hpp"
#include "cones/rolling_cone.hpp"
#include "problem/conversion.hpp"
#include "problem/delassus/operator_form.hpp"
#include "problem/judge/judge.hpp"

/// The rounding floors of the measures (D.2), and the check of penetration and complementarity (D.15).
namespace ccp {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr Index most_coupled_dofs = 200;  // of an H whose inverse is formed, column by column
constexpr double factor = 10.0;           // between a tolerance and what it lets pass in penetration and complementarity
constexpr double margin = 10.0;           // floors from the cone within which rounding may take a point for one inside

double tangent_norm(ConstraintKind kind, const double* block) {
  return kind == ConstraintKind::contact ? detail::tangent_norm(Vector3(Eigen::Map<const Vector3>(block)))
                                         : detail::tangent_norm(Vector2(Eigen::Map<const Vector2>(block)));
}

/// The largest c_i max(error of the disc's rows, ε ‖u_i‖), of the correction of De Saxcé.
double shift_error(const ConeDisc& disc, const double* errors, const double* u) {
  double largest = 0.0;
  for (int k = disc.first; k < disc.first + disc.size; ++k)
    largest = max_or_nan(largest, disc.radius * max_or_nan(errors[k], epsilon * std::abs(u[k])));
  return largest;
}

/// |H⁻¹| x, column by column of each group of dofs.
Vector absolute_inverse_product(const MassMatrix& mass, const Vector& x) {
  Vector sum = Vector::Zero(x.size());
  if (mass.groups().empty()) {
    Vector column(x.size());
    for (Index c = 0; c < x.size(); ++c) {
      if (x[c] == 0.0) continue;
      column.setZero();
      column[c] = 1.0;
      mass.solve(column, column);
      sum += column.cwiseAbs() * x[c];
    }
    return sum;
  }
  Vector column;
  for (Index g = 0; g < mass.groups().count(); ++g) {
    const Index first = mass.groups().offset(g), size = mass.groups().size(g);
    for (Index c = 0; c < size; ++c) {
      column = Vector::Unit(size, c);
      mass.solve_group(g, column);
      sum.segment(first, size) += column.cwiseAbs() * x[first + c];
    }
  }
  return sum;
}

}  // namespace

void Judge::find_errors(const Vector& impulse) {
  if (errors_known_) return;
  errors_known_ = true;
  if (!problem_.given_global()) {
    assembled().multiply_absolute(impulse, errors_);
    errors_ = epsilon * (errors_ + r().cwiseAbs());
    return;
  }
  add_terms_of_global_form(impulse);
  errors_ *= epsilon;
}

void Judge::add_terms_of_global_form(const Vector& impulse) {
  const GlobalForm& form = problem_.global();
  const MassMatrix& mass = problem_.mass();
  errors_ = form.b.cwiseAbs();
  const bool inverts = !mass.groups().empty() || mass.size() <= most_coupled_dofs;
  Vector velocity;
  if (inverts) {
    scratch_n_ = form.k.cwiseAbs();
    for (Index j = 0; j < form.D.cols(); ++j)
      for (SparseMatrix::InnerIterator entry(form.D, j); entry; ++entry)
        scratch_n_[entry.row()] += std::abs(entry.value() * impulse[j]);
    velocity = absolute_inverse_product(mass, scratch_n_);
    if (form.C.nonZeros() > 0) errors_ += form.C.cwiseAbs() * impulse.cwiseAbs();
  } else {
    if (operator_form(problem_, OperatorUse::row_sums) == OperatorForm::assembled) {
      assembled().multiply_absolute(impulse, scratch_m_);
      errors_ += scratch_m_;
    } else {
      errors_ += absolute_product(form, mass, impulse);
    }
    velocity = form.k;
    mass.solve(velocity, velocity);
    velocity = velocity.cwiseAbs();
  }
  for (Index j = 0; j < form.D.cols(); ++j)
    for (SparseMatrix::InnerIterator entry(form.D, j); entry; ++entry)
      errors_[j] += std::abs(entry.value()) * velocity[entry.row()];
}

double Judge::block_floor(Index block, double step, const Vector& impulse) const {
  const Index row = constraints_.offset(block), rows = constraints_.rows(block);
  const ConstraintKind kind = constraints_.kind(block);
  const auto errors = errors_.segment(row, rows);
  if (kind == ConstraintKind::bilateral) return errors[0];
  const double g = impulse.segment(row, rows).norm() / step;
  const double plain = max_or_nan(errors.maxCoeff(), epsilon * g);
  if (model_ == Model::ccp || !has_friction(kind)) return plain;
  if (has_moments(kind)) {
    const RollingCone cone = rolling_cone(constraints_, block);
    BlockColumn p = impulse.segment(row, rows) / step - u_.segment(row, rows), nearest(rows);
    p[0] -= rolling_shift(cone, &u_[row]);
    project_rolling_cone(cone, p.data(), nearest.data());
    double corrected = plain;  // by the discs on whose boundary the projection is not, as above
    for (int d = 0; d < cone.count; ++d) {
      const ConeDisc& disc = cone.disc[uz(d)];
      const double error = shift_error(disc, errors.data(), &u_[row]);
      const double outside = p.segment(disc.first, disc.size).norm() - disc.radius * nearest[0];
      if (detail::Slope(disc.radius).cosine * outside <= margin * error) corrected = max_or_nan(corrected, error);
    }
    return corrected;
  }
  // Inside the cone û itself is the residual, and its normal part takes μ ‖u_T‖ with its error.
  const double mu = constraints_.friction(block), v = tangent_norm(kind, &u_[row]);
  const double corrected = max_or_nan(plain, mu * max_or_nan(errors.tail(rows - 1).maxCoeff(), epsilon * v));
  double p[3] = {impulse[row] / step - u_[row] - mu * v, 0.0, 0.0};
  for (Index k = 1; k < rows; ++k) p[k] = impulse[row + k] / step - u_[row + k];
  const double outside = detail::Slope(mu).cosine * (tangent_norm(kind, p) - mu * p[0]);
  return outside <= margin * corrected ? corrected : plain;
}

double Judge::given_factor(Index block) const {
  const double length = constraints_.moments(block).length;
  return std::max(length, 1.0 / length);
}

double Judge::strict_block_floor(Index block, const Vector& impulse) const {
  const Index row = constraints_.offset(block), rows = constraints_.rows(block);
  const ConstraintKind kind = constraints_.kind(block);
  const double largest = errors_.segment(row, rows).maxCoeff();
  if (kind == ConstraintKind::bilateral) return largest;
  const double plain = max_or_nan(largest, epsilon * impulse.segment(row, rows).norm());
  if (!has_friction(kind)) return plain;
  if (has_moments(kind)) {
    const RollingCone cone = rolling_cone(constraints_, block);
    double widest = 0.0;
    for (const ConeDisc& disc : cone.disc) widest = std::max(widest, disc.radius);
    return max_or_nan(plain, widest * max_or_nan(errors_[row], epsilon * std::abs(u_[row])));
  }
  // The radius μ (γ_n − u_n) of the disk has μ times the error of u_n, unless the point is well inside.
  const double mu = constraints_.friction(block);
  const double radius = mu * max_or_nan(errors_[row], epsilon * std::abs(u_[row]));
  double p[3] = {0.0, 0.0, 0.0};
  for (Index k = 1; k < rows; ++k) p[k] = impulse[row + k] - u_[row + k];
  const bool inside = tangent_norm(kind, p) + margin * (radius + plain) < mu * (impulse[row] - u_[row]);
  return inside ? plain : max_or_nan(plain, radius);
}

double Judge::floor(Measure measure, const Vector& impulse) {
  if (measure == Measure::regularised_residual) return of_own_law().floor(Measure::relative_residual, impulse);
  if (share_ != nullptr) return shared_floor(measure, impulse);
  if (constraints_.count() == 0) return 0.0;
  find_errors(impulse);
  double largest = 0.0, sum = 0.0;
  for (Index i = 0; i < constraints_.count(); ++i) {
    switch (measure) {
      case Measure::velocity_residual:
      case Measure::relative_residual: largest = max_or_nan(largest, block_floor(i, step_[i], impulse)); break;
      case Measure::natural_map: sum += std::pow(block_floor(i, 1.0, impulse), 2); break;
      case Measure::given_map: sum += std::pow(given_factor(i) * block_floor(i, 1.0, impulse), 2); break;
      case Measure::apgd_residual: sum += std::pow(block_floor(i, apgd_step, impulse), 2); break;
      case Measure::contact_residual:
        sum += std::pow(model_ == Model::ccp ? block_floor(i, 1.0, impulse) : strict_block_floor(i, impulse), 2);
        break;
      case Measure::merit:
        if (inverse_blocks_.empty()) invert_blocks();
        sum += std::pow(block_floor(i, 1.0, impulse), 2) * inverse_blocks_[uz(i)].norm();
        break;
      default: return std::numeric_limits<double>::quiet_NaN();
    }
  }
  switch (measure) {
    case Measure::relative_residual: return initial_residual_ > 0.0 ? largest / initial_residual_ : largest;
    case Measure::natural_map: return std::sqrt(sum) / natural_scale(impulse);
    case Measure::given_map: return std::sqrt(sum) / given_scale(impulse);
    case Measure::apgd_residual: return std::sqrt(sum) / static_cast<double>(constraints_.rows());
    case Measure::contact_residual: return std::sqrt(sum) / static_cast<double>(std::max<Index>(contacts_, 1));
    case Measure::merit: return sum / merit_scale();
    default: return largest;
  }
}

/// Not below the floor of the velocity residual where no block has moments: errors grow at most with the largest γ.
double Judge::floor_bound(const Vector& impulse) const {
  const auto largest_entry = [&](const Vector& x) {
    return largest([&](Index i) { return max_norm(x.segment(constraints_.offset(i), constraints_.rows(i))); });
  };
  const double most = largest_entry(impulse);
  const double errors = *unit_error_ * std::max(1.0, most);
  const double of_impulse = epsilon * std::sqrt(3.0) * most * largest([&](Index i) { return 1.0 / step_[i]; });
  const double of_velocity = epsilon * std::sqrt(2.0) * largest_entry(u_);
  const double mu = largest([&](Index i) { return constraints_.friction(i); });
  return std::max(1.0, mu) * max_or_nan(max_or_nan(errors, of_impulse), of_velocity);
}

/// Its bound; NaN where there is none.
double Judge::shared_floor(Measure measure, const Vector& impulse) const {
  const bool relative = measure == Measure::relative_residual;
  if (!unit_error_ || !(relative || measure == Measure::velocity_residual)) return std::numeric_limits<double>::quiet_NaN();
  return floor_bound(impulse) / (relative && initial_residual_ > 0.0 ? initial_residual_ : 1.0);
}

bool Judge::floor_within(Measure measure, double floors, double value, const Vector& impulse) {
  if (measure == Measure::regularised_residual)
    return of_own_law().floor_within(Measure::relative_residual, floors, value, impulse);
  if (share_ != nullptr) return floors * floor(measure, impulse) <= value;
  const bool largest_of_blocks = measure == Measure::velocity_residual || measure == Measure::relative_residual;
  if (largest_of_blocks && asked_before_ && constraints_.all_contacts_3d()) {
    if (!unit_error_) {
      errors_known_ = false;
      find_errors(Vector::Ones(constraints_.rows()));
      errors_known_ = false;
      unit_error_ = errors_.maxCoeff();
    }
    const double scale = measure == Measure::relative_residual && initial_residual_ > 0.0 ? initial_residual_ : 1.0;
    if (floors * floor_bound(impulse) <= value * scale) return true;
  }
  asked_before_ = true;
  return floors * floor(measure, impulse) <= value;
}

std::pair<double, double> Judge::passes(Measure measure, double tolerance, Index block, double scale) const {
  switch (measure) {
    case Measure::natural_map: return {tolerance * scale, 1.0};
    case Measure::given_map: return {tolerance * scale * given_factor(block), 1.0};
    case Measure::apgd_residual: return {tolerance * scale, apgd_step};
    case Measure::contact_residual: return {tolerance * scale, 1.0};
    case Measure::merit:  // an energy; N_ii⁻¹ is at least 1/tr(N_ii)
      return {std::sqrt(tolerance * scale * static_cast<double>(constraints_.rows(block)) / step_[block]), 1.0};
    default: return {tolerance * scale, step_[block]};
  }
}

bool Judge::consistent(Measure measure, double tolerance, const Vector& impulse) {
  if (measure == Measure::regularised_residual)
    return of_own_law().consistent(Measure::relative_residual, tolerance, impulse);
  double scale = 1.0;
  switch (measure) {
    case Measure::relative_residual: scale = initial_velocity_ > 0.0 ? initial_velocity_ : 1.0; break;
    case Measure::natural_map: scale = natural_scale(impulse); break;
    case Measure::given_map: scale = given_scale(impulse); break;
    case Measure::apgd_residual: scale = static_cast<double>(std::max<Index>(rows_, 1)); break;
    case Measure::contact_residual: scale = static_cast<double>(std::max<Index>(contacts_, 1)); break;
    case Measure::merit: scale = merit_scale(); break;
    default: break;
  }
  const auto penetrates = [&](Index i) {
    const double velocity = passes(measure, tolerance, i, scale).first;
    return constraints_.kind(i) != ConstraintKind::bilateral && -u_[constraints_.offset(i)] > factor * velocity;
  };
  const auto allowed = [&](Index i) {
    const Index row = constraints_.offset(i), rows = constraints_.rows(i);
    const ConstraintKind kind = constraints_.kind(i);
    const auto [velocity, step] = passes(measure, tolerance, i, scale);
    double corrected = u_.segment(row, rows).norm();
    if (model_ == Model::ncp && has_friction(kind))
      corrected += has_moments(kind) ? rolling_shift(rolling_cone(constraints_, i), &u_[row])
                                     : constraints_.friction(i) * tangent_norm(kind, &u_[row]);
    return velocity * (impulse.segment(row, rows).norm() + step * (corrected + velocity));
  };
  if (sum([&](Index i) { return penetrates(i) ? 1.0 : 0.0; }) > 0.0) return false;
  return complementarity(impulse) <= factor * sum(allowed);
}

}  // namespace ccp
