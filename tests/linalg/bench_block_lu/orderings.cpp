#include "linalg/bench_block_lu/orderings.hpp"

#include <Eigen/OrderingMethods>
#include <algorithm>
#include <functional>
#include <utility>

#include "linalg/bench_block_lu/cpu_clock.hpp"
#include "linalg/block/ordering.hpp"

#ifdef CCP_HAVE_AMD
#include <amd.h>
#endif

namespace ccp::testing {
namespace {

/// A symmetric graph in compressed rows.
struct Graph {
  std::vector<int> start, neighbour;
  int size() const { return static_cast<int>(start.size()) - 1; }
};

Graph graph_of(const SparseMatrix& scalar) {
  const SparseMatrix transposed = scalar.transpose();
  SparseMatrix both = scalar.cwiseAbs() + transposed.cwiseAbs();
  both.makeCompressed();
  return {{both.outerIndexPtr(), both.outerIndexPtr() + both.outerSize() + 1},
          {both.innerIndexPtr(), both.innerIndexPtr() + both.nonZeros()}};
}

std::vector<int> eigen_minimum_degree(const Graph& graph) {
  const std::vector<double> ones(graph.neighbour.size(), 1.0);
  const Eigen::Map<const SparseMatrix> pattern(graph.size(), graph.size(), static_cast<Index>(ones.size()),
                                               graph.start.data(), graph.neighbour.data(), ones.data());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(pattern.selfadjointView<Eigen::Upper>(), permutation);
  return {permutation.indices().data(), permutation.indices().data() + graph.size()};
}

#ifdef CCP_HAVE_AMD
std::vector<int> suitesparse_minimum_degree(const Graph& graph) {
  std::vector<int> order(static_cast<std::size_t>(graph.size()));
  if (amd_order(graph.size(), graph.start.data(), graph.neighbour.data(), order.data(), nullptr, nullptr) < 0) order.clear();
  return order;
}
#endif

/// Structure of the factors of a scalar matrix: a row of U is its own and what its children in the elimination tree pass on.
void count(const Graph& graph, const std::vector<int>& order, OrderingCost& cost) {
  const std::size_t n = order.size();
  std::vector<std::size_t> place(n), seen(n, n);
  for (std::size_t k = 0; k < n; ++k) place[static_cast<std::size_t>(order[k])] = k;
  std::vector<std::vector<std::size_t>> upper(n), children(n);
  double nonzeros = 0.0, flops = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<std::size_t>& row = upper[k];
    const auto take = [&](std::size_t column) {
      if (column <= k || seen[column] == k) return;
      seen[column] = k;
      row.push_back(column);
    };
    const auto old = static_cast<std::size_t>(order[k]);
    for (int p = graph.start[old]; p < graph.start[old + 1]; ++p)
      take(place[static_cast<std::size_t>(graph.neighbour[static_cast<std::size_t>(p)])]);
    for (const std::size_t child : children[k]) {
      for (const std::size_t column : upper[child]) take(column);
      upper[child] = {};
    }
    if (!row.empty()) children[*std::min_element(row.begin(), row.end())].push_back(k);
    const auto reach = static_cast<double>(row.size());
    nonzeros += 2.0 * reach + 1.0;
    flops += reach + 2.0 * reach * reach;
  }
  cost.mega_nonzeros = 1e-6 * nonzeros;
  cost.giga_flops = 1e-9 * flops;
}

/// The order of the scalar rows that goes through the blocks in this order.
std::vector<int> by_rows(const std::vector<int>& blocks) {
  std::vector<int> rows;
  for (const int block : blocks)
    for (int k = 0; k < 3; ++k) rows.push_back(3 * block + k);
  return rows;
}

}  // namespace

std::vector<OrderingCost> compare_orderings(const BlockMatrix& blocks, const SparseMatrix& scalar, int repeats) {
  const Graph by_blocks{blocks.row_start, blocks.column}, rows = graph_of(scalar);
  using Order = std::vector<int>;
  std::vector<std::pair<std::string, std::function<Order()>>> ways = {
      {"ours", [&] { return by_rows(best_ordering(blocks).order); }},
      {"Eigen's AMD, blocks", [&] { return by_rows(eigen_minimum_degree(by_blocks)); }},
#ifdef CCP_HAVE_AMD
      {"AMD, blocks", [&] { return by_rows(suitesparse_minimum_degree(by_blocks)); }},
      {"AMD, rows", [&] { return suitesparse_minimum_degree(rows); }},
#endif
      {"METIS, blocks", [&] { return by_rows(nested_dissection_order(by_blocks.start, by_blocks.neighbour)); }},
      {"METIS, rows", [&] { return nested_dissection_order(rows.start, rows.neighbour); }},
  };
  std::vector<std::vector<double>> times(ways.size());
  std::vector<OrderingCost> costs(ways.size());
  for (int repeat = 0; repeat < repeats; ++repeat)
    for (std::size_t w = 0; w < ways.size(); ++w) {
      Order order;
      times[w].push_back(seconds_a_call([&] { order = ways[w].second(); }));
      if (repeat == 0 && !order.empty()) count(rows, order, costs[w]);
    }
  for (std::size_t w = 0; w < ways.size(); ++w) {
    costs[w].name = ways[w].first;
    costs[w].seconds = median(times[w]);
  }
  return costs;
}

}  // namespace ccp::testing
