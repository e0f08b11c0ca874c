#include "solvers/fixed_point/local_contact.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "cones/friction_cone.hpp"

namespace ccp {

Vector3 project_block(ConstraintKind kind, double mu, const Vector3& p) {
  switch (kind) {
    case ConstraintKind::contact: return project_friction_cone(p, mu);
    case ConstraintKind::contact2d: {
      const Vector2 projected = project_friction_cone(Vector2(p.head<2>()), mu);
      return {projected[0], projected[1], 0.0};
    }
    case ConstraintKind::unilateral: return {p[0] < 0.0 ? 0.0 : p[0], 0.0, 0.0};
    case ConstraintKind::bilateral: return p;
  }
  return p;
}

double stable_rate(const Matrix3& block) {
  const Matrix3 symmetric = 0.5 * (block + block.transpose());
  const double largest = Eigen::SelfAdjointEigenSolver<Matrix3>(symmetric, Eigen::EigenvaluesOnly).eigenvalues()[2];
  if (largest > 0.0) return largest;
  return 1.0;
}

}  // namespace ccp
