#include "problem/delassus/jacobian_columns.hpp"

#include <algorithm>

#include "core/freed_memory.hpp"

namespace ccp {
namespace {

constexpr Index least_passed = 1 << 15;  // some megabytes

/// Gives back the entries of some columns of a compressed matrix.
void discard_columns(SparseMatrix& D, Index first, Index last) {
  const int begin = D.outerIndexPtr()[first];
  const auto count = uz(D.outerIndexPtr()[last] - begin);
  discard(D.valuePtr() + begin, count * sizeof(double));
  discard(D.innerIndexPtr() + begin, count * sizeof(int));
}

}  // namespace

void JacobianColumns::passed(Index column) {
  for (Part& part : parts_) {
    if (column <= 0) return;
    const Index here = std::min(column, part.cols);
    column -= part.cols;
    if (part.consumed == nullptr) continue;
    if (here == part.cols) {
      SparseMatrix().swap(*part.consumed);
      part.consumed = nullptr;
    } else if (here - part.gone >= least_passed) {
      discard_columns(*part.consumed, part.gone, here);
      part.gone = here;
    }
  }
}

}  // namespace ccp
