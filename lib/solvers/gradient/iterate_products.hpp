#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "kernels/kernels.hpp"
#include "problem/delassus/delassus.hpp"
#include "problem/share.hpp"
#include "solvers/blocks/block_pass.hpp"
#include "solvers/monitor.hpp"

namespace ccp {

/// N γ_k and N γ_{k−1} of apgd, from which N y_k follows (F.7), and of N γ_{k+1} what the test (F.3) needs. Products are
/// made in halves, each within a pass over the vectors that uses or makes it. Where the first halves are roots of N, the
/// test needs only those, and a step that fails has cost half a product. Elsewhere the test makes N γ_{k+1}.
class IterateProducts {
 public:
  static constexpr Index distance_chunk = 1536;  ///< numbers that are summed at once

  /// share: that of the problem.
  IterateProducts(const DelassusOperator& N, const Share* share)
      : current_(Vector::Zero(N.rows())),
        previous_(current_),
        split_(N.split_product()),
        previous_split_(N.split_product()),
        next_split_(N.split_product()),
        share_(share),
        rooted_(split_->rooted()),
        distances_(share != nullptr ? uz(share->root().count())
                                    : (split_->root().size() + distance_chunk - 1) / distance_chunk) {
    if (!rooted_) next_ = current_;
  }

  /// N γ_k and N γ_{k−1}, the first after a pass with current_in_pass(). Between runs N γ_k is scratch.
  Vector& current() { return current_; }
  const Vector& previous() const { return previous_; }

  /// γ_0 is the current iterate and the one before it.
  void begin(const Vector& gamma, int threads) {
    split_->begin(gamma, threads);
    previous_split_->begin();
    made_ = false;
  }
  /// N γ_k, for a pass that uses it; nothing where the test has made it.
  std::optional<UsedProduct> current_in_pass(const Vector& gamma, Monitor& monitor) {
    if (made_) return std::nullopt;
    count_halves(2, monitor);
    return UsedProduct{*split_, gamma, current_};
  }
  /// N γ_{k+1}, for a pass that makes γ_{k+1}.
  MadeProduct next_in_pass(const Vector& next) { return {*next_split_, next}; }
  /// The same after a step that failed.
  MadeProduct next_anew(const Vector& next, Monitor& monitor) {
    if (rooted_) count_halves(1, monitor);  // that of the step that failed
    return next_in_pass(next);
  }

  bool rooted() const { return rooted_; }
  /// With roots: the shares of dᵀNd = ‖w(γ_{k+1}) − w(y_k)‖², y_k = γ_k + β (γ_k − γ_{k−1}), for the pass that makes
  /// γ_{k+1}. Without: none.
  std::span<const double> distance(double beta, int threads) {
    if (!rooted_) return {};
    const double *next = next_split_->root().data(), *w = split_->root().data(), *previous = previous_split_->root().data();
    const auto size = std::ssize(split_->root());
    const auto begin_of = [&](Index c) {
      return share_ != nullptr ? share_->root().start[uz(c)] : std::min(c * distance_chunk, size);
    };
    const auto body = [&](Index first, Index last) {
      for (Index c = first; c < last; ++c) {
        const Index k = begin_of(c);
        distances_[uz(c)] = loops_.distance(begin_of(c + 1) - k, beta, next + k, w + k, previous + k);
      }
    };
    parallel_ranges(threads, std::ssize(distances_), body, 1);
    return distances_;
  }
  /// Without: N γ_{k+1}, for the pass of the test.
  UsedProduct next_in_test(const Vector& next, Monitor& monitor) {
    count_halves(2, monitor);
    return {*next_split_, next, next_};
  }

  /// γ_{k+1} is the current iterate from here on.
  void accept() {
    previous_.swap(current_);
    made_ = !rooted_;
    if (made_) current_.swap(next_);
    previous_split_.swap(split_);
    split_.swap(next_split_);
  }

 private:
  void count_halves(std::int64_t halves, Monitor& monitor) {
    monitor.counters().products += (odd_halves_ + halves) / 2;
    odd_halves_ = (odd_halves_ + halves) % 2;
  }

  Vector current_, previous_, next_;
  std::unique_ptr<SplitProduct> split_, previous_split_, next_split_;  ///< the same in halves
  const Share* share_;
  bool rooted_;
  std::vector<double> distances_;  ///< of each distance_chunk
  const ApgdLoops& loops_ = kernels().apgd;
  bool made_ = false;            ///< whether the second half of N γ_k is there
  std::int64_t odd_halves_ = 0;  ///< halves not counted yet
};

}  // namespace ccp
