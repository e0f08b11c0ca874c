#include "problem/conversion.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

namespace ccp {
namespace {

SparseMatrix assemble_by_bodies(const FactoredDelassus& factored) {
  const ConstraintSet& blocks = factored.constraints();
  std::vector<Triplet> entries;
  const auto pattern = factored.coupling();
  for (Index i = 0; i < blocks.count(); ++i)
    for (const int j : pattern[static_cast<std::size_t>(i)]) {
      const Matrix3 corner = factored.block(i, j);
      for (Index c = 0; c < blocks.rows(j); ++c)
        for (Index r = 0; r < blocks.rows(i); ++r)
          entries.emplace_back(static_cast<int>(blocks.offset(i) + r), static_cast<int>(blocks.offset(j) + c), corner(r, c));
    }
  SparseMatrix N(blocks.rows(), blocks.rows());
  N.setFromTriplets(entries.begin(), entries.end());
  return N;
}

SparseMatrix assemble_by_solves(const GlobalForm& form, const MassMatrix& mass) {
  const Index rows = form.D.cols();
  const SparseMatrix transpose = form.D.transpose();
  std::vector<Triplet> entries;
  Vector response(form.D.rows()), column(rows);
  for (Index j = 0; j < rows; ++j) {
    response = form.D.col(j);
    mass.solve(response, response);
    column.noalias() = transpose * response;
    for (Index i = 0; i < rows; ++i)
      if (column[i] != 0.0) entries.emplace_back(static_cast<int>(i), static_cast<int>(j), column[i]);
  }
  SparseMatrix N(rows, rows);
  N.setFromTriplets(entries.begin(), entries.end());
  if (form.C.nonZeros() > 0) N += form.C;
  return SparseMatrix(0.5 * (N + SparseMatrix(N.transpose())));
}

/// Cholesky with complete pivoting of the symmetric A, by columns: A ≈ L Lᵀ, stopping when the largest remaining diagonal is
/// at rounding level. Needs m·rank² operations, not m³.
DenseMatrix pivoted_cholesky(const DenseMatrix& A) {
  const Index m = A.rows();
  Vector diagonal = A.diagonal();
  const double stop = static_cast<double>(m) * std::numeric_limits<double>::epsilon() * diagonal.cwiseAbs().maxCoeff();
  DenseMatrix L(m, m);
  Index rank = 0;
  for (; rank < m; ++rank) {
    Index pivot = 0;
    const double largest = diagonal.maxCoeff(&pivot);
    if (!(largest > stop)) break;
    auto column = L.col(rank);
    column = A.col(pivot);
    if (rank > 0) column.noalias() -= L.leftCols(rank) * L.row(pivot).head(rank).transpose();
    column /= std::sqrt(largest);
    diagonal -= column.cwiseAbs2();
    diagonal[pivot] = 0.0;
  }
  return L.leftCols(rank);
}

DenseMatrix eigen_factor(const DenseMatrix& A) {
  const Eigen::SelfAdjointEigenSolver<DenseMatrix> eigen(A);
  const Vector& values = eigen.eigenvalues();
  const double stop = static_cast<double>(A.rows()) * std::numeric_limits<double>::epsilon() * values.cwiseAbs().maxCoeff();
  const Index rank = (values.array() > stop).count();
  return eigen.eigenvectors().rightCols(rank) * values.tail(rank).cwiseSqrt().asDiagonal();
}

double defect(const DenseMatrix& A, const DenseMatrix& L, double scale) {
  if (scale == 0.0) return 0.0;
  return (A - L * L.transpose()).cwiseAbs().maxCoeff() / scale;
}

}  // namespace

SparseMatrix assemble_delassus(const GlobalForm& form, const MassMatrix& mass, const FactoredDelassus* factored) {
  return factored != nullptr ? assemble_by_bodies(*factored) : assemble_by_solves(form, mass);
}

Vector free_velocity(const GlobalForm& form, const MassMatrix& mass) {
  Vector v(form.k.size());
  mass.solve(form.k, v);
  return form.D.transpose() * v + form.b;
}

GlobalForm global_from_local(const LocalForm& form, double* clipped) {
  const Index m = form.N.rows();
  const DenseMatrix full(form.N);
  const DenseMatrix A = 0.5 * (full + full.transpose());
  const double scale = m > 0 ? A.cwiseAbs().maxCoeff() : 0.0;
  DenseMatrix L = m > 0 ? pivoted_cholesky(A) : DenseMatrix(0, 0);
  *clipped = m > 0 ? defect(A, L, scale) : 0.0;
  // What complete pivoting leaves of a PSD matrix is of the order of rounding; more means negative eigenvalues.
  if (*clipped > 1e3 * static_cast<double>(m) * std::numeric_limits<double>::epsilon()) {
    L = eigen_factor(A);
    *clipped = defect(A, L, scale);
  }
  GlobalForm global;
  const Index rank = L.cols();
  global.H.resize(rank, rank);
  global.H.setIdentity();
  global.D = DenseMatrix(L.transpose()).sparseView();
  global.C.resize(m, m);
  global.k.setZero(rank);
  global.b = form.r;
  return global;
}

double symmetry_defect(const SparseMatrix& N) {
  if (N.nonZeros() == 0) return 0.0;
  const SparseMatrix difference = N - SparseMatrix(N.transpose());
  double largest = 0.0, scale = 0.0;
  for (Index j = 0; j < N.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator entry(difference, j); entry; ++entry)
      largest = std::max(largest, std::abs(entry.value()));
    for (SparseMatrix::InnerIterator entry(N, j); entry; ++entry) scale = std::max(scale, std::abs(entry.value()));
  }
  return scale > 0.0 ? largest / scale : 0.0;
}

}  // namespace ccp
