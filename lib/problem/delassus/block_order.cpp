#include "problem/delassus/block_order.hpp"

#include <algorithm>
#include <limits>

namespace ccp {
namespace {

constexpr std::size_t window = 512;  // blocks among which the next one is chosen

constexpr int blocks_of_span = static_cast<int>(span_size);

/// The next block: the first of the window that shares no body with a block before it in the window, nor with the last few
/// that were chosen; where there is none, the one whose bodies were used longest ago.
class Chooser {
 public:
  Chooser(const std::vector<Index>& start, const std::vector<int>& body, Index body_count)
      : start_(start), body_(body), last_use_(uz(body_count), never), claimed_(uz(body_count), -1) {}

  /// Position in `waiting`, blocks in their order.
  std::size_t choose(const std::vector<int>& waiting, int place) {
    std::size_t best = 0;
    int best_use = std::numeric_limits<int>::max();
    for (std::size_t k = 0; k < waiting.size() && best_use > place - distance; ++k) {
      int use = never;
      bool free = true;
      for_bodies(waiting[k], [&](std::size_t b) {
        use = std::max(use, last_use_[b]);
        free = free && claimed_[b] != place;
        claimed_[b] = place;
      });
      if (!free || use >= best_use) continue;
      best = k;
      best_use = use;
    }
    for_bodies(waiting[best], [&](std::size_t b) { last_use_[b] = place; });
    return best;
  }

 private:
  static constexpr int never = std::numeric_limits<int>::min();
  static constexpr int distance = static_cast<int>(group_size);

  template <typename Visit>
  void for_bodies(int block, const Visit& visit) const {
    const auto i = uz(block);
    for (Index k = start_[i]; k < start_[i + 1]; ++k) visit(uz(body_[uz(k)]));
  }

  const std::vector<Index>& start_;
  const std::vector<int>& body_;
  std::vector<int> last_use_;  ///< place of the last block of each body
  std::vector<int> claimed_;   ///< last place for which a waiting block has asked for the body
};

}  // namespace

std::vector<int> spread_order(const std::vector<Index>& start, const std::vector<int>& body, Index body_count) {
  const int count = static_cast<int>(start.size()) - 1;
  Chooser chooser(start, body, body_count);
  std::vector<int> order, waiting;
  order.reserve(uz(count));
  for (int place = 0, next = 0; place < count; ++place) {
    const int end = std::min(count, (place / blocks_of_span + 1) * blocks_of_span);
    while (waiting.size() < window && next < end) waiting.push_back(next++);
    const std::size_t k = chooser.choose(waiting, place);
    order.push_back(waiting[k]);
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(k));
  }
  return order;
}

}  // namespace ccp
