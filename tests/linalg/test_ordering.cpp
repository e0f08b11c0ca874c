#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <set>

#include "linalg/block/ordering.hpp"
#include "support/small_problems.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

/// The pattern of random contacts, not quite symmetric.
BlockMatrix random_blocks(int count, double density, std::uint64_t seed) {
  Uniform uniform(seed);
  ConstraintSet set;
  for (int i = 0; i < count; ++i) set.add(ConstraintKind::contact, 0.5);
  DenseMatrix A = DenseMatrix::Identity(3 * count, 3 * count);
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j)
      if (uniform() < 2.0 * density - 1.0) A.block<3, 3>(3 * i, 3 * j) = uniform.matrix(3, 3);
  return block_matrix(set, sparse(A));
}

std::vector<std::set<int>> graph_of(const BlockMatrix& A) {
  std::vector<std::set<int>> graph(static_cast<std::size_t>(A.rows()));
  for (std::size_t i = 0; i < graph.size(); ++i)
    for (int p = A.row_start[i]; p < A.row_start[i + 1]; ++p)
      if (A.column[static_cast<std::size_t>(p)] != static_cast<int>(i))
        graph[i].insert(A.column[static_cast<std::size_t>(p)]);
  return graph;
}

/// Takes a node out of the graph; its neighbours become neighbours of each other.
std::set<int> eliminate(std::vector<std::set<int>>& graph, int node) {
  const std::set<int> front = std::move(graph[static_cast<std::size_t>(node)]);
  for (const int i : front) {
    auto& own = graph[static_cast<std::size_t>(i)];
    own.insert(front.begin(), front.end());
    own.erase(node);
    own.erase(i);
  }
  return front;
}

}  // namespace

TEST_CASE("an ordering has each row once, and the structure of the LU", "[linalg]") {
  const auto [count, density] =
      GENERATE(table<int, double>({{1, 0.0}, {7, 0.0}, {6, 1.0}, {40, 0.1}, {100, 0.02}, {128, 0.03}, {129, 0.03}}));
  CAPTURE(count, density);
  const BlockMatrix A = random_blocks(count, density, 3);
  const BlockOrdering ordering = quick_ordering(A);
  std::vector<int> place(static_cast<std::size_t>(count), -1);
  for (std::size_t k = 0; k < place.size(); ++k) place[static_cast<std::size_t>(ordering.order[k])] = static_cast<int>(k);
  REQUIRE(std::count(place.begin(), place.end(), -1) == 0);
  auto graph = graph_of(A);
  std::int64_t flops = 0;
  std::vector<char> left(place.size(), 1);
  for (std::size_t k = 0; k < place.size(); ++k) {
    const auto pivot = static_cast<std::size_t>(ordering.order[k]);
    left[pivot] = 0;
    for (std::size_t other = 0; count <= 128 && other < place.size(); ++other)
      if (left[other] != 0) CHECK(graph[pivot].size() <= graph[other].size());
    std::vector<int> beyond;
    for (const int node : eliminate(graph, ordering.order[k])) beyond.push_back(place[static_cast<std::size_t>(node)]);
    std::sort(beyond.begin(), beyond.end());
    const auto found = ordering.beyond(k);
    CHECK(beyond == std::vector<int>(found.begin(), found.end()));
    flops += 54 * std::ssize(beyond) * (std::ssize(beyond) + 1);
  }
  CHECK(ordering.flops == flops);
}
