#include "distributed/cells.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "problem/delassus/block_order.hpp"

namespace ccp {

Touch touch_of(const ConstraintSet& set, const SparseMatrix& D, const BlockPartition& bodies) {
  const std::vector<int> owner = bodies.owner();
  Touch touch;
  touch.bodies = bodies.count();
  std::vector<int> some;
  for (Index i = 0; i < set.count(); ++i) {
    some.clear();
    for (Index c = 0; c < set.rows(i); ++c)
      for (SparseMatrix::InnerIterator entry(D, set.offset(i) + c); entry; ++entry) some.push_back(owner[uz(entry.row())]);
    std::sort(some.begin(), some.end());
    touch.body.insert(touch.body.end(), some.begin(), std::unique(some.begin(), some.end()));
    touch.start.push_back(std::ssize(touch.body));
  }
  return touch;
}

BodyGraph graph_of(const Touch& touch) {
  std::vector<std::vector<int>> near(uz(touch.bodies));
  BodyGraph graph;
  graph.weight.assign(uz(touch.bodies), 1);
  for (std::size_t i = 0; i + 1 < touch.start.size(); ++i)
    for (Index k = touch.start[i]; k < touch.start[i + 1]; ++k) {
      const int b = touch.body[uz(k)];
      ++graph.weight[uz(b)];
      for (Index l = touch.start[i]; l < touch.start[i + 1]; ++l)
        if (l != k) near[uz(b)].push_back(touch.body[uz(l)]);
    }
  for (std::vector<int>& list : near) {
    std::sort(list.begin(), list.end());
    graph.neighbour.insert(graph.neighbour.end(), list.begin(), std::unique(list.begin(), list.end()));
    graph.start.push_back(static_cast<int>(graph.neighbour.size()));
  }
  return graph;
}

namespace {

/// Numbers 0, 1, … by the cell of each, in their order within a cell; where the cells begin.
std::vector<int> sorted_by_cell(const std::vector<int>& cell, std::vector<Index>& start) {
  start.assign(uz(cell_count) + 1, 0);
  for (const int c : cell) ++start[uz(c) + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<int> sorted(cell.size());
  std::vector<Index> next(start.begin(), start.end() - 1);
  for (std::size_t i = 0; i < cell.size(); ++i) sorted[uz(next[uz(cell[i])]++)] = static_cast<int>(i);
  return sorted;
}

void begin_evenly(const ProblemOutline& problem, CellOrder& order) {
  std::vector<Index> row{0};
  for (const int i : order.blocks) row.push_back(row.back() + problem.rows(i));
  for (std::size_t c = 1; c + 1 < order.block_start.size(); ++c)
    while (row[uz(order.block_start[c])] % 2 != 0 && order.block_start[c] > order.block_start[c - 1]) --order.block_start[c];
}

/// The order of the blocks of one cell in which neighbours rarely share a body.
void spread(const Touch& touch, std::vector<int>& known, int* first, int* last) {
  std::vector<Index> start{0};
  std::vector<int> body, seen;
  for (const int* i = first; i < last; ++i) {
    for (Index k = touch.start[uz(*i)]; k < touch.start[uz(*i) + 1]; ++k) {
      int& number = known[uz(touch.body[uz(k)])];
      if (number < 0) {
        number = static_cast<int>(seen.size());
        seen.push_back(touch.body[uz(k)]);
      }
      body.push_back(number);
    }
    start.push_back(std::ssize(body));
  }
  const std::vector<int> blocks(first, last);
  const std::vector<int> order = spread_order(start, body, std::ssize(seen));
  for (std::size_t k = 0; k < order.size(); ++k) first[k] = blocks[uz(order[k])];
  for (const int b : seen) known[uz(b)] = -1;
}

}  // namespace

CellOrder order_by_cells(const ProblemOutline& problem, const std::vector<int>& cell_of_body) {
  const Touch& touch = problem.touch;
  CellOrder order;
  order.bodies = sorted_by_cell(cell_of_body, order.body_start);
  std::vector<Index> blocks_of(uz(touch.bodies), 0);
  for (const int b : touch.body) ++blocks_of[uz(b)];
  std::vector<int> cell;
  for (std::size_t i = 0; i + 1 < touch.start.size(); ++i) {
    int best = -1;
    for (Index k = touch.start[i]; k < touch.start[i + 1]; ++k) {
      const int b = touch.body[uz(k)];
      if (best < 0 || blocks_of[uz(b)] < blocks_of[uz(best)]) best = b;
    }
    cell.push_back(best < 0 ? 0 : cell_of_body[uz(best)]);
  }
  order.blocks = sorted_by_cell(cell, order.block_start);
  begin_evenly(problem, order);
  std::vector<int> known(uz(touch.bodies), -1);
  for (Index c = 0; c < cell_count; ++c)
    spread(touch, known, order.blocks.data() + order.block_start[uz(c)], order.blocks.data() + order.block_start[uz(c) + 1]);
  return order;
}

std::vector<int> cells_of_bodies(const Touch& touch, const Cut& cut) {
  const BodyGraph graph = graph_of(touch);
  const bool by_number = touch.bodies < 4 * cell_count || graph.neighbour.empty();
  return by_number ? cut_by_number(touch.bodies) : cut(graph);
}

std::vector<int> cut_by_number(Index bodies) {
  std::vector<int> cell;
  for (Index b = 0; b < bodies; ++b) cell.push_back(static_cast<int>(bodies <= cell_count ? b : b * cell_count / bodies));
  return cell;
}

std::vector<int> cells_of_ranks(const CellOrder& order, int ranks) {
  std::vector<int> first{0};
  const auto all = static_cast<double>(order.block_start.back());
  for (int rank = 1; rank < ranks; ++rank) {
    const double due = all * rank / ranks;
    int cell = first.back();
    while (cell < cell_count && std::abs(static_cast<double>(order.block_start[uz(cell) + 1]) - due) <=
                                    std::abs(static_cast<double>(order.block_start[uz(cell)]) - due))
      ++cell;
    first.push_back(cell);
  }
  first.push_back(static_cast<int>(cell_count));
  return first;
}

}  // namespace ccp
