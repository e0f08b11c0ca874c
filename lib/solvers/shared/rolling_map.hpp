#pragma once

#include <vector>

#include "cones/rolling_cone.hpp"
#include "problem/model.hpp"

namespace ccp {

using Matrix6 = Eigen::Matrix<double, 6, 6>;

/// A contact with moments in vectors padded to three entries a block of ConstraintSet::narrow(): where it is, and the map P
/// of (H.2), for ncp the strict projection with the plain u, for ccp the Euclidean one.
struct RollingBlock {
  Index first, last;  ///< its blocks; the same one where it has three rows
  RollingCone cone;

  BlockColumn of(const Vector& x) const { return x.segment(3 * first, cone.rows); }
  void put(const BlockColumn& value, Vector& x) const { x.segment(3 * first, cone.rows) = value; }
  BlockColumn value(Model model, const BlockColumn& s) const {
    BlockColumn result(cone.rows);
    if (model == Model::ccp)
      project_rolling_cone(cone, s.data(), result.data());
    else
      project_rolling_strict(cone, s.data(), result.data());
    return result;
  }
  /// An element of the generalised Jacobian, in the leading corner; zero elsewhere.
  Matrix6 derivative(Model model, const BlockColumn& s) const {
    Matrix6 result = Matrix6::Zero();
    result.topLeftCorner(cone.rows, cone.rows) =
        model == Model::ccp ? rolling_cone_derivative(cone, s.data()) : rolling_strict_derivative(cone, s.data());
    return result;
  }
};

/// Those of a set, in its order.
inline std::vector<RollingBlock> rolling_blocks(const ConstraintSet& set) {
  std::vector<RollingBlock> list;
  Index first = 0;
  for (Index i = 0; i < set.count(); ++i) {
    const Index last = first + (set.rows(i) > 3 ? 1 : 0);
    if (has_moments(set.kind(i))) list.push_back({first, last, rolling_cone(set, i)});
    first = last + 1;
  }
  return list;
}

/// A contact has one weight for all its rows: the mean of those of its blocks, by rows.
inline void share_weights(const std::vector<RollingBlock>& blocks, Vector& weight) {
  for (const RollingBlock& block : blocks) {
    if (block.last == block.first) continue;
    const double rest = block.cone.rows - 3;
    const double mean = (3.0 * weight[block.first] + rest * weight[block.last]) / block.cone.rows;
    weight[block.first] = weight[block.last] = mean;
  }
}

}  // namespace ccp
