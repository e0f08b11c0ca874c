#include <cholmod.h>
#include <omp.h>

#include <cmath>

#include "linalg/direct/backends.hpp"

namespace ccp::linalg {
namespace {

/// Keeps CHOLMOD from starting OpenMP threads while it lives: results and times are those of one thread, and a process that
/// has factorised may fork (the threads would be missing in the child, whose next parallel loop would wait for them
/// forever).
class SerialOpenMp {
 public:
  SerialOpenMp() : levels_(omp_get_max_active_levels()) { omp_set_max_active_levels(0); }
  ~SerialOpenMp() { omp_set_max_active_levels(levels_); }
  SerialOpenMp(const SerialOpenMp&) = delete;
  SerialOpenMp& operator=(const SerialOpenMp&) = delete;

 private:
  int levels_;
};

/// CHOLMOD's supernodal LLᵀ, ordered by AMD or, where that fills in, METIS. Back-solves allocate nothing after the first.
class Cholmod final : public LinearSolver {
 public:
  explicit Cholmod(MatrixKind kind) : LinearSolver("cholmod", kind) {
    cholmod_start(&common_);
    common_.print = 0;
    common_.supernodal = CHOLMOD_SUPERNODAL;
  }

  ~Cholmod() override {
    cholmod_free_factor(&factor_, &common_);
    cholmod_free_dense(&solution_, &common_);
    cholmod_free_dense(&work_y_, &common_);
    cholmod_free_dense(&work_e_, &common_);
    cholmod_finish(&common_);
  }

  std::optional<SupernodalFactor> supernodal_factor() const override {
    if (factor_ == nullptr || factor_->is_super == 0 || factor_->xtype != CHOLMOD_REAL) return std::nullopt;
    const auto list = [](const void* data, std::size_t count) { return std::span(static_cast<const int*>(data), count); };
    const std::size_t ends = factor_->nsuper + 1;
    return SupernodalFactor{list(factor_->Perm, factor_->n),  list(factor_->super, ends),
                            list(factor_->pi, ends),          list(factor_->px, ends),
                            list(factor_->s, factor_->ssize), {static_cast<const double*>(factor_->x), factor_->xsize}};
  }

 private:
  LinearStatus do_analyze(const SparseMatrix& pattern) override {
    const SerialOpenMp serial;
    cholmod_free_factor(&factor_, &common_);
    cholmod_sparse view = view_of(pattern);
    factor_ = cholmod_analyze(&view, &common_);
    return factor_ ? LinearStatus::ok : failure("analysis");
  }

  LinearStatus do_factorize(const SparseMatrix& matrix) override {
    const SerialOpenMp serial;
    cholmod_sparse view = view_of(matrix);
    const bool done = cholmod_factorize(&view, factor_, &common_) != 0;
    if (common_.status == CHOLMOD_NOT_POSDEF) {
      info_.message = "not positive definite at pivot " + std::to_string(factor_->minor + 1);
      return LinearStatus::recoverable;
    }
    if (!done || common_.status < CHOLMOD_OK) return failure("factorisation");
    info_.factor_nonzeros = static_cast<Index>(std::llround(common_.lnz));
    info_.factorization_flops = common_.fl;  // of LLᵀ, from the analysis
    info_.negative_pivots = 0;
    return LinearStatus::ok;
  }

  LinearStatus do_solve(ConstVectorRef rhs, VectorRef x) override {
    const LinearStatus status = solve_dense(rhs.data(), rhs.size(), 1);
    if (status == LinearStatus::ok) x = Eigen::Map<const Vector>(static_cast<const double*>(solution_->x), rhs.size());
    return status;
  }

  LinearStatus do_solve_columns(const DenseMatrix& rhs, DenseMatrix& X) override {
    const LinearStatus status = solve_dense(rhs.data(), rhs.rows(), rhs.cols());
    if (status == LinearStatus::ok)
      X = Eigen::Map<const DenseMatrix>(static_cast<const double*>(solution_->x), rhs.rows(), rhs.cols());
    return status;
  }

  LinearStatus solve_dense(const double* rhs, Index rows, Index columns) {
    const SerialOpenMp serial;
    cholmod_dense view{};
    view.nrow = view.d = uz(rows);
    view.ncol = uz(columns);
    view.nzmax = view.nrow * view.ncol;
    view.x = const_cast<double*>(rhs);  // CHOLMOD has no const, but only reads it
    view.xtype = CHOLMOD_REAL;
    view.dtype = CHOLMOD_DOUBLE;
    if (!cholmod_solve2(CHOLMOD_A, factor_, &view, nullptr, &solution_, nullptr, &work_y_, &work_e_, &common_))
      return failure("solution");
    return LinearStatus::ok;
  }

  /// The matrix as CHOLMOD sees it: symmetric, stored in the lower triangle, the upper one ignored.
  static cholmod_sparse view_of(const SparseMatrix& matrix) {
    cholmod_sparse view{};
    view.nrow = uz(matrix.rows());
    view.ncol = uz(matrix.cols());
    view.nzmax = uz(matrix.nonZeros());
    view.p = const_cast<int*>(matrix.outerIndexPtr());
    view.i = const_cast<int*>(matrix.innerIndexPtr());
    view.x = const_cast<double*>(matrix.valuePtr());
    view.stype = -1;
    view.itype = CHOLMOD_INT;
    view.xtype = CHOLMOD_REAL;
    view.dtype = CHOLMOD_DOUBLE;
    view.sorted = 1;
    view.packed = 1;
    return view;
  }

  LinearStatus failure(const std::string& phase) {
    const bool memory = common_.status == CHOLMOD_OUT_OF_MEMORY || common_.status == CHOLMOD_TOO_LARGE;
    info_.message = "CHOLMOD " + phase + (memory ? ": out of memory" : ": status " + std::to_string(common_.status));
    return memory ? LinearStatus::recoverable : LinearStatus::fatal;
  }

  cholmod_common common_{};
  cholmod_factor* factor_ = nullptr;
  cholmod_dense *solution_ = nullptr, *work_y_ = nullptr, *work_e_ = nullptr;
};

}  // namespace

std::unique_ptr<LinearSolver> make_cholmod(MatrixKind kind) { return std::make_unique<Cholmod>(kind); }

}  // namespace ccp::linalg
