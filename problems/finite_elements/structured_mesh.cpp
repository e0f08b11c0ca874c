#include "problems/finite_elements/structured_mesh.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/error.hpp"
#include "problems/dynamics/body.hpp"

namespace ccp {
namespace {

using Corner = std::array<int, 3>;

/// From (0, 0, 0) along the axes in this order, with the last two nodes exchanged where the volume would be negative.
struct KuhnPath {
  std::array<int, 3> axes;
  bool even;
};
constexpr std::array<KuhnPath, 6> kuhn_paths{
    {{{0, 1, 2}, true}, {{1, 2, 0}, true}, {{2, 0, 1}, true}, {{0, 2, 1}, false}, {{1, 0, 2}, false}, {{2, 1, 0}, false}}};

std::array<Corner, 4> kuhn_tetrahedron(const Corner& cell, const KuhnPath& path) {
  std::array<Corner, 4> corners;
  corners[0] = cell;
  for (std::size_t step = 0; step < 3; ++step) {
    corners[step + 1] = corners[step];
    ++corners[step + 1][static_cast<std::size_t>(path.axes[step])];
  }
  if (!path.even) std::swap(corners[2], corners[3]);
  return corners;
}

}  // namespace

Mesh box_mesh(const Vector3& lengths, const std::array<int, 3>& cells, ElementKind kind) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    require_positive(lengths[static_cast<Index>(axis)], "length of a mesh", "m");
    if (cells[axis] < 1)
      throw InputError(fmt::format("a mesh has {} cells along an axis, expected at least 1", cells[axis]));
  }
  Mesh mesh;
  mesh.kind = kind;
  const Vector3 count(cells[0], cells[1], cells[2]);
  for (int k = 0; k <= cells[2]; ++k)
    for (int j = 0; j <= cells[1]; ++j)
      for (int i = 0; i <= cells[0]; ++i)
        mesh.nodes.emplace_back(lengths.cwiseProduct(Vector3(i, j, k).cwiseQuotient(count) - Vector3::Constant(0.5)));
  const auto add = [&](const Corner& corner) {
    mesh.corners.push_back(corner[0] + (cells[0] + 1) * (corner[1] + (cells[1] + 1) * corner[2]));
  };
  for (int k = 0; k < cells[2]; ++k)
    for (int j = 0; j < cells[1]; ++j)
      for (int i = 0; i < cells[0]; ++i) {
        if (kind == ElementKind::hexahedron)
          for (int corner = 0; corner < 8; ++corner) add({i + (corner & 1), j + ((corner >> 1) & 1), k + (corner >> 2)});
        else
          for (const KuhnPath& path : kuhn_paths)
            for (const Corner& corner : kuhn_tetrahedron({i, j, k}, path)) add(corner);
      }
  return mesh;
}

}  // namespace ccp
