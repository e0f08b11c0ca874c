#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/kernels.hpp"
#include "linalg/block/block_matrix.hpp"
#include "linalg/block/front_tree.hpp"

namespace ccp {

/// Multifrontal LU of large matrices of 3×3 blocks with a symmetric pattern and unsymmetric values (H.5): one symbolic
/// pass, then dense fronts in panels of at most 24 columns, with partial pivoting inside the square pivot of a panel and
/// none outside. Where fronts are large it is several times as fast as BlockLu, which goes block by block; where they are
/// small BlockLu is faster.
class FrontalLu {
 public:
  /// Symbolic factorisation for matrices with the pattern of A, in an order found for it.
  FrontalLu(const BlockMatrix& A, const BlockOrdering& ordering);

  /// Factorises a matrix of that pattern. False when a pivot is singular or not finite. The first call allocates the factors
  /// and the fronts, later ones nothing.
  bool factorize(const BlockMatrix& A);
  /// The same for the matrix with rows  scale_i A_i· + D_i on the diagonal, without the block rows and columns with
  /// left_out[i] != 0. The factors are those of the matrix that remains; so are their time and memory.
  bool factorize(const BlockMatrix& A, const std::vector<Matrix3>& scale, const std::vector<Matrix3>& diagonal,
                 const std::vector<char>& left_out);

  /// x <- solution of the factorised system for a padded right-hand side (3·rows entries; may be the same vector as x);
  /// entries of rows that were left out are handed on. No allocation.
  void solve(const Vector& rhs, Vector& x);

  /// Floating-point operations of one factorisation of all rows (multiplications and additions).
  std::int64_t flops() const { return tree_.flops * (width_ * width_ * width_) / 27; }
  /// "minimum degree" or "nested dissection".
  const char* ordering() const { return ordering_; }
  /// Bytes of the factors with all rows.
  std::size_t bytes() const { return bytes_; }

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
  /// A block of A, its row there, and where it goes in its front, in blocks.
  struct Entry {
    int block, of_row, row, column;
  };
  /// What to factorise: A, or its rows scaled and with something on the diagonal.
  struct Values {
    const BlockMatrix& A;
    const Matrix3* scale;
    const Matrix3* diagonal;

    Matrix3 of(const Entry& entry) const;
  };
  /// The rows of a front that were not left out: the first of its own, the first of its reach, the end, in active_.
  struct Active {
    std::size_t first, reach, end;
    int width;  ///< of a row
    int own() const { return width * static_cast<int>(reach - first); }
    int rest() const { return width * static_cast<int>(end - reach); }
    int size() const { return own() + rest(); }
  };

  void place_entries(const BlockMatrix& A);
  bool factorize(const Values& values, const std::vector<char>& left_out);
  void plan(const std::vector<char>& left_out);
  void plan_rows(const std::vector<char>& left_out);
  void plan_panels();
  void assemble(std::size_t f, const Values& values);
  void add_child(std::size_t child, Index stride);
  bool eliminate(const Panel& panel, Index stride);
  void keep_rest(std::size_t f, Index stride);
  void load_local(std::size_t begin, std::size_t end, double* to) const;
  void store_own(const Active& rows);
  void solve_lower(std::size_t f);
  void solve_upper(std::size_t f);
  double* at(std::size_t line) { return data_[line].value; }

  int scalars(int blocks) const { return width_ * blocks; }

  int width_;  ///< of the blocks of A: their padding is no part of the fronts
  FrontTree tree_;
  const char* ordering_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> entry_start_;  ///< per front, and the end
  std::size_t bytes_ = 0;
  std::vector<char> none_;            ///< nothing left out
  std::vector<char> planned_;         ///< what the panels are planned for
  std::vector<char> left_out_;        ///< by new rows
  std::vector<int> active_;           ///< the new rows of every front that are not
  std::vector<Active> fronts_;        ///< those of a front
  std::vector<int> slot_;             ///< place in the front at work of each of its blocks without those left out
  std::vector<FrontTree::Run> runs_;  ///< of a child in the front at work, without those left out
  std::vector<Panel> panels_;
  std::vector<std::size_t> panel_start_;  ///< per front, and the end
  std::size_t factor_lines_ = 0, front_size_ = 0, stack_size_ = 0, column_size_ = 0;
  const PanelLoops& kernels_;
  std::unique_ptr<Line[]> data_;      ///< the panels of all fronts
  std::vector<double> front_;         ///< the front at work, column-major
  std::vector<double> stack_;         ///< what fronts leave to parents that are not assembled yet, column-major and dense
  std::vector<std::size_t> stacked_;  ///< fronts on the stack
  std::size_t stack_top_ = 0;
  std::vector<Line> column_, inverse_;  ///< a panel below its pivot before it is multiplied by the inverse, and −inverse
  Vector work_;                         ///< right-hand side by new rows
  std::vector<double> local_;           ///< that of a front
};

}  // namespace ccp
