#pragma once

#include <memory>
#include <string>
#include <vector>

#include "linalg/linear_solver.hpp"
#include "problem/contact_problem.hpp"
#include "problem/subsystems.hpp"
#include "solvers/monitor.hpp"
#include "solvers/splitting/tree_factor.hpp"

namespace ccp {

/// The split of the velocities (Lee et al. 2025, sec. VII-D2).
enum class Splitting {
  bodies,      ///< SubADMM: subsystems, and the parts of D by bodies (eqs. 30, 31)
  subsystems,  ///< "No Body": the parts of a constraint in one subsystem summed
  none         ///< "No Sub": all velocities in one linear system (eq. 28)
};

/// How the subsystems of the two baselines are factorised.
enum class SplitMatrix {
  automatic,  ///< dense up to 64 dofs, sparse above
  sparse,     ///< sparse above 6 dofs
  dense
};

/// A problem split: its subsystems with their parts, and how each of them is factorised.
struct Split {
  Subsystems parts;
  std::vector<bool> tree;  ///< of each subsystem: by LᵀL along its trees; else by sparse Cholesky
};

/// The bodies of a problem: the data it was given with, else a chain for each body of a block-diagonal H, else for each of
/// the finest consecutive groups of dofs that H does not couple. One chain where the problem is given in local form. Parts
/// are those of the blocks of ConstraintSet::narrow().
Subsystems bodies_of(const ContactProblem& problem);

/// The split by a method. Chains that were not given have a sparse Cholesky factorisation above 200 dofs (ours); `matrix`
/// says so of the subsystems of the other two splittings. A dense one is a chain.
Split split_problem(const ContactProblem& problem, const Subsystems& bodies, Splitting splitting, SplitMatrix matrix);

/// The matrices A_j = H_j + β G_j of all subsystems, G_j = Σ_p D_p D_pᵀ over the parts of j (Lee et al. 2025, eqs. 34, 40).
class SubsystemSystem {
 public:
  /// H: n×n. backend: of the sparse factorisations, a linear solver or "auto".
  SubsystemSystem(const Split& split, const SparseMatrix& H, const std::string& backend, Monitor& monitor);

  /// All A_j that have parts; on the first call the others, too. False with message() set where one is not positive
  /// definite. Allocates nothing, but what a sparse backend does inside itself. Counts one factorisation.
  bool factorize(double beta, Monitor& monitor);
  /// v <- A_j⁻¹ v for all j. Counts one back-solve.
  bool solve(Vector& v, Monitor& monitor);

  /// Factorisations of single subsystems so far.
  Index factorizations() const { return factorizations_; }
  const std::string& message() const { return message_; }

 private:
  struct Sparse {
    Index start, size;
    bool touched;              ///< it has parts
    SparseMatrix matrix;       ///< lower triangle of A_j
    std::vector<double> H, G;  ///< values in its pattern
    std::unique_ptr<LinearSolver> solver;
  };

  void gather_trees(const Subsystems& parts, const SparseMatrix& H);
  void add_sparse(const Split& split, Index j, const SparseMatrix& H, const std::string& backend, Monitor& monitor);

  TreeFactor trees_;
  std::vector<Index> tree_list_;    ///< subsystems factorised along trees, and
  std::vector<char> touched_;       ///< of each of these: it has parts
  std::vector<double> tree_flops_;  ///< of each of these: operations of a factorisation
  std::vector<char> bad_;           ///< its last factorisation failed
  Vector H_, G_, L_;                ///< values of the trees
  std::vector<Sparse> sparse_;
  std::vector<Index> start_;
  bool first_ = true;
  Index factorizations_ = 0;
  std::string message_;
};

}  // namespace ccp
