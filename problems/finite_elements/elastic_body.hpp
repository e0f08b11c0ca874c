#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "problems/finite_elements/element.hpp"
#include "problems/finite_elements/skin.hpp"
#include "problems/finite_elements/structured_mesh.hpp"

namespace ccp {

/// The common data of bodies of one shape and one material.
class ElasticModel {
 public:
  /// Throws InputError for a material that is out of range. name: "the bars".
  ElasticModel(Mesh mesh, const ElasticMaterial& material, const std::string& name);

  const Mesh& mesh() const { return mesh_; }
  const ElasticMaterial& material() const { return material_; }
  const Skin& skin() const { return skin_; }
  Index nodes() const { return std::ssize(mesh_.nodes); }
  /// Lumped, one a node, kg.
  const Vector& masses() const { return masses_; }
  double volume() const { return volume_; }
  /// The least extent of the reference shape along the axes, m.
  double thickness() const { return thickness_; }

  struct Forces {
    Vector force;         ///< f, 3 a node, N; without damping
    Vector blocks;        ///< K: 3×3 blocks, column by column, in the order of column_start() and row()
    double energy = 0.0;  ///< elastic, J
    int inverted = 0;     ///< elements with det F <= 0
  };
  /// places: one a node, m.
  Forces forces(const std::vector<Vector3>& places) const;
  /// Only the elastic energy and the elements that are inverted.
  Forces energy(const std::vector<Vector3>& places) const;
  /// One an element, Pa.
  Vector von_mises_stresses(const std::vector<Vector3>& places) const;

  /// The pattern of K by nodes: column j has the rows row()[column_start()[j]], … in ascending order.
  const std::vector<int>& column_start() const { return column_start_; }
  const std::vector<int>& row() const { return row_; }

 private:
  CorotatedElement moved(Index element, const std::vector<Vector3>& places) const;
  void make_pattern();

  Mesh mesh_;
  ElasticMaterial material_;
  Skin skin_;
  std::vector<ReferenceElement> elements_;
  std::vector<std::vector<Vector3>> references_;  ///< places of the nodes of each element
  std::vector<int> column_start_, row_;
  std::vector<int> slots_;  ///< block of K of each pair of nodes of each element
  Vector masses_;
  double volume_ = 0.0, thickness_ = 0.0;
};

/// A body of finite elements in motion: 3 dofs a node.
struct ElasticBody {
  std::shared_ptr<const ElasticModel> model;
  std::vector<Vector3> places;      ///< one a node, m
  std::vector<Vector3> velocities;  ///< one a node, m/s
  std::vector<Vector3> starts;      ///< where the nodes were at first, m; for pictures
};

/// At rest, undeformed, its reference moved: x = position + rotation · X.
ElasticBody elastic_body(std::shared_ptr<const ElasticModel> model, const Vector3& position, const Matrix3& rotation);

/// f and K in places, as matrices: n = 3 nodes.
SparseMatrix stiffness_matrix(const ElasticModel& model, const ElasticModel::Forces& forces);

/// ½ vᵀ M v, J
double kinetic_energy(const ElasticBody& body);

/// The vectors one after the other, and back.
Vector flattened(const std::vector<Vector3>& vectors);
std::vector<Vector3> unflattened(ConstVectorRef values);

}  // namespace ccp
