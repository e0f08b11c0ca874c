#pragma once

#include <vector>

#include "core/types.hpp"

namespace ccp {

/// Factors A = LᵀL of matrices whose entries couple dofs with their ancestors alone, from the leaves to the root and without
/// fill (Featherstone 2005). Row l of a matrix has an entry for each dof on the path from the root to l, in that order; all
/// rows stand behind one another in one array of values. A chain is a dense matrix.
class TreeFactor {
 public:
  /// start: ranges of dofs, each with trees of its own; parent: as in Subsystems. Ranges without `used` have no rows.
  TreeFactor(const std::vector<Index>& start, const std::vector<int>& parent, const std::vector<bool>& used);

  /// Numbers in the array of values.
  Index size() const { return std::ssize(path_); }
  /// Where entry (l, a) stands; a is l or an ancestor of l.
  Index place(int l, int a) const { return first_[uz(l)] + depth_[uz(a)]; }
  /// Ancestors of l, l included, from the root down.
  const int* path(int l) const { return path_.data() + first_[uz(l)]; }
  Index path_size(int l) const { return depth_[uz(l)] + 1; }

  /// L of the rows of range j from those of A, in place: values holds A before and L after, with 1/L_ll on its diagonal.
  /// False where A is not positive definite. No allocation, as in all functions below.
  bool factorize(Index range, double* values) const;
  /// x <- A⁻¹x on the dofs of range j.
  void solve(Index range, const double* values, double* x) const;

 private:
  template <int size>
  bool factorize_chain(double* rows) const;
  template <int size>
  void solve_chain(const double* rows, double* x) const;
  bool factorize_tree(int begin, int end, double* values) const;
  void solve_tree(int begin, int end, const double* values, double* x) const;

  std::vector<Index> start_;
  std::vector<bool> chain_;   ///< of each range: every dof hangs on the one before it
  std::vector<Index> first_;  ///< of each dof: where its row begins
  std::vector<int> depth_;    ///< of each dof
  std::vector<int> path_;     ///< of each value: the ancestor that it belongs to
};

}  // namespace ccp
