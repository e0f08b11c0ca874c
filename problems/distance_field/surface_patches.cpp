#include "problems/distance_field/surface_patches.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cstddef>
#include <limits>
#include <tuple>

#include "problems/distance_field/frank_wolfe.hpp"

namespace ccp {
namespace {

constexpr double patch_normal_length = 0.01;  // m: what a normal turned by one radian counts
constexpr std::size_t searched = 2;           // triangles of a patch
constexpr double searched_below = 2e-4;       // m

/// A triangle and the deepest of its corners and centroid.
struct PatchTriangle {
  NearPoint start;
  int triangle;
  bool operator<(const PatchTriangle& other) const {
    return std::tie(start.distance, triangle) < std::tie(other.start.distance, other.triangle);
  }
};

}  // namespace

SurfacePatches surface_patches(const TriangleMesh& mesh, int count) {
  const std::size_t size = mesh.triangles.size();
  std::vector<Eigen::Matrix<double, 6, 1>> places;
  for (std::size_t i = 0; i < size; ++i) {
    const Triangle t = mesh.corners(i);
    const Vector3 normal = (t[1] - t[0]).cross(t[2] - t[0]).normalized();
    places.emplace_back();
    places.back() << (t[0] + t[1] + t[2]) / 3.0, patch_normal_length * normal;
  }
  std::vector<double> nearest(size, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> owner(size, 0);
  std::size_t chosen = 0, patches = 0;
  for (; patches < std::min(size, static_cast<std::size_t>(count)); ++patches) {
    for (std::size_t i = 0; i < size; ++i)
      if (const double square = (places[i] - places[chosen]).squaredNorm(); square < nearest[i]) {
        nearest[i] = square;
        owner[i] = patches;
      }
    chosen = static_cast<std::size_t>(std::max_element(nearest.begin(), nearest.end()) - nearest.begin());
  }
  SurfacePatches result(patches);
  for (std::size_t i = 0; i < size; ++i) result[owner[i]].push_back(static_cast<int>(i));
  return result;
}

std::vector<FieldContact> patch_contacts(const SignedDistance& solid, const TriangleMesh& mesh,
                                         const SurfacePatches& patches, double margin) {
  std::vector<double> at_vertex;
  for (const Vector3& vertex : mesh.vertices) at_vertex.push_back(solid.distance(vertex));
  const double reach = solid.lipschitz() * (margin + mesh.longest_edge());
  std::vector<FieldContact> contacts;
  std::vector<PatchTriangle> order;
  for (std::size_t patch = 0; patch < patches.size(); ++patch) {
    order.clear();
    for (const int triangle : patches[patch]) {
      NearPoint start{Vector3::Zero(), std::numeric_limits<double>::infinity()};
      for (const int vertex : mesh.triangles[static_cast<std::size_t>(triangle)])
        if (const auto v = static_cast<std::size_t>(vertex); at_vertex[v] < start.distance)
          start = {mesh.vertices[v], at_vertex[v]};
      if (start.distance > reach) continue;
      const Triangle t = mesh.corners(static_cast<std::size_t>(triangle));
      const Vector3 centroid = (t[0] + t[1] + t[2]) / 3.0;
      if (const double middle = solid.distance(centroid); middle < start.distance) start = {centroid, middle};
      order.push_back({start, triangle});
    }
    if (order.empty()) continue;
    const std::size_t count = std::min(order.size(), searched);
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end());
    NearPoint deepest = order[0].start;
    for (std::size_t i = 0; i < count && order[i].start.distance < searched_below; ++i) {
      const NearPoint near = nearest_on_triangle(solid, mesh.corners(static_cast<std::size_t>(order[i].triangle)));
      if (near.distance < deepest.distance) deepest = near;
    }
    if (!(deepest.distance < margin)) continue;
    const Vector3 normal = solid.normal(deepest.point);
    contacts.push_back({deepest.point - 0.5 * deepest.distance * normal, normal, deepest.distance, static_cast<int>(patch)});
  }
  return contacts;
}

}  // namespace ccp
