#include "problems/distance_field/convex_hull.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "problems/finite_elements/triangle_tree.hpp"

namespace ccp {
namespace {

constexpr double relative_tolerance = 1e-7;  // of the size: nearer points are on a plane

struct HullFace {
  std::array<int, 3> corners;
  Vector3 normal;
  double height = 0.0;
  std::vector<int> outside{};  ///< points that no face before it sees
  int farthest = -1;
  double reach = 0.0;  ///< of the farthest
};

class HullMaker {
 public:
  explicit HullMaker(const std::vector<Vector3>& points) : points_(points) { start(); }

  TriangleMesh grown(int most_corners) {
    for (int corners = 4; corners < most_corners; ++corners) {
      const auto next = std::max_element(faces_.begin(), faces_.end(),
                                         [](const HullFace& a, const HullFace& b) { return a.reach < b.reach; });
      if (next->farthest < 0) break;
      add(next->farthest);
    }
    return finished();
  }

 private:
  const Vector3& at(int i) const { return points_[static_cast<std::size_t>(i)]; }

  /// The index with the largest value, and that value.
  template <typename Value>
  std::pair<int, double> largest(const Value& value) const {
    std::pair<int, double> best{0, -1.0};
    for (int i = 0; i < static_cast<int>(points_.size()); ++i)
      if (const double size = value(at(i)); size > best.second) best = {i, size};
    return best;
  }

  void start() {
    if (points_.size() < 4) throw InputError(fmt::format("a hull has {} points, expected 4 or more", points_.size()));
    if (!std::all_of(points_.begin(), points_.end(), [](const Vector3& p) { return p.allFinite(); }))
      throw InputError("a hull has a point that is not finite");
    const auto lowest =
        std::min_element(points_.begin(), points_.end(), [](const Vector3& p, const Vector3& q) { return p[0] < q[0]; });
    const auto first = static_cast<int>(lowest - points_.begin());
    const Vector3 a = *lowest;
    const auto [second, length] = largest([&](const Vector3& p) { return (p - a).norm(); });
    tolerance_ = relative_tolerance * length;
    const Vector3 along = (at(second) - a).normalized();
    const auto [third, width] = largest([&](const Vector3& p) { return (p - a).cross(along).norm(); });
    const Vector3 across = along.cross(at(third) - a).normalized();
    const auto [fourth, height] = largest([&](const Vector3& p) { return std::abs(across.dot(p - a)); });
    if (!(length > 0.0 && width > tolerance_ && height > tolerance_))
      throw InputError("the points of a hull are in a plane, expected a solid");
    inside_ = 0.25 * (a + at(second) + at(third) + at(fourth));
    std::vector<int> all(points_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    for (const std::array<int, 3>& corners : {std::array{first, second, third}, std::array{first, second, fourth},
                                              std::array{first, third, fourth}, std::array{second, third, fourth}})
      add_face(corners, all);
  }

  /// Outwards, with those of the points that it sees, which it takes out of the list.
  void add_face(std::array<int, 3> corners, std::vector<int>& points) {
    HullFace face{corners, (at(corners[1]) - at(corners[0])).cross(at(corners[2]) - at(corners[0])).normalized()};
    if (face.normal.dot(at(corners[0]) - inside_) < 0.0) {
      std::swap(face.corners[1], face.corners[2]);
      face.normal = -face.normal;
    }
    face.height = face.normal.dot(at(corners[0]));
    std::erase_if(points, [&](int i) {
      const double above = face.normal.dot(at(i)) - face.height;
      if (!(above > tolerance_)) return false;
      face.outside.push_back(i);
      if (above > face.reach) {
        face.reach = above;
        face.farthest = i;
      }
      return true;
    });
    faces_.push_back(std::move(face));
  }

  /// The faces that see the point give way to those between it and their common edge.
  void add(int corner) {
    std::set<std::pair<int, int>> edges;  // of the faces that go
    std::vector<int> points;
    std::erase_if(faces_, [&](const HullFace& face) {
      if (!(face.normal.dot(at(corner)) - face.height > tolerance_)) return false;
      for (std::size_t i = 0; i < 3; ++i) edges.insert({face.corners[i], face.corners[(i + 1) % 3]});
      points.insert(points.end(), face.outside.begin(), face.outside.end());
      return true;
    });
    for (const auto& edge : edges)
      if (!edges.contains({edge.second, edge.first})) add_face({edge.first, edge.second, corner}, points);
  }

  TriangleMesh finished() const {
    TriangleMesh hull;
    std::map<int, int> number;
    for (const HullFace& face : faces_) {
      std::array<int, 3> triangle{};
      for (std::size_t i = 0; i < 3; ++i) {
        const auto [place, is_new] = number.emplace(face.corners[i], static_cast<int>(hull.vertices.size()));
        if (is_new) hull.vertices.push_back(at(face.corners[i]));
        triangle[i] = place->second;
      }
      hull.triangles.push_back(triangle);
    }
    return hull;
  }

  const std::vector<Vector3>& points_;
  std::vector<HullFace> faces_;
  Vector3 inside_ = Vector3::Zero();
  double tolerance_ = 0.0;
};

}  // namespace

TriangleMesh convex_hull(const std::vector<Vector3>& points, int most_corners) {
  return HullMaker(points).grown(most_corners);
}

ConvexDistance::ConvexDistance(const TriangleMesh& hull) {
  for (std::size_t i = 0; i < hull.triangles.size(); ++i) {
    const Triangle corners = hull.corners(i);
    const Vector3 normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalized();
    faces_.push_back({corners, normal, normal.dot(corners[0])});
  }
}

double ConvexDistance::evaluate(const Vector3& p, Vector3* gradient) const {
  double highest = -std::numeric_limits<double>::infinity(), nearest = std::numeric_limits<double>::infinity();
  const Face* top = nullptr;
  Vector3 way = Vector3::Zero();
  for (const Face& face : faces_) {
    const double above = face.normal.dot(p) - face.height;
    if (above > highest) {
      highest = above;
      top = &face;
    }
    if (above <= 0.0 || above >= nearest) continue;
    const Vector3 to = p - closest_point(p, face.corners).place;
    if (const double length = to.norm(); length < nearest) {
      nearest = length;
      way = to;
    }
  }
  if (highest <= 0.0) {
    if (gradient != nullptr) *gradient = top->normal;
    return highest;
  }
  if (gradient != nullptr) *gradient = nearest > 0.0 ? Vector3(way / nearest) : top->normal;
  return nearest;
}

double ConvexDistance::distance(const Vector3& p) const { return evaluate(p, nullptr); }

Vector3 ConvexDistance::gradient(const Vector3& p) const {
  Vector3 result;
  evaluate(p, &result);
  return result;
}

}  // namespace ccp
