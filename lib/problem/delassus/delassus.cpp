#include "problem/delassus/delassus.hpp"

#include <algorithm>
#include <utility>

#include "core/parallel.hpp"
#include "linalg/block/block_matrix.hpp"

namespace ccp {
namespace {

/// Block that owns each scalar row.
std::vector<int> row_owner(const ConstraintSet& constraints) {
  std::vector<int> owner(uz(constraints.rows()));
  for (Index i = 0; i < constraints.count(); ++i)
    std::fill_n(owner.begin() + constraints.offset(i), constraints.rows(i), static_cast<int>(i));
  return owner;
}

/// Sorted block columns of each block row, the diagonal among them.
std::vector<std::vector<int>> block_pattern(const ConstraintSet& constraints, const SparseMatrix& N,
                                            const std::vector<int>& owner) {
  std::vector<std::vector<int>> pattern(uz(constraints.count()));
  for (std::size_t i = 0; i < pattern.size(); ++i) pattern[i].push_back(static_cast<int>(i));
  for (Index column = 0; column < N.outerSize(); ++column) {
    const int block_column = owner[uz(column)];
    for (SparseMatrix::InnerIterator entry(N, column); entry; ++entry) {
      auto& row = pattern[uz(owner[uz(entry.row())])];
      if (row.back() != block_column) row.push_back(block_column);
    }
  }
  for (auto& row : pattern) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }
  return pattern;
}

}  // namespace

AssembledDelassus::AssembledDelassus(ConstraintSet set, const SparseMatrix& N) : DelassusOperator(std::move(set)) {
  const ConstraintSet& blocks = constraints();
  if (auto contacts = ContactBlocks::of(blocks, N)) {
    data_.resize(9 * contacts->column.size());
    if (contacts->copy(data_.data())) {
      row_start_.assign(contacts->row_start.begin(), contacts->row_start.end());
      diagonal_.assign(contacts->diagonal.begin(), contacts->diagonal.end());
      column_ = std::move(contacts->column);
      data_start_.resize(column_.size());
      for (std::size_t k = 0; k < data_start_.size(); ++k) data_start_[k] = 9 * static_cast<Index>(k);
      return;
    }
  }
  const std::vector<int> owner = row_owner(blocks);
  row_start_.assign(1, 0);
  Index next_number = 0;
  const auto pattern = block_pattern(blocks, N, owner);
  std::size_t stored = 0;
  for (const auto& row : pattern) stored += row.size();
  column_.reserve(stored);
  data_start_.reserve(stored);
  for (Index i = 0; i < blocks.count(); ++i) {
    for (const int j : pattern[uz(i)]) {
      if (j == i) diagonal_.push_back(std::ssize(column_));
      column_.push_back(j);
      data_start_.push_back(next_number);
      next_number += blocks.rows(i) * blocks.rows(j);
    }
    row_start_.push_back(std::ssize(column_));
  }
  data_.assign(uz(next_number), 0.0);
  for (Index column = 0; column < N.outerSize(); ++column) {
    const int j = owner[uz(column)];
    for (SparseMatrix::InnerIterator entry(N, column); entry; ++entry) {
      const auto i = uz(owner[uz(entry.row())]);
      const auto first = column_.begin() + row_start_[i], last = column_.begin() + row_start_[i + 1];
      const auto position = uz(std::lower_bound(first, last, j) - column_.begin());
      const Index block_row = static_cast<Index>(i);
      data_[uz(data_start_[position] + (column - blocks.offset(j)) * blocks.rows(block_row) +
               (entry.row() - blocks.offset(block_row)))] += entry.value();
    }
  }
}

template <typename Kernel>
void AssembledDelassus::for_row_blocks(Index block, const Kernel& kernel) const {
  for (Index k = row_start_[uz(block)]; k < row_start_[uz(block) + 1]; ++k) {
    const auto position = uz(k);
    kernel(static_cast<Index>(column_[position]), data_.data() + data_start_[position]);
  }
}

void AssembledDelassus::multiply(ConstVectorRef x, VectorRef y, int threads) const {
  parallel_ranges(threads, constraints().count(), [&](Index begin, Index end) { multiply_rows({begin, end}, x, y); });
}

void AssembledDelassus::multiply_rows(BlockSpan span, ConstVectorRef x, VectorRef y) const {
  const ConstraintSet& blocks = constraints();
  for (Index i = span.begin; i < span.end; ++i)
    with_rows(blocks.rows(i), [&](auto rows) {
      const BlockVector<rows> product = row_product<rows>(i, x.data());
      for (int r = 0; r < rows; ++r) y[blocks.offset(i) + r] = product[r];
    });
}

/// All in the second half.
class AssembledDelassus::Split final : public SplitProduct {
 public:
  explicit Split(const AssembledDelassus& N) : N_(N) {}
  void begin(ConstVectorRef, int) override {}
  void begin() override {}
  void feed(BlockSpan, ConstVectorRef) override {}
  void finish(BlockSpan span, ConstVectorRef x, VectorRef y) const override { N_.multiply_rows(span, x, y); }
  std::span<const double> root() const override { return {}; }

 private:
  const AssembledDelassus& N_;
};

std::unique_ptr<SplitProduct> AssembledDelassus::split_product() const { return std::make_unique<Split>(*this); }

void AssembledDelassus::multiply_absolute(ConstVectorRef x, VectorRef y) const {
  const ConstraintSet& blocks = constraints();
  for (Index i = 0; i < blocks.count(); ++i) {
    const Index rows = blocks.rows(i);
    auto out = y.segment(blocks.offset(i), rows);
    out.setZero();
    for_row_blocks(i, [&](Index j, const double* a) {
      for (Index c = 0; c < blocks.rows(j); ++c)
        for (Index r = 0; r < rows; ++r) out[r] += std::abs(a[c * rows + r] * x[blocks.offset(j) + c]);
    });
  }
}

BlockSquare AssembledDelassus::diagonal_block(Index block) const {
  const Index rows = constraints().rows(block);
  const double* a = data_.data() + data_start_[uz(diagonal_[uz(block)])];
  BlockSquare corner = zero_square(rows);
  for (Index c = 0; c < rows; ++c)
    for (Index r = 0; r < rows; ++r) corner(r, c) = a[c * rows + r];
  return corner;
}

std::size_t AssembledDelassus::bytes() const {
  return data_.size() * sizeof(double) + column_.size() * (sizeof(int) + sizeof(Index)) +
         2 * row_start_.size() * sizeof(Index);
}

SparseMatrix AssembledDelassus::to_sparse() const {
  const ConstraintSet& blocks = constraints();
  std::vector<Triplet> entries;
  entries.reserve(data_.size());
  for (Index i = 0; i < blocks.count(); ++i) {
    const Index rows = blocks.rows(i);
    for_row_blocks(i, [&](Index j, const double* a) {
      for (Index c = 0; c < blocks.rows(j); ++c)
        for (Index r = 0; r < rows; ++r)
          entries.emplace_back(static_cast<int>(blocks.offset(i) + r), static_cast<int>(blocks.offset(j) + c),
                               a[c * rows + r]);
    });
  }
  return from_triplets(blocks.rows(), blocks.rows(), entries);
}

}  // namespace ccp
