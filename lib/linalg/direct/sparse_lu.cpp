#include <Eigen/SparseLU>

#include "linalg/direct/backends.hpp"

namespace ccp::linalg {
namespace {

/// Eigen's supernodal LU with COLAMD and partial pivoting. Its back-solves allocate a work vector.
class SparseLu final : public LinearSolver {
 public:
  explicit SparseLu(MatrixKind kind) : LinearSolver("eigen_lu", kind) {}

 private:
  LinearStatus do_analyze(const SparseMatrix& pattern) override {
    factor_.analyzePattern(pattern);
    return LinearStatus::ok;
  }

  LinearStatus do_factorize(const SparseMatrix& matrix) override {
    factor_.factorize(matrix);
    if (factor_.info() != Eigen::Success) {
      info_.message = "singular: " + factor_.lastErrorMessage();
      return LinearStatus::recoverable;
    }
    info_.factor_nonzeros = factor_.nnzL() + factor_.nnzU();
    return LinearStatus::ok;
  }

  LinearStatus do_solve(ConstVectorRef rhs, VectorRef x) override {
    x = factor_.solve(rhs);
    return LinearStatus::ok;
  }

  Eigen::SparseLU<SparseMatrix, Eigen::COLAMDOrdering<int>> factor_;
};

}  // namespace

std::unique_ptr<LinearSolver> make_eigen_lu(MatrixKind kind) { return std::make_unique<SparseLu>(kind); }

}  // namespace ccp::linalg
