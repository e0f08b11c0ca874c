#pragma once

#include <memory>
#include <vector>

#include "distributed/cells.hpp"
#include "distributed/group_colours.hpp"
#include "distributed/stream.hpp"
#include "problem/contact_problem.hpp"
#include "problem/part_source.hpp"
#include "problem/sweep_groups.hpp"

namespace ccp {

/// What one rank gets of a problem. Its blocks are those of its cells and, before and behind them, the foreign blocks at its
/// bodies; its bodies are those of its cells and those of its blocks. All in the order of the cells. RankParts makes it
/// without the problem's numbers, which fill() adds.
struct RankPart {
  std::vector<int> wanted_bodies;  ///< PartSource::part(); empty once it is filled
  BlockLists wanted_blocks;
  Index velocities = 0;  ///< of its bodies, and idle ones
  ConstraintSet before, own, after;
  SparseMatrix H;                         ///< of its bodies
  SparseMatrix D_before, D_own, D_after;  ///< of its bodies × the rows of these blocks
  SparseMatrix C;                         ///< of its own rows
  Vector k, b;                            ///< of its bodies, of its own rows
  Index first_body = 0, bodies = 0;       ///< those of its cells among its bodies
  std::vector<Index> body_start;          ///< first velocity of each of its bodies, and the end; idle ones follow
  std::vector<int> body_rank,
      body_place;  ///< whose cells each is in, and its first velocity among those of the bodies there
  int first_cell = 0;
  std::vector<Index> blocks_of_cell, bodies_of_cell;  ///< of its cells
  std::vector<int> foreign_rank, foreign_row;         ///< of each foreign row: its rank, and its place among the rows there
  Index first_row = 0, rows = 0, contacts = 0;        ///< Share
  bool compliant = false;                             ///< SharedForm
  SweepGroups cells, ranks;                           ///< SweepShare
};
void put(Packer& packer, const RankPart& part);
void take(Unpacker& unpacker, RankPart& part);

/// The matrices, vectors and sets of a part.
void fill(RankPart& part, const PartSource& source);

/// Cuts a problem whose H is block-diagonal into parts.
class RankParts {
 public:
  /// cut: of the bodies, where there are enough of them. problem: must outlive it.
  RankParts(const ProblemOutline& problem, int ranks, const Cut& cut);

  /// To be filled.
  RankPart part(int rank) const;

  /// Rows of the problem in the order of the cells, as numbers in its own order: where the impulses of the ranks, one after
  /// the other, belong.
  std::vector<int> rows() const;
  /// First row of each rank in that order; ranks + 1 of them.
  std::vector<int> first_rows() const;
  /// Contacts whose bodies belong to two ranks.
  Index cut_contacts() const;
  /// Most blocks of a rank over their mean.
  double imbalance() const;

 private:
  struct Local;
  int rank_of_cell(int cell) const;
  int cell_of_block(int block) const;
  Local local(int rank) const;
  void add_foreign_rows(RankPart& part, const std::vector<int>& blocks) const;
  SweepGroups sweep_groups(const GroupColours& groups, const Local& local) const;

  const ProblemOutline& problem_;
  const BlockPartition& bodies_;
  const Touch& touch_;
  CellOrder order_;
  std::vector<int> first_cell_;            ///< of each rank
  std::vector<int> new_body_;              ///< by old number
  std::vector<Index> first_velocity_;      ///< of each body, in the order of the cells, and the end
  std::vector<Index> first_row_of_block_;  ///< in the order of the cells, by new number, and the end
  std::vector<Index> blocks_start_;        ///< of each body, in blocks_at_
  std::vector<int> blocks_at_;             ///< new numbers of the blocks at a body, by its new number
  GroupColours cells_, ranks_;             ///< a group of each cell, and of each rank
};

/// The part as a problem of its own, whose matrices it takes. share: of this rank. keeps_matrices: SharedForm.
ContactProblem shared_problem(RankPart&& part, std::shared_ptr<const Share> share, bool keeps_matrices);

/// The chunks of a part, for its Share.
CellChunks block_chunks(const RankPart& part);
CellChunks root_chunks(const RankPart& part);

}  // namespace ccp
