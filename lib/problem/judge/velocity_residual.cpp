#include "problem/judge/velocity_residual.hpp"

#include "cones/product_cone.hpp"

namespace ccp {

double velocity_residual(const ConstraintSet& set, const Vector& steps, const Vector& impulse,
                         const Vector& corrected_velocity, Vector& projected) {
  for (Index i = 0; i < set.count(); ++i) {
    const Index offset = set.offset(i), rows = set.rows(i);
    projected.segment(offset, rows) = impulse.segment(offset, rows) - steps[i] * corrected_velocity.segment(offset, rows);
  }
  project_product(set, projected);
  double largest = 0.0;
  for (Index i = 0; i < set.count(); ++i) {
    const Index offset = set.offset(i), rows = set.rows(i);
    largest = max_or_nan(largest, (impulse.segment(offset, rows) - projected.segment(offset, rows)).norm() / steps[i]);
  }
  return largest;
}

}  // namespace ccp
