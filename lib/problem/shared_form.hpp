#pragma once

#include <memory>

#include "core/constraints.hpp"
#include "problem/share.hpp"

namespace ccp {

class SharedDelassus;

/// What a rank knows beside its own blocks: the foreign blocks at its bodies, those of cells before its own and those of
/// cells behind. With them it has all impulses on these bodies.
struct SharedForm {
  std::shared_ptr<const Share> share;
  ConstraintSet before, after;       ///< until the operator has them
  SparseMatrix D_before, D_after;    ///< n × rows of these; so have they
  Index first_body = 0, bodies = 0;  ///< of the bodies that no other rank counts among its own
  bool compliant = false;            ///< whether a block of any rank has a compliance
  bool keeps_matrices = false;       ///< H, D and k for methods that need more than products with N

  std::shared_ptr<const SharedDelassus> delassus{};  ///< made when the problem is built
};

}  // namespace ccp
