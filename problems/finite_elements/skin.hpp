#pragma once

#include <array>
#include <vector>

#include "problems/finite_elements/structured_mesh.hpp"

namespace ccp {

/// The surface of a mesh.
struct Skin {
  struct Edge {
    std::array<int, 2> nodes;      ///< the lower number first
    std::array<int, 2> triangles;  ///< the two that meet there
  };

  std::vector<std::array<int, 3>> triangles;  ///< nodes, counter-clockwise seen from outside
  std::vector<int> vertices;                  ///< nodes of the surface, ascending
  std::vector<Edge> edges;                    ///< in the order of their nodes
  /// Edges where the surface has a bend: the cosine of the angle between the normals of its triangles is below 0.8 in the
  /// reference shape. In the same order.
  std::vector<Edge> sharp_edges;
  /// Whether the edge (i, i + 1) of each triangle is a sharp one.
  std::vector<std::array<bool, 3>> edge_is_sharp;
  std::vector<bool> node_is_sharp;  ///< one a node of the mesh: whether a sharp edge ends there
};

/// The faces that only one element has; those of hexahedra are cut into two triangles. Throws std::logic_error for a mesh
/// whose surface has an edge with other than two triangles.
Skin skin_of(const Mesh& mesh);

/// Unit normals of the triangles, outwards, in the places of the nodes (m).
std::vector<Vector3> triangle_normals(const Skin& skin, const std::vector<Vector3>& places);

/// Unit normals of the vertices, in the order of Skin::vertices: the mean of the normals of their triangles, weighted by
/// their angles there, so that it does not depend on how faces are cut.
std::vector<Vector3> vertex_normals(const Skin& skin, const std::vector<Vector3>& places);

}  // namespace ccp
