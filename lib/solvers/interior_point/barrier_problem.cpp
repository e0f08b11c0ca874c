#include "solvers/interior_point/barrier_problem.hpp"

#include <algorithm>
#include <cmath>

#include "cones/rolling_cone.hpp"
#include "problem/block_scale.hpp"
#include "problem/conversion.hpp"

namespace ccp {

BarrierProblem::BarrierProblem(const ContactProblem& problem, bool with_correction) : corrected(with_correction) {
  split(problem.constraints());
  scale.setZero(size());
  curvature.setOnes(size());
  active.resize(uz(count()));
  const Vector diagonal = delassus_diagonal(problem);
  step = block_steps(problem.constraints(), diagonal);
  for (Index i = 0; i < count(); ++i) {
    const double mu = constraints.friction(i);
    const bool friction = has_friction(constraints.kind(i)) && mu > 0.0;
    const Index rows = friction ? constraints.rows(i) : 1;
    Vector3 factor(1.0, mu, mu);
    double mean = 0.0;
    for (Index c = 0; c < rows; ++c) mean += factor[c] * factor[c] * diagonal[row[uz(3 * i + c)]];
    mean /= static_cast<double>(rows);
    factor /= mean > 0.0 ? std::sqrt(mean) : 1.0;
    scale.segment(3 * i, rows) = factor.head(rows);
    for (Index c = 0; c < rows; ++c) {
      const double own = factor[c] * factor[c] * diagonal[row[uz(3 * i + c)]];
      if (own > 0.0) curvature[3 * i + c] = own;
    }
    active[uz(i)] = static_cast<int>(rows);
    if (!bilateral(i)) ++cones;
  }
}

void BarrierProblem::split(const ConstraintSet& given) {
  const auto add = [this](ConstraintKind kind, double mu, Index normal, Index tangent) {
    constraints.add(kind, mu);
    row.insert(row.end(), {normal, tangent, tangent + 1});
  };
  for (Index i = 0; i < given.count(); ++i) {
    const Index first = given.offset(i);
    if (!has_moments(given.kind(i))) {
      add(given.kind(i), given.friction(i), first, first + 1);
      continue;
    }
    const RollingCone cone = rolling_cone(given, i);
    splits.push_back({count(), count() + cone.count});
    links += cone.count - 1;
    for (int d = 0; d < cone.count; ++d) {
      const ConeDisc& disc = cone.disc[uz(d)];
      add(disc.size == 2 ? ConstraintKind::contact : ConstraintKind::contact2d, disc.radius, first, first + disc.first);
    }
  }
}

void BarrierProblem::to_scaled_velocity(const Vector& u, Vector& padded) const {
  padded.setZero(size());
  for (Index i = 0; i < count(); ++i)
    for (Index c = 0; c < active[uz(i)]; ++c) padded[3 * i + c] = scale[3 * i + c] * u[row[uz(3 * i + c)]];
  for (const Split& own : splits)
    for (Index i = own.first + 1; i < own.last; ++i) padded[3 * i] = 0.0;
}

void BarrierProblem::to_scaled_impulse(const Vector& gamma, Vector& padded) const {
  padded.setZero(size());
  for (Index i = 0; i < count(); ++i)
    for (Index c = 0; c < active[uz(i)]; ++c) padded[3 * i + c] = gamma[row[uz(3 * i + c)]] / scale[3 * i + c];
}

void BarrierProblem::to_impulse(const Vector& lambda, Vector& gamma) const {
  for (Index i = 0; i < count(); ++i)
    for (Index c = 0; c < constraints.rows(i); ++c) gamma[row[uz(3 * i + c)]] = scale[3 * i + c] * lambda[3 * i + c];
  for (const Split& own : splits)
    for (Index i = own.first; i < own.last; ++i) {
      double& normal = gamma[row[uz(3 * i)]];
      normal = std::max(normal, scale[3 * i] * lambda[3 * i]);
    }
}

}  // namespace ccp
