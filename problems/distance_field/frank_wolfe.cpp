#include "problems/distance_field/frank_wolfe.hpp"

#include <algorithm>
#include <cstddef>

namespace ccp {
namespace {

constexpr int most_steps = 16, halvings = 11;
constexpr double slope_tolerance = 1e-9;  // m

NearPoint best_start(const SignedDistance& solid, const Triangle& triangle) {
  const Vector3 centroid = (triangle[0] + triangle[1] + triangle[2]) / 3.0;
  NearPoint best{triangle[0], solid.distance(triangle[0])};
  for (const Vector3& point : {triangle[1], triangle[2], centroid})
    if (const double distance = solid.distance(point); distance < best.distance) best = {point, distance};
  return best;
}

const Vector3& lowest_corner(const Triangle& triangle, const Vector3& gradient) {
  std::size_t lowest = 0;
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}})
    if (gradient.dot(triangle[i] - triangle[lowest]) < 0.0) lowest = i;
  return triangle[lowest];
}

}  // namespace

NearPoint nearest_on_triangle(const SignedDistance& solid, const Triangle& triangle) {
  NearPoint best = best_start(solid, triangle);
  for (int step = 0; step < most_steps; ++step) {
    const Vector3 gradient = solid.gradient(best.point);
    const Vector3 way = lowest_corner(triangle, gradient) - best.point;
    if (-gradient.dot(way) <= slope_tolerance) break;
    NearPoint next = best;
    double share = 1.0;
    for (int i = 0; i <= halvings; ++i, share *= 0.5) {
      const Vector3 point = best.point + share * way;
      const double distance = solid.distance(point);
      if (distance < next.distance) {
        next = {point, distance};
      } else if (next.distance < best.distance) {
        break;  // past the lowest
      }
    }
    if (next.distance == best.distance) break;
    best = next;
  }
  return best;
}

std::vector<MeshPoint> near_points(const SignedDistance& solid, const TriangleMesh& mesh, double margin) {
  const double reach = solid.lipschitz() * (margin + mesh.longest_edge());
  std::vector<char> near(mesh.vertices.size());
  std::transform(mesh.vertices.begin(), mesh.vertices.end(), near.begin(),
                 [&](const Vector3& vertex) { return solid.distance(vertex) <= reach ? 1 : 0; });
  std::vector<MeshPoint> points;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const std::array<int, 3>& of = mesh.triangles[i];
    if (std::none_of(of.begin(), of.end(), [&](int vertex) { return near[static_cast<std::size_t>(vertex)] != 0; }))
      continue;
    const NearPoint nearest = nearest_on_triangle(solid, mesh.corners(i));
    if (nearest.distance < margin) points.push_back({nearest, static_cast<int>(i)});
  }
  return points;
}

}  // namespace ccp
