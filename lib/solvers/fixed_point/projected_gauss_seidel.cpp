#include "solvers/fixed_point/projected_gauss_seidel.hpp"

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
    step_.resize(blocks().count());
    for (Index i = 0; i < blocks().count(); ++i) step_[i] = settings.omega / stable_rate(N_.diagonal_block(i));
    place_step_ = plan().by_places(step_.replicate(1, 3).transpose().reshaped(), 3);
    place_friction_ = plan().by_places(Eigen::Map<const Vector>(blocks().frictions().data(), blocks().count()), 1);
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    return run_sweeps(start, shift, settings_.sweep, monitor, Update{step_, place_step_, place_friction_});
  }

 private:
  /// Π(γ_i − ω η_i u_i)
  struct Update {
    const Vector &step, &place_step, &place_friction;
    const GroupLoops& loops = group_loops(widest_instruction_set());

    template <typename Block>
    [[gnu::always_inline]] typename Block::Point operator()(const Block& block, const typename Block::Point& u,
                                                            const typename Block::Point& gamma) const {
      return block.project(gamma - step[block.index] * u);
    }
    bool relax(Index begin, const GroupVectors& at, Largest& largest) const {
      return loops.relax(at, place_step.data() + 3 * begin, place_friction.data() + begin, largest);
    }
  };

  GaussSeidelSettings settings_;
  Vector step_;                         ///< ω η_i
  Vector place_step_, place_friction_;  ///< three times the same and μ_i, in the order of the plan
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
