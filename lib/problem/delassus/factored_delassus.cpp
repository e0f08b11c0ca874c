#include "problem/delassus/factored_delassus.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "core/parallel.hpp"
#include "kernels/kernels.hpp"
#include "problem/delassus/block_order.hpp"

namespace ccp {
namespace {

constexpr Index least_blocks = 256;  // a thread; as many as parallel_ranges() gives one

/// Calls kernel(i, rows) for the blocks at the places of a span in that order, with the number of rows as a compile-time
/// constant.
template <typename Kernel>
void for_blocks_by_rows(const ConstraintSet& blocks, const std::vector<int>& order, BlockSpan span, const Kernel& kernel) {
  for (const int *i = order.data() + span.begin, *last = order.data() + span.end; i < last; ++i)
    with_rows(blocks.rows(*i), [&](auto rows) { kernel(Index{*i}, rows); });
}

template <int Rows>
BlockVector<Rows> block_of(const double* x, Index offset) {
  return Eigen::Map<const BlockVector<Rows>>(x + offset);
}

using Matrix6 = Eigen::Matrix<double, 6, 6>;

/// Whether the bodies of H, of six dofs, are pairs of bodies of three that only contacts couple, each at most two of them:
/// an even number of bodies in the plane.
bool bodies_split(const ConstraintSet& set, const JacobianColumns& D, const MassMatrix& mass) {
  const BlockPartition& bodies = mass.blocks();
  for (Index b = 0; b < bodies.count(); ++b) {
    const Eigen::Map<const Matrix6> root(mass.block_inverse_root(b));
    if (bodies.size(b) != 6 || !root.bottomLeftCorner<3, 3>().isZero(0.0)) return false;
  }
  for (Index i = 0; i < set.count(); ++i) {
    Index first = -1, second = -1;
    bool two = true;
    for (Index c = set.offset(i); c < set.offset(i) + set.rows(i); ++c)
      D.for_entries(c, [&](Index row, double) {
        const Index body = row / 3;
        if (first < 0) first = body;
        if (body != first && second < 0) second = body;
        two = two && (body == first || body == second);
      });
    if (!two) return false;
  }
  return true;
}

}  // namespace

FactoredDelassus::FactoredDelassus(ConstraintSet set, JacobianColumns D, const SparseMatrix& C, const MassMatrix& mass,
                                   BlockOrder order)
    : DelassusOperator(std::move(set)) {
  assert(mass.block_diagonal());
  const bool halves = order == BlockOrder::spread &&
                      constraints().count(ConstraintKind::contact2d) == constraints().count() &&
                      bodies_split(constraints(), D, mass);
  collect_pairs(D, halves ? uniform_blocks(mass.size(), 3) : mass.blocks(), mass, order);
  for (Index i = 0; C.nonZeros() > 0 && i < constraints().count(); ++i) {
    BlockSquare block = zero_square(constraints().rows(i));
    for (Index c = 0; c < constraints().rows(i); ++c)
      for (SparseMatrix::InnerIterator entry(C, constraints().offset(i) + c); entry; ++entry)
        block(entry.row() - constraints().offset(i), c) = entry.value();
    compliance_.emplace_back(block.topLeftCorner<3, 3>());
    if (constraints().has_moments()) wide_compliance_.push_back(block);
  }
  scratch_.resize(padded_size());  // not written before a product wants it
}

/// touched: the bodies of a block, ascending.
void FactoredDelassus::find_touched(const JacobianColumns& D, const std::vector<int>& owner, Index block,
                                    std::vector<int>& touched) const {
  touched.clear();
  for (Index c = 0; c < constraints().rows(block); ++c)
    D.for_entries(constraints().offset(block) + c, [&](Index row, double) {
      if (touched.empty() || touched.back() != owner[uz(row)]) touched.push_back(owner[uz(row)]);
    });
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
}

void FactoredDelassus::collect_bodies(const JacobianColumns& D, const std::vector<int>& owner, BlockOrder order) {
  const Index count = constraints().count();
  bool paired = true;
  std::vector<int> touched;
  for (Index i = 0; i < count && paired; ++i) {
    find_touched(D, owner, i, touched);
    paired = touched.size() <= 2;
  }
  contact_pairs_ = paired && (constraints().all_contacts_3d() || constraints().count(ConstraintKind::contact2d) == count);
  pair_start_.assign(1, 0);
  pair_start_.reserve(uz(count + 1));
  pair_body_.reserve(uz(2 * count));
  for (Index i = 0; i < count; ++i) {
    find_touched(D, owner, i, touched);
    if (paired) touched.resize(2, idle_body_);
    pair_body_.insert(pair_body_.end(), touched.begin(), touched.end());
    pair_start_.push_back(std::ssize(pair_body_));
  }
  if (order == BlockOrder::spread) {
    order_ = spread_order(pair_start_, pair_body_, idle_body_ + 1);
  } else {
    order_.resize(uz(count));
    std::iota(order_.begin(), order_.end(), 0);
  }
  if (!contact_pairs_) return;
  place_body_.reserve(pair_body_.size());
  for (const int i : order_)
    for (const int body : bodies_of(i)) place_body_.push_back(6 * body);
}

void FactoredDelassus::collect_pairs(JacobianColumns& D, const BlockPartition& partition, const MassMatrix& mass,
                                     BlockOrder order) {
  const std::vector<int> owner = partition.owner();
  const ConstraintSet& blocks = constraints();
  idle_body_ = static_cast<int>(partition.count());
  collect_bodies(D, owner, order);
  group_by_body();
  data_start_.resize(order_.size());
  Index start = 0;
  for (const int i : order_) {
    data_start_[uz(i)] = start;
    start += 6 * blocks.rows(i) * std::ssize(bodies_of(i));
  }
  constexpr Index ahead = 36 * (pairs_ahead + 1);
  root_.resize(uz(start + ahead));  // written block by block
  std::fill(root_.end() - ahead, root_.end(), 0.0);
  for (const int i : order_) {
    take_entries(D, partition, owner, i);
    scale_pairs(mass, i);
    if (order == BlockOrder::given) D.passed(blocks.offset(i));
  }
  D.passed(blocks.rows());
  if (contact_pairs_) return;
  body_block_.resize(uz(body_start_.back()));
  body_data_.resize(body_block_.size());
  std::vector<Index> next(body_start_.begin(), body_start_.end() - 1);
  for (Index i = 0; i < blocks.count(); ++i)
    for (std::size_t k = 0; k < bodies_of(i).size(); ++k) {
      const int body = bodies_of(i)[k];
      if (body == idle_body_) continue;
      const auto place = uz(next[uz(body)]++);
      body_block_[place] = static_cast<int>(i);
      body_data_[place] = data_start(i) + 6 * blocks.rows(i) * static_cast<Index>(k);
    }
}

void FactoredDelassus::group_by_body() {
  body_start_.assign(uz(idle_body_) + 1, 0);
  for (const int body : pair_body_)
    if (body != idle_body_) ++body_start_[uz(body) + 1];
  std::partial_sum(body_start_.begin(), body_start_.end(), body_start_.begin());
}

/// The pairs of a block, not scaled yet.
void FactoredDelassus::take_entries(const JacobianColumns& D, const BlockPartition& partition, const std::vector<int>& owner,
                                    Index block) {
  const auto touched = bodies_of(block);
  const Index size = 6 * constraints().rows(block);
  double* pairs = root_.data() + data_start(block);
  std::fill(pairs, pairs + size * std::ssize(touched), 0.0);
  with_rows(constraints().rows(block), [&](auto rows) {
    for (int c = 0; c < rows; ++c)
      D.for_entries(constraints().offset(block) + c, [&](Index dof, double value) {
        const int body = owner[uz(dof)];
        const auto k = std::lower_bound(touched.begin(), touched.end(), body) - touched.begin();
        pairs[k * size + number<rows>(c, static_cast<int>(dof - partition.offset(body)))] = value;
      });
  });
}

void FactoredDelassus::scale_pairs(const MassMatrix& mass, Index block) {
  const bool halves = bodies() == 2 * mass.blocks().count();
  double* pair = root_.data() + data_start(block);
  for (const int b : bodies_of(block)) {
    if (b == idle_body_) return;  // the last one
    Matrix6 inverse_root(Eigen::Map<const Matrix6>(mass.block_inverse_root(halves ? b / 2 : b)));
    if (halves) {
      const Matrix3 own = inverse_root.block<3, 3>(3 * (b % 2), 3 * (b % 2));
      inverse_root.setZero();
      inverse_root.topLeftCorner<3, 3>() = own;
    }
    with_rows(constraints().rows(block), [&](auto rows) {
      for (int c = 0; c < rows; ++c) {
        Eigen::Matrix<double, 6, 1> column;
        for (int r = 0; r < 6; ++r) column[r] = pair[number<rows>(c, r)];
        column = inverse_root.lazyProduct(column).eval();
        for (int r = 0; r < 6; ++r) pair[number<rows>(c, r)] = column[r];
      }
    });
    pair += 6 * constraints().rows(block);
  }
}

void FactoredDelassus::gather_velocity(const double* impulse, double* w, Index first_body, Index last_body) const {
  const ConstraintSet& blocks = constraints();
  std::fill(w + 6 * first_body, w + 6 * last_body, 0.0);
  for (Index b = first_body; b < last_body; ++b)
    for (Index k = body_start_[uz(b)]; k < body_start_[uz(b) + 1]; ++k) {
      const Index i = body_block_[uz(k)];
      const double* pair = root_.data() + body_data_[uz(k)];
      with_rows(blocks.rows(i),
                [&](auto rows) { add_pair<rows>(pair, block_of<rows>(impulse, blocks.offset(i)), w + 6 * b); });
    }
}

/// w += L⁻¹D γ for the blocks of a span.
void FactoredDelassus::add_blocks(BlockSpan span, const double* impulse, double* w) const {
  if (contact_pairs_) {
    kernels().pairs.add_impulses(paired_contacts().pairs.from(span.begin), span.end - span.begin, order_.data() + span.begin,
                                 impulse, w);
    return;
  }
  for_blocks_by_rows(constraints(), order_, span,
                     [&](Index i, auto rows) { add_impulse<rows>(i, block_of<rows>(impulse, constraints().offset(i)), w); });
}

void FactoredDelassus::scaled_velocity(ConstVectorRef impulse, double* w, int threads) const {
  // One thread goes through the blocks in the order of the memory. Several share the bodies, each of which takes its
  // constraints in the same order: the same sums, to the last bit.
  const auto parts = static_cast<int>(std::min<Index>(threads, constraints().count() / least_blocks));
  if (parts <= 1) {
    std::fill(w, w + padded_size(), 0.0);
    add_blocks({0, constraints().count()}, impulse.data(), w);
    return;
  }
  std::fill(w + 6 * bodies(), w + padded_size(), 0.0);
  if (contact_pairs_) {
    const std::vector<BodyShare>& all = shares(parts);
    const auto add = [&](Index begin, Index end) {
      for (Index part = begin; part < end; ++part) {
        const BodyShare& share = all[uz(part)];
        std::fill(w + 6 * share.first, w + 6 * share.last, 0.0);
        kernels().pairs.add_sides(paired_contacts().pairs, std::ssize(share.sides), share.sides.data(), order_.data(),
                                  impulse.data(), w);
      }
    };
    parallel_ranges(parts, parts, add, 1);
  } else {
    parallel_ranges(
        parts, bodies(), [&](Index begin, Index end) { gather_velocity(impulse.data(), w, begin, end); }, 1);
  }
}

const std::vector<FactoredDelassus::BodyShare>& FactoredDelassus::shares(int threads) const {
  if (shares_.size() == uz(threads)) return shares_;
  const Index sides = body_start_.back();
  std::vector<int> owner(uz(bodies()));
  shares_.assign(uz(threads), {});
  int body = 0;
  for (int part = 0; part < threads; ++part) {
    BodyShare& share = shares_[uz(part)];
    share.first = body;
    const Index due = part + 1 < threads ? sides * (part + 1) / threads : sides + 1;
    while (body < bodies() && body_start_[uz(body)] < due) owner[uz(body++)] = part;
    share.last = body;
    const auto first = body_start_.begin() + share.first, last = body_start_.begin() + share.last;
    share.sides.reserve(uz(*last - *first));
  }
  for (std::size_t side = 0; side < place_body_.size(); ++side)
    if (const int of = place_body_[side] / 6; of != idle_body_)
      shares_[uz(owner[uz(of)])].sides.push_back(static_cast<int>(side));
  return shares_;
}

void FactoredDelassus::multiply(ConstVectorRef x, VectorRef y, int threads) const {
  scaled_velocity(x, scratch_.data(), threads);
  parallel_ranges(threads, constraints().count(), [&](Index begin, Index end) {
    find_velocities({begin, end}, scratch_.data(), x.data(), y.data());
  });
}

void FactoredDelassus::find_velocities(BlockSpan span, const double* w, const double* impulse, double* u) const {
  if (contact_pairs_) {
    kernels().pairs.find_velocities(paired_contacts().pairs.from(span.begin), span.end - span.begin,
                                    order_.data() + span.begin, w, u);
    if (!has_compliance()) return;
    for_blocks_by_rows(constraints(), order_, span, [&](Index i, auto rows) {
      if constexpr (rows <= 3)
        Eigen::Map<BlockVector<rows>>(u + rows * i) +=
            leading_corner<rows>(compliance_[uz(i)]) * block_of<rows>(impulse, rows * i);
    });
    return;
  }
  for_blocks_by_rows(constraints(), order_, span, [&](Index i, auto rows) {
    const Index offset = constraints().offset(i);
    Eigen::Map<BlockVector<rows>>(u + offset) = local_velocity<rows>(i, w, block_of<rows>(impulse, offset));
  });
}

class FactoredDelassus::Split final : public SplitProduct {
 public:
  explicit Split(const FactoredDelassus& N) : N_(N), w_(Vector::Zero(N.padded_size())) {}
  void begin(ConstVectorRef x, int threads) override { N_.scaled_velocity(x, w_.data(), threads); }
  void begin() override { w_.setZero(); }
  void feed(BlockSpan span, ConstVectorRef x) override { N_.add_blocks(span, x.data(), w_.data()); }
  void finish(BlockSpan span, ConstVectorRef x, VectorRef y) const override {
    N_.find_velocities(span, w_.data(), x.data(), y.data());
  }
  std::span<const double> root() const override {
    if (N_.has_compliance()) return {};
    return {w_.data(), uz(w_.size())};
  }

