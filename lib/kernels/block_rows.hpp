#pragma once

#include "kernels/index.hpp"

namespace ccp {

/// Where the rows of some blocks that follow each other are.
struct BlockRows {
  Index count;
  const Index* offset;  ///< of each block and of the end, from any zero; null where every block has three rows

  [[gnu::always_inline]] Index before(Index block) const {
    return offset == nullptr ? 3 * block : offset[block] - offset[0];
  }
};

}  // namespace ccp
