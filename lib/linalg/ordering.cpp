#include "linalg/ordering.hpp"

#include <Eigen/OrderingMethods>
#include <algorithm>

namespace ccp {
namespace {

/// Below this number of block rows minimum degree is as good, and its analysis ten times quicker.
constexpr std::size_t dissection_rows = 400;

std::vector<int> minimum_degree_order(const BlockMatrix& A) {
  const int n = static_cast<int>(A.rows());
  if (n == 0) return {};
  SparseMatrix pattern(n, n);
  std::vector<Triplet> entries;
  entries.reserve(A.column.size());
  for (int i = 0; i < n; ++i)
    for (int p = A.row_start[static_cast<std::size_t>(i)]; p < A.row_start[static_cast<std::size_t>(i) + 1]; ++p)
      entries.emplace_back(i, A.column[static_cast<std::size_t>(p)], 1.0);
  pattern.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(pattern, permutation);
  return {permutation.indices().data(), permutation.indices().data() + n};
}

/// Columns beyond the diagonal of each row of U in the new order: the row's own, and those its children in the elimination
/// tree pass on.
BlockOrdering with_structure(const BlockMatrix& A, std::vector<int> order, const char* name) {
  const std::size_t n = order.size();
  BlockOrdering result{std::move(order), std::vector<std::vector<int>>(n), 0, name};
  std::vector<int> place(n);
  for (std::size_t k = 0; k < n; ++k) place[static_cast<std::size_t>(result.order[k])] = static_cast<int>(k);
  std::vector<std::vector<int>> children(n);
  std::vector<std::size_t> seen(n, n);
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<int>& row = result.upper[k];
    const auto take = [&](int column) {
      const auto c = static_cast<std::size_t>(column);
      if (c <= k || seen[c] == k) return;
      seen[c] = k;
      row.push_back(column);
    };
    const auto old = static_cast<std::size_t>(result.order[k]);
    for (int p = A.row_start[old]; p < A.row_start[old + 1]; ++p)
      take(place[static_cast<std::size_t>(A.column[static_cast<std::size_t>(p)])]);
    for (const int child : children[k])
      for (const int column : result.upper[static_cast<std::size_t>(child)]) take(column);
    std::sort(row.begin(), row.end());
    if (!row.empty()) children[static_cast<std::size_t>(row.front())].push_back(static_cast<int>(k));
    const auto reach = static_cast<std::int64_t>(row.size());
    result.flops += 54 * reach * (reach + 1);
  }
  return result;
}

}  // namespace

BlockOrdering best_ordering(const BlockMatrix& A) {
  BlockOrdering best = with_structure(A, minimum_degree_order(A), "minimum degree");
  if (best.order.size() < dissection_rows) return best;
  std::vector<int> dissection = nested_dissection_order(A.row_start, A.column);
  if (dissection.empty()) return best;
  BlockOrdering other = with_structure(A, std::move(dissection), "nested dissection");
  return other.flops < best.flops ? other : best;
}

#ifndef CCP_HAVE_CHOLMOD
std::vector<int> nested_dissection_order(const std::vector<int>&, const std::vector<int>&) { return {}; }
#endif

}  // namespace ccp
