#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "cones/friction_cone.hpp"
#include "core/constraints.hpp"
#include "core/types.hpp"
#include "support/uniform.hpp"

namespace ccp::testing {

inline const std::vector<double> frictions{0.0, 1e-8, 0.1, 0.5, 1.0, 3.0, 1e8};

template <typename Point>
double tangent(const Point& p) {
  return p.template tail<Point::SizeAtCompileTime - 1>().norm();
}

/// Euclidean projections on K° and K*, by Moreau's decomposition.
template <typename Point>
Point project_polar_cone(const Point& p, double mu) {
  return p - project_friction_cone(p, mu);
}
template <typename Point>
Point project_dual_cone(const Point& p, double mu) {
  return -project_polar_cone(Point(-p), mu);
}

/// Equal as bit patterns: tells -0 from 0, and a NaN equals itself.
template <typename Vector>
bool same_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

/// Blocks of all kinds, their order and frictions drawn at random.
inline ConstraintSet mixed_constraints(int count, std::uint64_t seed) {
  Uniform uniform(seed);
  ConstraintSet constraints;
  for (int i = 0; i < count; ++i)
    constraints.add(static_cast<ConstraintKind>(static_cast<int>(uniform(0.0, 4.0))), uniform(0.0, 1.5));
  return constraints;
}

inline ConstraintSet contacts_of(ConstraintKind kind, int count, std::uint64_t seed) {
  Uniform uniform(seed);
  ConstraintSet constraints;
  for (int i = 0; i < count; ++i) constraints.add(kind, uniform(0.0, 1.5));
  return constraints;
}
inline ConstraintSet contacts_3d(int count, std::uint64_t seed) { return contacts_of(ConstraintKind::contact, count, seed); }

}  // namespace ccp::testing
