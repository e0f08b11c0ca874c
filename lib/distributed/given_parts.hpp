#pragma once

#include "distributed/job.hpp"
#include "problem/part_source.hpp"

namespace ccp {

/// Parts of a problem that is here as a whole.
class GivenParts final : public PartSource {
 public:
  /// whole: must outlive it. Throws InputError when its H couples more than 6 velocities.
  explicit GivenParts(const RankProblem& whole);

  ProblemOutline outline() const override;
  PartForm part(const std::vector<int>& bodies, const BlockLists& blocks) const override;

 private:
  struct Places;
  SparseMatrix mass(const std::vector<int>& bodies, const Places& places) const;
  PartBlocks some_blocks(const std::vector<int>& blocks, const Places& places) const;

  const RankProblem& whole_;
  BlockPartition bodies_;
};

}  // namespace ccp
