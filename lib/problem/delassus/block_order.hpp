#pragma once

#include <vector>

#include "core/types.hpp"

namespace ccp {

/// Places of an order that a sweep can treat together.
constexpr Index group_size = 16;

/// Blocks of which a pass over vectors takes as many as the nearest cache holds: the places from a multiple of span_size to
/// the next have the blocks of the same numbers.
constexpr Index span_size = 1024;

/// An order of blocks in which a Gauss–Seidel sweep has the bits of the order 0, 1, …, because blocks that share a body keep
/// theirs, but in which neighbours rarely share one: in the order of the constraints a sweep has to finish each block before
/// it can start the next one of the same body, here a processor overlaps their work. Mostly group_size
/// blocks in a row share none at all. A block stays in its span. bodies: those of block i are
/// body[start[i]], …, body[start[i + 1] − 1], numbers below body_count.
std::vector<int> spread_order(const std::vector<Index>& start, const std::vector<int>& body, Index body_count);

}  // namespace ccp
