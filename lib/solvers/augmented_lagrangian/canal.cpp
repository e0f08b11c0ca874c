#include "solvers/augmented_lagrangian/canal.hpp"

#include "solvers/augmented_lagrangian/augmented_lagrangian.hpp"

namespace ccp {
namespace {

class AugmentedSolver final : public Solver {
 public:
  AugmentedSolver(SolverInfo info, InnerMethod method) : info_(std::move(info)) {
    info_.native = augmented_columns();
    settings_.inner.method = method;
    fields_
        .add("beta", &settings_.beta, Range::non_negative(), "kg",
             "first penalty; 0: 10 times the mean of rows/tr(N_ii). The paper's is 1e4", "Lee et al. 2025, sec. V-D")
        .add("kappa", &settings_.kappa, Range{1.0, std::numeric_limits<double>::infinity(), true, false}, "",
             "factor by which the penalty grows", "Lee et al. 2025, eq. 27")
        .add("zeta", &settings_.zeta, Range::open_closed(0, 1), "",
             "the penalty grows where the outer residual fell by less than this", "Lee et al. 2025, Algorithm 1")
        .add("beta_max", &settings_.beta_max, Range::positive(), "",
             "largest penalty times the mean of tr(N_ii)/rows; it stops growing earlier where the residual no longer falls",
             "Lee et al. 2025, eq. 27")
        .add("inner_tolerance", &settings_.inner_tolerance, Range::positive(), "",
             "inner residual relative to the change of the impulses, both as energies", "ours")
        .add("inner_steps", &settings_.inner_steps, Range::at_least(1), "Newton steps of one inner problem", "ours")
        .add(
            "linear_system", &settings_.inner.form,
            {{"auto", AugmentedForm::automatic}, {"velocity", AugmentedForm::velocity}, {"contact", AugmentedForm::contact}},
            "unknowns of the Newton systems; auto: the cheaper form", "Lee et al. 2025, eq. 23; ours (I.6)")
        .add("tolerance", &settings_.tolerance, Range::positive(), "m/s", "native criterion: outer residual",
             "Lee et al. 2025, Algorithm 1");
    if (method == InnerMethod::exact_newton)
      fields_.add("line_search_tolerance", &settings_.inner.line_search_tolerance, Range::open_closed(0, 0.5), "",
                  "slope at the end of a line search relative to that at its start", "Lee et al. 2025, eq. 26");
  }

 private:
  const SolverInfo& do_info() const override { return info_; }
  std::optional<std::string> do_supports(const ContactProblem& problem, Model) const override {
    if (settings_.inner.form == AugmentedForm::contact && !has_contact_form(problem))
      return "linear_system = contact needs a block-diagonal H without compliance, or an N without negative part";
    return std::nullopt;
  }
  std::unique_ptr<Session> do_prepare(const ContactProblem& problem, Model model, Monitor& monitor) const override {
    return make_augmented_session(settings_, problem, model, monitor);
  }

  SolverInfo info_;
  AugmentedSettings settings_;
};

}  // namespace

std::unique_ptr<Solver> make_canal() {
  return std::make_unique<AugmentedSolver>(SolverInfo{"canal",
                                                      "CANAL, cascaded Newton augmented Lagrangian",
                                                      "Lee, Lee, Park, Yun and Lee 2025, Algorithm 1",
                                                      {Model::ncp, Model::ccp},
                                                      {}},
                                           InnerMethod::exact_newton);
}

std::unique_ptr<Solver> make_al_trdogleg() {
  return std::make_unique<AugmentedSolver>(SolverInfo{"al_trdogleg",
                                                      "Augmented Lagrangian with trust-region dogleg",
                                                      "Lee, Lee, Park, Yun and Lee 2025, Table II; Powell 1970",
                                                      {Model::ncp},
                                                      {}},
                                           InnerMethod::dogleg);
}

std::unique_ptr<Solver> make_al_damped_newton() {
  return std::make_unique<AugmentedSolver>(SolverInfo{"al_damped_newton",
                                                      "Augmented Lagrangian with damped semismooth Newton",
                                                      "Lee, Lee, Park, Yun and Lee 2025, Table II",
                                                      {Model::ncp},
                                                      {}},
                                           InnerMethod::damped);
}

}  // namespace ccp
