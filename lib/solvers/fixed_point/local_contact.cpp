#include "solvers/fixed_point/local_contact.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "linalg/dense.hpp"

namespace ccp {
namespace {

/// Alart–Curnier function F(x) = x − P(x − ρu), P: normal part on [0, ∞), tangential part on the disk of radius μ P_n, and
/// an element of its generalised Jacobian. The step differs between normal and tangent, which leaves the roots unchanged.
void alart_curnier(const LocalContact& contact, const Vector3& x, double rho_n, double rho_t, Vector3& F, Matrix3& J) {
  const Vector3 u = contact.N_ii * x + contact.w;
  const double s_n = x[0] - rho_n * u[0], g = std::max(s_n, 0.0);
  const Vector2 s_t = x.tail<2>() - rho_t * u.tail<2>();
  const double t = s_t.norm(), radius = contact.mu * g;

  Eigen::RowVector3d dg = Eigen::RowVector3d::Zero();  // derivative of g
  if (s_n > 0.0) {
    dg = -rho_n * contact.N_ii.row(0);
    dg[0] += 1.0;
  }
  F[0] = x[0] - g;
  J.row(0) = -dg;
  J(0, 0) += 1.0;

  Eigen::Matrix<double, 2, 3> ds = -rho_t * contact.N_ii.bottomRows<2>();  // derivative of s_t
  ds.rightCols<2>() += Matrix2::Identity();
  Eigen::Matrix<double, 2, 3> dp = ds;  // derivative of the projection on the disk
  if (t > radius) {
    const Vector2 e = s_t / t;
    F.tail<2>() = x.tail<2>() - radius * e;
    dp = contact.mu * e * dg + (radius / t) * (Matrix2::Identity() - e * e.transpose()) * ds;
  } else {
    F.tail<2>() = x.tail<2>() - s_t;
  }
  J.bottomRows<2>() = -dp;
  J.bottomRightCorner<2, 2>() += Matrix2::Identity();
}

}  // namespace

double stable_rate(const BlockSquare& block) {
  const BlockSquare symmetric = 0.5 * (block + block.transpose());
  const double largest = block.rows() == 3
                             ? Eigen::SelfAdjointEigenSolver<Matrix3>(symmetric, Eigen::EigenvaluesOnly).eigenvalues()[2]
                             : symmetric_eigenvalues(symmetric).tail<1>()[0];
  return largest > 0.0 ? largest : 1.0;
}

Vector3 solve_contact_newton(const LocalContact& contact, const Vector3& gamma, int max_steps, bool& converged) {
  const double rho_n = contact.N_ii(0, 0) > 0.0 ? 1.0 / contact.N_ii(0, 0) : 1.0;
  const double tangential = 0.5 * (contact.N_ii(1, 1) + contact.N_ii(2, 2));
  const double rho_t = tangential > 0.0 ? 1.0 / tangential : 1.0;
  Vector3 x = gamma, F;
  Matrix3 J;
  converged = false;
  for (int step = 0; step <= max_steps; ++step) {
    alart_curnier(contact, x, rho_n, rho_t, F, J);
    const double scale = x.cwiseAbs().maxCoeff() + rho_n * contact.w.cwiseAbs().maxCoeff();
    if (F.cwiseAbs().maxCoeff() <= 1e-14 * scale) {
      converged = true;
      break;
    }
    const Vector3 update = J.partialPivLu().solve(F);
    if (!update.allFinite()) break;
    x -= update;
  }
  return x;
}

}  // namespace ccp
