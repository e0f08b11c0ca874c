#pragma once

#include <algorithm>

#include "problem/contact_problem.hpp"

/// Whether two problems in global form hold the same numbers, to the last bit of each.
inline bool same_bytes(const ccp::ContactProblem& a, const ccp::ContactProblem& b) {
  const auto same = [](const ccp::SparseMatrix& x, const ccp::SparseMatrix& y) {
    return x.rows() == y.rows() && x.cols() == y.cols() && x.nonZeros() == y.nonZeros() &&
           std::equal(x.valuePtr(), x.valuePtr() + x.nonZeros(), y.valuePtr()) &&
           std::equal(x.innerIndexPtr(), x.innerIndexPtr() + x.nonZeros(), y.innerIndexPtr()) &&
           std::equal(x.outerIndexPtr(), x.outerIndexPtr() + x.outerSize() + 1, y.outerIndexPtr());
  };
  return same(a.global().H, b.global().H) && same(a.global().D, b.global().D) && a.global().k == b.global().k &&
         a.global().b == b.global().b && a.constraints() == b.constraints();
}
