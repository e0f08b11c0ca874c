#pragma once

#include <array>
#include <vector>

#include "core/types.hpp"

namespace ccp {

enum class ElementKind {
  tetrahedron,  ///< 4 nodes
  hexahedron    ///< 8 nodes: node i + 2j + 4k of a cell is that at its corner (i, j, k)
};

constexpr int node_count(ElementKind kind) { return kind == ElementKind::tetrahedron ? 4 : 8; }

/// Nodes, and the elements between them.
struct Mesh {
  ElementKind kind = ElementKind::tetrahedron;
  std::vector<Vector3> nodes;  ///< reference places, m
  std::vector<int> corners;    ///< nodes of the elements one after the other; the volume of each element is positive

  Index elements() const { return std::ssize(corners) / node_count(kind); }
  /// The first of the nodes of an element.
  const int* element(Index number) const { return corners.data() + number * node_count(kind); }
};

/// A box along the axes with its centre at the origin, cut into equal cells. A cell is a hexahedron, or the six tetrahedra
/// of Kuhn along its diagonal from (0, 0, 0) to (1, 1, 1), which fit to those of all neighbours. Node (i, j, k) has the
/// number i + (cells_x + 1)(j + (cells_y + 1) k). lengths: m, > 0. Throws InputError for lengths that are not positive and
/// cells < 1.
Mesh box_mesh(const Vector3& lengths, const std::array<int, 3>& cells, ElementKind kind);

}  // namespace ccp
