#include "problems/distance_field/contact_set.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

namespace ccp {
namespace {

constexpr double cell = 1e-7;           // of the grid, m
constexpr double normal_length = 0.01;  // m: what a normal turned by one radian counts

/// Sorted by depth, one to a cell.
std::vector<MeshPoint> distinct_points(std::vector<MeshPoint> points) {
  std::sort(points.begin(), points.end(), [](const MeshPoint& a, const MeshPoint& b) {
    return std::tie(a.distance, a.triangle) < std::tie(b.distance, b.triangle);
  });
  std::set<std::array<std::int64_t, 3>> taken;
  const auto seen = [&](const MeshPoint& p) {
    const auto index = [&](Index axis) { return static_cast<std::int64_t>(std::floor(p.point[axis] / cell)); };
    return !taken.insert({index(0), index(1), index(2)}).second;
  };
  points.erase(std::remove_if(points.begin(), points.end(), seen), points.end());
  return points;
}

/// Indices of the deepest members of the clusters, ascending; points come by depth.
std::vector<std::size_t> deepest_of_clusters(const std::vector<MeshPoint>& points, const std::vector<Vector3>& normals,
                                             int limit) {
  const std::size_t count = points.size();
  std::vector<double> nearest(count, std::numeric_limits<double>::infinity());  // to the chosen points, squared
  std::vector<std::size_t> owner(count, 0);                                     // the first of the nearest chosen points
  std::vector<std::size_t> deepest;
  std::size_t chosen = 0;
  for (std::size_t cluster = 0; cluster < std::min(count, static_cast<std::size_t>(limit)); ++cluster) {
    for (std::size_t i = 0; i < count; ++i) {
      const double square = (points[i].point - points[chosen].point).squaredNorm() +
                            normal_length * normal_length * (normals[i] - normals[chosen]).squaredNorm();
      if (square < nearest[i]) {
        nearest[i] = square;
        owner[i] = cluster;
      }
    }
    chosen = static_cast<std::size_t>(std::max_element(nearest.begin(), nearest.end()) - nearest.begin());
  }
  std::set<std::size_t> seen;
  for (std::size_t i = 0; i < count; ++i)
    if (seen.insert(owner[i]).second) deepest.push_back(i);
  return deepest;
}

/// As points of triangles after the last one.
void add_corners(const SignedDistance& solid, const TriangleMesh& mesh, double margin, std::vector<MeshPoint>& points) {
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
    if (const double distance = solid.distance(mesh.vertices[i]); distance < margin)
      points.push_back({{mesh.vertices[i], distance}, static_cast<int>(mesh.triangles.size() + i)});
}

}  // namespace

std::vector<FieldContact> contact_set(const SignedDistance& solid, const TriangleMesh& mesh,
                                      const ContactSetLimits& limits) {
  std::vector<MeshPoint> candidates = near_points(solid, mesh, limits.margin);
  if (limits.corners) add_corners(solid, mesh, limits.margin, candidates);
  const std::vector<MeshPoint> points = distinct_points(std::move(candidates));
  std::vector<Vector3> normals;
  for (const MeshPoint& p : points) normals.push_back(solid.normal(p.point));
  std::vector<FieldContact> contacts;
  for (const std::size_t i : deepest_of_clusters(points, normals, limits.limit))
    contacts.push_back(
        {points[i].point - 0.5 * points[i].distance * normals[i], normals[i], points[i].distance, points[i].triangle});
  return contacts;
}

}  // namespace ccp
