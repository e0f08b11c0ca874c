#include "linalg/dense.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace ccp {

SymmetricEigen symmetric_eigen(const DenseMatrix& A) {
  const Eigen::SelfAdjointEigenSolver<DenseMatrix> eigen(A);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

Vector symmetric_eigenvalues(const DenseMatrix& A) {
  return Eigen::SelfAdjointEigenSolver<DenseMatrix>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

DenseMatrix pseudo_inverse(const DenseMatrix& A) {
  return Eigen::CompleteOrthogonalDecomposition<DenseMatrix>(A).pseudoInverse();
}
Matrix3 pseudo_inverse(const Matrix3& A) { return Eigen::CompleteOrthogonalDecomposition<Matrix3>(A).pseudoInverse(); }

DenseMatrix spd_inverse(const DenseMatrix& A) { return A.llt().solve(DenseMatrix::Identity(A.rows(), A.cols())); }

}  // namespace ccp
