#include "linalg/block/front_tree.hpp"

#include <algorithm>
#include <iterator>

namespace ccp {
namespace {

std::int64_t elimination_flops(std::int64_t own, std::int64_t reach) {
  const std::int64_t k = 3 * own, m = 3 * reach;
  return 2 * k * k * k / 3 + 2 * k * k * m + 2 * k * m * m;
}

/// What a front costs, in floating-point operations of dense products: zeroing, summing and moving an entry takes the time
/// of about 60 of them; calls and the inverses of the pivots take a constant.
double front_cost(std::int64_t own, std::int64_t reach) {
  constexpr double entry = 60.0, constant = 40'000.0;
  const double size = 3.0 * static_cast<double>(own + reach);
  return static_cast<double>(elimination_flops(own, reach)) + entry * size * size + constant;
}

/// Columns merged into fronts, each named by its last column; its first one is the deepest.
class Merger {
 public:
  explicit Merger(const BlockOrdering& ordering)
      : ordering_(ordering), columns_(ordering.order.size()), children_(ordering.order.size()) {
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      columns_[k] = {static_cast<int>(k)};
      take_children(k);
      if (const auto upper = ordering.beyond(k); upper.empty())
        roots_.push_back(static_cast<int>(k));
      else
        children_[uz(upper.front())].push_back(static_cast<int>(k));
    }
  }

  /// Fronts by their last columns, children before parents.
  std::vector<int> postorder() const {
    std::vector<int> order, stack(roots_.rbegin(), roots_.rend());
    while (!stack.empty()) {
      const int top = stack.back();
      stack.pop_back();
      order.push_back(top);
      const auto& below = children_[uz(top)];
      stack.insert(stack.end(), below.begin(), below.end());
    }
    std::reverse(order.begin(), order.end());
    return order;
  }

  const std::vector<int>& columns(int last) const { return columns_[uz(last)]; }
  const std::vector<int>& children(int last) const { return children_[uz(last)]; }

 private:
  std::int64_t reach(std::size_t k) const { return std::ssize(ordering_.beyond(k)); }

  void take_children(std::size_t k) {
    auto& children = children_[k];
    std::sort(children.begin(), children.end(), [this](int a, int b) {
      const auto left = reach(uz(a)), right = reach(uz(b));
      return left != right ? left > right : a < b;
    });
    std::vector<int> kept;
    for (const int child : children) {
      const auto c = uz(child);
      const auto own = static_cast<std::int64_t>(columns_[k].size()), theirs = static_cast<std::int64_t>(columns_[c].size());
      if (front_cost(own + theirs, reach(k)) <= front_cost(own, reach(k)) + front_cost(theirs, reach(c))) {
        columns_[k].insert(columns_[k].end(), columns_[c].begin(), columns_[c].end());
        kept.insert(kept.end(), children_[c].begin(), children_[c].end());
      } else {
        kept.push_back(child);
      }
    }
    children = std::move(kept);
  }

  const BlockOrdering& ordering_;
  std::vector<std::vector<int>> columns_, children_;
  std::vector<int> roots_;
};

/// The successive places of `reach` in the parent's list, as runs.
std::vector<FrontTree::Run> runs_in_parent(const FrontTree::Front& front, const FrontTree::Front& parent) {
  std::vector<FrontTree::Run> runs;
  for (int here = 0; here < static_cast<int>(front.reach.size()); ++here) {
    const int there = parent.place_of(front.reach[uz(here)]);
    if (!runs.empty() && runs.back().there + runs.back().length == there)
      ++runs.back().length;
    else
      runs.push_back({here, there, 1});
  }
  return runs;
}

}  // namespace

int FrontTree::Front::place_of(int column) const {
  if (column < first + own) return column - first;
  return own + static_cast<int>(std::lower_bound(reach.begin(), reach.end(), column) - reach.begin());
}

FrontTree front_tree(const BlockOrdering& ordering) {
  const Merger merger(ordering);
  const std::vector<int> last_columns = merger.postorder();
  FrontTree tree;
  std::vector<int> place(ordering.order.size()), front_of(ordering.order.size());
  for (const int last : last_columns) {
    std::vector<int> columns = merger.columns(last);
    std::sort(columns.begin(), columns.end());
    FrontTree::Front front;
    front.first = static_cast<int>(tree.order.size());
    front.own = static_cast<int>(columns.size());
    front.children = static_cast<int>(merger.children(last).size());
    for (const int column : columns) {
      place[uz(column)] = static_cast<int>(tree.order.size());
      front_of[uz(column)] = static_cast<int>(tree.fronts.size());
      tree.order.push_back(ordering.order[uz(column)]);
    }
    tree.fronts.push_back(std::move(front));
  }
  for (std::size_t f = 0; f < tree.fronts.size(); ++f) {
    auto& reach = tree.fronts[f].reach;
    for (const int column : ordering.beyond(uz(last_columns[f]))) reach.push_back(place[uz(column)]);
    std::sort(reach.begin(), reach.end());
    tree.flops += elimination_flops(tree.fronts[f].own, static_cast<std::int64_t>(reach.size()));
  }
  for (std::size_t f = 0; f < tree.fronts.size(); ++f) {
    const auto reach = ordering.beyond(uz(last_columns[f]));
    if (reach.empty()) continue;
    const int parent = front_of[uz(reach.front())];
    tree.fronts[f].in_parent = runs_in_parent(tree.fronts[f], tree.fronts[uz(parent)]);
  }
  return tree;
}

}  // namespace ccp
