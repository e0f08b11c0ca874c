#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "linalg/supernodal_factor.hpp"

namespace ccp {

/// The promise of the caller about a matrix; the backend chooses its factorisation by it.
enum class MatrixKind {
  spd,             ///< symmetric positive definite
  quasi_definite,  ///< symmetric, [A B; Bᵀ −C] with A and C positive definite: LDLᵀ exists without pivoting
  indefinite,      ///< symmetric, needs pivoting; may be singular
  unsymmetric
};

/// "positive definite", "quasi-definite" and so on.
const char* matrix_kind_name(MatrixKind kind);

/// Outcome of a numerical call.
enum class LinearStatus {
  ok,
  recoverable,  ///< this matrix could not be factorised (not positive definite, singular, out of workspace after retries);
                ///< the solver object stays usable for other values
  fatal         ///< the backend cannot go on
};

/// Counters and facts of the last calls.
struct LinearInfo {
  Index size = 0;
  Index nonzeros = 0;         ///< of the analysed pattern as stored
  Index factor_nonzeros = 0;  ///< of the last factor, as the backend reports it
  int analyses = 0, factorizations = 0, back_solves = 0, refinements = 0;
  /// Floating-point operations of the last factorisation, as the backend reports them; NaN where it does not (eigen_lu).
  double factorization_flops = std::numeric_limits<double>::quiet_NaN();
  double flops = 0.0;  ///< of all factorisations and back-solves: 2 for each number that a back-solve reads
  double analysis_s = 0.0, factorization_s = 0.0, back_solve_s = 0.0;  ///< s, of all calls; back-solves with refinement
  std::optional<Index> negative_pivots;                                ///< inertia, where the backend knows it
  std::optional<Index> null_pivots;  ///< nullity, where the backend knows it; a lower bound, rounding hides some
  std::string message;               ///< why the last call was not ok
};

/// A sparse direct solver: analyze once per pattern, factorize once per set of values, solve per right-hand side.
///
/// For the symmetric kinds only the lower triangle of the matrix is read (a full symmetric matrix may be given). A matrix
/// without rows is allowed. The pattern of factorize() must be that of the last analyze(); another one, a wrong order of
/// calls or a wrong size throws std::logic_error.
///
/// Numerical failure is a LinearStatus; input with NaN or infinity is recoverable. Failure is seen from pivots that are
/// exactly zero or, for `spd`, negative: a matrix that is singular only to within rounding may pass and give a large
/// solution.
///
/// Accuracy: the relative residual ‖b − Ax‖∞/‖b‖∞ for b = A y, abs(y_i) < 1, is 1e-15 (tests/linalg), except that of
/// quasi_definite, which grows as 1e-17 mean(DᵀH⁻¹D)_ii/ρ when the second block is a small −ρI, and that of unsymmetric by
/// mumps, 1e-12 where the diagonal has holes. One refinement step brings all of them below 1e-15.
///
/// Objects are independent, but calls into MUMPS, of whichever object, must not overlap in time.
class LinearSolver {
 public:
  virtual ~LinearSolver() = default;
  LinearSolver(const LinearSolver&) = delete;
  LinearSolver& operator=(const LinearSolver&) = delete;

  LinearStatus analyze(const SparseMatrix& pattern);
  LinearStatus factorize(const SparseMatrix& matrix);
  /// Solves A x = rhs and then makes `refinement_steps()` steps of iterative refinement. rhs and x may be the same vector.
  /// eigen_ldlt allocates nothing in here, cholmod nothing after the first call; mumps and eigen_lu allocate inside
  /// themselves. recoverable: rhs or the solution is not finite, or memory ran out. For a singular `indefinite` matrix x is
  /// a solution where there is one.
  LinearStatus solve(ConstVectorRef rhs, VectorRef x);

  /// The same for all columns of X (n×k) at once: X <- A⁻¹X. Allocates.
  LinearStatus solve_columns(DenseMatrix& X);

  /// The factor of the last factorisation, where the backend has it in this form (cholmod). Valid until the next one.
  virtual std::optional<SupernodalFactor> supernodal_factor() const { return std::nullopt; }

  /// Whether `here` holds on all processes that have a part of the matrix; all of them together. Most solvers have it whole.
  virtual bool everywhere(bool here) const { return here; }

  int refinement_steps() const { return refinement_steps_; }
  void set_refinement_steps(int steps) { refinement_steps_ = steps; }

  const LinearInfo& info() const { return info_; }
  const std::string& backend() const { return backend_; }
  MatrixKind kind() const { return kind_; }

 protected:
  LinearSolver(std::string backend, MatrixKind kind) : backend_(std::move(backend)), kind_(kind) {}
  LinearInfo info_;

 private:
  virtual LinearStatus do_analyze(const SparseMatrix& pattern) = 0;
  virtual LinearStatus do_factorize(const SparseMatrix& matrix) = 0;
  virtual LinearStatus do_solve(ConstVectorRef rhs, VectorRef x) = 0;
  /// One column after the other, unless the backend knows better.
  virtual LinearStatus do_solve_columns(const DenseMatrix& rhs, DenseMatrix& X);
  LinearStatus finish_solution(LinearStatus status, bool finite);
  void count_back_solves(int columns);

  std::string backend_;
  MatrixKind kind_;
  int refinement_steps_ = 0;
  // Kept for the residuals of the refinement and the check of the pattern.
  SparseMatrix matrix_;
  Vector residual_, correction_, rhs_;
  bool analyzed_ = false, factorized_ = false, empty_ = true;
};

/// "mumps", "cholmod", "eigen_ldlt", "eigen_lu": those compiled in, in this order.
std::vector<std::string> linear_solver_names();

/// The kinds a backend takes: mumps all four (SYM=1 spd, SYM=2 with CNTL(1) = 0 quasi-definite, SYM=2 pivoting and null
/// pivots indefinite, SYM=0 unsymmetric), cholmod spd, eigen_ldlt spd and quasi_definite, eigen_lu unsymmetric.
bool linear_solver_supports(const std::string& backend, MatrixKind kind);

/// Makes a solver. backend "auto": cholmod for spd where compiled in else mumps, mumps otherwise.
/// Throws InputError for an unknown backend (with the nearest name) or a kind it does not take.
std::unique_ptr<LinearSolver> make_linear_solver(const std::string& backend, MatrixKind kind);

/// Fixes the threads of the BLAS behind MUMPS and CHOLMOD to one (more were never faster). Called by make_linear_solver.
void use_single_blas_thread();

}  // namespace ccp