 private:
  const FactoredDelassus& N_;
  Vector w_;
};

std::unique_ptr<SplitProduct> FactoredDelassus::split_product() const { return std::make_unique<Split>(*this); }

BlockSquare FactoredDelassus::block(Index i, Index j) const {
  BlockSquare corner = zero_square(std::max(constraints().rows(i), constraints().rows(j)));
  const auto bodies_i = bodies_of(i), bodies_j = bodies_of(j);
  for (std::size_t a = 0; a < bodies_i.size(); ++a)
    for (std::size_t b = 0; b < bodies_j.size(); ++b) {
      if (bodies_i[a] != bodies_j[b]) continue;
      with_rows(constraints().rows(i), [&](auto rows) {
        with_rows(constraints().rows(j), [&](auto columns) {
          const double* left = root_.data() + data_start(i) + 6 * rows * static_cast<Index>(a);
          const double* right = root_.data() + data_start(j) + 6 * columns * static_cast<Index>(b);
          for (int c = 0; c < columns; ++c)
            for (int r = 0; r < rows; ++r)
              for (int k = 0; k < 6; ++k) corner(r, c) += left[number<rows>(r, k)] * right[number<columns>(c, k)];
        });
      });
    }
  if (i == j && has_compliance()) {
    if (wide_compliance_.empty())
      corner += compliance_[uz(i)];
    else
      corner += wide_compliance_[uz(i)];
  }
  return corner;
}

std::size_t FactoredDelassus::bytes() const {
  return root_.size() * sizeof(double) +
         (order_.size() + pair_body_.size() + place_body_.size() + body_block_.size()) * sizeof(int) +
         (pair_start_.size() + data_start_.size() + body_start_.size() + body_data_.size()) * sizeof(Index) +
         compliance_.size() * sizeof(Matrix3) + wide_compliance_.size() * sizeof(BlockSquare) +
         uz(scratch_.size()) * sizeof(double) + (shares_.empty() ? 0 : place_body_.size()) * sizeof(int);
}

}  // namespace ccp
