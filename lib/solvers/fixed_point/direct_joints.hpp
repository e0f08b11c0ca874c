#pragma once

#include <memory>
#include <vector>

#include "core/constraints.hpp"
#include "linalg/linear_solver.hpp"
#include "solvers/monitor.hpp"

namespace ccp {

/// All bilateral rows at once, by a factor of their part N_BB of N (E.13). Redundant joints make N_BB singular; the factor
/// is that of N_BB + ε max N_ii I then, too, with which the iteration converges to the same points: Δγ_B is zero only where
/// u_B is, to within what no joint can move.
class DirectJoints {
 public:
  /// N: symmetric, of all blocks; one that is not is replaced by its symmetric part. Throws std::runtime_error where the
  /// factor does not exist.
  DirectJoints(const ConstraintSet& blocks, const SparseMatrix& N, Monitor& monitor);

  /// The bilateral blocks, in order; their number is the length of the vectors below.
  const std::vector<int>& blocks() const { return blocks_; }
  /// Δγ_B = −N_BB⁻¹ u_B, N·s, of u_B in m/s; both may be the same vector.
  void solve(const Vector& velocity, Vector& change, Counters& counters);

 private:
  std::vector<int> blocks_;
  std::unique_ptr<LinearSolver> factor_;
};

}  // namespace ccp
