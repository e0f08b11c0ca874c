#pragma once

#include <span>

#include "core/types.hpp"
#include "problems/finite_elements/material.hpp"

namespace ccp {

using Gradients = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::ColMajor, 3, 8>;

/// An element in its reference shape.
struct ReferenceElement {
  Gradients gradients;    ///< ∇N_a at the centre, one column a node, 1/m: F = Σ x_a ∇N_aᵀ
  DenseMatrix stiffness;  ///< K_e, 3 rows a node, N/m; symmetric, exactly
  Vector masses;          ///< one a node, kg
  double volume = 0.0;    ///< m³
};

/// The linear tetrahedron: a quarter of its mass at each node. nodes: 4, m. Throws std::logic_error for a volume that is not
/// positive.
ReferenceElement linear_tetrahedron(std::span<const Vector3> nodes, const ElasticMaterial& material);

/// The trilinear hexahedron, integrated by 2×2×2 Gauss points (one point would leave modes without force); masses are the
/// sums of the rows of the consistent mass matrix. nodes: 8, m, in the order of ElementKind::hexahedron.
ReferenceElement trilinear_hexahedron(std::span<const Vector3> nodes, const ElasticMaterial& material);

/// An element in motion, corotated: with R the rotation next to F at the centre and d = Rᵀx − X,
///     f = −R K_e d,   K = R K_e Rᵀ,   energy ½ dᵀ K_e d.
/// K leaves out ∂R/∂x and is so positive semidefinite whatever the deformation, which the exact tangent is not.
struct CorotatedElement {
  Matrix3 F;         ///< deformation gradient at the centre
  Matrix3 rotation;  ///< R, proper also where det F <= 0
  Vector force;      ///< f, 3 a node, N
  double energy = 0.0;
};

/// reference, places: of the nodes, m.
CorotatedElement corotated(const ReferenceElement& element, std::span<const Vector3> reference,
                           std::span<const Vector3> places);

/// The von Mises stress of a deformation, Pa: σ = λ tr(ε) I + 2 μ ε with ε = ½(RᵀF + FᵀR) − I.
double von_mises_stress(const ElasticMaterial& material, const Matrix3& F, const Matrix3& rotation);

}  // namespace ccp
