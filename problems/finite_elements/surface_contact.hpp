#pragma once

#include <array>
#include <vector>

#include "problem/motion.hpp"
#include "problems/dynamics/obstacle.hpp"
#include "problems/finite_elements/elastic_body.hpp"
#include "problems/finite_elements/triangle_tree.hpp"
#include "problems/geometry/shape.hpp"

namespace ccp {

/// Kinds of contact of elastic bodies, in ContactKey::kind.
enum class SkinContact {
  first_vertex,   ///< features: node of body_a, triangle of the skin of body_b (0 for an obstacle but a box)
  second_vertex,  ///< features: triangle of the skin of body_a, node of body_b
  edges,          ///< features: sharp edges of the skins of both; an edge of the skin of body_a and 0 for a round obstacle
  face            ///< of a sphere: features: triangle of the skin of body_a, 0
};

/// A contact between nodes: the rate of its gap is n · Σ weight · velocity over its nodes (and obstacles).
struct SurfaceContact {
  struct Share {
    int body;
    int node;
    double weight;  ///< > 0 on body_b, < 0 on body_a; each side sums to ±1
  };

  ContactKey key;
  Vector3 point = Vector3::Zero();    ///< halfway between the surfaces, m
  Vector3 normal = Vector3::UnitZ();  ///< unit vector from body_a to body_b
  double gap = 0.0;                   ///< Φ, m
  std::array<Share, 4> shares{};
  int count = 0;  ///< of the shares, ascending by body and node
};

/// An elastic body, or a rigid box, as contact sees it.
class ElasticSurface {
 public:
  /// Keeps references to both. places: one a node, m.
  ElasticSurface(const ElasticModel& model, const std::vector<Vector3>& places);
  /// thickness: the least extent, m. Keeps references to skin and places.
  ElasticSurface(const Skin& skin, double thickness, const std::vector<Vector3>& places);

  double thickness() const { return thickness_; }
  const Skin& skin() const { return skin_; }
  const Vector3& place(int node) const { return places_[static_cast<std::size_t>(node)]; }
  const Vector3& triangle_normal(int triangle) const { return triangle_normals_[static_cast<std::size_t>(triangle)]; }
  /// The normal of the vertex with this place in Skin::vertices.
  const Vector3& vertex_normal(std::size_t vertex) const { return vertex_normals_[vertex]; }
  const TriangleTree& tree() const { return tree_; }
  const Bounds& bounds() const { return tree_.bounds(); }

 private:
  const Skin& skin_;
  double thickness_;
  const std::vector<Vector3>& places_;
  std::vector<Vector3> triangle_normals_, vertex_normals_;
  TriangleTree tree_;
};

/// Appends the contacts of two bodies with Φ <= reach (m, >= 0), in the order of their keys: each vertex of one with the
/// nearest triangle of the other whose normal opposes its own (cosine <= −0.3), and pairs of sharp edges that cross.
///
/// n is the normal of the triangle, or points along the distance where the vertex is outside above a sharp edge. Depths of
/// more than half the thickness of the thinner body are no contacts: from there the other side is nearer.
void find_skin_contacts(const ElasticSurface& a, int number_a, const ElasticSurface& b, int number_b, double reach,
                        std::vector<SurfaceContact>& found);

/// Whether there are contacts of elastic bodies with obstacles of this shape.
bool meets_elastic_bodies(const Shape& shape);

/// Appends the contacts of a body with an obstacle: of its vertices with a half-space, a cylinder without ends or a sphere,
/// of its edges with a cylinder that they cross or a sphere, and of its triangles with a sphere, each at the point next to
/// the obstacle with the normal along the distance; with a box those of two skins. What is deeper in a sphere than its
/// centre, or in a box than half the thickness of the thinner one, is not seen. Throws InputError for another shape.
void find_obstacle_contacts(const ElasticSurface& body, int number, const Shape& shape, const ObstacleFrame& frame,
                            int number_obstacle, double reach, std::vector<SurfaceContact>& found);

}  // namespace ccp
