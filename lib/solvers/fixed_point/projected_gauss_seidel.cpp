#include "solvers/fixed_point/projected_gauss_seidel.hpp"

#include "solvers/fixed_point/local_contact.hpp"
#include "solvers/fixed_point/sweep.hpp"

namespace ccp {
namespace {

struct GaussSeidelSettings {
  double omega = 1.0;
  double lambda = 1.0;
  SweepOptions sweep;
  OperatorForm form = OperatorForm::automatic;
};

class GaussSeidelSession final : public Session {
 public:
  GaussSeidelSession(const GaussSeidelSettings& settings, const ContactProblem& problem)
      : settings_(settings), problem_(problem), factored_(use_factored(problem, settings.form)) {
    const DelassusOperator& N = select_operator(problem, settings.form);
    problem.free_velocity();  // formed here, where set-up is timed
    for (Index i = 0; i < N.constraints().count(); ++i) step_.push_back(settings.omega / stable_rate(N.diagonal_block(i)));
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    const ConstraintSet& blocks = problem_.constraints();
    const Vector r = problem_.free_velocity() + shift;
    const double lambda = settings_.lambda;
    const auto update = [&](Index i, const Vector3& u, const Vector3& gamma) -> Vector3 {
      const Vector3 projected =
          project_block(blocks.kind(i), blocks.friction(i), gamma - step_[static_cast<std::size_t>(i)] * u);
      return lambda == 1.0 ? projected : Vector3(lambda * projected + (1.0 - lambda) * gamma);
    };
    if (factored_) {
      FactoredRows rows(problem_.factored());
      return run_sweeps(blocks, rows, r, settings_.sweep, start, monitor, update);
    }
    AssembledRows rows(problem_.assembled());
    return run_sweeps(blocks, rows, r, settings_.sweep, start, monitor, update);
  }

 private:
  GaussSeidelSettings settings_;
  ContactProblem problem_;
  bool factored_;
  std::vector<double> step_;  ///< ω η_i
};

class ProjectedGaussSeidel final : public Solver {
 public:
  ProjectedGaussSeidel() {
    fields_
        .add("omega", &settings_.omega, Range::positive(), "", "step factor ω on η_i = 1/λ_max(N_ii); PSOR when not 1",
             "ours")
        .add("lambda", &settings_.lambda, Range::open_closed(0.0, 1.0), "", "averaging λ of new and old impulses", "ours");
    add_sweep_fields(fields_, settings_.sweep, settings_.form);
  }

 private:
  const SolverInfo& do_info() const override {
    static const SolverInfo info{"gauss_seidel",
                                 "Projected Gauss–Seidel (PSOR)",
                                 "Tasora and Anitescu 2010; comparator of Mazhar et al. 2015",
                                 {Model::ccp},
                                 {impulse_change_column()}};
    return info;
  }
  std::optional<std::string> do_supports(const ContactProblem& problem, Model) const override {
    return operator_form_defect(problem, settings_.form);
  }
  std::unique_ptr<Session> do_prepare(const ContactProblem& problem, Model, Monitor&) const override {
    return std::make_unique<GaussSeidelSession>(settings_, problem);
  }

  GaussSeidelSettings settings_;
};

}  // namespace

std::unique_ptr<Solver> make_projected_gauss_seidel() { return std::make_unique<ProjectedGaussSeidel>(); }

}  // namespace ccp
