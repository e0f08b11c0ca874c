#pragma once

#include <memory>
#include <string>
#include <vector>

#include "linalg/bench_block_lu/newton_matrices.hpp"

namespace ccp::testing {

/// One way to solve with a NewtonMatrix, from the analysis on.
class TimedSolver {
 public:
  virtual ~TimedSolver() = default;
  virtual void analyze() = 0;
  /// False when the matrix is taken for singular.
  virtual bool factorize() = 0;
  virtual void solve(const Vector& rhs, Vector& x) = 0;
  /// Size of the factors.
  virtual double megabytes() const = 0;
};

/// "blocks", "fronts", "mumps", and "umfpack" where it was found.
std::vector<std::string> timed_solver_names();
std::unique_ptr<TimedSolver> make_timed_solver(const std::string& name, const NewtonMatrix& matrix);

/// "blocks" or "fronts": the one that proximal_newton takes for the matrix.
std::string taken_by_proximal_newton(const NewtonMatrix& matrix);

}  // namespace ccp::testing
