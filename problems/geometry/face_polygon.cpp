#include "problems/geometry/face_polygon.hpp"

#include <algorithm>
#include <cmath>

#include "problems/geometry/contact.hpp"

namespace ccp {
namespace {

constexpr double equally_opposed = 1e-6;  // cosines of the angles of two faces

double cross(const Vector3& a, const Vector3& b) { return a[0] * b[1] - a[1] * b[0]; }

/// A face as its middle and the half edges from it; in its own box `axis` is normal and `along` are the axes of the edges.
struct Face {
  int axis = 0;
  int sign = 0;  ///< 1 on the positive side
  std::array<int, 2> along{};
  Vector3 middle;
  std::array<Vector3, 2> step;

  Face(const PlacedBox& box, int normal_axis, bool positive)
      : axis(normal_axis), sign(positive ? 1 : 0), along{(normal_axis + 1) % 3, (normal_axis + 2) % 3} {
    middle = box.centre + (positive ? 1.0 : -1.0) * box.half[axis] * box.axes.col(axis);
    for (std::size_t i = 0; i < 2; ++i) step[i] = box.half[along[i]] * box.axes.col(along[i]);
  }

  /// Bits of the corner at middle ± step[0] ± step[1].
  int corner_signs(double first, double second) const {
    return (sign << axis) | ((first > 0.0 ? 1 : 0) << along[0]) | ((second > 0.0 ? 1 : 0) << along[1]);
  }
  int corner(double first, double second) const { return BoxFeature::corner(corner_signs(first, second)); }
  /// The edge along step[i] on the given side of the other one.
  int edge(std::size_t i, double side) const { return BoxFeature::edge(along[i], corner_signs(side, side)); }
};

Face most_opposed(const PlacedBox& box, const Vector3& outward) {
  const Vector3 cosines = box.axes.transpose() * outward;
  int axis = 0;
  while (std::abs(cosines[axis]) < cosines.cwiseAbs().maxCoeff() - equally_opposed) ++axis;
  return {box, axis, cosines[axis] < 0.0};
}

/// Finds the corners. Points are (x, y, height) along the edges of the reference face and its normal, from its middle.
struct Clipper {
  Face reference, incident;
  Matrix3 frame;  ///< columns: the directions of x, y and height
  std::array<double, 2> half;
  Vector3 middle;               ///< of the incident face
  std::array<Vector3, 2> step;  ///< of the incident face
  double tolerance;
  std::array<FacePoint, 24>& points;
  std::size_t count = 0;

  Clipper(const PlacedBox& of_reference, int axis, const PlacedBox& of_incident, const Vector3& outward, double within,
          std::array<FacePoint, 24>& into)
      : reference(of_reference, axis, of_reference.axes.col(axis).dot(outward) > 0.0),
        incident(most_opposed(of_incident, outward)),
        tolerance(within),
        points(into) {
    frame << of_reference.axes.col(reference.along[0]), of_reference.axes.col(reference.along[1]), outward;
    half = {of_reference.half[reference.along[0]], of_reference.half[reference.along[1]]};
    middle = frame.transpose() * (incident.middle - reference.middle);
    for (std::size_t i = 0; i < 2; ++i) step[i] = frame.transpose() * incident.step[i];
  }

  void add(const Vector3& at, int reference_feature, int incident_feature) {
    const FacePoint point{reference.middle + at[0] * frame.col(0) + at[1] * frame.col(1), at[2], reference_feature,
                          incident_feature};
    for (std::size_t i = 0; i < count; ++i)
      if ((points[i].foot - point.foot).norm() <= tolerance) return;
    points[count++] = point;
  }

  void add_incident_corners() {
    for (const double i : {-1.0, 1.0})
      for (const double j : {-1.0, 1.0}) {
        const Vector3 at = middle + i * step[0] + j * step[1];
        if (std::abs(at[0]) <= half[0] + tolerance && std::abs(at[1]) <= half[1] + tolerance)
          add(at, BoxFeature::face(reference.axis, reference.sign), incident.corner(i, j));
      }
  }

  /// By how far a point lies beyond the edge line of the incident face on one side of step[across].
  double beyond(std::size_t across, double side, const Vector3& at) const {
    const Vector3& along = step[1 - across];
    const double area = cross(step[across], along);
    return (side * cross(at - middle, along) * (area < 0.0 ? -1.0 : 1.0) - std::abs(area)) / along.head<2>().norm();
  }

  void add_reference_corners() {
    const double area = cross(step[0], step[1]);  // not 0: the faces are at most acos(1/√3) apart
    for (const double i : {-1.0, 1.0})
      for (const double j : {-1.0, 1.0}) {
        Vector3 at(i * half[0], j * half[1], 0.0);
        bool inside = true;
        for (std::size_t across = 0; across < 2; ++across)
          for (const double side : {-1.0, 1.0}) inside = inside && beyond(across, side, at) <= tolerance;
        if (!inside) continue;
        const double first = cross(at - middle, step[1]) / area, second = cross(step[0], at - middle) / area;
        at[2] = middle[2] + first * step[0][2] + second * step[1][2];
        add(at, reference.corner(i, j), BoxFeature::face(incident.axis, incident.sign));
      }
  }

  /// Adds the crossing of the incident edge on one side of step[across] with the edge of the reference face on one side of
  /// coordinate `fixed`, if there is one.
  void add_crossing(std::size_t across, double side, int fixed, double reference_side) {
    const Vector3 from = middle + side * step[across] - step[1 - across];
    const Vector3 to = middle + side * step[across] + step[1 - across];
    const auto f = static_cast<std::size_t>(fixed), moving = 1 - f;
    const double line = reference_side * half[f];
    const double before = from[fixed] - line, after = to[fixed] - line;
    if ((before > 0.0) == (after > 0.0)) return;
    if (std::max(std::abs(before), std::abs(after)) <= tolerance) return;
    double farthest = 0.0;
    for (const double end : {-1.0, 1.0}) {
      Vector3 corner = Vector3::Zero();
      corner[fixed] = line;
      corner[1 - fixed] = end * half[moving];
      farthest = std::max(farthest, std::abs(beyond(across, side, corner)));
    }
    if (farthest <= tolerance) return;
    const Vector3 at = from + before / (before - after) * (to - from);
    if (std::abs(at[1 - fixed]) > half[moving] + tolerance) return;
    add(at, reference.edge(moving, reference_side), incident.edge(1 - across, side));
  }

  void add_crossings() {
    for (std::size_t across = 0; across < 2; ++across)
      for (const double side : {-1.0, 1.0})
        for (const int fixed : {0, 1})
          for (const double reference_side : {-1.0, 1.0}) add_crossing(across, side, fixed, reference_side);
  }
};

}  // namespace

FacePolygon::FacePolygon(const PlacedBox& reference, int axis, const PlacedBox& incident, const Vector3& outward,
                         double tolerance) {
  Clipper clipper(reference, axis, incident, outward, tolerance, points_);
  clipper.add_incident_corners();
  clipper.add_reference_corners();
  clipper.add_crossings();
  count_ = clipper.count;
}

}  // namespace ccp
