#include "core/constraints.hpp"

namespace ccp {

void ConstraintSet::add(ConstraintKind kind, double friction) {
  kinds_.push_back(kind);
  frictions_.push_back(has_friction(kind) ? friction : 0.0);
  offsets_.push_back(offsets_.back() + constraint_rows(kind));
  ++counts_[uz(kind)];
}

}  // namespace ccp
