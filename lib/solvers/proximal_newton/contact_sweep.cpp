#include "solvers/proximal_newton/contact_sweep.hpp"

#include "solvers/fixed_point/local_contact.hpp"

namespace ccp {
namespace {

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
    x.segment<3>(3 * i) = solve_contact_exact({N.diagonal_block(i), w, contacts.friction(i)});
  }
}

}  // namespace ccp
