#pragma once

#include <memory>

#include "core/constraints.hpp"
#include "problem/delassus/delassus.hpp"
#include "problem/share.hpp"

namespace ccp {

/// What a rank knows beside its own blocks: the foreign blocks at its bodies, those of cells before its own and those of
/// cells behind. With them it has all impulses on these bodies.
struct SharedForm {
  std::shared_ptr<const Share> share;
  ConstraintSet before, after;
  SparseMatrix D_before, D_after;    ///< n × rows of these
  Index first_body = 0, bodies = 0;  ///< of the bodies that no other rank counts among its own
  bool compliant = false;            ///< whether a block of any rank has a compliance

  mutable Vector impulse;                        ///< of all these blocks and its own
  std::unique_ptr<DelassusOperator> delassus{};  ///< once it was asked for
};

}  // namespace ccp
