#include <dmumps_c.h>

#include <stdexcept>

#include "linalg/direct/backends.hpp"
#include "linalg/direct/mumps_workspace.hpp"

namespace ccp::linalg {
namespace {

/// Sequential MUMPS (Amestoy, Duff, L'Excellent, Koster 2001), multifrontal LDLᵀ or LU. MUMPS keeps state outside its
/// instances: several may live at once, but calls must not overlap in time.
///
/// spd: SYM=1, no pivoting, a pivot that is not positive is a failure. quasi_definite: SYM=2 with CNTL(1) = 0, no pivoting
/// (delayed pivots would make it a hundred times slower). indefinite: SYM=2 with threshold pivoting and null pivots, whose
/// unknowns are set to zero. unsymmetric: SYM=0 with threshold pivoting.
class Mumps final : public LinearSolver {
 public:
  explicit Mumps(MatrixKind kind) : LinearSolver("mumps", kind) {
    mumps_.sym = kind == MatrixKind::unsymmetric ? 0 : kind == MatrixKind::spd ? 1 : 2;
    mumps_.par = 1;
    mumps_.comm_fortran = -987654;  // MPI_COMM_WORLD, by MUMPS' convention
    if (call(-1) < 0) throw std::runtime_error("MUMPS cannot be initialised: INFOG(1) = " + std::to_string(infog(1)));
    for (int output = 1; output <= 3; ++output) icntl(output) = -1;
    icntl(4) = 0;
    icntl(8) = 77;  // scaling chosen by MUMPS from the values
    icntl(10) = 0;  // LinearSolver refines
    icntl(12) = 1;  // order the graph as it is: the compressed one needs the values
    icntl(13) = 1;  // no ScaLAPACK on the root, so that all negative pivots are counted
    icntl(24) = kind == MatrixKind::indefinite ? 1 : 0;
    if (kind == MatrixKind::quasi_definite) cntl(1) = 0;
    if (kind == MatrixKind::indefinite) cntl(3) = null_pivot_threshold;
  }

  ~Mumps() override { call(-2); }

 private:
  // Relative to the norm of the scaled matrix. The default, 1e-5 ε, takes the rounding left on a redundant row for a pivot.
  // Solutions were as accurate with anything from 1e-15 to 1e-11; a larger one would drop rows that are merely badly scaled.
  static constexpr double null_pivot_threshold = 1e-13;
  // Ordering by AMD costs a tenth of what SCOTCH does, and from about here on (flops of a factorisation) SCOTCH's factor is
  // faster by a third or more: measured on saddle matrices of lattices of rigid bodies and on three-dimensional grids, where
  // SCOTCH pays from the sixth factorisation and the second one.
  static constexpr double amd_flops = 1e9;

  LinearStatus do_analyze(const SparseMatrix& pattern) override {
    take_pattern(pattern);
    icntl(14) = workspace_start;
    icntl(7) = 0;
    int code = analyze_structure();
    if (code >= 0 && mumps_.rinfog[0] > amd_flops) {
      icntl(7) = 7;
      code = analyze_structure();
    }
    return code < 0 ? failure("analysis") : LinearStatus::ok;
  }

  /// Columns are permuted only where the diagonal has holes: with the pattern alone MUMPS takes any zero-free diagonal,
  /// which may be a weaker one than that of the matrix. A structurally singular matrix has none; the factorisation is left
  /// to say so.
  int analyze_structure() {
    icntl(6) = kind() == MatrixKind::unsymmetric && !full_diagonal_ ? 1 : 0;
    int code = call(1);
    if (code == -6 && icntl(6) != 0) {
      icntl(6) = 0;
      code = call(1);
    }
    return code;
  }

  LinearStatus do_factorize(const SparseMatrix& matrix) override {
    for (std::size_t entry = 0; entry < positions_.size(); ++entry) values_[entry] = matrix.valuePtr()[positions_[entry]];
    const LinearStatus status = call_growing(2);
    if (status != LinearStatus::ok) return status;
    // Beyond 2^31 the count comes in millions, negated.
    info_.factor_nonzeros = infog(29) >= 0 ? infog(29) : Index{-1000000} * infog(29);
    info_.factorization_flops = mumps_.rinfog[2];
    if (kind() != MatrixKind::unsymmetric) info_.negative_pivots = infog(12);
    if (kind() == MatrixKind::indefinite) info_.null_pivots = infog(28);
    if (kind() == MatrixKind::spd && infog(12) > 0) {
      info_.message = "not positive definite: " + std::to_string(infog(12)) + " negative pivots";
      return LinearStatus::recoverable;
    }
    return LinearStatus::ok;
  }

