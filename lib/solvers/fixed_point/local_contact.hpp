#pragma once

#include <cmath>

#include "core/block_rows.hpp"
#include "core/types.hpp"
#include "kernels/planar_contact.hpp"

/// One block with all other impulses frozen: u = N_ii γ + w (E.4). Vectors are padded to 3 with zeros, so that a contact in
/// the plane is a contact in space whose second tangent does not take part (N_ii(2,2) = 1).
namespace ccp {

/// One contact problem (A.5): find γ with K* ∋ û ⊥ γ ∈ K, u = N_ii γ + w.
struct LocalContact {
  Matrix3 N_ii;  ///< 1/kg; need not be symmetric
  Vector3 w;     ///< velocity at γ = 0, m/s
  double mu;
};

/// λ_max of the symmetric part of N_ii where positive, else 1 (1/kg): the inverse is a stable step.
double stable_rate(const BlockSquare& block);

/// û = u + (μ‖u_T‖, 0, 0).
inline Vector3 de_saxce_velocity(const Vector3& u, double mu) { return {u[0] + mu * std::hypot(u[1], u[2]), u[1], u[2]}; }

/// Exact solution by enumeration: open (w_n >= 0: γ = 0), stick (u = 0 inside the cone), else slip: with u_T = −α γ_T, α
/// > 0, γ_T(α) = −(S + αI)⁻¹ w̃ from the Schur complement of the normal row, the root of ‖γ_T‖ − μ γ_n is bracketed,
/// because it is positive where sticking fails and tends to μ w_n/N_nn < 0. Right for every N_ii whose symmetric part is
/// positive definite, to a residual of about 1e-15 times its condition, and of the same bits in any units; and for
/// singular ones of rank 1 and 2 with N_nn > 0, where w̃ along the null space of S is left out when it is rounding, and
/// u_T there with it. A singular contact without a solution (it jams: friction turns every impulse away from u_n = 0)
/// gets a finite impulse in the cone that does not solve it; one with N_nn <= 0 gets 0. Compare the quartic of Bonnefon
/// and Daviet 2011, which needs all its roots.
Vector3 solve_contact_exact(const LocalContact& contact);

/// The same of a contact in the plane, where the slip has one direction and no root to find: γ_t = ∓μ γ_n against w̃. A
/// singular one is left to the enumeration.
inline Vector3 solve_planar_exact(const LocalContact& contact) {
  if (contact.w[0] >= 0.0 && contact.w[1] == contact.w[1]) return Vector3::Zero();  // open, most of all in loose piles
  const Matrix3& N = contact.N_ii;
  const PlanarContact planar{N(0, 0), N(1, 0), N(0, 1), N(1, 1), contact.mu, contact.w[0], contact.w[1]};
  PlanarImpulse gamma{};
  if (!solve_planar(planar, gamma)) return solve_contact_exact(contact);
  return {gamma.n, gamma.t, 0.0};
}

/// RaiSim's choice (Hwangbo, Lee, Hutter 2018; E.7): open and stick as above; else, of the impulses on the surface of the
/// cone with u_n = 0, one where the energy ½ γᵀNγ + γᵀw is least, by bisection of the angle from that of the impulse that
/// would stick. It obeys Coulomb's law only where N_ii couples no rows. planar: a contact with one tangent. 0 where no
/// impulse in the direction of sticking stops the approach.
Vector3 solve_contact_bisection(const LocalContact& contact, bool planar);

/// Generalised Newton on the Alart–Curnier function, from γ; at most max_steps steps. converged tells whether the residual
/// fell to 1e-14 of its scale. Alart and Curnier 1991.
Vector3 solve_contact_newton(const LocalContact& contact, const Vector3& gamma, int max_steps, bool& converged);

}  // namespace ccp
