#pragma once

#include <array>

#include "cones/projection_defect.hpp"
#include "core/block_rows.hpp"
#include "core/constraints.hpp"

/// The set of a contact with moments (A.7), K = { p_n >= 0, ‖p_i‖ <= c_i p_n for its discs i }: a tangent disc, one of
/// rolling moments and an interval of the spinning moment over the same p_n. No second-order cone, but a convex one. Its
/// dual is K* = { u_n >= Σ c_i ‖u_i‖ }. Points are the block's rows(), normal first. Units, NaN and extreme values as in
/// friction_cone.hpp; coefficients beyond 1e100 count as 1e100. No allocation.
namespace ccp {

/// One of the discs, or intervals, with the rows [first, first + size), size 1 or 2.
struct ConeDisc {
  int first = 0, size = 0;
  double radius = 0.0;  ///< c_i, over p_n = 1
};

struct RollingCone {
  int rows = 0, count = 0;
  std::array<ConeDisc, 3> disc{};
};

/// The set of a block with friction.
RollingCone rolling_cone(const ConstraintSet& constraints, Index block);

/// to <- Π_K(from) (C.4); may be the same place. A point of K stays as it is, bit for bit.
void project_rolling_cone(const RollingCone& cone, const double* from, double* to);
/// The same for a point of a fixed number of rows.
template <int Rows>
BlockVector<Rows> project_rolling_cone(const RollingCone& cone, const BlockVector<Rows>& p) {
  BlockVector<Rows> value;
  project_rolling_cone(cone, p.data(), value.data());
  return value;
}
/// An element of the generalised Jacobian of the projection, rows×rows, symmetric with eigenvalues in [0, 1].
BlockSquare rolling_cone_derivative(const RollingCone& cone, const double* p);
/// Euclidean distance to K; exactly 0 inside.
double distance_to_rolling_cone(const RollingCone& cone, const double* p);

/// The strict projection: p_n' = max(p_n, 0), then each disc of radius c_i p_n' (C.2).
void project_rolling_strict(const RollingCone& cone, const double* from, double* to);
/// An element of its generalised Jacobian, which is not symmetric; zero for p_n <= 0.
BlockSquare rolling_strict_derivative(const RollingCone& cone, const double* p);

/// Σ c_i ‖u_i‖, the correction of De Saxcé, unit of u.
double rolling_shift(const RollingCone& cone, const double* u);

/// g − Π_K(g − w) and g − T(g − u) with the strict projection T, by parts, as in projection_defect.hpp; m/s.
BlockColumn rolling_defect(const RollingCone& cone, const BlockColumn& g, const BlockColumn& u, Correction correction);
BlockColumn rolling_strict_defect(const RollingCone& cone, const BlockColumn& g, const BlockColumn& u);
/// γᵀw of one contact by parts, J.
double rolling_power(const RollingCone& cone, const double* impulse, const double* u, Correction correction);

}  // namespace ccp
