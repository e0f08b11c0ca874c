#include "problems/distance_field/approach.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "problems/distance_field/frank_wolfe.hpp"

namespace ccp {
namespace {

constexpr int most_advances = 60;
constexpr double touching = 1e-9;    // m
constexpr double least_slope = 0.1;  // of the gap over the way

}  // namespace

double way_to_contact(const SignedDistance& solid, const TriangleMesh& mesh, const Vector3& direction, double reach) {
  std::vector<MeshPoint> points = near_points(solid, mesh, reach);
  const auto nearer = [](const MeshPoint& a, const MeshPoint& b) { return a.distance < b.distance; };
  double way = 0.0, step = 0.0, slope = solid.lipschitz(), before = 0.0;
  for (int advance = 0; advance < most_advances && !points.empty(); ++advance) {
    std::stable_sort(points.begin(), points.end(), nearer);
    double smallest = points.front().distance;
    if (advance > 0) {  // the distances are lower bounds: only those below the smallest true one need to be known
      smallest = std::numeric_limits<double>::infinity();
      for (MeshPoint& point : points) {
        if (point.distance >= smallest) break;
        Triangle triangle = mesh.corners(static_cast<std::size_t>(point.triangle));
        for (Vector3& corner : triangle) corner += way * direction;
        point.distance = nearest_on_triangle(solid, triangle).distance;
        smallest = std::min(smallest, point.distance);
      }
      slope = std::clamp((before - smallest) / step, least_slope, solid.lipschitz());
    }
    if (std::abs(smallest) <= touching) break;
    before = smallest;
    step = smallest / slope;
    way += step;
    for (MeshPoint& point : points) point.distance -= std::abs(step) * solid.lipschitz();
  }
  return way;
}

}  // namespace ccp
