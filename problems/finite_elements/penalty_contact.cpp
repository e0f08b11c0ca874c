#include "problems/finite_elements/penalty_contact.hpp"

#include "problems/dynamics/body.hpp"

namespace ccp {

void check_penalty(const PenaltyLaw& law) {
  if (law.kind != PenaltyLaw::Kind::none) require_positive(law.stiffness, "stiffness of a penalty spring", "N/m");
}

void add_penalty(PenaltyLaw::Kind kind, double time_step, const SparseMatrix& D, const Vector& stiffness, const Vector& gaps,
                 const Vector& b, SparseMatrix& H, Vector& k) {
  if (D.cols() == 0) return;
  if (kind == PenaltyLaw::Kind::at_start) {
    k.noalias() -= D * (time_step * stiffness.cwiseProduct(gaps.cwiseMin(0.0)));
    return;
  }
  // By roots, so that entries (i, j) and (j, i) are sums of the same products.
  const SparseMatrix root = D * (time_step * stiffness.cwiseSqrt()).asDiagonal();
  H += SparseMatrix(root * SparseMatrix(root.transpose()));
  k.noalias() -= D * (time_step * time_step * stiffness.cwiseProduct(b));
}

}  // namespace ccp
