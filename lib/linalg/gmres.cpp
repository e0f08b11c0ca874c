#include "linalg/gmres.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ccp {
namespace {

/// Relative to a product: what is smaller is rounding.
constexpr double small = 1e-14;

}  // namespace

Gmres::Gmres(Index size, int restart) : restart_(restart) {
  if (restart < 1) throw std::logic_error("GMRES needs a Krylov space of at least one dimension");
  basis_.assign(uz(restart) + 1, Vector::Zero(size));
  hessenberg_.setZero(restart + 1, restart);
  for (Vector* vector : {&cosine_, &sine_, &weights_}) vector->setZero(restart);
  reduced_.setZero(restart + 1);
  for (Vector* vector : {&residual_, &work_, &preconditioned_}) vector->setZero(size);
}

/// The first basis vector from the residual; its norm.
double Gmres::begin_cycle() {
  const double norm = residual_.norm();
  reduced_.setZero();
  reduced_[0] = norm;
  if (norm > 0.0) basis_[0] = residual_ / norm;
  return norm;
}

/// One step of Arnoldi's process with modified Gram–Schmidt, and the Givens rotation of its column. False when the space is
/// invariant: it holds the solution, or A is singular on it.
bool Gmres::extend(const Operator& A, const Operator& M, int column) {
  const auto j = uz(column);
  M(basis_[j], preconditioned_);
  A(preconditioned_, work_);
  const Index n = work_.size();
  const double before = work_.norm();
  double along = loops_.dot(n, basis_[0].data(), work_.data());  // the vector that is next; after the last one ‖work‖²
  for (std::size_t i = 0; i <= j; ++i) {
    hessenberg_(static_cast<Index>(i), column) = along;
    along = loops_.subtract(n, along, basis_[i].data(), work_.data(), i < j ? basis_[i + 1].data() : nullptr);
  }
  double after = std::sqrt(along);
  const bool invariant = !(after > small * before);
  if (invariant)
    after = 0.0;
  else
    basis_[j + 1] = work_ / after;
  for (int i = 0; i < column; ++i) {
    const double upper = hessenberg_(i, column), lower = hessenberg_(i + 1, column);
    hessenberg_(i, column) = cosine_[i] * upper + sine_[i] * lower;
    hessenberg_(i + 1, column) = cosine_[i] * lower - sine_[i] * upper;
  }
  const double length = std::hypot(hessenberg_(column, column), after);
  singular_ = invariant && !(length > small * before);
  cosine_[column] = length > 0.0 ? hessenberg_(column, column) / length : 1.0;
  sine_[column] = length > 0.0 ? after / length : 0.0;
  hessenberg_(column, column) = length;
  reduced_[column + 1] = -sine_[column] * reduced_[column];
  reduced_[column] *= cosine_[column];
  return !invariant;
}

void Gmres::add_solution(const Operator& M, int columns, Vector& x) {
  double largest = 0.0;
  for (int i = 0; i < columns; ++i) largest = std::max(largest, std::abs(hessenberg_(i, i)));
  for (int i = columns - 1; i >= 0; --i) {
    double sum = reduced_[i];
    for (int k = i + 1; k < columns; ++k) sum -= hessenberg_(i, k) * weights_[k];
    // A direction that A maps to zero has no part in the solution.
    const bool lost = std::abs(hessenberg_(i, i)) <= small * largest;
    weights_[i] = lost ? 0.0 : sum / hessenberg_(i, i);
  }
  work_.setZero();
  for (int i = 0; i < columns; ++i) work_ += weights_[i] * basis_[uz(i)];
  M(work_, preconditioned_);
  x += preconditioned_;
}

Gmres::Result Gmres::solve(const Operator& A, const Operator& M, const Vector& rhs, Vector& x, double tolerance, int limit) {
  Result result;
  singular_ = false;
  x.setZero(rhs.size());
  residual_ = rhs;
  result.residual = begin_cycle();
  while (result.residual > tolerance && result.products < limit) {
    int columns = 0;
    bool growing = true;
    while (growing && columns < restart_ && result.products < limit && result.residual > tolerance) {
      growing = extend(A, M, columns++);
      ++result.products;
      result.residual = std::abs(reduced_[columns]);
    }
    add_solution(M, columns, x);
    if (singular_) {  // the recurrence counts on a direction that was left out
      A(x, work_);
      ++result.products;
      residual_ = rhs - work_;
      result.residual = residual_.norm();
    }
    if (!growing || result.residual <= tolerance || result.products >= limit) break;
    A(x, work_);
    ++result.products;
    residual_ = rhs - work_;
    result.residual = begin_cycle();
  }
  result.converged = result.residual <= tolerance;
  return result;
}

}  // namespace ccp
