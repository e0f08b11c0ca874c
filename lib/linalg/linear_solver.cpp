#include "linalg/linear_solver.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/stopwatch.hpp"

namespace ccp {
namespace {

/// Entries above the diagonal are not read for the symmetric kinds, so they may hold anything.
bool has_finite_entries(const SparseMatrix& matrix, bool lower_only) {
  for (Index column = 0; column < matrix.outerSize(); ++column)
    for (SparseMatrix::InnerIterator entry(matrix, column); entry; ++entry)
      if ((!lower_only || entry.row() >= column) && !std::isfinite(entry.value())) return false;
  return true;
}

/// Both compressed.
bool same_pattern(const SparseMatrix& a, const SparseMatrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && a.nonZeros() == b.nonZeros() &&
         std::equal(a.outerIndexPtr(), a.outerIndexPtr() + a.outerSize() + 1, b.outerIndexPtr()) &&
         std::equal(a.innerIndexPtr(), a.innerIndexPtr() + a.nonZeros(), b.innerIndexPtr());
}

/// R -= A X of the symmetric A by its lower triangle, eight columns at a time: each number of A is read once for all of
/// them. The operations of a column are those of A.selfadjointView<Lower>() * X, in their order.
void subtract_symmetric_product(const SparseMatrix& A, const DenseMatrix& X, DenseMatrix& R) {
  constexpr Index width = 8;
  using Columns = Eigen::Array<double, width, Eigen::Dynamic>;  // side by side
  using Row = Eigen::Array<double, width, 1>;                   // an entry of each
  Columns x(width, X.rows()), r(width, X.rows());
  x.setZero();
  r.setZero();
  for (Index first = 0; first < X.cols(); first += width) {
    const Index used = std::min(width, X.cols() - first);
    x.topRows(used) = X.middleCols(first, used).transpose();
    r.topRows(used) = R.middleCols(first, used).transpose();
    for (Index j = 0; j < A.outerSize(); ++j) {
      SparseMatrix::InnerIterator entry(A, j);
      while (entry && entry.row() < j) ++entry;
      const Row own = x.col(j), scattered = -own;
      if (entry && entry.row() == j) {
        r.col(j) += -entry.value() * own;
        ++entry;
      }
      Row sum = Row::Zero();
      for (; entry; ++entry) {
        sum += entry.value() * x.col(entry.row());
        r.col(entry.row()) += entry.value() * scattered;
      }
      r.col(j) -= sum;
    }
    R.middleCols(first, used) = r.topRows(used).transpose();
  }
}

SparseMatrix compressed(SparseMatrix matrix) {
  matrix.makeCompressed();
  return matrix;
}

}  // namespace

LinearStatus LinearSolver::analyze(const SparseMatrix& pattern) {
  if (pattern.rows() != pattern.cols()) throw std::logic_error("LinearSolver::analyze: the matrix is not square");
  const TimeSpent timed(info_.analysis_s);
  analyzed_ = factorized_ = false;
  matrix_ = compressed(pattern);
  const Index size = matrix_.rows();
  for (Vector* buffer : {&residual_, &correction_, &rhs_}) buffer->setZero(size);
  info_.size = size;
  info_.nonzeros = matrix_.nonZeros();
  info_.factor_nonzeros = 0;
  info_.negative_pivots.reset();
  info_.null_pivots.reset();
  info_.message.clear();
  ++info_.analyses;
  empty_ = everywhere(size == 0);
  const LinearStatus status = empty_ ? LinearStatus::ok : do_analyze(matrix_);
  analyzed_ = status == LinearStatus::ok;
  return status;
}

LinearStatus LinearSolver::factorize(const SparseMatrix& matrix) {
  if (!analyzed_) throw std::logic_error("LinearSolver::factorize: no pattern has been analysed");
  if (!matrix.isCompressed()) return factorize(compressed(matrix));
  if (!same_pattern(matrix, matrix_))
    throw std::logic_error("LinearSolver::factorize: the pattern is not the one that was analysed");
  const TimeSpent timed(info_.factorization_s);
  factorized_ = false;
  info_.factor_nonzeros = 0;
  info_.negative_pivots.reset();
  info_.null_pivots.reset();
  info_.message.clear();
  ++info_.factorizations;
  if (!everywhere(has_finite_entries(matrix, kind_ != MatrixKind::unsymmetric))) {
    info_.message = "the matrix has entries that are not finite";
    return LinearStatus::recoverable;
  }
  std::copy(matrix.valuePtr(), matrix.valuePtr() + matrix.nonZeros(), matrix_.valuePtr());
  if (empty_) info_.negative_pivots = info_.null_pivots = 0;
  const LinearStatus status = empty_ ? LinearStatus::ok : do_factorize(matrix_);
  if (!empty_) info_.flops += info_.factorization_flops;
  factorized_ = status == LinearStatus::ok;
  return status;
}

LinearStatus LinearSolver::solve(ConstVectorRef rhs, VectorRef x) {
  if (!factorized_) throw std::logic_error("LinearSolver::solve: no matrix has been factorised");
  if (rhs.size() != info_.size || x.size() != info_.size)
    throw std::logic_error("LinearSolver::solve: the vectors do not have the size of the matrix");
  const TimeSpent timed(info_.back_solve_s);
  info_.message.clear();
  if (empty_) return LinearStatus::ok;
  if (!everywhere(rhs.allFinite())) {
    info_.message = "the right-hand side has entries that are not finite";
    return LinearStatus::recoverable;
  }
  rhs_ = rhs;
  count_back_solves(1);
  LinearStatus status = do_solve(rhs_, x);
  for (int step = 0; step < refinement_steps_ && status == LinearStatus::ok; ++step) {
    residual_ = rhs_;
    if (kind_ == MatrixKind::unsymmetric)
      residual_.noalias() -= matrix_ * x;
    else
      residual_.noalias() -= matrix_.selfadjointView<Eigen::Lower>() * x;
    ++info_.refinements;
    count_back_solves(1);
    status = do_solve(residual_, correction_);
    if (status == LinearStatus::ok) x += correction_;
  }
  return finish_solution(status, everywhere(x.allFinite()));
}

LinearStatus LinearSolver::solve_columns(DenseMatrix& X) {
  if (!factorized_) throw std::logic_error("LinearSolver::solve_columns: no matrix has been factorised");
  if (X.rows() != info_.size) throw std::logic_error("LinearSolver::solve_columns: X does not have the rows of the matrix");
  const TimeSpent timed(info_.back_solve_s);
  info_.message.clear();
  if (X.size() == 0) return LinearStatus::ok;
  if (!X.allFinite()) {
    info_.message = "the right-hand side has entries that are not finite";
    return LinearStatus::recoverable;
  }
  const DenseMatrix rhs = X;
  const int columns = static_cast<int>(X.cols());
  count_back_solves(columns);
  LinearStatus status = do_solve_columns(rhs, X);
  DenseMatrix residual, correction(X.rows(), X.cols());
  for (int step = 0; step < refinement_steps_ && status == LinearStatus::ok; ++step) {
    residual = rhs;
    if (kind_ == MatrixKind::unsymmetric)
      residual.noalias() -= matrix_ * X;
    else
      subtract_symmetric_product(matrix_, X, residual);
    info_.refinements += columns;
    count_back_solves(columns);
    status = do_solve_columns(residual, correction);
    if (status == LinearStatus::ok) X += correction;
  }
  return finish_solution(status, X.allFinite());
}

void LinearSolver::count_back_solves(int columns) {
  info_.back_solves += columns;
  const double reads = kind_ == MatrixKind::unsymmetric ? 1.0 : 2.0;  // of each number of the factor
  info_.flops += 2.0 * reads * static_cast<double>(info_.factor_nonzeros) * columns;
}

LinearStatus LinearSolver::do_solve_columns(const DenseMatrix& rhs, DenseMatrix& X) {
  LinearStatus status = LinearStatus::ok;
  for (Index column = 0; column < rhs.cols() && status == LinearStatus::ok; ++column)
    status = do_solve(rhs.col(column), X.col(column));
  return status;
}

LinearStatus LinearSolver::finish_solution(LinearStatus status, bool finite) {
  if (status != LinearStatus::ok || finite) return status;
  info_.message = "the solution overflows";
  return LinearStatus::recoverable;
}

}  // namespace ccp
