#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/types.hpp"

namespace ccp {

class LinearSolver;
enum class MatrixKind;

/// Cells into which the bodies of a problem are cut that several processes (ranks) solve, whatever the number of ranks: each
/// rank has a run of them. Sums are formed within cells and then over the cells in their order, so that their bits do not
/// depend on the number of ranks (E.10).
constexpr Index cell_count = 64;

/// Runs of consecutive blocks, or of numbers, of one rank, over which sums are formed. None crosses the border of a cell.
struct CellChunks {
  std::vector<Index> start{0};  ///< the first of each, and the end of the last
  std::vector<int> cell;        ///< of each; never decreases

  Index count() const { return std::ssize(cell); }
  /// The next cell, with so many: chunks of `longest` from its beginning.
  void add(int of_cell, Index size, Index longest) {
    for (Index first = 0; first < size; first += longest) {
      start.push_back(start.back() + std::min(longest, size - first));
      cell.push_back(of_cell);
    }
  }
};

/// What ranks have sent each other.
struct Traffic {
  std::int64_t messages = 0, bytes = 0;  ///< of this rank, between exchanges of impulses
  std::int64_t exchanges = 0, reductions = 0;
};

/// The share of one rank in a problem of several, and how it talks to the others. Every rank calls the functions that talk
/// in the same order. Whole problems have none.
class Share {
 public:
  virtual ~Share() = default;

  const CellChunks& blocks() const { return blocks_; }
  /// Of the numbers of SplitProduct::root().
  const CellChunks& root() const { return root_; }
  /// Rows of the ranks before this one.
  Index first_row() const { return first_row_; }
  /// Rows, and blocks that are not bilateral, of all ranks.
  Index rows() const { return rows_; }
  Index contacts() const { return contacts_; }

  /// values: equally many for each cell, one cell after the other; on entry zero for the cells of other ranks, afterwards
  /// those of all. NaN and infinity survive.
  virtual void gather(std::span<double> values) const = 0;
  /// The value that the first rank has given.
  virtual double of_first(double value) const = 0;
  /// Puts the impulses of this rank (rows of its own blocks) and those of the foreign blocks at its bodies into `all`, in
  /// the order of the cells.
  virtual void extend(ConstVectorRef own, Vector& all) const = 0;

  /// Where its own velocities begin and end among those of its part: the others are own ones of other ranks.
  virtual std::pair<Index, Index> own_velocities() const = 0;
  /// For symmetric systems of which each rank has a term: a matrix and a right-hand side in the velocities of its part and,
  /// behind them, in unknowns of its own. It gets the solution of their sum in these. Positive definite where all ranks say
  /// so, else quasi-definite. All ranks together, in this as in all calls of the solver.
  virtual std::unique_ptr<LinearSolver> summed_solver(MatrixKind kind) const = 0;

  /// Of the calls so far.
  const Traffic& traffic() const { return traffic_; }
  void set_traffic(const Traffic& traffic) const { traffic_ = traffic; }

 protected:
  Share(CellChunks blocks, CellChunks root, Index first_row, Index rows, Index contacts)
      : blocks_(std::move(blocks)), root_(std::move(root)), first_row_(first_row), rows_(rows), contacts_(contacts) {}
  mutable Traffic traffic_;

 private:
  CellChunks blocks_, root_;
  Index first_row_, rows_, contacts_;
};

/// What is sent while it lives is not counted.
class UncountedTraffic {
 public:
  explicit UncountedTraffic(const Share* share) : share_(share) {
    if (share_ != nullptr) before_ = share_->traffic();
  }
  ~UncountedTraffic() {
    if (share_ != nullptr) share_->set_traffic(before_);
  }
  UncountedTraffic(const UncountedTraffic&) = delete;
  UncountedTraffic& operator=(const UncountedTraffic&) = delete;

 private:
  const Share* share_;
  Traffic before_;
};

}  // namespace ccp
