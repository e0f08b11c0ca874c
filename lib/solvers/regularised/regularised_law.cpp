#include "solvers/regularised/regularised_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cones/friction_cone.hpp"

namespace ccp {
namespace {

/// diag(C_i), padded.
Vector3 compliance_of(const ContactProblem& problem, Index i) {
  Vector3 diagonal = Vector3::Zero();
  if (!problem.given_global() || problem.global().C.nonZeros() == 0) return diagonal;
  const ConstraintSet& set = problem.constraints();
  for (Index c = 0; c < set.rows(i); ++c) diagonal[c] = problem.global().C.coeff(set.offset(i) + c, set.offset(i) + c);
  return diagonal;
}

/// R_n and R_T of a rigid constraint with this N_ii.
Vector2 least_compliance(const Matrix3& N, Index rows, const RegularisationSettings& settings) {
  if (settings.kind == Regularisation::near_rigid) {
    const double w = N.norm() / static_cast<double>(rows), period = settings.beta / (2.0 * std::numbers::pi);
    return {period * period * w, settings.sigma * w};
  }
  const double normal = (1.0 - settings.impedance) / settings.impedance * N(0, 0);
  return {normal, normal / settings.impratio};
}

}  // namespace

RegularisedLaw::RegularisedLaw(const ContactProblem& problem, const RegularisationSettings& settings)
    : constraints_(problem.constraints()),
      root_(problem.rows()),
      added_(problem.rows()),
      friction_(problem.constraints().frictions()) {
  const auto& blocks = problem.diagonal_blocks();
  for (Index i = 0; i < constraints_.count(); ++i) {
    const Index rows = constraints_.rows(i), offset = constraints_.offset(i);
    const Vector3 own = compliance_of(problem, i);
    Matrix3 rigid = blocks[uz(i)];
    rigid.diagonal() -= own;
    const Vector2 least = least_compliance(rigid, rows, settings);
    for (Index c = 0; c < rows; ++c) {
      const double R = std::max(own[c], least[c == 0 ? 0 : 1]);
      root_[offset + c] = R > 0.0 ? std::sqrt(R) : 1.0;  // a constraint that moves nothing
      added_[offset + c] = R > 0.0 ? R - own[c] : 1.0;
    }
    if (rows > 1) friction_[uz(i)] *= root_[offset + 1] / root_[offset];
  }
}

std::optional<std::string> RegularisedLaw::defect(const ContactProblem& problem) {
  if (!problem.given_global()) return std::nullopt;
  const SparseMatrix& C = problem.global().C;
  for (Index j = 0; j < C.outerSize(); ++j)
    for (SparseMatrix::InnerIterator entry(C, j); entry; ++entry)
      if (entry.row() != j && entry.value() != 0.0)
        return fmt::format("the compliance must be diagonal; C({}, {}) is not zero", entry.row(), j);
  for (Index i = 0; i < problem.constraints().count(); ++i) {
    const Vector3 own = compliance_of(problem, i);
    if (problem.constraints().rows(i) == 3 && own[1] != own[2])
      return fmt::format("the compliance of contact {} must be the same on both tangents", i);
  }
  return std::nullopt;
}

/// y in the scaled variables √R γ, padded: −u/√R.
Vector3 RegularisedLaw::scaled_point(const Vector& u, Index i) const {
  Vector3 point = Vector3::Zero();
  for (Index c = 0; c < constraints_.rows(i); ++c) {
    const Index row = constraints_.offset(i) + c;
    point[c] = -u[row] / root_[row];
  }
  return point;
}

double RegularisedLaw::impulses(const Vector& u, Vector& gamma) const {
  double energy = 0.0;
  for (Index i = 0; i < constraints_.count(); ++i) {
    Vector3 scaled = scaled_point(u, i);
    if (constraints_.kind(i) != ConstraintKind::bilateral) scaled = project_friction_cone(scaled, friction_[uz(i)]);
    energy += 0.5 * scaled.squaredNorm();
    for (Index c = 0; c < constraints_.rows(i); ++c) {
      const Index row = constraints_.offset(i) + c;
      gamma[row] = scaled[c] / root_[row];
    }
  }
  return energy;
}

Matrix3 RegularisedLaw::scaled_derivative(const Vector3& point, Index i) const {
  if (constraints_.kind(i) == ConstraintKind::bilateral) return Matrix3::Identity();
  return friction_cone_derivative(point, friction_[uz(i)]);
}

void RegularisedLaw::derivative(const Vector& u, std::vector<Matrix3>& G) const {
  for (Index i = 0; i < constraints_.count(); ++i) {
    Matrix3& block = G[uz(i)];
    block = scaled_derivative(scaled_point(u, i), i);
    for (Index c = 0; c < 3; ++c) {
      const double inverse = c < constraints_.rows(i) ? 1.0 / root_[constraints_.offset(i) + c] : 0.0;
      block.row(c) *= inverse;
      block.col(c) *= inverse;
    }
  }
}

RegularisedLaw::Slope RegularisedLaw::slope(const Vector& u, const Vector& du, double alpha) const {
  Slope sum;
  for (Index i = 0; i < constraints_.count(); ++i) {
    const Vector3 change = scaled_point(du, i), point = scaled_point(u, i) + alpha * change;
    const bool bilateral = constraints_.kind(i) == ConstraintKind::bilateral;
    sum.first += (bilateral ? point : project_friction_cone(point, friction_[uz(i)])).dot(change);
    sum.second += change.dot(scaled_derivative(point, i) * change);
  }
  return sum;
}

}  // namespace ccp
