#include "cones/product_cone.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "cones/contact_projection.hpp"
#include "cones/friction_cone.hpp"
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
    }
  }
}

/// max over the blocks of block_distance(i, first entry of block i); the first NaN wins.
template <typename BlockDistance>
double largest(const ConstraintSet& constraints, ConstVectorRef x, const BlockDistance& block_distance) {
  assert(x.size() == constraints.rows());
  double worst = 0.0;
  for (Index i = 0; i < constraints.count(); ++i) {
    const double distance = block_distance(i, x.data() + constraints.offset(i));
    if (std::isnan(distance)) return distance;
    if (distance > worst) worst = distance;
  }
  return worst;
}

double distance_below_zero(double value) { return value >= 0.0 ? 0.0 : -value; }

}  // namespace

void project_product(const ConstraintSet& constraints, VectorRef x, int threads) {
  assert(x.size() == constraints.rows());
  parallel_ranges(threads, constraints.count(), [&](Index begin, Index end) {
    for (Index first = begin; first < end; first += batch) {
      const Index last = std::min(first + batch, end);
      double* part = x.data() + constraints.offset(first);
      double copy[3 * batch];
      std::copy(part, x.data() + constraints.offsets()[static_cast<std::size_t>(last)], copy);
      project_blocks(constraints, first, last, copy, part);
    }
  });
}

void project_blocks(const ConstraintSet& constraints, Index begin, Index end, const double* from, double* to) {
  if (constraints.all_contacts_3d()) {
    project_contacts(end - begin, constraints.frictions().data() + begin, from, to);
    return;
  }
  std::copy(from, from + (constraints.offsets()[static_cast<std::size_t>(end)] - constraints.offset(begin)), to);
  project_in_place(constraints, begin, end, to);
}

double product_distance(const ConstraintSet& constraints, ConstVectorRef x) {
  return largest(constraints, x, [&](Index i, const double* block) {
    switch (constraints.kind(i)) {
      case ConstraintKind::contact:
        return distance_to_friction_cone(Vector3(Eigen::Map<const Vector3>(block)), constraints.friction(i));
      case ConstraintKind::contact2d:
        return distance_to_friction_cone(Vector2(Eigen::Map<const Vector2>(block)), constraints.friction(i));
      case ConstraintKind::unilateral: return distance_below_zero(*block);
      case ConstraintKind::bilateral: break;
    }
    return std::isnan(*block) ? *block : 0.0;
  });
}

double product_dual_distance(const ConstraintSet& constraints, ConstVectorRef u) {
  return largest(constraints, u, [&](Index i, const double* block) {
    switch (constraints.kind(i)) {
      case ConstraintKind::contact:
        return distance_to_dual_cone(Vector3(Eigen::Map<const Vector3>(block)), constraints.friction(i));
      case ConstraintKind::contact2d:
        return distance_to_dual_cone(Vector2(Eigen::Map<const Vector2>(block)), constraints.friction(i));
      case ConstraintKind::unilateral: return distance_below_zero(*block);
      case ConstraintKind::bilateral: break;
    }
    return std::abs(*block);
  });
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
  }
}

}  // namespace ccp
