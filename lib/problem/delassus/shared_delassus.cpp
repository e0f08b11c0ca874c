#include "problem/delassus/shared_delassus.hpp"

#include "core/parallel.hpp"

namespace ccp {
namespace {

ConstraintSet joined(const ConstraintSet& own, const SharedForm& form) {
  ConstraintSet all;
  for (const ConstraintSet* set : {&form.before, &own, &form.after})
    for (Index i = 0; i < set->count(); ++i) all.add(set->kind(i), set->friction(i), set->moments(i));
  return all;
}

SparseMatrix joined(const SparseMatrix& D, const SharedForm& form) {
  SparseMatrix all(D.rows(), form.D_before.cols() + D.cols() + form.D_after.cols());
  all.reserve(form.D_before.nonZeros() + D.nonZeros() + form.D_after.nonZeros());
  Index column = 0;
  for (const SparseMatrix* part : {&form.D_before, &D, &form.D_after})
    for (Index j = 0; j < part->cols(); ++j) {
      all.startVec(column);
      for (SparseMatrix::InnerIterator entry(*part, j); entry; ++entry) all.insertBack(entry.row(), column) = entry.value();
      ++column;
    }
  all.finalize();
  return all;
}

/// C on the rows of all blocks, zero on those of foreign ones.
SparseMatrix widened(const SparseMatrix& C, const SharedForm& form, Index rows) {
  const auto first = static_cast<int>(form.D_before.cols());
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

SharedDelassus::SharedDelassus(const ConstraintSet& own, const SharedForm& form, const SparseMatrix& D,
                               const SparseMatrix& C, const MassMatrix& mass)
    : DelassusOperator(own),
      form_(form),
      all_(joined(own, form), joined(D, form), widened(C, form, form.D_before.cols() + D.cols() + form.D_after.cols()), mass,
           BlockOrder::given),
      first_block_(form.before.count()),
      first_row_(form.before.rows()),
      impulse_(Vector::Zero(all_.rows())),
      product_(split_product()) {}

std::unique_ptr<SplitProduct> SharedDelassus::split_product() const { return std::make_unique<Split>(*this); }

void SharedDelassus::find_rows(BlockSpan span, const double* w, ConstVectorRef x, VectorRef y) const {
  if (span.begin == span.end) return;
  // As pointers to the first row of all blocks, which the loops count from.
  all_.find_velocities({first_block_ + span.begin, first_block_ + span.end}, w, x.data() - first_row_,
                       y.data() - first_row_);
}

void SharedDelassus::multiply(ConstVectorRef x, VectorRef y, int threads) const {
  product_->begin(x, threads);
  parallel_ranges(threads, constraints().count(), [&](Index begin, Index end) { product_->finish({begin, end}, x, y); });
}

}  // namespace ccp
