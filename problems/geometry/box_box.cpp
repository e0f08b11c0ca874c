#include "problems/geometry/box_box.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "problems/geometry/closest_points.hpp"
#include "problems/geometry/face_polygon.hpp"
#include "problems/geometry/placed_box.hpp"

namespace ccp {
namespace {

constexpr double edge_advantage = 1e-3, tie = 1e-6;  // over the shortest half length
constexpr double least_sine = 1e-6;                  // of two edges whose cross product is a direction
constexpr double rounding = 1e-9;                    // of heights over a face, over the shortest half length

struct Direction {
  int index = -1;  ///< 0 … 2: faces of the first, 3 … 5: of the second, 6 + 3 i + j: edge i of the first × edge j
  Vector3 normal = Vector3::UnitZ();  ///< from the first to the second
  double gap = -infinite;
};

class BoxPair {
 public:
  BoxPair(const Box& first, const Pose& at, const Box& second, const Pose& there, double envelope, Contacts& found)
      : first_{at.rotation, Vector3::Zero(), first.half},
        second_{there.rotation, there.position - at.position, second.half},
        origin_(at.position),
        size_(std::min(first.half.minCoeff(), second.half.minCoeff())),
        envelope_(envelope),
        found_(found) {}

  void collide();

 private:
  Direction along(int index, const Vector3& n) const;
  Direction best_face() const;
  Direction best_edges() const;
  double add_face(const Direction& face, double envelope);
  void add_face_point(const Direction& face, const FacePoint& point);
  void add_edges(const Direction& edges);
  void add_closest();
  void collide_overlapping(const Direction& face, const Direction& edges);
  void collide_apart(const Direction& face, const Direction& edges);
  FacePolygon polygon(const Direction& face) const;
  void add(ContactKind kind, int first_feature, int second_feature, const Vector3& point, const Vector3& normal, double gap);

