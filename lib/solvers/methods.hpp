#pragma once

#include <memory>

#include "solvers/solver.hpp"

/// The methods. Each is in the file of its family that has its name.
namespace ccp {

/// Projected Jacobi fixed point of Anitescu and Tasora 2010, as used for comparison by Tasora et al. 2021:
/// γ_i <- λ Π_Ki(γ_i − ω η_i u_i) + (1 − λ) γ_i with all u from the previous sweep, η_i = rows(i)/tr(N_ii).
/// Converges where ω λ_max(diag(η) N) < 2; our default ω = 0.3 may be too large where many contacts share a body.
std::unique_ptr<Solver> make_jacobi();

/// Projected Gauss–Seidel (PSOR when ω ≠ 1) for the convex model: as projected Jacobi, but with the newest values and
/// η_i = 1/λ_max(N_ii), because 3/tr(N_ii) can diverge even with one contact.
std::unique_ptr<Solver> make_gauss_seidel();

/// Nonlinear Gauss–Seidel for the Signorini–Coulomb model (Jean and Moreau 1992; Siconos' NSGS): each contact problem is
/// solved with the impulses of all others frozen at their newest values. An N that is not symmetric is used as it is.
std::unique_ptr<Solver> make_nsgs();

/// The projected Gauss–Seidel baseline of Lee et al. 2025, under the name of their plots: nsgs with one strict projection
/// per contact.
std::unique_ptr<Solver> make_pgs_lee();

/// The sweeps of RaiSim (Hwangbo, Lee, Hutter 2018): as nsgs, but a sliding contact takes the impulse of least energy among
/// those on its cone with u_n = 0 (E.7). That is not Coulomb's law where N_ii couples its rows: an inexact method.
std::unique_ptr<Solver> make_raisim();

/// Staggered projections (Kaufman, Sueda, James, Pai 2008): alternately the convex problems of the normal impulses, with
/// friction frozen, and of friction, with its discs frozen (E.8), each by sweeps. Its fixed points solve the ncp, but it need
/// not reach one: an inexact method.
std::unique_ptr<Solver> make_staggered_projections();

/// Accelerated projected gradient descent, Mazhar et al. 2015, Algorithm 1, for the ccp model: Nesterov's method (F.1, F.2)
/// with backtracking on the Lipschitz constant (F.3, F.4), adaptive restart (F.5) and fallback to the best iterate (F.6).
/// The test of the backtracking is not the printed one, in which the objective cancels, but the same for a quadratic, dᵀNd
/// <= L dᵀd. One product with N per iteration and per backtracking, and one at the start. Every iterate shown is γ_{k+1}; a
/// run that ends without having satisfied its caller hands back the best one.
std::unique_ptr<Solver> make_apgd();

/// Spectral projected gradient (Birgin, Martínez, Raydan 2000) for the ccp model: projected steps (F.8) with alternating
/// Barzilai–Borwein lengths (F.10) and a non-monotone line search (F.9) that knows the objective along its line exactly. One
/// product with N per iteration.
std::unique_ptr<Solver> make_spg();

/// P-SPG-FB, the comparator of Tasora et al. 2021 (Heyn, Anitescu, Tasora, Negrut 2013): the same method, by default with
/// the diagonal preconditioner, one scale per block so that cones stay cones, and with the fallback to the best iterate.
std::unique_ptr<Solver> make_p_spg_fb();

/// Projected conjugate gradient with active-set expansion for the ccp model: the Krylov comparator of Heyn, Anitescu,
/// Tasora, Negrut 2013, after the methods of Moré and Toraldo 1991 and Kučera 2008. Conjugate gradients run in the span of
/// the faces of the cones that the impulses are on (F.12); where the gradient would rather leave them (F.13), a projected
/// gradient step frees blocks; where a conjugate step leaves the cones, the step to its projection takes up new faces
/// (F.14). One product with N per step, two when a conjugate step is projected. Without inequalities this is the conjugate
/// gradient method.
std::unique_ptr<Solver> make_projected_cg();

/// Accelerated primal–dual method (Kanno 2021, after Chambolle and Pock 2011, Algorithm 2): projected steps of the impulses,
/// averaged velocities with momentum, De Saxcé's shift of the latter renewed in every iteration (F.15–F.18). One product with
/// N an iteration, no factorisation.
std::unique_ptr<Solver> make_primal_dual();

/// Alternating direction method of multipliers for the convex model: Tasora, Mangoni, Benatti, Garziera 2021, Algorithm 1,
/// with the diagonal preconditioner of sec. 6.1 (eq. 47), the fixed and the balanced step of sec. 5.2, small steps on
/// bilateral rows (sec. 5.3) and the warm start of Algorithm 2. A problem in local form is solved by eq. 31 on N itself.
std::unique_ptr<Solver> make_admm();

/// The same with the choices of the program that the paper points to, Chrono's ChSolverADMM: eq. 43 with the square root of
/// the ratio, first applied after the first iteration and left alone within a factor of 1.5; S = N_ii^(1/2); the γ of the
/// linear system handed over, with its v. Without its σ = 1e-6, which is added to ρ in the linear system only.
std::unique_ptr<Solver> make_admm_chrono();

/// The same for both models, with De Saxcé's shift of the estimate −y of û renewed in every iteration, a proximal term, and
/// ρ by the spectrum of N (Carpentier, Le Lidec, Montaut 2024; pinocchio's ADMMContactSolver) (G.33–G.37).
std::unique_ptr<Solver> make_admm_pinocchio();

/// The same with Nesterov's momentum and restart: Tasora 2021, Algorithm 3, extrapolating as Goldstein et al. 2014,
/// Algorithm 8 (the printed lines 14–16 interpolate).
std::unique_ptr<Solver> make_fadmm();

/// SubADMM, the subsystem-based ADMM (Lee et al. 2025, Algorithm 2): velocities by subsystems along their trees (eqs. 34,
/// 40), impulses and copies of the local velocities by constraints (eqs. 35–39), with an adaptive penalty (eq. 43).
std::unique_ptr<Solver> make_subadmm();

/// The baselines of its ablation (Table III): the same without the split by bodies (eq. 31), and without any split (eq. 28).
std::unique_ptr<Solver> make_admm_nobody();
std::unique_ptr<Solver> make_admm_nosub();

/// Mehrotra's predictor–corrector method for problems without friction, bilateral and unilateral (Mangoni's thesis, sec.
/// 4.11). A contact with μ = 0 is its normal row; contacts with friction are not supported.
std::unique_ptr<Solver> make_ipm_qp();

/// The same for cones, with Nesterov–Todd scaling (Mangoni's thesis, sec. 4.14): bilateral and unilateral rows and friction
/// cones mixed (J.1–J.10).
std::unique_ptr<Solver> make_ipm_cone();

/// Nonsmooth interior point for the ncp (Acary, Armand, Nguyen, Shpakovych): ipm_cone with
/// s = ‖u_T‖ as one more unknown of each contact, whose derivative is in the matrix (J.13–J.15).
std::unique_ptr<Solver> make_nonsmooth_ipm();

/// The same path followed by Taylor series in its arc length, one factorisation for all orders of a step, so that it may turn
/// back in τ (J.17–J.19).
std::unique_ptr<Solver> make_nonsmooth_ipm_series();

/// Semi-analytic primal solver (Castro, Permenter, Han 2022): Newton's method with exact line search on the velocities of the
/// convex problem with compliant contacts (M.1–M.6). A rigid problem gets the compliance of "near rigid", so that the
/// residual that the suite judges does not go to zero: it is an inexact method.
std::unique_ptr<Solver> make_sap();

/// MuJoCo's solvers with elliptic cones (its documentation, Computation): the same convex problem with the compliance of an
/// impedance, by Newton's method and by conjugate gradients. Inexact, too.
std::unique_ptr<Solver> make_mujoco_newton();
std::unique_ptr<Solver> make_mujoco_cg();

/// Proximal semismooth Newton method: an outer proximal loop makes the problem strongly monotone, its subproblems are solved
/// by Newton steps on the Alart–Curnier map (ncp) or the natural map (ccp), each with one sparse block LU (H.1–H.4, H.7).
std::unique_ptr<Solver> make_proximal_newton();

/// Semismooth Newton method on the whole problem, the standard second-order method of the field, with a choice of
/// complementarity function and a non-monotone line search.
std::unique_ptr<Solver> make_semismooth_newton();

/// Projected quasi-Newton method (Koziara 2017, Algorithm 1): smoothed natural map of the De Saxcé velocity, inexact GMRES
/// steps projected on the cones, nonlinear Gauss–Seidel where it fails.
std::unique_ptr<Solver> make_pqn();

/// CANAL, the cascaded Newton augmented Lagrangian method (Lee et al. 2025, Algorithm 1): every inner problem is convex and
/// solved by Newton's method with exact line search.
std::unique_ptr<Solver> make_canal();

/// The baselines of its ablation (Table II): the augmented Lagrangian method with the strict operator, its inner problems
/// solved by a trust-region dogleg method, and by a damped semismooth Newton method.
std::unique_ptr<Solver> make_al_trdogleg();
std::unique_ptr<Solver> make_al_damped_newton();

/// Solutions to the last digits. Runs methods in turn, each from zero or from the best point so far, until that point is
/// certified (K.1–K.5, certificate.hpp).
///
///     ccp: ipm_cone; Newton polish; proximal_newton; P-ADMM to 1e-8; Newton polish
///     ncp: proximal_newton; nsgs to 1e-6; Newton polish; ipm_cone in the De Saxcé loop to 1e-8; Newton polish
///
/// The Newton polish is proximal_newton with a tiny proximal weight: an active-set method once the statuses of the contacts
/// no longer change. A method ends when it makes no progress, at the latest after half of the time that remained at its
/// start. From a certified point the run goes on while residuals fall, through a polish if that comes next. Then it shows
/// the best point once more, as converged: with `stop.native` the run ends there, or says why nothing was certified. The
/// outer column of the trace is the number of the method.
std::unique_ptr<Solver> make_reference();

}  // namespace ccp
