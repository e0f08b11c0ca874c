#include "solvers/fixed_point/nsgs.hpp"

#include "cones/friction_cone.hpp"
#include "cones/strict_projection.hpp"
#include "solvers/fixed_point/local_contact.hpp"
#include "solvers/fixed_point/sweep.hpp"

namespace ccp {
namespace {

enum class LocalSolver { strict, projection, newton, exact };

struct NsgsSettings {
  LocalSolver local = LocalSolver::exact;
  int newton_steps = 10;
  SweepOptions sweep;
  OperatorForm form = OperatorForm::automatic;
};

/// N_ii padded so that a contact in the plane has a second tangent that does not take part.
Matrix3 padded_block(const DelassusOperator& N, Index i) {
  Matrix3 block = N.diagonal_block(i);
  if (N.constraints().kind(i) == ConstraintKind::contact2d) block(2, 2) = 1.0;
  return block;
}

class NsgsSession final : public Session {
 public:
  NsgsSession(const NsgsSettings& settings, const ContactProblem& problem)
      : settings_(settings), problem_(problem), factored_(use_factored(problem, settings.form)) {
    const DelassusOperator& N = select_operator(problem, settings.form);
    problem.free_velocity();  // formed here, where set-up is timed
    for (Index i = 0; i < N.constraints().count(); ++i) {
      blocks_.push_back(padded_block(N, i));
      step_.push_back(1.0 / stable_rate(N.diagonal_block(i)));
    }
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    const Vector r = problem_.free_velocity() + shift;
    const auto update = [this](Index i, const Vector3& u, const Vector3& gamma) { return solve_block(i, u, gamma); };
    if (factored_) {
      FactoredRows rows(problem_.factored());
      return run_sweeps(problem_.constraints(), rows, r, settings_.sweep, start, monitor, update);
    }
    AssembledRows rows(problem_.assembled());
    return run_sweeps(problem_.constraints(), rows, r, settings_.sweep, start, monitor, update);
  }

 private:
  /// The new impulse of block i, whose velocity with its present impulse γ is u.
  Vector3 solve_block(Index i, const Vector3& u, const Vector3& gamma) const {
    const ConstraintSet& set = problem_.constraints();
    const double step = step_[static_cast<std::size_t>(i)];
    if (!has_friction(set.kind(i))) return project_block(set.kind(i), 0.0, gamma - step * u);
    const double mu = set.friction(i);
    switch (settings_.local) {
      case LocalSolver::strict: return project_strict(Vector3(gamma - step * u), mu);
      case LocalSolver::projection: return project_friction_cone(Vector3(gamma - step * de_saxce_velocity(u, mu)), mu);
      case LocalSolver::newton: {
        const LocalContact contact = frozen(i, u, gamma);
        bool converged = false;
        const Vector3 solution = solve_contact_newton(contact, gamma, settings_.newton_steps, converged);
        return converged ? project_strict(solution, mu) : solve_contact_exact(contact);
      }
      case LocalSolver::exact: return solve_contact_exact(frozen(i, u, gamma));
    }
    return gamma;
  }

  LocalContact frozen(Index i, const Vector3& u, const Vector3& gamma) const {
    const Matrix3& W = blocks_[static_cast<std::size_t>(i)];
    return {W, u - W * gamma, problem_.constraints().friction(i)};
  }

  NsgsSettings settings_;
  ContactProblem problem_;
  bool factored_;
  std::vector<Matrix3> blocks_;
  std::vector<double> step_;  ///< 1/λ_max(N_ii)
};

class Nsgs final : public Solver {
 public:
  Nsgs() {
    fields_
        .add("local", &settings_.local,
             {{"strict", LocalSolver::strict},
              {"projection", LocalSolver::projection},
              {"newton", LocalSolver::newton},
              {"exact", LocalSolver::exact}},
             "how one contact problem is solved: one strict projection (the PGS of Lee et al.), one Euclidean projection, "
             "Alart–Curnier Newton with fallback to exact, or exactly by enumeration",
             "Lee et al., eq. 17; Alart and Curnier 1991; ours")
        .add("newton_steps", &settings_.newton_steps, Range::closed(1, 1000), "Newton steps before the fallback", "ours");
    add_sweep_fields(fields_, settings_.sweep, settings_.form);
  }

 private:
  const SolverInfo& do_info() const override {
    static const SolverInfo info{"nsgs",
                                 "Nonlinear Gauss–Seidel",
                                 "Jean and Moreau 1992; the PGS of Lee et al. with local = strict",
                                 {Model::ncp},
                                 {impulse_change_column()}};
    return info;
  }
  std::optional<std::string> do_supports(const ContactProblem& problem, Model) const override {
    return operator_form_defect(problem, settings_.form);
  }
  std::unique_ptr<Session> do_prepare(const ContactProblem& problem, Model, Monitor&) const override {
    return std::make_unique<NsgsSession>(settings_, problem);
  }

  NsgsSettings settings_;
};

}  // namespace

std::unique_ptr<Solver> make_nsgs() { return std::make_unique<Nsgs>(); }

}  // namespace ccp
