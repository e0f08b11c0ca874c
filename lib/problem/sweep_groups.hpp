#pragma once

#include <vector>

#include "problem/share.hpp"

namespace ccp {

/// What Gauss–Seidel on ranks relaxes with the newest impulses of its own alone: a cell, or all blocks of a rank.
enum class SweepUnit { cells, ranks };

/// The groups of one rank, each the blocks of one cell or of the rank. Two groups with blocks at one body have different
/// colours (E.11).
struct SweepGroups {
  int colours = 1;                ///< of all ranks
  std::vector<Index> start{0};    ///< the first own block of each, and the end of the last
  std::vector<int> colour;        ///< of each
  std::vector<int> block_colour;  ///< of the blocks that the rank knows: foreign ones before, its own, those behind
  std::vector<double> copies;     ///< groups with blocks at each body of the rank, those of other ranks counted
};

/// A share with groups for sweeps.
class SweepShare : public Share {
 public:
  const SweepGroups& groups(SweepUnit unit) const { return unit == SweepUnit::cells ? cells_ : ranks_; }
  /// Before the first exchange by colours; all ranks together.
  virtual void prepare(SweepUnit unit) const = 0;
  /// As extend(), where only the impulses of groups of this colour have changed; the others of `all` stay as they are.
  virtual void extend(SweepUnit unit, int colour, ConstVectorRef own, Vector& all) const = 0;
  using Share::extend;

 protected:
  SweepShare(CellChunks blocks, CellChunks root, Index first_row, Index rows, Index contacts, SweepGroups cells,
             SweepGroups ranks)
      : Share(std::move(blocks), std::move(root), first_row, rows, contacts),
        cells_(std::move(cells)),
        ranks_(std::move(ranks)) {}

 private:
  SweepGroups cells_, ranks_;
};

}  // namespace ccp
