#include "solvers/interior_point/barrier_problem.hpp"

#include <cmath>

#include "problem/block_scale.hpp"
#include "problem/conversion.hpp"

namespace ccp {

BarrierProblem::BarrierProblem(const ContactProblem& problem, bool with_correction)
    : constraints(problem.constraints()), corrected(with_correction) {
  scale.setZero(size());
  curvature.setOnes(size());
  active.resize(uz(count()));
  const Vector diagonal = delassus_diagonal(problem);
  step = block_steps(constraints, diagonal);
  for (Index i = 0; i < count(); ++i) {
    const double mu = constraints.friction(i);
    const bool friction = has_friction(constraints.kind(i)) && mu > 0.0;
    const Index rows = friction ? constraints.rows(i) : 1;
    Vector3 factor(1.0, mu, mu);
    double mean = 0.0;
    for (Index c = 0; c < rows; ++c) mean += factor[c] * factor[c] * diagonal[constraints.offset(i) + c];
    mean /= static_cast<double>(rows);
    factor /= mean > 0.0 ? std::sqrt(mean) : 1.0;
    scale.segment(3 * i, rows) = factor.head(rows);
    for (Index c = 0; c < rows; ++c) {
      const double own = factor[c] * factor[c] * diagonal[constraints.offset(i) + c];
      if (own > 0.0) curvature[3 * i + c] = own;
    }
    active[uz(i)] = static_cast<int>(rows);
    if (!bilateral(i)) ++cones;
  }
}

void BarrierProblem::to_scaled_velocity(const Vector& u, Vector& padded) const {
  padded.setZero(size());
  for (Index i = 0; i < count(); ++i)
    for (Index c = 0; c < active[uz(i)]; ++c) padded[3 * i + c] = scale[3 * i + c] * u[constraints.offset(i) + c];
}

void BarrierProblem::to_scaled_impulse(const Vector& gamma, Vector& padded) const {
  padded.setZero(size());
  for (Index i = 0; i < count(); ++i)
    for (Index c = 0; c < active[uz(i)]; ++c) padded[3 * i + c] = gamma[constraints.offset(i) + c] / scale[3 * i + c];
}

void BarrierProblem::to_impulse(const Vector& lambda, Vector& gamma) const {
  for (Index i = 0; i < count(); ++i)
    for (Index c = 0; c < constraints.rows(i); ++c) gamma[constraints.offset(i) + c] = scale[3 * i + c] * lambda[3 * i + c];
}

}  // namespace ccp
