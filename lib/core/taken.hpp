#pragma once

#include "core/types.hpp"

namespace ccp {

/// The matrix itself, which is empty then: std::move copies a sparse matrix of Eigen 3.4.
inline SparseMatrix taken(SparseMatrix& matrix) {
  SparseMatrix result;
  result.swap(matrix);
  return result;
}

}  // namespace ccp
