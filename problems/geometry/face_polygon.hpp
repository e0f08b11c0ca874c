#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "problems/geometry/placed_box.hpp"

namespace ccp {

/// A corner of the polygon that a face of one box, the reference, shares with the projected face of another, the incident.
struct FacePoint {
  Vector3 foot = Vector3::Zero();  ///< on the reference face, in the coordinates of PlacedBox
  double height = 0.0;             ///< of the incident face over it, m; negative where the boxes overlap
  int reference_feature = 0;       ///< BoxFeature
  int incident_feature = 0;
};

/// The incident face is the one most opposed to `outward`. The corners of the polygon are, in this order, its corners over
/// the reference face, corners of the reference face under it, and crossings of the edges of both. Of corners within
/// `tolerance` (m) of each other the first one is kept; edges within it along each other do not cross.
class FacePolygon {
 public:
  /// axis: of the reference face; outward: its unit normal, away from the reference box.
  FacePolygon(const PlacedBox& reference, int axis, const PlacedBox& incident, const Vector3& outward, double tolerance);

  std::span<const FacePoint> points() const { return {points_.data(), count_}; }

 private:
  std::array<FacePoint, 24> points_;  ///< 4 + 4 + 16 candidates
  std::size_t count_ = 0;
};

}  // namespace ccp