  PlacedBox first_, second_;
  Vector3 origin_;  ///< of PlacedBox's coordinates
  double size_;     ///< what tolerances refer to, m
  double envelope_;
  Contacts& found_;
};

Direction BoxPair::along(int index, const Vector3& n) const {
  const double distance = n.dot(second_.centre);
  return {index, distance < 0.0 ? Vector3(-n) : n, std::abs(distance) - first_.reach(n) - second_.reach(n)};
}

/// The first of the directions that is as good as the best.
template <std::size_t Size>
Direction first_best(const std::array<Direction, Size>& directions, double tolerance) {
  double best = directions[0].gap;
  for (const Direction& direction : directions) best = std::max(best, direction.gap);
  return *std::find_if(directions.begin(), directions.end(),
                       [&](const Direction& direction) { return direction.gap >= best - tolerance; });
}

Direction BoxPair::best_face() const {
  std::array<Direction, 6> directions;
  for (int axis = 0; axis < 3; ++axis) {
    const auto slot = static_cast<std::size_t>(axis);
    directions[slot] = along(axis, first_.axes.col(axis));
    directions[slot + 3] = along(axis + 3, second_.axes.col(axis));
  }
  return first_best(directions, tie * size_);
}

/// Those of parallel edges have the gap −∞.
Direction BoxPair::best_edges() const {
  std::array<Direction, 9> directions;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const Vector3 cross = first_.axes.col(i).cross(second_.axes.col(j));
      const double sine = cross.norm();
      const int index = 3 * i + j;
      if (sine >= least_sine) directions[static_cast<std::size_t>(index)] = along(6 + index, cross / sine);
    }
  return first_best(directions, tie * size_);
}

void BoxPair::add(ContactKind kind, int first_feature, int second_feature, const Vector3& point, const Vector3& normal,
                  double gap) {
  Contact& contact = found_.emplace_back();
  contact.id.kind = kind;
  contact.id.feature_a = first_feature;
  contact.id.feature_b = second_feature;
  contact.point = origin_ + point;
  contact.normal = normal;
  contact.gap = gap;
}

FacePolygon BoxPair::polygon(const Direction& face) const {
  const double tolerance = tie * size_;
  return face.index < 3 ? FacePolygon(first_, face.index, second_, face.normal, tolerance)
                        : FacePolygon(second_, face.index - 3, first_, -face.normal, tolerance);
}

/// The corners of the polygon within the envelope. Returns the height of the lowest, ∞ where there is none.
double BoxPair::add_face(const Direction& face, double envelope) {
  const FacePolygon shared = polygon(face);
  double lowest = infinite;
  for (const FacePoint& point : shared.points()) {
    if (point.height > envelope) continue;
    lowest = std::min(lowest, point.height);
    add_face_point(face, point);
  }
  return lowest;
}

void BoxPair::add_face_point(const Direction& face, const FacePoint& point) {
  const bool of_first = face.index < 3;
  const Vector3 middle = point.foot + (of_first ? 0.5 : -0.5) * point.height * face.normal;
  add(ContactKind::face, of_first ? point.reference_feature : point.incident_feature,
      of_first ? point.incident_feature : point.reference_feature, middle, face.normal, point.height);
}

/// Signs of the edge along `axis` that reaches farthest in direction n.
int signs_of_edge(const PlacedBox& box, const Vector3& n) {
  int signs = 0;
  for (int axis = 0; axis < 3; ++axis)
    if (box.axes.col(axis).dot(n) > 0.0) signs |= 1 << axis;
  return signs;
}

/// The closest points of the edges that reach farthest to each other.
void BoxPair::add_edges(const Direction& edges) {
  const int i = (edges.index - 6) / 3, j = (edges.index - 6) % 3;
  const int signs = signs_of_edge(first_, edges.normal), others = signs_of_edge(second_, -edges.normal);
  Vector3 here = first_.own_corner(signs), there = second_.own_corner(others);
  here[i] = there[j] = 0.0;
  here = first_.to_world(here);
  there = second_.to_world(there);

  const Vector3 u = first_.axes.col(i), w = second_.axes.col(j), line = there - here;
  const double cosine = u.dot(w);
  // Where edges are nearly parallel, their lines may meet beyond the ends.
  double s = (u.dot(line) - cosine * w.dot(line)) / (1.0 - cosine * cosine);
  s = std::clamp(s, -first_.half[i], first_.half[i]);
  const double t = std::clamp(cosine * s - w.dot(line), -second_.half[j], second_.half[j]);
  s = std::clamp(u.dot(line) + cosine * t, -first_.half[i], first_.half[i]);
  add(ContactKind::edge, BoxFeature::edge(i, signs), BoxFeature::edge(j, others), 0.5 * (here + s * u + there + t * w),
      edges.normal, edges.gap);
}

/// For boxes whose nearest points are beside the polygon, and so apart by more than the tolerance of its corners.
void BoxPair::add_closest() {
  for (const ClosestPoints& pair : closest_points(first_, second_, tie * size_)) {
    const Vector3 line = pair.on_second - pair.on_first;
    const double distance = line.norm();
    if (distance > envelope_) continue;
    add(ContactKind::edge, pair.first_feature, pair.second_feature, 0.5 * (pair.on_first + pair.on_second), line / distance,
        distance);
  }
}

void BoxPair::collide_overlapping(const Direction& face, const Direction& edges) {
  const bool by_edges = edges.gap > face.gap + edge_advantage * size_;
  // The corners of faces that touch can be apart by rounding. A face that is hardly deeper than the edges may share nothing
  // with the other. Parallel boxes have no crossed edges.
  if (!by_edges && (add_face(face, std::max(envelope_, rounding * size_)) < infinite || edges.index < 0)) return;
  add_edges(edges);
}

void BoxPair::collide_apart(const Direction& face, const Direction& edges) {
  const double lowest = add_face(face, envelope_);
  if (lowest > std::max(face.gap, edges.gap) + edge_advantage * size_) add_closest();
}

void BoxPair::collide() {
  const Direction face = best_face();
  if (face.gap > envelope_) return;
  const Direction edges = best_edges();
  if (edges.gap > envelope_) return;
  if (std::max(face.gap, edges.gap) > 0.0)
    collide_apart(face, edges);
  else
    collide_overlapping(face, edges);
}

}  // namespace

void collide(const Box& first, const Pose& at, const Box& second, const Pose& there, double envelope, Contacts& found) {
  BoxPair(first, at, second, there, envelope, found).collide();
}

}  // namespace ccp
