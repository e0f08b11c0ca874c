#include "solvers/fixed_point/local_contact.hpp"
#include "solvers/fixed_point/sweep.hpp"
#include "solvers/methods.hpp"

namespace ccp {
namespace {

struct GaussSeidelSettings {
  double omega = 1.0;
  SweepOptions sweep;
  OperatorForm form = OperatorForm::automatic;
};

/// γ_i <- Π(γ_i − ω η_i u_i) (E.2)
struct ProjectedStep {
  const Vector& step;  ///< ω η_i

  template <typename Block>
  [[gnu::always_inline]] typename Block::Point operator()(const Block& block, const typename Block::Point& u,
                                                          const typename Block::Point& gamma) const {
    return block.project(gamma - step[block.index] * u);
  }
};

class GaussSeidelSession final : public SweepSession {
 public:
  GaussSeidelSession(const GaussSeidelSettings& settings, const ContactProblem& problem, Model, Monitor& monitor)
      : SweepSession(problem, settings.form, settings.sweep, monitor), settings_(settings) {
    step_.resize(blocks().count());
    for (Index i = 0; i < blocks().count(); ++i) step_[i] = settings.omega / stable_rate(delassus().diagonal_block(i));
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    return run_sweeps(start, shift, settings_.sweep, monitor, ProjectedStep{step_});
  }

 private:
  GaussSeidelSettings settings_;
  Vector step_;  ///< ω η_i
};

class ProjectedGaussSeidel final : public SweepMethod<GaussSeidelSettings, GaussSeidelSession> {
 public:
  ProjectedGaussSeidel()
      : SweepMethod({"gauss_seidel",
                     "Projected Gauss–Seidel (PSOR)",
                     "Anitescu and Tasora 2010; comparator of Mazhar et al. 2015",
                     {Model::ccp},
                     FixedPointColumns().columns(),
                     false,
                     false,
                     true}) {
    fields_.add("omega", &settings_.omega, Range::positive(), "", "step factor ω on η_i = 1/λ_max(N_ii); PSOR when not 1",
                "ours");
    add_sweep_fields(fields_, settings_.sweep);
    add_rank_fields(fields_, settings_.sweep);
    add_row_operator_field(fields_, settings_.form);
  }
};

}  // namespace

std::unique_ptr<Solver> make_gauss_seidel() { return std::make_unique<ProjectedGaussSeidel>(); }

}  // namespace ccp
