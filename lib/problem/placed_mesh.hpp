#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/types.hpp"
#include "problem/motion.hpp"

namespace ccp {

/// The surface of an elastic body and the colours of its pictures; or a rigid one, which has no elements.
struct PlacedMesh {
  std::vector<Vector3> places;           ///< one a node, m
  std::vector<Vector3> references;       ///< where the nodes began, m
  std::vector<Vector3> velocities;       ///< one a node, m/s
  std::vector<std::array<int, 3>> skin;  ///< triangles of the surface: nodes, counter-clockwise seen from outside
  int corners = 4;  ///< nodes of an element: 4 of a tetrahedron, 8 of a hexahedron, (i, j, k) being the i + 2j + 4k-th
  std::vector<int> elements;  ///< their nodes, one after the other
  Vector stresses;            ///< von Mises, one an element, Pa
  bool obstacle = false;      ///< it is no body of the problem
  /// Among all surfaces, those of the SceneGeometry having the others in their order; −1: bodies before all others,
  /// obstacles after.
  int number = -1;
};

/// A motion with bodies that are meshes. Their numbers are those of the bodies; its Motion::surfaces() has no other bodies,
/// or each mesh has its number.
class ShowsMeshes {
 public:
  virtual ~ShowsMeshes() = default;
  /// As problem() sees them.
  virtual std::vector<PlacedMesh> meshes() const = 0;
};

/// A scene at rest with surfaces that are meshes. Those of bodies come first, and its Scene::geometry() has no other bodies;
/// the numbers of its other meshes follow those of all its other surfaces.
class SceneShowsMeshes {
 public:
  virtual ~SceneShowsMeshes() = default;
  /// As the problem of Scene::build() sees them.
  virtual std::vector<PlacedMesh> meshes(std::uint64_t seed) const = 0;
};

/// The meshes of a motion that shows some; else none.
inline std::vector<PlacedMesh> meshes_of(const Motion& motion) {
  const auto* shows = dynamic_cast<const ShowsMeshes*>(&motion);
  return shows != nullptr ? shows->meshes() : std::vector<PlacedMesh>{};
}

}  // namespace ccp
