#include "linalg/block/small_ordering.hpp"

#include <array>
#include <bit>
#include <cassert>
#include <utility>

namespace ccp {
namespace {

constexpr int words = 2;
static_assert(64 * words == most_small_rows);

/// A set of rows.
struct RowSet {
  std::uint64_t word[words] = {};

  void insert(int row) { word[row >> 6] |= std::uint64_t{1} << (row & 63); }
  void erase(int row) { word[row >> 6] &= ~(std::uint64_t{1} << (row & 63)); }
  void unite(const RowSet& other) {
    for (int w = 0; w < words; ++w) word[w] |= other.word[w];
  }
  void subtract(const RowSet& other) {
    for (int w = 0; w < words; ++w) word[w] &= ~other.word[w];
  }
  int size() const {
    int sum = 0;
    for (const std::uint64_t bits : word) sum += (bits & (bits - 1)) == 0 ? bits != 0 : std::popcount(bits);
    return sum;
  }
  int first() const { return word[0] != 0 ? std::countr_zero(word[0]) : 64 + std::countr_zero(word[1]); }
  bool empty() const { return (word[0] | word[1]) == 0; }
  /// visit(row), from the smallest on.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (int w = 0; w < words; ++w)
      for (std::uint64_t bits = word[w]; bits != 0; bits &= bits - 1) visit(64 * w + std::countr_zero(bits));
  }
};

/// Elimination of the graph, row by row.
class Elimination {
 public:
  explicit Elimination(const BlockMatrix& A) : rows_(static_cast<int>(A.rows())) {
    for (int i = 0; i < rows_; ++i) {
      const auto row = uz(i);
      for (int p = A.row_start[row]; p < A.row_start[row + 1]; ++p) neighbours_[row].insert(A.column[uz(p)]);
      neighbours_[row].erase(i);
      set_degree(i, neighbours_[row].size());
    }
  }

  /// The rows in order, and what each is coupled to when its turn comes.
  void run(std::vector<int>& order, std::array<RowSet, most_small_rows>& reach) {
    while (std::ssize(order) < rows_) {
      const int pivot = next();
      RowSet clique = neighbours_[uz(pivot)];
      take(pivot, clique, order, reach);
      RowSet alike;
      const int size = degree_[uz(pivot)];
      clique.for_each([&](int row) {
        RowSet& own = neighbours_[uz(row)];
        own.erase(pivot);
        RowSet fill = clique;
        fill.subtract(own);
        own.unite(fill);
        own.erase(row);
        const int degree = degree_[uz(row)] - 2 + fill.size();  // without the pivot; the row itself is in the fill
        if (degree == size - 1) alike.insert(row);
        move(row, degree);
      });
      if (alike.empty()) continue;
      alike.for_each([&](int row) {
        clique.erase(row);
        take(row, clique, order, reach);
      });
      const int taken = alike.size();
      clique.for_each([&](int row) {
        neighbours_[uz(row)].subtract(alike);
        move(row, degree_[uz(row)] - taken);
      });
    }
  }

 private:
  void set_degree(int row, int degree) {
    degree_[uz(row)] = degree;
    with_degree_[uz(degree)].insert(row);
    least_ = degree < least_ ? degree : least_;
  }
  void move(int row, int degree) {
    if (degree == degree_[uz(row)]) return;
    with_degree_[uz(degree_[uz(row)])].erase(row);
    set_degree(row, degree);
  }
  int next() {
    while (with_degree_[uz(least_)].empty()) ++least_;
    return with_degree_[uz(least_)].first();
  }
  void take(int row, const RowSet& coupled, std::vector<int>& order, std::array<RowSet, most_small_rows>& reach) {
    with_degree_[uz(degree_[uz(row)])].erase(row);
    reach[order.size()] = coupled;
    order.push_back(row);
  }

  int rows_, least_ = static_cast<int>(most_small_rows);
  std::array<RowSet, most_small_rows> neighbours_;
  std::array<RowSet, most_small_rows + 1> with_degree_;  ///< rows left, by degree
  std::array<int, most_small_rows> degree_;
};

}  // namespace

BlockOrdering small_ordering(const BlockMatrix& A) {
  assert(A.rows() <= most_small_rows);
  const auto n = uz(A.rows());
  BlockOrdering result{{}, {}, {}, 0, "minimum degree"};
  result.order.reserve(n);
  std::array<RowSet, most_small_rows> reach;
  Elimination(A).run(result.order, reach);
  std::array<int, most_small_rows> place;
  for (std::size_t k = 0; k < n; ++k) place[uz(result.order[k])] = static_cast<int>(k);
  result.upper_start.reserve(n + 1);
  result.upper_start.push_back(0);
  result.upper.reserve(A.column.size());
  for (std::size_t k = 0; k < n; ++k) {
    RowSet beyond;  // in the new order, and so sorted
    reach[k].for_each([&](int row) { beyond.insert(place[uz(row)]); });
    beyond.for_each([&](int row) { result.upper.push_back(row); });
    const auto size = static_cast<std::int64_t>(result.upper.size()) - result.upper_start.back();
    result.upper_start.push_back(static_cast<int>(result.upper.size()));
    result.flops += row_flops(A.width, size);
  }
  return result;
}

}  // namespace ccp
