#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstddef>
#include <vector>

/// Vocabulary types of the whole library. Double precision only; sparse matrices are column-major with 32-bit indices.
namespace ccp {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using Vector2 = Eigen::Vector2d;
using Vector3 = Eigen::Vector3d;
using Matrix2 = Eigen::Matrix2d;
using Matrix3 = Eigen::Matrix3d;
using DenseMatrix = Eigen::MatrixXd;
using VectorRef = Eigen::Ref<Vector>;
using ConstVectorRef = const Eigen::Ref<const Vector>&;
using SparseMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;
using Triplet = Eigen::Triplet<double, int>;

/// The rows × columns matrix with these entries; those that name the same place are summed.
template <typename Matrix = SparseMatrix>
Matrix from_triplets(Index rows, Index columns, const std::vector<Triplet>& entries) {
  Matrix matrix(rows, columns);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

/// An index or an enumerator as the standard containers count: `blocks[uz(i)]`.
template <typename Number>
constexpr std::size_t uz(Number number) {
  return static_cast<std::size_t>(number);
}

/// ‖x‖∞ of a vector or an expression, without a temporary; 0 if it is empty.
template <typename Expression>
double max_norm(const Expression& x) {
  return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
}

}  // namespace ccp
