#include <Eigen/SparseCholesky>
#include <cmath>
#include <limits>

#include "linalg/direct/backends.hpp"

namespace ccp::linalg {
namespace {

/// Eigen's simplicial LDLᵀ with AMD and no pivoting. Fails only on an exactly zero pivot; for `spd` also on a negative one.
class SimplicialLdlt final : public LinearSolver {
 public:
  explicit SimplicialLdlt(MatrixKind kind) : LinearSolver("eigen_ldlt", kind) {}

 private:
  LinearStatus do_analyze(const SparseMatrix& pattern) override {
    factor_.analyzePattern(pattern);
    info_.factorization_flops = std::numeric_limits<double>::quiet_NaN();
    permuted_.setZero(pattern.rows());
    return LinearStatus::ok;
  }

  LinearStatus do_factorize(const SparseMatrix& matrix) override {
    factor_.factorize(matrix);
    if (factor_.info() != Eigen::Success) {
      info_.message = "a pivot is zero";
      return LinearStatus::recoverable;
    }
    pivots_ = factor_.vectorD();
    info_.factor_nonzeros = factor_.matrixL().nestedExpression().nonZeros() + pivots_.size();
    if (std::isnan(info_.factorization_flops)) info_.factorization_flops = operations();
    info_.negative_pivots = (pivots_.array() < 0).count();
    if (!pivots_.allFinite()) {
      info_.message = "the factor overflows";
      return LinearStatus::recoverable;
    }
    if (kind() == MatrixKind::spd && *info_.negative_pivots > 0) {
      info_.message = "not positive definite: " + std::to_string(*info_.negative_pivots) + " negative pivots";
      return LinearStatus::recoverable;
    }
    return LinearStatus::ok;
  }

  /// Of LDLᵀ: the squares of the numbers in the columns of L.
  double operations() const {
    const auto& lower = factor_.matrixL().nestedExpression();
    double sum = 0.0;
    for (Index column = 0; column < lower.cols(); ++column) {
      const auto below = static_cast<double>(lower.outerIndexPtr()[column + 1] - lower.outerIndexPtr()[column]);
      sum += (below + 1.0) * (below + 1.0);
    }
    return sum;
  }

  // Eigen's own solve() permutes in place, which allocates.
  LinearStatus do_solve(ConstVectorRef rhs, VectorRef x) override {
    permuted_.noalias() = factor_.permutationP() * rhs;
    factor_.matrixL().solveInPlace(permuted_);
    permuted_.array() /= pivots_.array();
    factor_.matrixU().solveInPlace(permuted_);
    x.noalias() = factor_.permutationPinv() * permuted_;
    return LinearStatus::ok;
  }

  Eigen::SimplicialLDLT<SparseMatrix, Eigen::Lower, Eigen::AMDOrdering<int>> factor_;
  Vector pivots_, permuted_;
};

}  // namespace

std::unique_ptr<LinearSolver> make_eigen_ldlt(MatrixKind kind) { return std::make_unique<SimplicialLdlt>(kind); }

}  // namespace ccp::linalg
