#include "core/constraints.hpp"

namespace ccp {

void ConstraintSet::add(ConstraintKind kind, double friction, const MomentFriction& moments) {
  kinds_.push_back(kind);
  frictions_.push_back(has_friction(kind) ? friction : 0.0);
  offsets_.push_back(offsets_.back() + constraint_rows(kind));
  ++counts_[uz(kind)];
  if (ccp::has_moments(kind)) moments_.resize(kinds_.size() - 1);
  if (ccp::has_moments(kind) || !moments_.empty()) moments_.push_back(ccp::has_moments(kind) ? moments : no_moments);
}

ConstraintSet ConstraintSet::narrow() const {
  if (!has_moments()) return *this;
  ConstraintSet set;
  for (Index i = 0; i < count(); ++i) {
    const int rest = constraint_rows(kind(i)) - 3;
    set.add(ccp::has_moments(kind(i)) ? ConstraintKind::contact : kind(i), friction(i));
    if (rest == 3) set.add(ConstraintKind::contact);
    if (rest == 2) set.add(ConstraintKind::contact2d);
    if (rest == 1) set.add(ConstraintKind::unilateral);
  }
  return set;
}

}  // namespace ccp
