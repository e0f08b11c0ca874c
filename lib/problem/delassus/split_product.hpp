#pragma once

#include <span>

#include "core/types.hpp"

namespace ccp {

/// Blocks that a pass over vectors treats while their rows are in the nearest cache: [begin, end), from a multiple of
/// span_size (block_order.hpp) to the next, or to the number of blocks.
struct BlockSpan {
  Index begin, end;
};

/// A product y = N x in two halves, for passes that make x or use y span by span: the first half makes the velocities of the
/// bodies (E.3) of all of x, the second one the rows of y of a span. An operator that has no such halves does all in the
/// second.
class SplitProduct {
 public:
  virtual ~SplitProduct() = default;

  /// The first half at once; bit-identical for any number of threads.
  virtual void begin(ConstVectorRef x, int threads) = 0;
  /// The same in parts: begin(), then feed() for every span when its rows of x are made, in their order and by one thread.
  virtual void begin() = 0;
  virtual void feed(BlockSpan span, ConstVectorRef x) = 0;
  /// The rows of y of a span, for the x that was given to the first half; by several threads if need be. x and y must not
  /// overlap.
  virtual void finish(BlockSpan span, ConstVectorRef x, VectorRef y) const = 0;
  /// The first half as a vector w with wᵀw = xᵀNx; empty where there is none.
  virtual std::span<const double> root() const = 0;
  /// Whether root() is such a vector. Of a shared product it is that of the bodies of one rank, which may be none.
  virtual bool rooted() const { return !root().empty(); }
};

}  // namespace ccp
