#include "core/constraints.hpp"

namespace ccp {

std::string_view constraint_kind_name(ConstraintKind kind) {
  switch (kind) {
    case ConstraintKind::contact: return "contact";
    case ConstraintKind::contact2d: return "contact2d";
    case ConstraintKind::unilateral: return "unilateral";
    case ConstraintKind::bilateral: return "bilateral";
  }
  return "";
}

void ConstraintSet::add(ConstraintKind kind, double friction) {
  kinds_.push_back(kind);
  frictions_.push_back(has_friction(kind) ? friction : 0.0);
  offsets_.push_back(offsets_.back() + constraint_rows(kind));
  ++counts_[static_cast<std::size_t>(kind)];
}

}  // namespace ccp
