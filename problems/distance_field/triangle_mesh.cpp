#include "problems/distance_field/triangle_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "problems/dynamics/elementary.hpp"

namespace ccp {
namespace {

struct UnitCircle {
  explicit UnitCircle(int azimuths) {
    for (int i = 0; i < azimuths; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / azimuths;
      points.emplace_back(taylor_cos(angle), taylor_sin(angle));
    }
  }
  Vector3 at(int azimuth, double radius, double height) const {
    const Vector2& point = points[static_cast<std::size_t>(azimuth)];
    return {radius * point[0], radius * point[1], height};
  }
  std::vector<Vector2> points;
};

/// (s, r) of the section from s = −P/2 to P/2, flanks divided.
std::vector<Vector2> full_section(const ThreadProfile& profile, int flank_rows) {
  const std::array<Vector2, 4> half = profile.half_section();
  std::vector<Vector2> right = {half[1]};
  for (int row = 1; row <= flank_rows; ++row)
    right.emplace_back(half[1] + static_cast<double>(row) / flank_rows * (half[2] - half[1]));
  std::vector<Vector2> section;
  for (auto point = right.rbegin(); point != right.rend(); ++point) section.emplace_back(-(*point)[0], (*point)[1]);
  section.insert(section.end(), right.begin(), right.end());
  return section;
}

}  // namespace

Triangle TriangleMesh::corners(std::size_t triangle) const {
  const std::array<int, 3>& of = triangles[triangle];
  const auto vertex = [&](int i) { return vertices[static_cast<std::size_t>(i)]; };
  return {vertex(of[0]), vertex(of[1]), vertex(of[2])};
}

double TriangleMesh::longest_edge() const {
  double longest = 0.0;
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const Triangle t = corners(i);
    for (const Vector3& edge : {Vector3(t[1] - t[0]), Vector3(t[2] - t[1]), Vector3(t[0] - t[2])})
      longest = std::max(longest, edge.squaredNorm());
  }
  return std::sqrt(longest);
}

TriangleMesh TriangleMesh::placed(const Matrix3& rotation, const Vector3& translation) const {
  TriangleMesh moved{{}, triangles};
  moved.vertices.reserve(vertices.size());
  for (const Vector3& vertex : vertices) moved.vertices.emplace_back(rotation * vertex + translation);
  return moved;
}

TriangleMesh surface_of_revolution(const std::vector<Vector2>& curve, int azimuths) {
  const UnitCircle circle(azimuths);
  TriangleMesh mesh;
  std::vector<int> first(curve.size());  // vertex of each circle
  for (std::size_t i = 0; i < curve.size(); ++i) {
    first[i] = static_cast<int>(mesh.vertices.size());
    const int points = curve[i][0] == 0.0 ? 1 : azimuths;
    for (int j = 0; j < points; ++j) mesh.vertices.push_back(circle.at(j, curve[i][0], curve[i][1]));
  }
  const auto vertex = [&](std::size_t i, int j) { return first[i] + (curve[i][0] == 0.0 ? 0 : j % azimuths); };
  for (std::size_t i = 0; i + 1 < curve.size(); ++i)
    for (int j = 0; j < azimuths; ++j) {
      if (curve[i][0] != 0.0) mesh.triangles.push_back({vertex(i, j), vertex(i, j + 1), vertex(i + 1, j)});
      if (curve[i + 1][0] != 0.0) mesh.triangles.push_back({vertex(i, j + 1), vertex(i + 1, j + 1), vertex(i + 1, j)});
    }
  return mesh;
}

TriangleMesh nut_mesh(const ThreadProfile& profile, double half_height, int azimuths, int flank_rows) {
  const std::vector<Vector2> section = full_section(profile, flank_rows);
  const UnitCircle circle(azimuths);
  const int points = static_cast<int>(section.size());
  const int turns = static_cast<int>(std::ceil(half_height / profile.pitch)) + 1;
  // Vertex (c, i): column c of the helix, azimuth c mod `azimuths`, point i of the section.
  TriangleMesh mesh;
  const int first = -turns * azimuths, columns = 2 * turns * azimuths;
  for (int c = first; c <= first + columns; ++c)
    for (const Vector2& point : section)
      mesh.vertices.push_back(circle.at((c - first) % azimuths, point[1], point[0] + profile.pitch * c / azimuths));
  const auto inside = [&](int vertex) {
    return std::abs(mesh.vertices[static_cast<std::size_t>(vertex)][2]) <= half_height;
  };
  const auto add = [&](const std::array<int, 3>& triangle) {
    if (inside(triangle[0]) && inside(triangle[1]) && inside(triangle[2])) mesh.triangles.push_back(triangle);
  };
  for (int column = 0; column < columns; ++column)
    for (int i = 0; i < points; ++i) {
      const bool wraps = i + 1 == points;  // the flat at the minor diameter joins the next turn
      const int above = wraps ? azimuths : 0, next = wraps ? 0 : i + 1;
      if (column + above + 1 > columns) continue;
      const int a = column * points + i, b = (column + 1) * points + i;
      const int c = (column + above) * points + next, d = (column + above + 1) * points + next;
      add({a, b, c});
      add({b, d, c});
    }
  return mesh;
}

}  // namespace ccp
