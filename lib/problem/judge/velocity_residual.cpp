#include "problem/judge/velocity_residual.hpp"

#include <algorithm>

#include "cones/rolling_cone.hpp"

namespace ccp {

Vector3 narrow_defect(const ConstraintSet& set, Index i, double step, const Vector& impulse, const Vector& u,
                      Correction correction) {
  const Index row = set.offset(i);
  switch (set.kind(i)) {
    case ConstraintKind::contact:
      return projection_defect<3>(impulse.segment<3>(row) / step, u.segment<3>(row), set.friction(i), correction);
    case ConstraintKind::contact2d: {
      const Vector2 defect =
          projection_defect<2>(impulse.segment<2>(row) / step, u.segment<2>(row), set.friction(i), correction);
      return {defect[0], defect[1], 0.0};
    }
    case ConstraintKind::unilateral: {
      const double g = impulse[row] / step;
      return {std::isnan(g) || g < u[row] ? g : u[row], 0.0, 0.0};
    }
    default: break;
  }
  return {u[row] + 0.0 * impulse[row], 0.0, 0.0};  // an impulse that is not finite shows
}

BlockColumn block_defect(const ConstraintSet& set, Index i, double step, const Vector& impulse, const Vector& u,
                         Correction correction) {
  if (!has_moments(set.kind(i))) return narrow_defect(set, i, step, impulse, u, correction);
  const Index row = set.offset(i), rows = set.rows(i);
  return rolling_defect(rolling_cone(set, i), impulse.segment(row, rows) / step, u.segment(row, rows), correction);
}

double block_power(const ConstraintSet& set, Index i, const Vector& impulse, const Vector& u, Correction correction) {
  const Index row = set.offset(i);
  switch (set.kind(i)) {
    case ConstraintKind::contact:
      return contact_power<3>(impulse.segment<3>(row), u.segment<3>(row), set.friction(i), correction);
    case ConstraintKind::contact2d:
      return contact_power<2>(impulse.segment<2>(row), u.segment<2>(row), set.friction(i), correction);
    case ConstraintKind::unilateral:
    case ConstraintKind::bilateral: break;
    default: return rolling_power(rolling_cone(set, i), &impulse[row], &u[row], correction);
  }
  return impulse[row] * u[row];
}

double velocity_residual(const ConstraintSet& set, const Vector& steps, const Vector& impulse, const Vector& u,
                         Correction correction) {
  double largest = 0.0;
  for (Index i = 0; i < set.count(); ++i)
    largest = max_or_nan(largest, std::sqrt(defect_square(set, i, steps[i], impulse, u, correction)));
  return largest;
}

}  // namespace ccp
