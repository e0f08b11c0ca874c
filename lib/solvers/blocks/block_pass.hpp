#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "cones/friction_cone.hpp"
#include "cones/rolling_cone.hpp"
#include "core/constraints.hpp"
#include "core/parallel.hpp"
#include "core/types.hpp"
#include "kernels/block_rows.hpp"
#include "problem/contact_problem.hpp"
#include "problem/delassus/block_order.hpp"
#include "problem/delassus/split_product.hpp"
#include "problem/share.hpp"

/// One pass over the constraint blocks that updates vectors and sums scalars on the way: what a gradient method does between
/// two products with N, in as few sweeps through memory as possible.
namespace ccp {

struct NoRollingCone {};

/// One block as a pass sees it, with the number of rows known at compile time.
template <ConstraintKind Kind>
struct ConeBlock {
  static constexpr ConstraintKind kind = Kind;
  static constexpr int rows = constraint_rows(Kind);
  using Point = Eigen::Matrix<double, rows, 1>;

  Index index;   ///< of the block
  Index offset;  ///< its first row
  double mu;     ///< friction coefficient
  /// Of a kind with moments.
  [[no_unique_address]] std::conditional_t<has_moments(Kind), RollingCone, NoRollingCone> cone{};

  Eigen::Map<const Point> of(const Vector& x) const { return Eigen::Map<const Point>(x.data() + offset); }
  Eigen::Map<Point> of(Vector& x) const { return Eigen::Map<Point>(x.data() + offset); }

  /// Π_Υi(p)
  [[gnu::always_inline]] Point project(const Point& p) const {
    if constexpr (has_moments(Kind))
      return project_rolling_cone<rows>(cone, p);
    else if constexpr (has_friction(Kind))
      return project_friction_cone(p, mu);
    else if constexpr (Kind == ConstraintKind::unilateral)
      return p[0] < 0.0 ? Point(0.0) : p;
    else
      return p;
  }
};

/// kernel(block) for a block of a kind with moments.
template <typename Kernel>
[[gnu::noinline]] void visit_rolling_block(const ConstraintSet& set, Index i, const Kernel& kernel) {
  const Index offset = set.offset(i);
  const double mu = set.friction(i);
  const RollingCone cone = rolling_cone(set, i);
  switch (set.kind(i)) {
    case ConstraintKind::torsion: kernel(ConeBlock<ConstraintKind::torsion>{i, offset, mu, cone}); break;
    case ConstraintKind::rolling: kernel(ConeBlock<ConstraintKind::rolling>{i, offset, mu, cone}); break;
    case ConstraintKind::rolling_torsion: kernel(ConeBlock<ConstraintKind::rolling_torsion>{i, offset, mu, cone}); break;
    case ConstraintKind::rolling2d: kernel(ConeBlock<ConstraintKind::rolling2d>{i, offset, mu, cone}); break;
    default: break;
  }
}

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
      default: visit_rolling_block(set, i, kernel);
    }
  }
}

/// kernel(block) for the blocks [begin, end).
template <typename Kernel>
[[gnu::flatten]] void for_blocks(const ConstraintSet& set, Index begin, Index end, const Kernel& kernel) {
  for_blocks(
      set, begin, end, [](Index k) { return k; }, kernel);
}

/// Rows of some blocks, for the loops of lib/kernels.
inline BlockRows rows_of(const ConstraintSet& set, Index begin, Index end) {
  return {end - begin, set.all_contacts_3d() ? nullptr : set.offsets().data() + begin};
}

/// y = N x, of which the second half is left to the pass that uses y.
struct UsedProduct {
  const SplitProduct& product;
  const Vector& x;
  Vector& y;
};
/// N x, of which the first half is left to the pass that makes x.
struct MadeProduct {
  SplitProduct& product;
  const Vector& x;
};

/// How the shares of blocks become one number.
struct Sum {
  double operator()(double a, double b) const { return a + b; }
};
struct Maximum {
  double operator()(double a, double b) const { return std::max(a, b); }
};

/// Passes with sums whose order of summation is fixed: within chunks of a constant number of blocks, then over the chunks.
/// So the sums have the same bits for any number of threads. In a shared problem (share.hpp) they are those of all ranks,
/// with the same bits for any number of ranks. The problem must outlive the object. No allocation after construction.
class BlockPass {
 public:
  static constexpr Index chunk = 256;
  static_assert(span_size % chunk == 0);
  static constexpr std::size_t most_sums = 8;
  template <std::size_t Count>
  using Sums = std::array<double, Count>;

