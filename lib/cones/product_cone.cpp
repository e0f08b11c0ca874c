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

void project_blocks(const ConstraintSet& constraints, double* x, Index begin, Index end) {
  for (Index i = begin; i < end; ++i) {
    double* block = x + constraints.offset(i);
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

constexpr Index batch = 64;  // contacts whose copy stays in the nearest cache

void project_batch(const ConstraintSet& contacts, double* x, Index begin, Index end) {
  double copy[3 * batch];
  std::copy(x + 3 * begin, x + 3 * end, copy);
  project_contacts(end - begin, contacts.frictions().data() + begin, copy, x + 3 * begin);
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
  double* data = x.data();
  if (constraints.all_contacts_3d()) {
    parallel_ranges(threads, constraints.count(), [&](Index begin, Index end) {
      for (Index i = begin; i < end; i += batch) project_batch(constraints, data, i, std::min(i + batch, end));
    });
    return;
  }
  parallel_ranges(threads, constraints.count(),
                  [&](Index begin, Index end) { project_blocks(constraints, data, begin, end); });
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
