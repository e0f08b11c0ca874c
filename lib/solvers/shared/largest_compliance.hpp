#pragma once

#include <algorithm>
#include <cmath>

#include "problem/contact_problem.hpp"

namespace ccp {

/// c_i of each block, m/(s·N·s): no eigenvalue of C_ii is larger (row sums); C_ii itself of a single row.
inline Vector largest_compliance(const ConstraintSet& set, const SparseMatrix& C) {
  Vector largest = Vector::Zero(set.count());
  if (C.nonZeros() == 0) return largest;
  for (Index i = 0; i < set.count(); ++i)
    for (Index row = set.offset(i); row < set.offset(i) + set.rows(i); ++row) {
      double sum = 0.0;
      for (SparseMatrix::InnerIterator entry(C, row); entry; ++entry) sum += std::abs(entry.value());
      largest[i] = std::max(largest[i], sum);
    }
  return largest;
}
inline Vector largest_compliance(const ContactProblem& problem) {
  return largest_compliance(problem.constraints(), problem.global().C);
}

}  // namespace ccp
