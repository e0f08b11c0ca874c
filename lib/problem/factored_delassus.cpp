#include "problem/factored_delassus.hpp"

#include <algorithm>
#include <cassert>

#include "core/parallel.hpp"
#include "problem/block_order.hpp"

namespace ccp {
namespace {

using SixVector = Eigen::Map<const Eigen::Matrix<double, 6, 1>>;

/// Calls kernel(i, rows) for the blocks order[begin], …, order[end − 1] with the number of rows as a compile-time constant.
template <typename Kernel>
void for_blocks_by_rows(const ConstraintSet& blocks, const std::vector<int>& order, Index begin, Index end,
                        const Kernel& kernel) {
  const int *first = order.data() + begin, *last = order.data() + end;
  if (blocks.all_contacts_3d()) {
    for (const int* i = first; i < last; ++i) kernel(Index{*i}, std::integral_constant<int, 3>());
    return;
  }
  for (const int* i = first; i < last; ++i) with_rows(blocks.rows(*i), [&](auto rows) { kernel(Index{*i}, rows); });
}

template <int Rows>
BlockVector<Rows> block_of(const double* x, Index offset) {
  return Eigen::Map<const BlockVector<Rows>>(x + offset);
}

}  // namespace

FactoredDelassus::FactoredDelassus(ConstraintSet set, const SparseMatrix& D, const SparseMatrix& C, const MassMatrix& mass)
    : DelassusOperator(std::move(set)) {
  assert(mass.block_diagonal());
  collect_pairs(D, mass.blocks());
  response_.resize(jacobian_.size());
  far_ = jacobian_.size() + response_.size() > last_cache;
  for (Index b = 0; b < bodies(); ++b) {
    const Eigen::Map<const Eigen::Matrix<double, 6, 6>> inverse(mass.block_inverse(b));
    for (Index k = body_start_[static_cast<std::size_t>(b)]; k < body_start_[static_cast<std::size_t>(b) + 1]; ++k) {
      const Index rows = constraints().rows(body_block_[static_cast<std::size_t>(k)]);
      const Index start = body_data_[static_cast<std::size_t>(k)];
      const Eigen::Map<const Eigen::Matrix<double, 6, Eigen::Dynamic>> source(jacobian_.data() + start, 6, rows);
      Eigen::Map<Eigen::Matrix<double, 6, Eigen::Dynamic>>(response_.data() + start, 6, rows) = inverse.lazyProduct(source);
    }
  }
  if (C.nonZeros() > 0) {
    compliance_.assign(static_cast<std::size_t>(constraints().count()), Matrix3::Zero());
    for (Index i = 0; i < constraints().count(); ++i)
      for (Index c = 0; c < constraints().rows(i); ++c)
        for (SparseMatrix::InnerIterator entry(C, constraints().offset(i) + c); entry; ++entry)
          compliance_[static_cast<std::size_t>(i)](entry.row() - constraints().offset(i), c) = entry.value();
  }
  scratch_.setZero(padded_size());
}

std::vector<int> FactoredDelassus::touched_bodies(const SparseMatrix& D, const std::vector<int>& owner, Index block) const {
  std::vector<int> touched;
  for (Index c = 0; c < constraints().rows(block); ++c)
    for (SparseMatrix::InnerIterator entry(D, constraints().offset(block) + c); entry; ++entry)
      touched.push_back(owner[static_cast<std::size_t>(entry.row())]);
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  return touched;
}

void FactoredDelassus::collect_bodies(const SparseMatrix& D, const std::vector<int>& owner) {
  const Index count = constraints().count();
  paired_ = true;
  for (Index i = 0; i < count && paired_; ++i) paired_ = touched_bodies(D, owner, i).size() <= 2;
  pair_start_.assign(1, 0);
  for (Index i = 0; i < count; ++i) {
    std::vector<int> touched = touched_bodies(D, owner, i);
    if (paired_) touched.resize(2, idle_body_);
    pair_body_.insert(pair_body_.end(), touched.begin(), touched.end());
    pair_start_.push_back(static_cast<Index>(pair_body_.size()));
  }
  order_ = spread_order(pair_start_, pair_body_, idle_body_ + 1);
}

void FactoredDelassus::collect_pairs(const SparseMatrix& D, const BlockPartition& partition) {
  const std::vector<int> owner = partition.owner();
  const ConstraintSet& blocks = constraints();
  idle_body_ = static_cast<int>(partition.count());
  collect_bodies(D, owner);
  data_start_.resize(order_.size());
  Index start = 0;
  for (const int i : order_) {
    data_start_[static_cast<std::size_t>(i)] = start;
    start += 6 * blocks.rows(i) * static_cast<Index>(bodies_of(i).size());
  }
  jacobian_.resize(static_cast<std::size_t>(start + ahead + 36), 0.0);
  std::vector<std::vector<std::pair<int, Index>>> by_body(static_cast<std::size_t>(partition.count()) + 1);
  for (Index i = 0; i < blocks.count(); ++i) {
    const auto touched = bodies_of(i);
    const Index size = 6 * blocks.rows(i);
    for (Index c = 0; c < blocks.rows(i); ++c)
      for (SparseMatrix::InnerIterator entry(D, blocks.offset(i) + c); entry; ++entry) {
        const int body = owner[static_cast<std::size_t>(entry.row())];
        const auto k = std::lower_bound(touched.begin(), touched.end(), body) - touched.begin();
        jacobian_[static_cast<std::size_t>(data_start(i) + k * size + 6 * c + entry.row() - partition.offset(body))] =
            entry.value();
      }
    for (std::size_t k = 0; k < touched.size(); ++k)
      by_body[static_cast<std::size_t>(touched[k])].emplace_back(static_cast<int>(i),
                                                                 data_start(i) + static_cast<Index>(k) * size);
  }
  by_body.pop_back();  // the idle one
  body_start_.assign(1, 0);
  for (const auto& pairs : by_body) {
    for (const auto& [block, first] : pairs) {
      body_block_.push_back(block);
      body_data_.push_back(first);
    }
    body_start_.push_back(static_cast<Index>(body_block_.size()));
  }
}

void FactoredDelassus::gather_velocity(const double* impulse, double* v, Index first_body, Index last_body) const {
  const ConstraintSet& blocks = constraints();
  std::fill(v + 6 * first_body, v + 6 * last_body, 0.0);
  for (Index b = first_body; b < last_body; ++b)
    for (Index k = body_start_[static_cast<std::size_t>(b)]; k < body_start_[static_cast<std::size_t>(b) + 1]; ++k) {
      const Index i = body_block_[static_cast<std::size_t>(k)];
      const double* response = response_.data() + body_data_[static_cast<std::size_t>(k)];
      with_rows(blocks.rows(i),
                [&](auto rows) { add_response<rows>(response, block_of<rows>(impulse, blocks.offset(i)), v + 6 * b); });
    }
}

void FactoredDelassus::body_velocity(ConstVectorRef impulse, double* v, int threads) const {
  // One thread goes through the blocks in the order of the memory. Several share the bodies, each of which takes its
  // constraints in the same order: the same sums, to the last bit.
  if (threads > 1) {
    parallel_ranges(threads, bodies(), [&](Index begin, Index end) { gather_velocity(impulse.data(), v, begin, end); });
    return;
  }
  std::fill(v, v + padded_size(), 0.0);
  const ConstraintSet& blocks = constraints();
  for_blocks_by_rows(
      blocks, order_, 0, blocks.count(), [&](Index i, auto rows) __attribute__((always_inline)) {
        add_impulse<rows>(i, block_of<rows>(impulse.data(), blocks.offset(i)), v);
      });
}

void FactoredDelassus::multiply(ConstVectorRef x, VectorRef y, int threads) const {
  start_product(x, threads);
  parallel_ranges(threads, constraints().count(), [&](Index begin, Index end) { finish_product(begin, end, x, y); });
}

void FactoredDelassus::finish_product(Index begin, Index end, ConstVectorRef x, VectorRef y) const {
  const ConstraintSet& blocks = constraints();
  for_blocks_by_rows(
      blocks, order_, begin, end, [&](Index i, auto rows) __attribute__((always_inline)) {
        const Index offset = blocks.offset(i);
        const BlockVector<rows> u = local_velocity<rows>(i, scratch_.data(), block_of<rows>(x.data(), offset));
        for (int r = 0; r < rows; ++r) y[offset + r] = u[r];
      });
}

Matrix3 FactoredDelassus::block(Index i, Index j) const {
  const Index rows = constraints().rows(i), columns = constraints().rows(j);
  Matrix3 corner = Matrix3::Zero();
  for (Index a = pair_start_[static_cast<std::size_t>(i)]; a < pair_start_[static_cast<std::size_t>(i) + 1]; ++a)
    for (Index b = pair_start_[static_cast<std::size_t>(j)]; b < pair_start_[static_cast<std::size_t>(j) + 1]; ++b) {
      if (pair_body_[static_cast<std::size_t>(a)] != pair_body_[static_cast<std::size_t>(b)]) continue;
      const double* left = jacobian_.data() + data_start(i) + (a - pair_start_[static_cast<std::size_t>(i)]) * 6 * rows;
      const double* right = response_.data() + data_start(j) + (b - pair_start_[static_cast<std::size_t>(j)]) * 6 * columns;
      for (Index c = 0; c < columns; ++c)
        for (Index r = 0; r < rows; ++r) corner(r, c) += SixVector(left + 6 * r).dot(SixVector(right + 6 * c));
    }
  if (i == j && !compliance_.empty()) corner += compliance_[static_cast<std::size_t>(i)];
  return corner;
}

Matrix3 FactoredDelassus::diagonal_block(Index i) const { return block(i, i); }

std::vector<std::vector<int>> FactoredDelassus::coupling() const {
  std::vector<std::vector<int>> pattern(static_cast<std::size_t>(constraints().count()));
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    pattern[i].push_back(static_cast<int>(i));
    for (Index a = pair_start_[i]; a < pair_start_[i + 1]; ++a) {
      if (pair_body_[static_cast<std::size_t>(a)] == idle_body_) continue;
      const auto body = static_cast<std::size_t>(pair_body_[static_cast<std::size_t>(a)]);
      pattern[i].insert(pattern[i].end(), body_block_.begin() + body_start_[body],
                        body_block_.begin() + body_start_[body + 1]);
    }
    std::sort(pattern[i].begin(), pattern[i].end());
    pattern[i].erase(std::unique(pattern[i].begin(), pattern[i].end()), pattern[i].end());
  }
  return pattern;
}

std::size_t FactoredDelassus::bytes() const {
  return (jacobian_.size() + response_.size()) * sizeof(double) +
         (order_.size() + pair_body_.size() + body_block_.size()) * sizeof(int) +
         (pair_start_.size() + data_start_.size() + body_start_.size() + body_data_.size()) * sizeof(Index) +
         compliance_.size() * sizeof(Matrix3) + static_cast<std::size_t>(scratch_.size()) * sizeof(double);
}

}  // namespace ccp
