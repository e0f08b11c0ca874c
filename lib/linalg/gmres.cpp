#include "linalg/gmres.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ccp {
namespace {

/// Relative to a product: what is smaller is rounding.
constexpr double small = 1e-14;

}  // namespace

Gmres::Gmres(Index size, int restart, InnerProducts inner_products)
    : inner_products_(std::move(inner_products)), restart_(restart) {
  if (restart < 1) throw std::logic_error("GMRES needs a Krylov space of at least one dimension");
  basis_.assign(uz(restart) + 1, Vector::Zero(size));
  hessenberg_.setZero(restart + 1, restart);
  for (Vector* vector : {&cosine_, &sine_, &weights_}) vector->setZero(restart);
  reduced_.setZero(restart + 1);
  for (Vector* vector : {&residual_, &work_, &preconditioned_}) vector->setZero(size);
  for (Vector* vector : {&along_, &again_}) vector->setZero(restart + 1);
}

double Gmres::norm(const Vector& x) {
  if (!inner_products_) return x.norm();
  inner_products_(basis_, 0, x, along_.data());
  return std::sqrt(along_[0]);
}

/// The first basis vector from the residual; its norm.
double Gmres::begin_cycle() {
  const double length = norm(residual_);
  reduced_.setZero();
  reduced_[0] = length;
  if (length > 0.0) basis_[0] = residual_ / length;
  return length;
}

/// Takes the parts along the basis from the next vector, by modified Gram–Schmidt; its length before and after.
std::pair<double, double> Gmres::orthogonalise(int column) {
  const Index n = work_.size();
  const double before = work_.norm();
  double along = loops_.dot(n, basis_[0].data(), work_.data());  // the vector that is next; after the last one ‖work‖²
  for (int i = 0; i <= column; ++i) {
    hessenberg_(i, column) = along;
    along = loops_.subtract(n, along, basis_[uz(i)].data(), work_.data(), i < column ? basis_[uz(i) + 1].data() : nullptr);
  }
  return {before, std::sqrt(along)};
}

/// The same by classical Gram–Schmidt, twice: all inner products of a turn at once.
std::pair<double, double> Gmres::orthogonalise_together(int column) {
  const int count = column + 1;
  const auto turn = [&](Vector& along) {
    inner_products_(basis_, count, work_, along.data());
    for (int i = 0; i < count; ++i) work_ -= along[i] * basis_[uz(i)];
  };
  turn(along_);
  turn(again_);
  hessenberg_.col(column).head(count) = along_.head(count) + again_.head(count);
  const double square = again_[count] - again_.head(count).squaredNorm();  // little is taken in the second turn
  return {std::sqrt(along_[count]), std::sqrt(square < 0.0 ? 0.0 : square)};
}

/// One step of Arnoldi's process, and the Givens rotation of its column. False when the space is
/// invariant: it holds the solution, or A is singular on it.
bool Gmres::extend(const Operator& A, const Operator& M, int column) {
  const auto j = uz(column);
  M(basis_[j], preconditioned_);
  A(preconditioned_, work_);
  auto [before, after] = inner_products_ ? orthogonalise_together(column) : orthogonalise(column);
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
      result.residual = norm(residual_);
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
