#pragma once

#include "core/types.hpp"

/// Factorisations of small dense matrices. Eigen's own take seconds to compile, so they are compiled once, here.
namespace ccp {

/// Eigenvalues, ascending, and eigenvectors of the symmetric A, whose lower triangle is read.
struct SymmetricEigen {
  Vector values;
  DenseMatrix vectors;  ///< by columns, orthonormal
};
SymmetricEigen symmetric_eigen(const DenseMatrix& A);
Vector symmetric_eigenvalues(const DenseMatrix& A);

/// Moore–Penrose inverse by a complete orthogonal decomposition.
Matrix3 pseudo_inverse(const Matrix3& A);
DenseMatrix pseudo_inverse(const DenseMatrix& A);

/// The inverse of the symmetric positive definite A, by Cholesky.
DenseMatrix spd_inverse(const DenseMatrix& A);

}  // namespace ccp
