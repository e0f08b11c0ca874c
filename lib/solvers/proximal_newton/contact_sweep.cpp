#include "solvers/proximal_newton/contact_sweep.hpp"

#include <Eigen/LU>

#include "cones/strict_projection.hpp"
#include "solvers/fixed_point/local_contact.hpp"

namespace ccp {
namespace {

constexpr int newton_steps_of_a_contact = 10;

/// The impulse of one contact: none, the one that holds it, or one with slip.
Vector3 settled_impulse(const LocalContact& contact) {
  if (contact.w[0] >= 0.0) return Vector3::Zero();
  const Vector3 holding = -(contact.N_ii.inverse() * contact.w);
  const Vector3 within = project_strict(holding, contact.mu);
  if (within == holding) return holding;
  bool converged = false;
  const Vector3 slipping = solve_contact_newton(contact, within, newton_steps_of_a_contact, converged);
  return converged ? project_strict(slipping, contact.mu) : solve_contact_exact(contact);
}

constexpr double small_beside_diagonal = 0.1;

}  // namespace

bool nearly_lower_triangular(const BlockMatrix& N) {
  for (Index i = 0; i < N.rows(); ++i) {
    double right = 0.0;
    for (int p = N.diagonal[uz(i)] + 1; p < N.row_start[uz(i) + 1]; ++p) right += N.block[uz(p)].norm();
    if (right > small_beside_diagonal * N.diagonal_block(i).norm()) return false;
  }
  return true;
}

void sweep_contacts(const BlockMatrix& N, const Vector& r, const ConstraintSet& contacts, Vector& x) {
  for (Index i = 0; i < N.rows(); ++i) {
    Vector3 w = r.segment<3>(3 * i);
    for (int p = N.row_start[uz(i)]; p < N.row_start[uz(i) + 1]; ++p)
      if (p != N.diagonal[uz(i)]) w.noalias() += N.block[uz(p)] * x.segment<3>(3 * N.column[uz(p)]);
    x.segment<3>(3 * i) = settled_impulse({N.diagonal_block(i), w, contacts.friction(i)});
  }
}

}  // namespace ccp
