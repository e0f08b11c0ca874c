#include "problems/distance_field/thread_surface.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>
#include <vector>

#include "problems/dynamics/elementary.hpp"

namespace ccp {
namespace {

constexpr int drawn_flank_rows = 1;

/// The distance of an outline from the axis at an angle, m.
using Outline = std::function<double(double)>;

Outline round_outline(double radius) {
  return [radius](double) { return radius; };
}

Outline hexagon_outline(double across_flats) {
  return [across_flats](double angle) {
    const double sixth = std::numbers::pi / 3.0, from_middle = angle - sixth * std::round(angle / sixth);
    return 0.5 * across_flats / taylor_cos(from_middle);
  };
}

/// Where a plane at z cuts the thread.
Outline thread_outline(const ThreadProfile& profile, double z) {
  const std::array<Vector2, 4> section = profile.half_section();
  return [section, pitch = profile.pitch, z](double angle) {
    const double turns = z / pitch - angle / (2.0 * std::numbers::pi), s = pitch * std::abs(turns - std::round(turns));
    std::size_t end = 1;
    while (end < 3 && section[end][0] < s) ++end;
    const Vector2 &a = section[end - 1], &b = section[end];
    return a[1] + (b[0] > a[0] ? (s - a[0]) / (b[0] - a[0]) : 1.0) * (b[1] - a[1]);
  };
}

/// What of a polygon has side · z <= limit.
std::vector<Vector3> cut_polygon(const std::vector<Vector3>& polygon, double side, double limit) {
  std::vector<Vector3> kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vector3 &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    const double from = limit - side * a[2], to = limit - side * b[2];
    if (from >= 0.0) kept.push_back(a);
    if ((from >= 0.0) != (to >= 0.0)) kept.emplace_back(a + from / (from - to) * (b - a));
  }
  return kept;
}

/// The thread between the ends, where a longer one is cut off.
TriangleMesh cut_thread(const ThreadProfile& profile, double half_length, int azimuths) {
  const TriangleMesh longer = nut_mesh(profile, half_length + profile.pitch, azimuths, drawn_flank_rows);
  TriangleMesh mesh{longer.vertices, {}};
  for (std::size_t i = 0; i < longer.triangles.size(); ++i) {
    const Triangle corners = longer.corners(i);
    if (std::all_of(corners.begin(), corners.end(), [&](const Vector3& p) { return std::abs(p[2]) <= half_length; })) {
      mesh.triangles.push_back(longer.triangles[i]);
      continue;
    }
    std::vector<Vector3> polygon(corners.begin(), corners.end());
    for (const double side : {-1.0, 1.0}) polygon = cut_polygon(polygon, side, half_length);
    const int first = static_cast<int>(mesh.vertices.size());
    mesh.vertices.insert(mesh.vertices.end(), polygon.begin(), polygon.end());
    for (int k = 2; k < static_cast<int>(polygon.size()); ++k) mesh.triangles.push_back({first, first + k - 1, first + k});
  }
  for (Vector3& vertex : mesh.vertices)
    vertex[2] = std::clamp(vertex[2], -half_length, half_length);  // those not used any more
  return mesh;
}

/// The strip between two outlines, each at its height; seen from outside with the second one to the left of the first where
/// the angle grows to the right.
void add_strip(TriangleMesh& mesh, const Outline& low, double low_z, const Outline& high, double high_z, int azimuths) {
  const int first = static_cast<int>(mesh.vertices.size());
  for (int i = 0; i < azimuths; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / azimuths;
    for (const auto& [radius, z] : {std::pair(low(angle), low_z), std::pair(high(angle), high_z)})
      mesh.vertices.emplace_back(radius * taylor_cos(angle), radius * taylor_sin(angle), z);
  }
  for (int i = 0; i < azimuths; ++i) {
    const int a = first + 2 * i, b = first + 2 * ((i + 1) % azimuths);
    mesh.triangles.push_back({a, b, a + 1});
    mesh.triangles.push_back({b, b + 1, a + 1});
  }
}

}  // namespace

TriangleMesh bolt_surface(const ThreadProfile& profile, double half_length, int azimuths) {
  TriangleMesh mesh = cut_thread(profile, half_length, azimuths);
  const Outline axis = round_outline(0.0);
  add_strip(mesh, axis, -half_length, thread_outline(profile, -half_length), -half_length, azimuths);
  add_strip(mesh, thread_outline(profile, half_length), half_length, axis, half_length, azimuths);
  return mesh;
}

TriangleMesh nut_surface(const ThreadProfile& profile, double half_height, double across_flats, int azimuths) {
  TriangleMesh mesh = cut_thread(profile, half_height, azimuths);
  for (auto& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);  // of a nut the side of the axis is outside
  const Outline outside = hexagon_outline(across_flats);
  add_strip(mesh, thread_outline(profile, -half_height), -half_height, outside, -half_height, azimuths);
  add_strip(mesh, outside, -half_height, outside, half_height, azimuths);
  add_strip(mesh, outside, half_height, thread_outline(profile, half_height), half_height, azimuths);
  return mesh;
}

}  // namespace ccp
