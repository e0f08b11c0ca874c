#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "cones/friction_cone.hpp"
#include "core/constraints.hpp"
#include "core/parallel.hpp"
#include "core/types.hpp"
#include "problem/delassus/block_order.hpp"

/// One pass over the constraint blocks that updates vectors and sums scalars on the way: what a gradient method does between
/// two products with N, in as few sweeps through memory as possible.
namespace ccp {

/// One block as a pass sees it, with the number of rows known at compile time.
template <ConstraintKind Kind>
struct ConeBlock {
  static constexpr ConstraintKind kind = Kind;
  static constexpr int rows = constraint_rows(Kind);
  using Point = Eigen::Matrix<double, rows, 1>;

  Index index;   ///< of the block
  Index offset;  ///< its first row
  double mu;     ///< friction coefficient

  Eigen::Map<const Point> of(const Vector& x) const { return Eigen::Map<const Point>(x.data() + offset); }
  Eigen::Map<Point> of(Vector& x) const { return Eigen::Map<Point>(x.data() + offset); }

  /// Π_Υi(p)
  [[gnu::always_inline]] Point project(const Point& p) const {
    if constexpr (has_friction(Kind)) return project_friction_cone(p, mu);
    if constexpr (Kind == ConstraintKind::unilateral) return p[0] < 0.0 ? Point(0.0) : p;
    return p;
  }
};

/// kernel(block) for the blocks index_of(begin), …, index_of(end − 1), with `block` a ConeBlock of the kind at hand.
template <typename IndexOf, typename Kernel>
[[gnu::flatten]] void for_blocks(const ConstraintSet& set, Index begin, Index end, const IndexOf& index_of,
                                 const Kernel& kernel) {
  if (set.all_contacts_3d()) {
    for (Index k = begin; k < end; ++k) {
      const Index i = index_of(k);
      kernel(ConeBlock<ConstraintKind::contact>{i, 3 * i, set.friction(i)});
    }
    return;
  }
  for (Index k = begin; k < end; ++k) {
    const Index i = index_of(k);
    const Index offset = set.offset(i);
    const double mu = set.friction(i);
    switch (set.kind(i)) {
      case ConstraintKind::contact: kernel(ConeBlock<ConstraintKind::contact>{i, offset, mu}); break;
      case ConstraintKind::contact2d: kernel(ConeBlock<ConstraintKind::contact2d>{i, offset, mu}); break;
      case ConstraintKind::unilateral: kernel(ConeBlock<ConstraintKind::unilateral>{i, offset, mu}); break;
      case ConstraintKind::bilateral: kernel(ConeBlock<ConstraintKind::bilateral>{i, offset, mu}); break;
    }
  }
}

/// kernel(block) for the blocks [begin, end).
template <typename Kernel>
[[gnu::flatten]] void for_blocks(const ConstraintSet& set, Index begin, Index end, const Kernel& kernel) {
  for_blocks(
      set, begin, end, [](Index k) { return k; }, kernel);
}

/// Passes with sums whose order of summation is fixed: within chunks of a constant number of blocks, then over the chunks.
/// So the sums have the same bits for any number of threads. No allocation after construction.
class BlockPass {
 public:
  static constexpr Index chunk = 256;
  static_assert(span_size % chunk == 0);
  static constexpr std::size_t most_sums = 8;
  template <std::size_t Count>
  using Sums = std::array<double, Count>;

  struct Nothing {
    void operator()(Index, Index) const {}
  };

  explicit BlockPass(const ConstraintSet& set)
      : set_(&set), partial_(static_cast<std::size_t>((set.count() + chunk - 1) / chunk)) {}

  /// kernel(begin, end) returns the shares of the blocks [begin, end), at most `chunk` of them, in the sums.
  template <std::size_t Count, typename Kernel>
  Sums<Count> run_chunks(int threads, const Kernel& kernel) {
    parallel_ranges(
        threads, static_cast<Index>(partial_.size()),
        [&](Index first, Index last) { run_range<Count>(first, last, kernel); }, 1);
    return total<Count>();
  }

  /// The same, where before(begin, end) is called for each span of blocks before the kernel gets the chunks of it, and
  /// after(begin, end) then: see DelassusOperator::finish_product and feed_product.
  template <std::size_t Count, typename Before, typename Kernel, typename After = Nothing>
  Sums<Count> run_spans(int threads, const Before& before, const Kernel& kernel, const After& after = {}) {
    for_spans(threads, [&](Index begin, Index end) {
      before(begin, end);
      run_range<Count>(begin / chunk, (end + chunk - 1) / chunk, kernel);
      after(begin, end);
    });
    return total<Count>();
  }

  /// The same with two kernels, of which the second gets the chunks of a span when the first has had all of them.
  template <std::size_t First, std::size_t Second, typename Before, typename FirstKernel, typename SecondKernel,
            typename After>
  Sums<First + Second> run_spans(int threads, const Before& before, const FirstKernel& first_kernel,
                                 const SecondKernel& second_kernel, const After& after) {
    for_spans(threads, [&](Index begin, Index end) {
      const Index first_chunk = begin / chunk, last_chunk = (end + chunk - 1) / chunk;
      before(begin, end);
      run_range<First>(first_chunk, last_chunk, first_kernel);
      run_range<Second, First>(first_chunk, last_chunk, second_kernel);
      after(begin, end);
    });
    return total<First + Second>();
  }

  /// kernel(block) returns the shares of its block in the sums. (Returned, not added to a reference, they stay in
  /// registers.)
  template <std::size_t Count, typename Kernel>
  Sums<Count> run(int threads, const Kernel& kernel) {
    return run_chunks<Count>(threads, [&](Index begin, Index end) {
      Sums<Count> sums{};
      for_blocks(*set_, begin, end, [&](const auto& block) {
        const Sums<Count> shares = kernel(block);
        for (std::size_t s = 0; s < Count; ++s) sums[s] += shares[s];
      });
      return sums;
    });
  }

 private:
  /// visit(begin, end) for the blocks of each span.
  template <typename Visit>
  void for_spans(int threads, const Visit& visit) {
    const Index count = set_->count();
    const auto body = [&](Index first, Index last) {
      for (Index begin = first * span_size; begin < std::min(last * span_size, count); begin += span_size)
        visit(begin, std::min(begin + span_size, count));
    };
    parallel_ranges(threads, (count + span_size - 1) / span_size, body, 1);
  }

  /// The sums of the kernel go to the places from `From` on.
  template <std::size_t Count, std::size_t From = 0, typename Kernel>
  void run_range(Index first_chunk, Index last_chunk, const Kernel& kernel) {
    static_assert(From + Count <= most_sums);
    for (Index c = first_chunk; c < last_chunk; ++c) {
      const Sums<Count> sums = kernel(c * chunk, std::min((c + 1) * chunk, set_->count()));
      for (std::size_t s = 0; s < Count; ++s) partial_[static_cast<std::size_t>(c)][From + s] = sums[s];
    }
  }

  template <std::size_t Count>
  Sums<Count> total() const {
    Sums<Count> total{};
    for (const auto& part : partial_)
      for (std::size_t s = 0; s < Count; ++s) total[s] += part[s];
    return total;
  }

  const ConstraintSet* set_;
  std::vector<Sums<most_sums>> partial_;
};

}  // namespace ccp
