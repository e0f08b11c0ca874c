#pragma once

#include "core/constraints.hpp"
#include "core/types.hpp"

namespace ccp {

/// The entries of one constraint in a vector of m, padded with zeros to 3.
inline Vector3 padded_block(const ConstraintSet& set, const Vector& x, Index i) {
  if (set.rows(i) == 3) return x.segment<3>(set.offset(i));
  Vector3 value = Vector3::Zero();
  for (Index row = 0; row < set.rows(i); ++row) value[row] = x[set.offset(i) + row];
  return value;
}

/// Writes them back.
inline void put_block(const ConstraintSet& set, Vector& x, Index i, const Vector3& value) {
  if (set.rows(i) == 3)
    x.segment<3>(set.offset(i)) = value;
  else
    for (Index row = 0; row < set.rows(i); ++row) x[set.offset(i) + row] = value[row];
}

}  // namespace ccp
