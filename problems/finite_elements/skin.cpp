#include "problems/finite_elements/skin.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>

#include "problems/dynamics/elementary.hpp"

namespace ccp {
namespace {

constexpr double sharp_cosine = 0.8;

std::size_t at(int number) { return static_cast<std::size_t>(number); }

/// Nodes of the faces of an element, counter-clockwise seen from outside.
const std::vector<std::vector<int>>& faces_of(ElementKind kind) {
  static const std::vector<std::vector<int>> tetrahedron{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  static const std::vector<std::vector<int>> hexahedron{{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                                        {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  return kind == ElementKind::tetrahedron ? tetrahedron : hexahedron;
}

Vector3 normal_of(const std::array<int, 3>& triangle, const std::vector<Vector3>& places) {
  const Vector3& first = places[at(triangle[0])];
  return (places[at(triangle[1])] - first).cross(places[at(triangle[2])] - first).normalized();
}

/// Faces that one element has, in the order of the elements.
std::vector<std::vector<int>> outer_faces(const Mesh& mesh) {
  std::map<std::vector<int>, int> seen;  // sorted nodes of a face, and how many elements have it
  std::vector<std::pair<std::vector<int>, std::vector<int>>> faces;
  for (Index element = 0; element < mesh.elements(); ++element)
    for (const std::vector<int>& corners : faces_of(mesh.kind)) {
      std::vector<int> face;
      for (const int corner : corners) face.push_back(mesh.element(element)[corner]);
      std::vector<int> name = face;
      std::sort(name.begin(), name.end());
      ++seen[name];
      faces.emplace_back(std::move(name), std::move(face));
    }
  std::vector<std::vector<int>> outer;
  for (auto& [name, face] : faces)
    if (seen[name] == 1) outer.push_back(std::move(face));
  return outer;
}

}  // namespace

Skin skin_of(const Mesh& mesh) {
  Skin skin;
  for (const std::vector<int>& face : outer_faces(mesh))
    for (std::size_t corner = 2; corner < face.size(); ++corner)
      skin.triangles.push_back({face[0], face[corner - 1], face[corner]});
  std::map<std::pair<int, int>, std::vector<int>> edges;
  for (std::size_t t = 0; t < skin.triangles.size(); ++t)
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const int node = skin.triangles[t][corner];
      skin.vertices.push_back(node);
      edges[std::minmax(node, skin.triangles[t][(corner + 1) % 3])].push_back(static_cast<int>(t));
    }
  std::sort(skin.vertices.begin(), skin.vertices.end());
  skin.vertices.erase(std::unique(skin.vertices.begin(), skin.vertices.end()), skin.vertices.end());
  skin.node_is_sharp.assign(mesh.nodes.size(), false);
  skin.edge_is_sharp.assign(skin.triangles.size(), {false, false, false});
  for (const auto& [nodes, triangles] : edges) {
    if (triangles.size() != 2) throw std::logic_error("skin_of: an edge of the surface does not have two triangles");
    skin.edges.push_back({{nodes.first, nodes.second}, {triangles[0], triangles[1]}});
    const Vector3 one = normal_of(skin.triangles[at(triangles[0])], mesh.nodes);
    if (!(one.dot(normal_of(skin.triangles[at(triangles[1])], mesh.nodes)) < sharp_cosine)) continue;
    skin.sharp_edges.push_back(skin.edges.back());
    skin.node_is_sharp[at(nodes.first)] = skin.node_is_sharp[at(nodes.second)] = true;
    for (const int t : triangles)
      for (std::size_t corner = 0; corner < 3; ++corner)
        if (std::pair<int, int>(std::minmax(skin.triangles[at(t)][corner], skin.triangles[at(t)][(corner + 1) % 3])) ==
            nodes)
          skin.edge_is_sharp[at(t)][corner] = true;
  }
  return skin;
}

std::vector<Vector3> triangle_normals(const Skin& skin, const std::vector<Vector3>& places) {
  std::vector<Vector3> normals;
  normals.reserve(skin.triangles.size());
  for (const std::array<int, 3>& triangle : skin.triangles) normals.push_back(normal_of(triangle, places));
  return normals;
}

std::vector<Vector3> vertex_normals(const Skin& skin, const std::vector<Vector3>& places) {
  std::vector<Vector3> sums(places.size(), Vector3::Zero());
  for (const std::array<int, 3>& triangle : skin.triangles) {
    const Vector3 normal = normal_of(triangle, places);
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const Vector3& here = places[at(triangle[corner])];
      const Vector3 one = places[at(triangle[(corner + 1) % 3])] - here, two = places[at(triangle[(corner + 2) % 3])] - here;
      sums[at(triangle[corner])] += taylor_atan2(one.cross(two).norm(), one.dot(two)) * normal;
    }
  }
  std::vector<Vector3> normals;
  normals.reserve(skin.vertices.size());
  for (const int vertex : skin.vertices) normals.push_back(sums[at(vertex)].normalized());
  return normals;
}

}  // namespace ccp
