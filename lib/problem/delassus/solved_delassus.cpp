#include "problem/delassus/solved_delassus.hpp"

#include <utility>

#include "core/parallel.hpp"

namespace ccp {

SolvedDelassus::SolvedDelassus(ConstraintSet set, const SparseMatrix& D, const SparseMatrix& C, const MassMatrix& mass,
                               std::vector<BlockSquare> diagonal)
    : DelassusOperator(std::move(set)), D_(D), C_(C), mass_(mass), diagonal_(std::move(diagonal)) {
  scratch_.setZero(D.rows());
}

/// v += D x of the blocks of a span.
void SolvedDelassus::add_momentum(BlockSpan span, ConstVectorRef x, Vector& v) const {
  for (Index j = constraints().offsets()[uz(span.begin)]; j < constraints().offsets()[uz(span.end)]; ++j)
    for (SparseMatrix::InnerIterator entry(D_, j); entry; ++entry) v[entry.row()] += entry.value() * x[j];
}

/// y = Dᵀv + C x of the blocks of a span; C is symmetric, and has no entries between blocks.
void SolvedDelassus::find_rows(BlockSpan span, const Vector& v, ConstVectorRef x, VectorRef y) const {
  for (Index j = constraints().offsets()[uz(span.begin)]; j < constraints().offsets()[uz(span.end)]; ++j) {
    double sum = 0.0;
    for (SparseMatrix::InnerIterator entry(D_, j); entry; ++entry) sum += entry.value() * v[entry.row()];
    if (C_.nonZeros() > 0)
      for (SparseMatrix::InnerIterator entry(C_, j); entry; ++entry) sum += entry.value() * x[entry.row()];
    y[j] = sum;
  }
}

void SolvedDelassus::multiply(ConstVectorRef x, VectorRef y, int threads) const {
  scratch_.setZero();
  add_momentum(all(), x, scratch_);
  mass_.solve(scratch_, scratch_);
  parallel_ranges(threads, constraints().count(), [&](Index begin, Index end) { find_rows({begin, end}, scratch_, x, y); });
}

/// The first half ends with the last span.
class SolvedDelassus::Split final : public SplitProduct {
 public:
  explicit Split(const SolvedDelassus& N) : N_(N), v_(Vector::Zero(N.D_.rows())) {}
  void begin(ConstVectorRef x, int) override {
    v_.setZero();
    feed(N_.all(), x);
  }
  void begin() override { v_.setZero(); }
  void feed(BlockSpan span, ConstVectorRef x) override {
    N_.add_momentum(span, x, v_);
    if (span.end == N_.constraints().count()) N_.mass_.solve(v_, v_);
  }
  void finish(BlockSpan span, ConstVectorRef x, VectorRef y) const override { N_.find_rows(span, v_, x, y); }
  std::span<const double> root() const override { return {}; }

 private:
  const SolvedDelassus& N_;
  Vector v_;
};

std::unique_ptr<SplitProduct> SolvedDelassus::split_product() const { return std::make_unique<Split>(*this); }

std::size_t SolvedDelassus::bytes() const {
  return uz(D_.nonZeros() + C_.nonZeros()) * (sizeof(double) + sizeof(int)) +
         uz(mass_.factor_nonzeros() + scratch_.size()) * sizeof(double) + diagonal_.size() * sizeof(BlockSquare);
}

}  // namespace ccp