  explicit BlockPass(const ContactProblem& problem)
      : set_(&problem.constraints()),
        share_(problem.share()),
        partial_(uz(share_ != nullptr ? share_->blocks().count() : (set_->count() + chunk - 1) / chunk)) {}

  /// kernel(begin, end) returns the shares of the blocks [begin, end), at most `chunk` of them, in the sums.
  template <std::size_t Count, typename Kernel>
  Sums<Count> run_chunks(int threads, const Kernel& kernel) {
    parallel_ranges(
        threads, std::ssize(partial_), [&](Index first, Index last) { run_range<Count>(first, last, kernel); }, 1);
    return total<Count, Sum>();
  }

  /// The same between two products with N, while blocks of N and of the vectors are in the nearest cache. The kernel finds
  /// the rows of `used`.y made, and makes those of `made`.x; either product may be left out.
  template <std::size_t Count, typename Combine = Sum, typename Kernel>
  Sums<Count> run_between(int threads, const std::optional<UsedProduct>& used, const Kernel& kernel,
                          const std::optional<MadeProduct>& made = std::nullopt) {
    return run_between<Count, Combine>(threads, used, kernel, made, [] { return std::span<const double>(); });
  }
  /// With more shares of the last sum, to which the kernel gives 0: late() finds them, once the first half of `made` is
  /// there. In a shared problem they are those of Share::root(), and travel with the others.
  template <std::size_t Count, typename Combine = Sum, typename Kernel, typename Late>
  Sums<Count> run_between(int threads, const std::optional<UsedProduct>& used, const Kernel& kernel,
                          const std::optional<MadeProduct>& made, const Late& late) {
    const bool feed = made && threads == 1 && share_ == nullptr;
    if (feed) made->product.begin();
    for_spans(threads, [&](BlockSpan span, Index first_chunk, Index last_chunk) {
      if (used) used->product.finish(span, used->x, used->y);
      run_range<Count>(first_chunk, last_chunk, kernel);
      if (feed) made->product.feed(span, made->x);
    });
    if (made && !feed) made->product.begin(made->x, threads);
    return total<Count, Combine>(late());
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
  /// The first block of a chunk, or the end of the last one.
  Index begin_of(Index chunk_index) const {
    return share_ != nullptr ? share_->blocks().start[uz(chunk_index)] : std::min(chunk_index * chunk, set_->count());
  }

  /// visit(span, its first chunk, its last chunk + 1) for all blocks. Chunks of cells are spans of their own.
  template <typename Visit>
  void for_spans(int threads, const Visit& visit) {
    const Index chunks = std::ssize(partial_), length = share_ != nullptr ? 1 : span_size / chunk;
    const auto body = [&](Index first, Index last) {
      for (Index c = first * length; c < std::min(last * length, chunks); c += length) {
        const Index end = std::min(c + length, chunks);
        visit(BlockSpan{begin_of(c), begin_of(end)}, c, end);
      }
    };
    parallel_ranges(threads, (chunks + length - 1) / length, body, 1);
  }

  template <std::size_t Count, typename Kernel>
  void run_range(Index first_chunk, Index last_chunk, const Kernel& kernel) {
    static_assert(Count <= most_sums);
    for (Index c = first_chunk; c < last_chunk; ++c) {
      const Sums<Count> sums = kernel(begin_of(c), begin_of(c + 1));
      std::copy(sums.begin(), sums.end(), partial_[uz(c)].begin());
    }
  }

  template <std::size_t Count, typename Combine>
  Sums<Count> total(std::span<const double> late = {}) const {
    Sums<Count> total{};
    const auto join = [](Sums<Count>& sums, const double* part) {
      for (std::size_t s = 0; s < Count; ++s) sums[s] = Combine()(sums[s], part[s]);
    };
    if (share_ == nullptr) {
      for (const auto& part : partial_) join(total, part.data());
      for (const double part : late) total.back() = Combine()(total.back(), part);
      return total;
    }
    std::array<Sums<Count>, cell_count> cells{};
    for (std::size_t c = 0; c < partial_.size(); ++c) join(cells[uz(share_->blocks().cell[c])], partial_[c].data());
    for (std::size_t c = 0; c < late.size(); ++c) {
      double& last = cells[uz(share_->root().cell[c])].back();
      last = Combine()(last, late[c]);
    }
    share_->gather({cells.front().data(), Count * uz(cell_count)});
    for (const Sums<Count>& cell : cells) join(total, cell.data());
    return total;
  }

  const ConstraintSet* set_;
  const Share* share_;  ///< of a shared problem
  std::vector<Sums<most_sums>> partial_;
};

}  // namespace ccp
