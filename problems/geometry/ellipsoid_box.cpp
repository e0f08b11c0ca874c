#include <algorithm>
#include <cmath>

#include "problems/geometry/ellipsoid.hpp"
#include "problems/geometry/separation.hpp"

namespace ccp {
namespace {

constexpr double border = 1e-9;  // how far a foot or a direction may lie outside its feature, which the next one shares

/// The best direction from the box to the ellipsoid so far, in the frame of the box.
struct Best {
  Vector3 outward = Vector3::UnitZ();
  double gap = -infinite;

  void offer(const Vector3& direction, double value) {
    if (value > gap) *this = {direction, value};
  }
};

/// The pair in the frame of the box.
struct InBox {
  Matrix3 image;
  Vector3 centre;
  Vector3 half;
  double slack;  ///< m

  InBox(const Ellipsoid& ellipsoid, const Pose& at, const Box& box, const Pose& there)
      : image(there.rotation.transpose() * image_of_ball(ellipsoid, at)),
        centre(there.rotation.transpose() * (at.position - there.position)),
        half(box.half),
        slack(border * (box.half.maxCoeff() + ellipsoid.radii.maxCoeff())) {}

  /// The point of the ellipsoid nearest to a feature whose direction is n.
  Vector3 foot(const Vector3& n) const { return centre - Support(image, n).foot; }
};

double sign_of(int signs, Index axis) { return ((signs >> axis) & 1) != 0 ? 1.0 : -1.0; }

struct Faces {
  Best any;               ///< of all six
  Best on_face;           ///< of those that hold the foot
  bool is_least = false;  ///< no other direction has a larger gap than on_face
};

Faces try_faces(const InBox& pair) {
  Faces faces;
  for (Index axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0}) {
      const Vector3 n = side * Vector3::Unit(axis), foot = pair.foot(n);
      const double gap = side * foot[axis] - pair.half[axis];
      faces.any.offer(n, gap);
      Vector3 inside = pair.half - foot.cwiseAbs();  // distance of the foot from the other faces
      inside[axis] = pair.half[axis] + side * foot[axis];
      const double margin = inside.minCoeff();
      inside[axis] = 0.0;
      if (inside.minCoeff() < -pair.slack || gap <= faces.on_face.gap) continue;
      faces.on_face.offer(n, gap);
      // Whatever parts the two must bring the foot out of the box.
      faces.is_least = gap >= 0.0 || -gap <= margin;
    }
  return faces;
}

/// From a corner or edge the direction starts towards the centre as far as the faces beside it let it.
template <typename Direction>
Direction start_between(const Direction& towards, const Direction& sides) {
  Direction start = towards;
  for (Index i = 0; i < start.size(); ++i)
    if (start[i] * sides[i] < 0.0) start[i] = 0.0;
  const double length = start.norm();
  return length > 0.0 ? Direction(start / length) : Direction(sides.normalized());
}

void try_edges(const InBox& pair, Best& best) {
  for (Index axis = 0; axis < 3; ++axis) {
    const Index i = (axis + 1) % 3, j = (axis + 2) % 3;
    Matrix32 B;
    B << pair.image.row(i).transpose(), pair.image.row(j).transpose();
    for (int signs = 0; signs < 4; ++signs) {
      const Vector2 sides(sign_of(signs, 0), sign_of(signs, 1));
      const Vector2 d(pair.centre[i] - sides[0] * pair.half[i], pair.centre[j] - sides[1] * pair.half[j]);
      const CircleMaximum apart = maximise_on_circle(B, d, -1.0, start_between(d, sides));
      if (apart.normal.cwiseProduct(sides).minCoeff() < -border) continue;
      const Vector3 n = apart.normal[0] * Vector3::Unit(i) + apart.normal[1] * Vector3::Unit(j);
      if (std::abs(pair.foot(n)[axis]) > pair.half[axis] + pair.slack) continue;
      best.offer(n, apart.value);
    }
  }
}

void try_corners(const InBox& pair, Best& best) {
  for (int signs = 0; signs < 8; ++signs) {
    const Vector3 sides(sign_of(signs, 0), sign_of(signs, 1), sign_of(signs, 2));
    const Vector3 d = pair.centre - sides.cwiseProduct(pair.half);
    const Separation apart = separate(pair.image, Matrix3::Zero(), d, start_between(d, sides));
    if (apart.normal.cwiseProduct(sides).minCoeff() >= -border) best.offer(apart.normal, apart.gap);
  }
}

}  // namespace

void collide(const Ellipsoid& ellipsoid, const Pose& at, const Box& box, const Pose& there, double envelope,
             Contacts& found) {
  const InBox pair(ellipsoid, at, box, there);
  const Faces faces = try_faces(pair);
  if (faces.any.gap > envelope) return;
  Best best = faces.on_face;
  if (!faces.is_least) try_edges(pair, best);
  if (!faces.is_least && best.gap < 0.0) try_corners(pair, best);  // a positive gap is the only one
  if (best.gap == -infinite) best = faces.any;
  if (best.gap > envelope) return;

  Contact& contact = found.emplace_back();
  contact.normal = -(there.rotation * best.outward);
  contact.gap = best.gap;
  contact.point = there.position + there.rotation * (pair.foot(best.outward) - 0.5 * best.gap * best.outward);
}

}  // namespace ccp
