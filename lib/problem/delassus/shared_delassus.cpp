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

/// D of all blocks while the operator is made of it, in place of the parts, which are there again afterwards: a rank is
/// never large enough for both and the operator.
class JoinedColumns {
 public:
  JoinedColumns(SparseMatrix& D, SharedForm& form) : own_(D), form_(form), before_(form.D_before.cols()), cols_(D.cols()) {
    all_.resize(D.rows(), before_ + cols_ + form.D_after.cols());
    all_.reserve(form.D_before.nonZeros() + D.nonZeros() + form.D_after.nonZeros());
    Index column = 0;
    for (SparseMatrix* part : {&form.D_before, &D, &form.D_after}) {
      for (Index j = 0; j < part->cols(); ++j) {
        all_.startVec(column);
        for (SparseMatrix::InnerIterator entry(*part, j); entry; ++entry)
          all_.insertBack(entry.row(), column) = entry.value();
        ++column;
      }
      SparseMatrix().swap(*part);
    }
    all_.finalize();
  }
  ~JoinedColumns() {
    form_.D_before = all_.leftCols(before_);
    form_.D_after = all_.rightCols(all_.cols() - before_ - cols_);
    own_.swap(all_);
    keep_columns(own_, before_, cols_);
  }
  JoinedColumns(const JoinedColumns&) = delete;
  JoinedColumns& operator=(const JoinedColumns&) = delete;
  const SparseMatrix& all() const { return all_; }

 private:
  /// Without a copy of the others.
  static void keep_columns(SparseMatrix& matrix, Index first, Index count) {
    int* start = matrix.outerIndexPtr();
    const int begin = start[first], end = start[first + count];
    std::copy(matrix.valuePtr() + begin, matrix.valuePtr() + end, matrix.valuePtr());
    std::copy(matrix.innerIndexPtr() + begin, matrix.innerIndexPtr() + end, matrix.innerIndexPtr());
    for (Index j = 0; j <= count; ++j) start[j] = start[first + j] - begin;
    matrix.conservativeResize(matrix.rows(), count);
    matrix.data().resize(end - begin);
  }

  SparseMatrix& own_;
  SharedForm& form_;
  SparseMatrix all_;
  Index before_, cols_;
};

/// C on the rows of all blocks, zero on those of foreign ones.
SparseMatrix widened(const SparseMatrix& C, const SharedForm& form) {
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
                               const MassMatrix& mass)
    : DelassusOperator(own),
      form_(form),
      all_(joined(own, form), JoinedColumns(D, form).all(), widened(C, form), mass, BlockOrder::given),
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
