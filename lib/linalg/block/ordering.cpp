#include "linalg/block/ordering.hpp"

#include <Eigen/OrderingMethods>
#include <algorithm>
#include <iterator>
#include <numeric>

#include "linalg/block/small_ordering.hpp"

namespace ccp {
namespace {

/// Below this number of operations in the order of minimum degree, all factorisations of a run take less time than nested
/// dissection, whose analysis is ten times slower.
constexpr std::int64_t cheap_factorization = 40'000'000;

std::vector<int> minimum_degree_order(const BlockMatrix& A) {
  const int n = static_cast<int>(A.rows());
  if (std::ssize(A.column) == n) {  // nothing is coupled: any order does, and AMD takes longer than a factorisation
    std::vector<int> order(uz(n));
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  // Symmetric with sorted rows, so compressed columns as well.
  const std::vector<double> ones(A.column.size(), 1.0);
  const Eigen::Map<const SparseMatrix> pattern(n, n, std::ssize(A.column), A.row_start.data(), A.column.data(), ones.data());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(pattern.selfadjointView<Eigen::Upper>(), permutation);
  return {permutation.indices().data(), permutation.indices().data() + n};
}

/// Columns beyond the diagonal of each row of U in the new order: the row's own, and those its children in the elimination
/// tree pass on.
BlockOrdering with_structure(const BlockMatrix& A, std::vector<int> order, const char* name) {
  const std::size_t n = order.size();
  BlockOrdering result{std::move(order), {}, {}, 0, name};
  result.upper_start.reserve(n + 1);
  result.upper_start.push_back(0);
  result.upper.reserve(A.column.size());
  std::vector<int> place(n), seen(n, -1);
  for (std::size_t k = 0; k < n; ++k) place[uz(result.order[k])] = static_cast<int>(k);
  std::vector<int> first_child(n, -1), next_child(n);  // lists of rows, by the tree
  for (std::size_t k = 0; k < n; ++k) {
    const auto own = static_cast<int>(k);
    const auto take = [&](int column) {
      int& taken_by = seen[uz(column)];
      if (column <= own || taken_by == own) return;
      taken_by = own;
      result.upper.push_back(column);
    };
    const auto old = uz(result.order[k]);
    for (int p = A.row_start[old]; p < A.row_start[old + 1]; ++p) take(place[uz(A.column[uz(p)])]);
    for (int child = first_child[k]; child >= 0; child = next_child[uz(child)]) {
      const auto c = uz(child);
      for (int p = result.upper_start[c]; p < result.upper_start[c + 1]; ++p) take(result.upper[uz(p)]);
    }
    const auto row = result.upper.begin() + result.upper_start.back();
    std::sort(row, result.upper.end());
    if (row != result.upper.end()) {
      int& first = first_child[uz(*row)];
      next_child[k] = first;
      first = own;
    }
    const auto reach = static_cast<std::int64_t>(result.upper.end() - row);
    result.upper_start.push_back(static_cast<int>(result.upper.size()));
    result.flops += row_flops(A.width, reach);
  }
  return result;
}

}  // namespace

BlockOrdering quick_ordering(const BlockMatrix& A) {
  const bool coupled = std::ssize(A.column) > A.rows();
  if (coupled && A.rows() <= most_small_rows)
    if (BlockOrdering small = small_ordering(A); small.flops < cheap_factorization) return small;
  return best_ordering(A);
}

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
