#include "problem/delassus/shared_delassus.hpp"

#include <algorithm>

#include "core/parallel.hpp"

namespace ccp {
namespace {

ConstraintSet joined(const ConstraintSet& own, const SharedForm& form) {
  ConstraintSet all;
  for (const ConstraintSet* set : {&form.before, &own, &form.after})
    for (Index i = 0; i < set->count(); ++i) all.add(set->kind(i), set->friction(i), set->moments(i));
  return all;
}

/// The columns of foreign blocks go, and so do its own unless they are kept.
JacobianColumns columns_of(SparseMatrix& D, SharedForm& form) {
  JacobianColumns columns;
  columns.add_to_consume(form.D_before);
  if (form.keeps_matrices)
    columns.add(D);
  else
    columns.add_to_consume(D);
  columns.add_to_consume(form.D_after);
  return columns;
}

/// C on the rows of all blocks, zero on those of foreign ones.
SparseMatrix widened(const SparseMatrix& C, const SharedForm& form) {
  if (C.nonZeros() == 0) return {};
  const Index rows = form.before.rows() + C.cols() + form.after.rows();
  const auto first = static_cast<int>(form.before.rows());
  std::vector<Triplet> entries;
  for (Index j = 0; j < C.outerSize(); ++j)
    for (SparseMatrix::InnerIterator entry(C, j); entry; ++entry)
      entries.emplace_back(first + static_cast<int>(entry.row()), first + static_cast<int>(j), entry.value());
  return from_triplets(rows, rows, entries);
}

}  // namespace

class SharedDelassus::Split final : public SplitProduct {
 public:
  explicit Split(const SharedDelassus& N) : N_(N), w_(Vector::Zero(N.all_.padded_size())) {}
  void begin(ConstVectorRef x, int threads) override {
    N_.form_.share->extend(x, N_.impulse_);
    N_.all_.scaled_velocity(N_.impulse_, w_.data(), threads);
  }
  void begin() override { w_.setZero(); }
  /// The bodies need the impulses of all ranks, so that nothing can be done before the last span.
  void feed(BlockSpan span, ConstVectorRef x) override {
    if (span.end == N_.constraints().count()) begin(x, 1);
  }
  void finish(BlockSpan span, ConstVectorRef x, VectorRef y) const override { N_.find_rows(span, w_.data(), x, y); }
  std::span<const double> root() const override { return {w_.data() + 6 * N_.form_.first_body, uz(6 * N_.form_.bodies)}; }
  bool rooted() const override { return !N_.form_.compliant; }

 private:
  const SharedDelassus& N_;
  Vector w_;
};

SharedDelassus::SharedDelassus(const ConstraintSet& own, SharedForm& form, SparseMatrix& D, const SparseMatrix& C,
                               const MassMatrix& mass, const Vector& k)
    : DelassusOperator(own),
      form_(form),
      all_(joined(own, form), columns_of(D, form), widened(C, form), mass, BlockOrder::given),
      first_block_(form.before.count()),
      first_row_(form.before.rows()),
      impulse_(Vector::Zero(all_.rows())),
      free_w_(Vector::Zero(all_.padded_size())),
      w_(free_w_) {
  form.before = {};
  form.after = {};
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  for (Index body = 0; body < mass.blocks().count(); ++body) {
    const Eigen::Map<const Eigen::Matrix<double, 6, 6>> inverse_root(mass.block_inverse_root(body));
    Vector6 momentum = Vector6::Zero();
    momentum.head(mass.blocks().size(body)) = k.segment(mass.blocks().offset(body), mass.blocks().size(body));
    free_w_.segment<6>(6 * body) = inverse_root.lazyProduct(momentum);
  }
}

std::unique_ptr<SplitProduct> SharedDelassus::split_product() const { return std::make_unique<Split>(*this); }

void SharedDelassus::find_rows(BlockSpan span, const double* w, ConstVectorRef x, VectorRef y) const {
  if (span.begin == span.end) return;
  // As pointers to the first row of all blocks, which the loops count from.
  all_.find_velocities({first_block_ + span.begin, first_block_ + span.end}, w, x.data() - first_row_,
                       y.data() - first_row_);
}

void SharedDelassus::multiply(ConstVectorRef x, VectorRef y, int threads) const {
  form_.share->extend(x, impulse_);
  all_.scaled_velocity(impulse_, w_.data(), threads);
  parallel_ranges(threads, constraints().count(), [&](Index begin, Index end) { find_rows({begin, end}, w_.data(), x, y); });
}

Vector SharedDelassus::free_velocity(const Vector& b) const {
  Vector r(b.size());
  find_rows({0, constraints().count()}, free_w_.data(), Vector::Zero(b.size()), r);
  r += b;
  return r;
}

void SharedDelassus::local_velocity(ConstVectorRef impulse, const Vector& b, Vector& u) const {
  form_.share->extend(impulse, impulse_);
  all_.scaled_velocity(impulse_, w_.data());
  w_ += free_w_;
  find_rows({0, constraints().count()}, w_.data(), impulse, u);
  u += b;
}

}  // namespace ccp
