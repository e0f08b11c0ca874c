#pragma once

#include <cstdint>
#include <vector>

#include "linalg/block_matrix.hpp"
#include "linalg/front_tree.hpp"
#include "linalg/panel_kernels.hpp"

namespace ccp {

/// Multifrontal LU of large matrices of 3×3 blocks with a symmetric pattern and unsymmetric values (E125): one symbolic
/// pass, then dense fronts in panels of at most 24 columns, with partial pivoting inside the square pivot of a panel and
/// none outside. Where fronts are large it is several times as fast as BlockLu, which goes block by block; where they are
/// small BlockLu is.
class FrontalLu {
 public:
  /// Symbolic factorisation for matrices with the pattern of A, in an order found for it.
  FrontalLu(const BlockMatrix& A, const BlockOrdering& ordering);

  /// Factorises a matrix of that pattern. False when a pivot is singular or not finite. The first call allocates the factors
  /// and the fronts, later ones nothing.
  bool factorize(const BlockMatrix& A);

  /// x <- solution of the factorised system for a padded right-hand side (3·rows entries; may be the same vector as x). No
  /// allocation.
  void solve(const Vector& rhs, Vector& x);

  /// Floating-point operations of one factorisation (multiplications and additions).
  std::int64_t flops() const { return tree_.flops; }
  /// "minimum degree" or "nested dissection".
  const char* ordering() const { return ordering_; }
  /// Bytes of the factors, and of all that factorize() works on beside them.
  std::size_t bytes() const { return sizeof(Line) * factor_lines_; }
  std::size_t work_bytes() const { return sizeof(double) * (front_size_ + stack_size_); }

 private:
  /// What a vector register reads at once; the panels begin at such addresses.
  struct alignas(64) Line {
    double value[8];
  };
  /// Columns of a front eliminated together: the inverse of their square pivot, L below it in strips of rows, U right of it
  /// in strips of columns.
  struct Panel {
    int begin, width, rest;  ///< scalar columns of the front: first, count, those that follow
    std::size_t inverse, lower, upper;
  };
  /// A block of A and where it goes in its front.
  struct Entry {
    int block, row, column;
  };

  void place_entries(const BlockMatrix& A);
  void plan_panels();
  void assemble(std::size_t f, const BlockMatrix& A);
  void add_child(std::size_t child, Index stride);
  bool eliminate(const Panel& panel, Index stride);
  void keep_rest(std::size_t f, Index stride);
  double* at(std::size_t line) { return data_[line].value; }

  static int scalars(int blocks) { return 3 * blocks; }

  FrontTree tree_;
  const char* ordering_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> entry_start_;  ///< per front, and the end
  std::vector<Panel> panels_;
  std::vector<std::size_t> panel_start_;  ///< per front, and the end
  std::size_t factor_lines_ = 0, front_size_ = 0, stack_size_ = 0, column_size_ = 0;
  const PanelKernels& kernels_;
  std::vector<Line> data_;            ///< the panels of all fronts
  std::vector<double> front_;         ///< the front at work, column-major
  std::vector<double> stack_;         ///< what fronts leave to parents that are not assembled yet, column-major and dense
  std::vector<std::size_t> stacked_;  ///< fronts on the stack
  std::size_t stack_top_ = 0;
  std::vector<Line> column_, inverse_;  ///< a panel below its pivot before it is multiplied by the inverse, and −inverse
  Vector work_;                         ///< right-hand side by new rows
  std::vector<double> local_;           ///< that of a front
};

}  // namespace ccp
