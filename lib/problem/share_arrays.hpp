#pragma once

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "kernels/kernels.hpp"
#include "problem/share_sums.hpp"

/// Several sums at once, as those of share_sums.hpp.
namespace ccp {

/// The numbers of part(begin, end) of all chunks of all ranks, joined one by one by combine(a, b), or combine(a, b, s) for
/// number s: within cells, then over the cells.
template <std::size_t Count, typename Combine, typename Part>
std::array<double, Count> all_over_chunks(const Share& share, const CellChunks& chunks, const Combine& combine,
                                          const Part& part) {
  std::array<std::array<double, Count>, cell_count> cells{};
  std::array<double, Count> all{};
  const auto join = [&](std::array<double, Count>& to, const std::array<double, Count>& from) {
    for (std::size_t s = 0; s < Count; ++s)
      if constexpr (std::is_invocable_v<Combine, double, double, std::size_t>)
        to[s] = combine(to[s], from[s], s);
      else
        to[s] = combine(to[s], from[s]);
  };
  for (Index c = 0; c < chunks.count(); ++c)
    join(cells[uz(chunks.cell[uz(c)])], part(chunks.start[uz(c)], chunks.start[uz(c) + 1]));
  share.gather({cells.front().data(), Count * uz(cell_count)});
  for (const auto& cell : cells) join(all, cell);
  return all;
}
/// The same of part(first, end) of runs of rows; of all rows at once in a whole problem.
template <std::size_t Count, typename Combine, typename Part>
std::array<double, Count> all_over_rows(const Share* share, const ConstraintSet& set, const Combine& combine,
                                        const Part& part) {
  if (share == nullptr) return part(Index{0}, set.rows());
  return all_over_chunks<Count>(*share, share->blocks(), combine, [&](Index begin, Index end) {
    return part(set.offsets()[uz(begin)], set.offsets()[uz(end)]);
  });
}
/// The numbers of of_block(i) of all blocks, joined one by one by combine(), from 0.
template <std::size_t Count, typename Combine, typename OfBlock>
std::array<double, Count> all_over_blocks(const Share* share, const ConstraintSet& set, const Combine& combine,
                                          const OfBlock& of_block) {
  const auto part = [&](Index begin, Index end) {
    std::array<double, Count> values{};
    for (Index i = begin; i < end; ++i) {
      const std::array<double, Count> own = of_block(i);
      for (std::size_t s = 0; s < Count; ++s) values[s] = combine(values[s], own[s]);
    }
    return values;
  };
  return share != nullptr ? all_over_chunks<Count>(*share, share->blocks(), combine, part) : part(0, set.count());
}

/// basis[i]ᵀx for i < count and, in sums[count], xᵀx: of vectors with an entry for each row, in one sum over all ranks.
/// cells: memory for it.
inline void dots(const Share& share, const ConstraintSet& set, const std::vector<Vector>& basis, int count, const Vector& x,
                 double* sums, std::vector<double>& cells) {
  const Index width = count + 1;
  cells.assign(uz(width * cell_count), 0.0);
  const CellChunks& chunks = share.blocks();
  for (Index c = 0; c < chunks.count(); ++c) {
    const Index first = set.offsets()[uz(chunks.start[uz(c)])];
    const Index rows = set.offsets()[uz(chunks.start[uz(c) + 1])] - first;
    double* cell = cells.data() + width * chunks.cell[uz(c)];
    for (int i = 0; i < width; ++i)
      cell[i] += kernels().krylov.dot(rows, (i < count ? basis[uz(i)] : x).data() + first, x.data() + first);
  }
  share.gather(cells);
  std::fill(sums, sums + width, 0.0);
  for (Index k = 0; k < std::ssize(cells); ++k) sums[k % width] += cells[uz(k)];
}

}  // namespace ccp
