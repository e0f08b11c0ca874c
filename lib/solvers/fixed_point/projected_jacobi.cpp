#include "solvers/fixed_point/projected_jacobi.hpp"

#include "cones/product_cone.hpp"
#include "solvers/fixed_point/sweep.hpp"

namespace ccp {
namespace {

struct JacobiSettings {
  double omega = 0.3;
  double lambda = 0.9;
  double native_tolerance = 1e-10;
  OperatorForm form = OperatorForm::automatic;
};

class JacobiSession final : public Session {
 public:
  JacobiSession(const JacobiSettings& settings, const ContactProblem& problem)
      : settings_(settings), problem_(problem), N_(select_operator(problem, settings.form)), step_(problem.rows()) {
    problem.free_velocity();  // formed here, where set-up is timed
    const ConstraintSet& blocks = N_.constraints();
    for (Index i = 0; i < blocks.count(); ++i) {
      const double trace = N_.diagonal_block(i).trace();
      const double eta = trace > 0.0 ? static_cast<double>(blocks.rows(i)) / trace : 1.0;
      step_.segment(blocks.offset(i), blocks.rows(i)).setConstant(settings.omega * eta);
    }
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    const Vector r = problem_.free_velocity() + shift;
    Vector gamma = start.impulse.size() > 0 ? start.impulse : Vector::Zero(problem_.rows());
    Vector u(gamma.size()), projected(gamma.size());
    std::vector<double> native{0.0};
    bool converged = false;
    while (monitor.go_on({gamma, nullptr, native, converged})) {
      N_.multiply(gamma, u, monitor.threads());
      projected = gamma - step_.cwiseProduct(u + r);
      project_product(N_.constraints(), projected, monitor.threads());
      projected = settings_.lambda * projected + (1.0 - settings_.lambda) * gamma;
      native[0] = gamma.size() > 0 ? (projected - gamma).cwiseAbs().maxCoeff() : 0.0;
      gamma.swap(projected);
      converged = gamma.size() == 0 || native[0] <= settings_.native_tolerance * gamma.cwiseAbs().maxCoeff();
      ++monitor.counters().products;
      ++monitor.counters().projections;
    }
    return {gamma, {}, 0.0, std::nullopt, ""};
  }

 private:
  JacobiSettings settings_;
  ContactProblem problem_;
  const DelassusOperator& N_;
  Vector step_;  ///< ω η_i on every row of block i
};

class ProjectedJacobi final : public Solver {
 public:
  ProjectedJacobi() {
    fields_
        .add("omega", &settings_.omega, Range::positive(), "", "step factor ω on η_i = rows(i)/tr(N_ii)",
             "Tasora and Anitescu 2010; value as in the comparison of Tasora 2021")
        .add("lambda", &settings_.lambda, Range::open_closed(0.0, 1.0), "", "averaging λ of new and old impulses",
             "Tasora and Anitescu 2010; value as in the comparison of Tasora 2021")
        .add("native_tolerance", &settings_.native_tolerance, Range::non_negative(), "",
             "native criterion: max|Δγ| <= native_tolerance · max|γ|", "ours")
        .add("operator", &settings_.form, operator_form_names(),
             "form of the Delassus operator; auto: factored where it exists", "ours");
  }

 private:
  const SolverInfo& do_info() const override {
    static const SolverInfo info{"jacobi",
                                 "Projected Jacobi fixed point",
                                 "Tasora and Anitescu 2010; comparator of Tasora et al. 2021",
                                 {Model::ccp},
                                 {impulse_change_column()}};
    return info;
  }
  std::optional<std::string> do_supports(const ContactProblem& problem, Model) const override {
    return operator_form_defect(problem, settings_.form);
  }
  std::unique_ptr<Session> do_prepare(const ContactProblem& problem, Model, Monitor&) const override {
    return std::make_unique<JacobiSession>(settings_, problem);
  }

  JacobiSettings settings_;
};

}  // namespace

std::unique_ptr<Solver> make_projected_jacobi() { return std::make_unique<ProjectedJacobi>(); }

}  // namespace ccp
