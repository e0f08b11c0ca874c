#include "cones/product_cone.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "cones/friction_cone.hpp"
#include "cones/rolling_cone.hpp"
#include "core/parallel.hpp"

namespace ccp {
namespace {

template <int N>
void project_block(double* x, double mu) {
  Eigen::Map<detail::ConePoint<N>> block(x);
  block = detail::project<N>(detail::ConePoint<N>(block), mu);
}

constexpr Index batch = 64;  // blocks whose copy stays in the nearest cache

/// x: the first row of block `begin`.
void project_in_place(const ConstraintSet& constraints, Index begin, Index end, double* x) {
  const Index first = constraints.offset(begin);
  for (Index i = begin; i < end; ++i) {
    double* block = x + (constraints.offset(i) - first);
    switch (constraints.kind(i)) {
      case ConstraintKind::contact: project_block<3>(block, constraints.friction(i)); break;
      case ConstraintKind::contact2d: project_block<2>(block, constraints.friction(i)); break;
      case ConstraintKind::unilateral:
        if (*block < 0.0) *block = 0.0;
        break;
      case ConstraintKind::bilateral: break;
      default: project_rolling_cone(rolling_cone(constraints, i), block, block);
    }
  }
}

/// The first row of a block is at x.
double block_distance(const ConstraintSet& constraints, Index i, const double* x) {
  switch (constraints.kind(i)) {
    case ConstraintKind::contact:
      return distance_to_friction_cone(Vector3(Eigen::Map<const Vector3>(x)), constraints.friction(i));
    case ConstraintKind::contact2d:
      return distance_to_friction_cone(Vector2(Eigen::Map<const Vector2>(x)), constraints.friction(i));
    case ConstraintKind::unilateral: return *x >= 0.0 ? 0.0 : -*x;
    case ConstraintKind::bilateral: break;
    default: return distance_to_rolling_cone(rolling_cone(constraints, i), x);
  }
  return std::isnan(*x) ? *x : 0.0;
}

}  // namespace

void project_product(const ConstraintSet& constraints, VectorRef x, int threads) {
  assert(x.size() == constraints.rows());
  parallel_ranges(threads, constraints.count(), [&](Index begin, Index end) {
    for (Index first = begin; first < end; first += batch) {
      const Index last = std::min(first + batch, end);
      double* part = x.data() + constraints.offset(first);
      double copy[most_rows * batch];
      std::copy(part, x.data() + constraints.offsets()[uz(last)], copy);
      project_blocks(constraints, first, last, copy, part);
    }
  });
}

void project_blocks(const ConstraintSet& constraints, Index begin, Index end, const double* from, double* to) {
  if (constraints.all_contacts_3d()) {
    project_contacts(end - begin, constraints.frictions().data() + begin, from, to);
    return;
  }
  std::copy(from, from + (constraints.offsets()[uz(end)] - constraints.offset(begin)), to);
  project_in_place(constraints, begin, end, to);
}

void project_contacts(Index count, const double* friction, const double* from, double* to, const ContactLoops& loops) {
  if (loops.project(count, friction, from, to) == 0) return;
  for (Index k = 0; k < count; ++k)
    Eigen::Map<Vector3>(to + 3 * k) = project_friction_cone(Vector3(Eigen::Map<const Vector3>(from + 3 * k)), friction[k]);
}

double product_distance(const ConstraintSet& constraints, ConstVectorRef x) {
  assert(x.size() == constraints.rows());
  double worst = 0.0;
  for (Index i = 0; i < constraints.count(); ++i) {
    const double distance = block_distance(constraints, i, x.data() + constraints.offset(i));
    if (std::isnan(distance)) return distance;
    worst = std::max(worst, distance);
  }
  return worst;
}

void de_saxce_shift(const ConstraintSet& constraints, ConstVectorRef u, VectorRef out) {
  assert(u.size() == constraints.rows() && out.size() == constraints.rows());
  assert(u.size() == 0 || u.data() != out.data());
  out.setZero();
  for (Index i = 0; i < constraints.count(); ++i) {
    const Index row = constraints.offset(i);
    const double* block = u.data() + row;
    if (constraints.kind(i) == ConstraintKind::contact)
      out[row] = constraints.friction(i) * detail::tangent_norm(Vector3(Eigen::Map<const Vector3>(block)));
    else if (constraints.kind(i) == ConstraintKind::contact2d)
      out[row] = constraints.friction(i) * detail::tangent_norm(Vector2(Eigen::Map<const Vector2>(block)));
    else if (has_moments(constraints.kind(i)))
      out[row] = rolling_shift(rolling_cone(constraints, i), block);
  }
}

}  // namespace ccp
