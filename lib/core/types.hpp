#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>

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

}  // namespace ccp