  LinearStatus do_solve(ConstVectorRef rhs, VectorRef x) override {
    solution_ = rhs;
    LinearStatus status = LinearStatus::ok;
    if (is_workspace_error(call(3))) {
      grow_workspace();
      status = call_growing(2);
      solution_ = rhs;
      if (status == LinearStatus::ok) call(3);
    }
    if (status == LinearStatus::ok && infog(1) < 0) status = failure("solution");
    if (status == LinearStatus::ok) x = solution_;
    return status;
  }

  void take_pattern(const SparseMatrix& pattern) {
    positions_.clear();
    rows_.clear();
    columns_.clear();
    Index diagonal_entries = 0;
    for (int column = 0; column < pattern.outerSize(); ++column)
      for (int entry = pattern.outerIndexPtr()[column]; entry < pattern.outerIndexPtr()[column + 1]; ++entry) {
        const int row = pattern.innerIndexPtr()[entry];
        if (kind() != MatrixKind::unsymmetric && row < column) continue;
        if (row == column) ++diagonal_entries;
        positions_.push_back(entry);
        rows_.push_back(row + 1);
        columns_.push_back(column + 1);
      }
    full_diagonal_ = diagonal_entries == pattern.cols();
    values_.assign(positions_.size(), 0.0);
    if (positions_.empty()) {  // MUMPS refuses a matrix without entries
      rows_.push_back(1);
      columns_.push_back(1);
      values_.push_back(0.0);
    }
    solution_.setZero(pattern.rows());
    mumps_.n = static_cast<MUMPS_INT>(pattern.rows());
    mumps_.nnz = static_cast<MUMPS_INT8>(rows_.size());
    mumps_.irn = rows_.data();
    mumps_.jcn = columns_.data();
    mumps_.a = values_.data();
    mumps_.rhs = solution_.data();
    mumps_.nrhs = 1;
    mumps_.lrhs = mumps_.n;
  }

  /// Runs the job, again with more workspace while there was too little. What was enough is kept for the next values.
  LinearStatus call_growing(int job) {
    int code = call(job);
    for (int attempt = 1; attempt < workspace_tries && is_workspace_error(code); ++attempt) {
      grow_workspace();
      code = call(job);
    }
    return code < 0 ? failure("factorisation") : LinearStatus::ok;
  }

  void grow_workspace() { icntl(14) = grown_workspace(icntl(14)); }

  LinearStatus failure(const std::string& phase) {
    const int code = infog(1);
    const std::string codes = " (INFOG(1:2) = " + std::to_string(code) + ", " + std::to_string(infog(2)) + ")";
    const bool singular = code == -6 || code == -10 || code == -40;
    const bool memory = is_workspace_error(code) || code == -5 || code == -7 || code == -13;
    if (singular)
      info_.message = "MUMPS " + phase + (kind() == MatrixKind::spd ? ": not positive definite" : ": singular") + codes;
    else
      info_.message = "MUMPS " + phase + (memory ? ": out of memory" : ": error") + codes;
    return singular || memory ? LinearStatus::recoverable : LinearStatus::fatal;
  }

  int call(int job) {
    mumps_.job = job;
    dmumps_c(&mumps_);
    return infog(1);
  }

  // Numbered from 1 as in the guide.
  MUMPS_INT& icntl(int number) { return mumps_.icntl[number - 1]; }
  double& cntl(int number) { return mumps_.cntl[number - 1]; }
  int infog(int number) const { return mumps_.infog[number - 1]; }

  DMUMPS_STRUC_C mumps_{};
  std::vector<MUMPS_INT> positions_, rows_, columns_;  // of the entries that MUMPS gets, in the compressed storage
  std::vector<double> values_;
  bool full_diagonal_ = false;
  Vector solution_;  // MUMPS solves in place
};

}  // namespace

std::unique_ptr<LinearSolver> make_mumps(MatrixKind kind) { return std::make_unique<Mumps>(kind); }

}  // namespace ccp::linalg
