#pragma once

#include "problem/contact_problem.hpp"

/// The Delassus operator of a fixed-point method: the local velocity of one block, after every change or with all
/// impulses of the last sweep. Two forms with the same interface, so that each method is written once.
namespace ccp {

/// Reads N from its block-CSR form: u_i = Σ_j N_ij γ_j.
class AssembledRows {
 public:
  explicit AssembledRows(const ContactProblem& problem) : N_(problem.assembled()) {}
  /// Forgets what was kept; the next products are those of `impulse`.
  void restart(const Vector& /*impulse*/, int /*threads*/ = 1) {}
  /// (N γ)_i, where γ has the changes reported since the restart.
  template <int Rows>
  [[gnu::always_inline]] inline BlockVector<Rows> product(Index block, const Vector& impulse) const {
    return N_.row_product<Rows>(block, impulse.data());
  }
  /// γ_i has become γ_i + delta.
  template <int Rows>
  void changed(Index /*block*/, const BlockVector<Rows>& /*delta*/) {}

 private:
  const AssembledDelassus& N_;
};

/// Keeps w = L⁻¹Dγ up to date: u_i = (L⁻¹D)_iᵀ w + C_i γ_i, w += (L⁻¹D)_i Δγ_i (E.3); never forms N.
class FactoredRows {
 public:
  explicit FactoredRows(const ContactProblem& problem)
      : problem_(problem),
        N_(problem.factored()),
        velocity_(Vector::Zero(N_.padded_size())),
        scratch_(problem.mass().size()) {}
  void restart(const Vector& impulse, int threads = 1) { N_.scaled_velocity(impulse, velocity_.data(), threads); }
  /// Begins with products of the changes alone, not of the impulses: u <- Nγ + r from D and H⁻¹ themselves, without the
  /// rounding of L⁻¹D. False, with nothing done, where C makes the products those of the impulses.
  bool restart_from_velocity(const Vector& impulse, Vector& u) {
    if (N_.has_compliance()) return false;
    problem_.local_velocity(impulse, scratch_, u);
    velocity_.setZero();
    return true;
  }
  template <int Rows>
  BlockVector<Rows> product(Index block, const Vector& impulse) const {
    const Index offset = N_.constraints().offset(block);
    return N_.local_velocity<Rows>(block, velocity_.data(), Eigen::Map<const BlockVector<Rows>>(impulse.data() + offset));
  }
  template <int Rows>
  void changed(Index block, const BlockVector<Rows>& delta) {
    N_.add_impulse<Rows>(block, delta, velocity_.data());
  }

  /// What a sweep over groups of contacts reads and changes in place of the two functions above: the contacts, and w.
  PairedContacts contacts() const { return N_.paired_contacts(); }
  double* velocity() { return velocity_.data(); }

 private:
  ContactProblem problem_;
  const FactoredDelassus& N_;
  Vector velocity_, scratch_;
};

}  // namespace ccp
