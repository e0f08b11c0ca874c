#include "linalg/block/ordering.hpp"

#include <Eigen/OrderingMethods>
#include <algorithm>

namespace ccp {
namespace {

/// Below this number of operations in the order of minimum degree, all factorisations of a run take less time than nested
/// dissection, whose analysis is ten times slower.
constexpr std::int64_t cheap_factorization = 40'000'000;

std::vector<int> minimum_degree_order(const BlockMatrix& A) {
  const int n = static_cast<int>(A.rows());
  if (n == 0) return {};
  // Symmetric with sorted rows, so compressed columns as well.
  const std::vector<double> ones(A.column.size(), 1.0);
  const Eigen::Map<const SparseMatrix> pattern(n, n, static_cast<Index>(A.column.size()), A.row_start.data(),
                                               A.column.data(), ones.data());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(pattern.selfadjointView<Eigen::Upper>(), permutation);
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
  std::vector<int> row;
  for (std::size_t k = 0; k < n; ++k) {
    row.clear();
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
    result.upper[k].assign(row.begin(), row.end());
    if (!row.empty()) children[static_cast<std::size_t>(row.front())].push_back(static_cast<int>(k));
    const auto reach = static_cast<std::int64_t>(row.size());
    result.flops += 54 * reach * (reach + 1);
  }
  return result;
}

}  // namespace

BlockOrdering best_ordering(const BlockMatrix& A) {
  BlockOrdering best = with_structure(A, minimum_degree_order(A), "minimum degree");
  if (best.flops < cheap_factorization) return best;
  std::vector<int> dissection = nested_dissection_order(A.row_start, A.column);
  if (dissection.empty()) return best;
  BlockOrdering other = with_structure(A, std::move(dissection), "nested dissection");
  return other.flops < best.flops ? other : best;
}

#ifndef CCP_HAVE_CHOLMOD
std::vector<int> nested_dissection_order(const std::vector<int>&, const std::vector<int>&) { return {}; }
#endif

}  // namespace ccp
