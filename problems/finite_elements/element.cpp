#include "problems/finite_elements/element.hpp"

#include <Eigen/LU>
#include <cmath>
#include <stdexcept>

#include "problems/dynamics/pseudo_rigid.hpp"

namespace ccp {

CorotatedElement corotated(const ReferenceElement& element, std::span<const Vector3> reference,
                           std::span<const Vector3> places) {
  CorotatedElement result;
  const Index count = std::ssize(places);
  // From the first node on, since K_e has no force for a translation: differences lose no digits far from the origin.
  result.F.setZero();
  for (Index a = 1; a < count; ++a)
    result.F += (places[static_cast<std::size_t>(a)] - places[0]) * element.gradients.col(a).transpose();
  result.rotation = nearest_rotation(result.F);
  Vector d = Vector::Zero(3 * count);
  for (Index a = 1; a < count; ++a) {
    const auto node = static_cast<std::size_t>(a);
    d.segment<3>(3 * a) = result.rotation.transpose() * (places[node] - places[0]) - (reference[node] - reference[0]);
  }
  result.force.noalias() = element.stiffness * d;
  result.energy = 0.5 * d.dot(result.force);
  for (Index a = 0; a < count; ++a)
    result.force.segment<3>(3 * a) = -(result.rotation * result.force.segment<3>(3 * a)).eval();
  return result;
}

double von_mises_stress(const ElasticMaterial& material, const Matrix3& F, const Matrix3& rotation) {
  const Matrix3 stretch = rotation.transpose() * F;
  const Matrix3 strain = 0.5 * (stretch + stretch.transpose()) - Matrix3::Identity();
  // The deviator of σ is that of 2 μ ε.
  const Matrix3 deviator = 2.0 * material.shear() * (strain - strain.trace() / 3.0 * Matrix3::Identity());
  return std::sqrt(1.5) * deviator.norm();
}

namespace {

/// K_e += weight (λ ∇N_a ∇N_bᵀ + μ ∇N_b ∇N_aᵀ + μ (∇N_a·∇N_b) I), the same numbers above the diagonal and below.
void add_stiffness(const Gradients& gradients, double weight, const ElasticMaterial& material, DenseMatrix& K) {
  const double lambda = weight * material.lambda(), shear = weight * material.shear();
  for (Index a = 0; a < gradients.cols(); ++a)
    for (Index b = 0; b <= a; ++b) {
      const Vector3 p = gradients.col(a), q = gradients.col(b);
      Matrix3 block = lambda * p * q.transpose() + shear * (q * p.transpose());
      block.diagonal().array() += shear * p.dot(q);
      if (a == b) block = (0.5 * (block + block.transpose())).eval();
      K.block<3, 3>(3 * a, 3 * b) += block;
      if (a != b) K.block<3, 3>(3 * b, 3 * a) += block.transpose();
    }
}

struct HexahedronPoint {
  Gradients gradients;  ///< ∇N_a
  Vector shape;         ///< N_a
  double determinant;   ///< of dX/dξ, ξ in [−1, 1]³
};

HexahedronPoint hexahedron_point(std::span<const Vector3> nodes, const Vector3& xi) {
  HexahedronPoint point;
  Gradients local(3, 8);
  point.shape.resize(8);
  Matrix3 jacobian = Matrix3::Zero();
  for (int a = 0; a < 8; ++a) {
    const Vector3 sign((a & 1) ? 1.0 : -1.0, (a & 2) ? 1.0 : -1.0, (a & 4) ? 1.0 : -1.0);
    const Vector3 factor = Vector3::Ones() + sign.cwiseProduct(xi);
    point.shape[a] = 0.125 * factor.prod();
    local.col(a) =
        0.125 * Vector3(sign[0] * factor[1] * factor[2], sign[1] * factor[0] * factor[2], sign[2] * factor[0] * factor[1]);
    jacobian += nodes[static_cast<std::size_t>(a)] * local.col(a).transpose();
  }
  point.determinant = jacobian.determinant();
  if (!(point.determinant > 0.0)) throw std::logic_error("trilinear_hexahedron: the volume is not positive");
  point.gradients = jacobian.inverse().transpose() * local;
  return point;
}

}  // namespace

ReferenceElement linear_tetrahedron(std::span<const Vector3> nodes, const ElasticMaterial& material) {
  Matrix3 edges;
  for (Index a = 0; a < 3; ++a) edges.col(a) = nodes[static_cast<std::size_t>(a) + 1] - nodes[0];
  ReferenceElement element;
  element.volume = edges.determinant() / 6.0;
  if (!(element.volume > 0.0)) throw std::logic_error("linear_tetrahedron: the volume is not positive");
  element.gradients.resize(3, 4);
  element.gradients.rightCols<3>() = edges.inverse().transpose();
  element.gradients.col(0) = -element.gradients.rightCols<3>().rowwise().sum();
  element.masses = Vector::Constant(4, 0.25 * material.density * element.volume);
  element.stiffness = DenseMatrix::Zero(12, 12);
  add_stiffness(element.gradients, element.volume, material, element.stiffness);
  return element;
}

ReferenceElement trilinear_hexahedron(std::span<const Vector3> nodes, const ElasticMaterial& material) {
  ReferenceElement element;
  element.gradients = hexahedron_point(nodes, Vector3::Zero()).gradients;
  element.masses = Vector::Zero(8);
  element.stiffness = DenseMatrix::Zero(24, 24);
  const double place = 1.0 / std::sqrt(3.0);
  for (int corner = 0; corner < 8; ++corner) {
    const Vector3 xi((corner & 1) ? place : -place, (corner & 2) ? place : -place, (corner & 4) ? place : -place);
    const HexahedronPoint point = hexahedron_point(nodes, xi);
    element.volume += point.determinant;
    // The rows of ∫ρ N_a N_b sum to ∫ρ N_a, since the N_b sum to 1.
    element.masses += material.density * point.determinant * point.shape;
    add_stiffness(point.gradients, point.determinant, material, element.stiffness);
  }
  return element;
}

}  // namespace ccp
