#include "solvers/splitting/admm_settings.hpp"

namespace ccp {
namespace {

void add_adaptation_fields(FieldTable& fields, AdmmSettings& s) {
  fields
      .add("step_policy", &s.adaptation.policy,
           {{"fixed", RhoPolicy::fixed},
            {"balanced", RhoPolicy::balanced},
            {"balanced_normalized", RhoPolicy::balanced_normalized},
            {"spectral", RhoPolicy::spectral},
            {"condition", RhoPolicy::condition}},
           "how ρ is adapted: not at all, by the ratio of the residuals, by that of the relative residuals, by curvatures, "
           "by a power of the condition number (G.36)",
           "Tasora 2021, eqs. 42 and 43; Xu 2017; Carpentier 2024")
      .add("update_interval", &s.adaptation.update_interval, Range::at_least(1.0), "iterations between updates of ρ, n_s",
           "Tasora 2021, sec. 8.1")
      .add("first_update", &s.adaptation.first_update, Range::at_least(0.0),
           "iteration after which ρ is first updated, the next ones n_s later; 0: after n_s iterations",
           "Tasora 2021, sec. 5.2, leaves it open; 1: Chrono's ChSolverADMM")
      .add("max_factor", &s.adaptation.max_factor, Range::at_least(1.0), "", "largest change of ρ in one update",
           "Tasora 2021, sec. 5.2")
      .add("balance_exponent", &s.adaptation.exponent, Range::closed(0.0, 1.0), "",
           "power of the ratio that balanced policies multiply by: 1 as printed; 0.5 does not overshoot",
           "ours (G.8); 0.5: Chrono's ChSolverADMM")
      .add("adapting_rows", &s.adapting_rows, {{"all", AdaptingRows::all}, {"cones", AdaptingRows::cones}},
           "rows whose residuals and impulses adapt ρ in balanced policies: all, or those of contacts and unilaterals "
           "alone",
           "all: Tasora 2021, eqs. 42 and 43; cones: ours")
      .add("dead_band", &s.adaptation.dead_band, Range::at_least(1.0), "",
           "no update while the factor is in [1/dead_band, dead_band]",
           "2: Tasora 2021, sec. 5.2; 1.5: Chrono's ChSolverADMM")
      .add("rho_min", &s.rho_min, Range::positive(), "", "least ρ, in units of the mean N_ii", "ours")
      .add("rho_max", &s.rho_max, Range::positive(), "", "largest ρ, in units of the mean N_ii", "ours");
  if (s.proximal > 0.0)
    fields.add("accelerated", &s.accelerated, "Nesterov's momentum and restart, as in fadmm (G.23–G.25)",
               "Tsounis et al. 2025: Kamino");
  if (!s.accelerated)
    fields.add("proximal", &s.proximal, Range::non_negative(), "", "weight of |γ − γ_previous|², in units of λ_max(N)",
               "Carpentier 2024, and 1e-6 1/kg in pinocchio; unit ours");
  if (s.accelerated || s.proximal > 0.0)
    fields.add("restart_factor", &s.restart_factor, Range::closed(0.0, 1.0), "",
               "the momentum starts again unless the combined residual falls by this factor", "Tasora 2021, sec. 7");
}

}  // namespace

void add_admm_fields(FieldTable& fields, AdmmSettings& s) {
  fields
      .add("rho", &s.rho, Range::positive(), "1/kg",
           "initial ρ (dimensionless with the preconditioner); with condition a multiple of that of the spectrum (G.36)",
           s.accelerated ? "Tasora 2021, sec. 8.1" : "Tasora 2021, sec. 6.2")
      .add("preconditioner", &s.scaling,
           {{"none", RhoScaling::none},
            {"diagonal", RhoScaling::diagonal},
            {"inverse_diagonal", RhoScaling::inverse_diagonal}},
           "diagonal: P-ADMM, S = N_ii^(-1/2), ρ N_ii in the place of ρ; inverse_diagonal: S = N_ii^(1/2), ρ/N_ii",
           "Tasora 2021, eq. 47; inverse_diagonal: Chrono's ChSolverADMM")
      .add("block_number", &s.block_number, {{"mean", BlockNumber::mean}, {"normal", BlockNumber::normal}},
           "the number that the preconditioner takes for all rows of N_ii: mean of the diagonal, or N_nn",
           "mean: Chrono's ChSolverADMM; the paper leaves it open");
  add_adaptation_fields(fields, s);
  fields.add("rho_bilateral", &s.rho_bilateral, Range::positive(), "1/kg", "ρ on bilateral rows", "Tasora 2021, eq. 44")
      .add("rho_bilateral_relative", &s.rho_bilateral_relative,
           "rho_bilateral is a multiple of the mean N_ii of its block (always so with the preconditioner)", "ours")
      .add("hands_out", &s.hands_out, {{"z", Impulse::z}, {"gamma", Impulse::gamma}},
           "impulse that is measured and handed over: z, in the cones, or γ of the linear system, which v belongs to",
           "z: Tasora 2021, eq. 35; gamma: Algorithm 1 and Chrono's ChSolverADMM")
      .add("warm_start", &s.warm_start,
           {{"gamma", AdmmStart::gamma}, {"gamma_v", AdmmStart::gamma_v}, {"y_z", AdmmStart::y_z}},
           "what a start takes: γ, whose velocity gives y; γ and v, where v is known; y and z, where the step before was "
           "of the same method, else as gamma_v",
           "Tasora 2021, sec. 6.2 and Algorithm 2")
      .add("linear_system", &s.form,
           {{"auto", LinearForm::automatic},
            {"saddle", LinearForm::saddle},
            {"schur", LinearForm::schur},
            {"normal", LinearForm::normal}},
           "which form of the linear system is factorised; on ranks normal, by MUMPS on all of them, with iterations that "
           "agree to rounding",
           "Tasora 2021, eqs. 36 and 31; ours")
      .add("linear_solver", &s.backend, linear_backend_choices(), "library that factorises it", "ours")
      .add("tolerance_primal", &s.tolerance_primal, Range::non_negative(), "N·s", "native criterion on |γ − z|∞",
           "Tasora 2021, eq. 39; value ours")
      .add("tolerance_dual", &s.tolerance_dual, Range::non_negative(), "m/s",
           s.accelerated ? "native criterion on |Θ(γ − γ̂)|∞" : "native criterion on |Θ(z − z_previous)|∞",
           s.accelerated ? "Tasora 2021, Algorithm 3, line 7, corrected (G.21); value ours"
                         : "Tasora 2021, Algorithm 1, line 7; value ours");
}

}  // namespace ccp
