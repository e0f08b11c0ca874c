#include "solvers/fixed_point/sweep.hpp"

namespace ccp {

BlockColours coloured_blocks(const ConstraintSet& blocks, const SparseMatrix& N) {
  const Index count = blocks.count();
  std::vector<int> owner;
  for (Index i = 0; i < count; ++i) owner.insert(owner.end(), uz(blocks.rows(i)), static_cast<int>(i));
  std::vector<std::vector<int>> earlier(uz(count));  // of the two blocks of an entry, at the later one
  for (Index row = 0; row < N.outerSize(); ++row)
    for (SparseMatrix::InnerIterator entry(N, row); entry; ++entry) {
      const auto [first, last] = std::minmax(owner[uz(entry.row())], owner[uz(entry.col())]);
      if (first < last && (earlier[uz(last)].empty() || earlier[uz(last)].back() != first))
        earlier[uz(last)].push_back(first);
    }
  std::vector<int> colour(uz(count));
  std::vector<Index> taken;  // by which block, last, of each colour
  BlockColours result;
  for (Index i = 0; i < count; ++i) {
    for (const int j : earlier[uz(i)]) taken[uz(colour[uz(j)])] = i;
    const auto free = std::find_if(taken.begin(), taken.end(), [i](Index last) { return last != i; });
    colour[uz(i)] = static_cast<int>(free - taken.begin());
    if (free == taken.end()) taken.push_back(-1);
    result.order.push_back(static_cast<int>(i));
  }
  const auto before = [&](int a, int b) { return colour[uz(a)] < colour[uz(b)]; };
  std::stable_sort(result.order.begin(), result.order.end(), before);
  for (Index place = 0; place < count; ++place)
    if (place == 0 || before(result.order[uz(place - 1)], result.order[uz(place)])) result.start.push_back(place);
  result.start.push_back(count);
  return result;
}

BlockColours without_joints(const ConstraintSet& blocks, const BlockColours& order) {
  BlockColours result;
  for (std::size_t c = 0, place = 0; place < order.order.size(); ++place) {
    if (c < order.start.size() && uz(order.start[c]) == place) {
      result.start.push_back(static_cast<Index>(result.order.size()));
      ++c;
    }
    if (blocks.kind(order.order[place]) != ConstraintKind::bilateral) result.order.push_back(order.order[place]);
  }
  if (!order.start.empty()) result.start.push_back(static_cast<Index>(result.order.size()));
  return result;
}

std::optional<std::string> sweep_defect(const ContactProblem& problem, const SweepOptions& options, OperatorForm wanted) {
  if (options.order == SweepOrder::coloured && wanted == OperatorForm::factored)
    return "sweep = coloured needs operator = assembled or auto";
  return operator_form_defect(problem, wanted);
}

}  // namespace ccp
