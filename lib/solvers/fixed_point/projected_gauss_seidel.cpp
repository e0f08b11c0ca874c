#include "solvers/fixed_point/projected_gauss_seidel.hpp"

#include "cones/contact_projection.hpp"
#include "solvers/fixed_point/fixed_point_method.hpp"

namespace ccp {
namespace {

struct GaussSeidelSettings {
  double omega = 1.0;
  SweepOptions sweep;
  OperatorForm form = OperatorForm::automatic;
};

class GaussSeidelSession final : public SweepSession {
 public:
  GaussSeidelSession(const GaussSeidelSettings& settings, const ContactProblem& problem)
      : SweepSession(problem, settings.form), settings_(settings) {
    for (Index i = 0; i < blocks().count(); ++i) step_.push_back(settings.omega / stable_rate(N_.diagonal_block(i)));
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    return run_sweeps(start, shift, settings_.sweep, monitor, Update{step_, blocks().frictions()});
  }

 private:
  /// Π(γ_i − ω η_i u_i)
  struct Update {
    const std::vector<double>& step;
    const std::vector<double>& friction;

    template <typename Block>
    [[gnu::always_inline]] typename Block::Point operator()(const Block& block, const typename Block::Point& u,
                                                            const typename Block::Point& gamma) const {
      return block.project(gamma - step[static_cast<std::size_t>(block.index)] * u);
    }
    [[gnu::always_inline]] void together(const int* order, const Vector3* u, const Vector& gamma, Vector3* updated) const {
      Vector3 moved[group_size];
      double mu[group_size];
      for (Index k = 0; k < group_size; ++k) {
        const auto i = static_cast<std::size_t>(order[k]);
        moved[k] = gamma.segment<3>(3 * order[k]) - step[i] * u[k];
        mu[k] = friction[i];
      }
      project_contacts(group_size, mu, moved[0].data(), updated[0].data());
    }
  };

  GaussSeidelSettings settings_;
  std::vector<double> step_;  ///< ω η_i
};

class ProjectedGaussSeidel final : public FixedPointSolver<GaussSeidelSettings, GaussSeidelSession> {
 public:
  ProjectedGaussSeidel()
      : FixedPointSolver({"gauss_seidel",
                          "Projected Gauss–Seidel (PSOR)",
                          "Tasora and Anitescu 2010; comparator of Mazhar et al. 2015",
                          {Model::ccp},
                          {}}) {
    fields_.add("omega", &settings_.omega, Range::positive(), "", "step factor ω on η_i = 1/λ_max(N_ii); PSOR when not 1",
                "ours");
    add_sweep_fields();
  }
};

}  // namespace

std::unique_ptr<Solver> make_projected_gauss_seidel() { return std::make_unique<ProjectedGaussSeidel>(); }

}  // namespace ccp
