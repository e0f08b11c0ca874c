#include "problem/block_partition.hpp"

#include <algorithm>

namespace ccp {
namespace {

/// reach[i]: the largest dof coupled with any dof <= i; a group may end after i exactly when reach[i] == i.
std::vector<Index> coupling_reach(const SparseMatrix& H) {
  std::vector<Index> reach(uz(H.cols()));
  Index furthest = 0;
  for (Index j = 0; j < H.cols(); ++j) {
    furthest = std::max(furthest, j);
    for (SparseMatrix::InnerIterator entry(H, j); entry; ++entry)
      if (entry.value() != 0.0) furthest = std::max(furthest, entry.row());
    reach[uz(j)] = furthest;
  }
  return reach;
}

bool ends_everywhere(const std::vector<Index>& reach, const BlockPartition& partition) {
  return std::all_of(partition.start.begin() + 1, partition.start.end(),
                     [&](Index end) { return reach[uz(end - 1)] == end - 1; });
}

}  // namespace

std::vector<int> BlockPartition::owner() const {
  std::vector<int> list;
  for (Index b = 0; b < count(); ++b) list.insert(list.end(), uz(size(b)), static_cast<int>(b));
  return list;
}

BlockPartition uniform_blocks(Index n, Index size) {
  BlockPartition partition;
  for (Index end = size; partition.start.back() < n; end += size) partition.start.push_back(std::min(end, n));
  return partition;
}

BlockPartition finest_groups(const SparseMatrix& H) {
  const std::vector<Index> reach = coupling_reach(H);
  BlockPartition finest;
  for (Index i = 0; i < H.cols(); ++i)
    if (reach[uz(i)] == i) finest.start.push_back(i + 1);
  return finest;
}

BlockPartition find_body_blocks(const SparseMatrix& H) {
  const Index n = H.cols();
  const std::vector<Index> reach = coupling_reach(H);
  for (const Index size : {Index{6}, Index{3}}) {
    if (n % size != 0) continue;
    BlockPartition uniform = uniform_blocks(n, size);
    if (ends_everywhere(reach, uniform)) return uniform;
  }
  BlockPartition finest = finest_groups(H);
  for (Index b = 0; b < finest.count(); ++b)
    if (finest.size(b) > BlockPartition::max_block) return {};
  return finest;
}

}  // namespace ccp
