#include "problem/factored_delassus.hpp"

#include <algorithm>
#include <cassert>

#include "core/parallel.hpp"

namespace ccp {
namespace {

using Velocity = Eigen::Matrix<double, 6, 1>;
template <int Rows>
using Jacobian = Eigen::Map<const Eigen::Matrix<double, 6, Rows>>;

/// Calls kernel with the number of rows of a block as a compile-time constant, so that every 6×d product is unrolled.
template <typename Kernel>
auto with_rows(Index rows, const Kernel& kernel) {
  switch (rows) {
    case 3: return kernel(std::integral_constant<int, 3>());
    case 2: return kernel(std::integral_constant<int, 2>());
    default: return kernel(std::integral_constant<int, 1>());
  }
}

}  // namespace

FactoredDelassus::FactoredDelassus(ConstraintSet set, const SparseMatrix& D, const SparseMatrix& C, const MassMatrix& mass)
    : DelassusOperator(std::move(set)) {
  assert(mass.block_diagonal());
  collect_pairs(D, mass.blocks());
  response_.resize(jacobian_.size());
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

void FactoredDelassus::collect_pairs(const SparseMatrix& D, const BlockPartition& partition) {
  const std::vector<int> owner = partition.owner();
  const ConstraintSet& blocks = constraints();
  std::vector<std::vector<std::pair<int, Index>>> by_body(static_cast<std::size_t>(partition.count()));
  pair_start_.assign(1, 0);
  for (Index i = 0; i < blocks.count(); ++i) {
    std::vector<int> touched;
    for (Index c = 0; c < blocks.rows(i); ++c)
      for (SparseMatrix::InnerIterator entry(D, blocks.offset(i) + c); entry; ++entry)
        touched.push_back(owner[static_cast<std::size_t>(entry.row())]);
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());

    const Index start = static_cast<Index>(jacobian_.size()), size = 6 * blocks.rows(i);
    data_start_.push_back(start);
    jacobian_.resize(jacobian_.size() + touched.size() * static_cast<std::size_t>(size), 0.0);
    for (Index c = 0; c < blocks.rows(i); ++c)
      for (SparseMatrix::InnerIterator entry(D, blocks.offset(i) + c); entry; ++entry) {
        const int body = owner[static_cast<std::size_t>(entry.row())];
        const auto k = std::lower_bound(touched.begin(), touched.end(), body) - touched.begin();
        jacobian_[static_cast<std::size_t>(start + k * size + 6 * c + entry.row() - partition.offset(body))] = entry.value();
      }
    for (std::size_t k = 0; k < touched.size(); ++k) {
      pair_body_.push_back(touched[k]);
      by_body[static_cast<std::size_t>(touched[k])].emplace_back(static_cast<int>(i), start + static_cast<Index>(k) * size);
    }
    pair_start_.push_back(static_cast<Index>(pair_body_.size()));
  }
  body_start_.assign(1, 0);
  for (const auto& pairs : by_body) {
    for (const auto& [block, start] : pairs) {
      body_block_.push_back(block);
      body_data_.push_back(start);
    }
    body_start_.push_back(static_cast<Index>(body_block_.size()));
  }
}

void FactoredDelassus::body_velocity(ConstVectorRef impulse, double* v, int threads) const {
  const ConstraintSet& blocks = constraints();
  // Gathered per body, in a fixed order, so that the sum does not depend on the number of threads.
  parallel_ranges(threads, bodies(), [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) {
      Velocity sum = Velocity::Zero();
      for (Index k = body_start_[static_cast<std::size_t>(b)]; k < body_start_[static_cast<std::size_t>(b) + 1]; ++k) {
        const Index i = body_block_[static_cast<std::size_t>(k)];
        const double* response = response_.data() + body_data_[static_cast<std::size_t>(k)];
        const double* gamma = impulse.data() + blocks.offset(i);
        with_rows(blocks.rows(i), [&](auto rows) {
          sum.noalias() += Jacobian<rows>(response) * Eigen::Map<const Eigen::Matrix<double, rows, 1>>(gamma);
        });
      }
      Eigen::Map<Velocity> target(v + 6 * b);
      target = sum;
    }
  });
}

Vector3 FactoredDelassus::local_velocity(Index block, const double* body_velocity, const Vector3& impulse) const {
  Vector3 u = Vector3::Zero();
  if (!compliance_.empty()) u.noalias() = compliance_[static_cast<std::size_t>(block)] * impulse;
  const Index first = pair_start_[static_cast<std::size_t>(block)], last = pair_start_[static_cast<std::size_t>(block) + 1];
  const double* jacobian = jacobian_.data() + data_start(block);
  with_rows(constraints().rows(block), [&](auto rows) {
    for (Index k = first; k < last; ++k, jacobian += 6 * rows)
      u.head<rows>().noalias() += Jacobian<rows>(jacobian).transpose() *
                                  Eigen::Map<const Velocity>(body_velocity + 6 * pair_body_[static_cast<std::size_t>(k)]);
  });
  return u;
}

void FactoredDelassus::add_impulse(Index block, const Vector3& delta, double* body_velocity) const {
  const Index first = pair_start_[static_cast<std::size_t>(block)], last = pair_start_[static_cast<std::size_t>(block) + 1];
  const double* response = response_.data() + data_start(block);
  with_rows(constraints().rows(block), [&](auto rows) {
    for (Index k = first; k < last; ++k, response += 6 * rows)
      Eigen::Map<Velocity>(body_velocity + 6 * pair_body_[static_cast<std::size_t>(k)]).noalias() +=
          Jacobian<rows>(response) * delta.head<rows>();
  });
}

void FactoredDelassus::multiply(ConstVectorRef x, VectorRef y, int threads) const {
  const ConstraintSet& blocks = constraints();
  body_velocity(x, scratch_.data(), threads);
  parallel_ranges(threads, blocks.count(), [&](Index begin, Index end) {
    Vector3 impulse = Vector3::Zero();
    for (Index i = begin; i < end; ++i) {
      const Index rows = blocks.rows(i), offset = blocks.offset(i);
      impulse.head(rows) = x.segment(offset, rows);
      y.segment(offset, rows) = local_velocity(i, scratch_.data(), impulse).head(rows);
    }
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
        for (Index r = 0; r < rows; ++r)
          corner(r, c) += Eigen::Map<const Velocity>(left + 6 * r).dot(Eigen::Map<const Velocity>(right + 6 * c));
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
  return (jacobian_.size() + response_.size()) * sizeof(double) + (pair_body_.size() + body_block_.size()) * sizeof(int) +
         (pair_start_.size() + data_start_.size() + body_start_.size() + body_data_.size()) * sizeof(Index) +
         compliance_.size() * sizeof(Matrix3) + static_cast<std::size_t>(scratch_.size()) * sizeof(double);
}

}  // namespace ccp
