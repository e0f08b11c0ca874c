#include <optional>

#include "cones/friction_cone.hpp"
#include "cones/strict_projection.hpp"
#include "solvers/fixed_point/local_contact.hpp"
#include "solvers/fixed_point/local_rolling.hpp"
#include "solvers/fixed_point/sweep.hpp"
#include "solvers/methods.hpp"

namespace ccp {
namespace {

enum class LocalSolver { strict, projection, newton, exact, bisection };

constexpr int newton_steps = 10;  ///< on one contact, before enumeration takes over

struct NsgsSettings {
  LocalSolver local = LocalSolver::exact;
  SweepOptions sweep;
  OperatorForm form = OperatorForm::automatic;
};

/// N_ii padded so that a contact in the plane has a second tangent that does not take part.
Matrix3 padded_block(const DelassusOperator& N, Index i) {
  Matrix3 block = N.diagonal_block(i);
  if (N.constraints().kind(i) == ConstraintKind::contact2d) block(2, 2) = 1.0;
  return block;
}

class NsgsSession final : public SweepSession {
 public:
  NsgsSession(const NsgsSettings& settings, const ContactProblem& problem, Model, Monitor& monitor)
      : SweepSession(problem, settings.form, settings.sweep, monitor),
        settings_(settings),
        matrices_(uz(blocks().count())),
        step_(matrices_.size()) {
    const bool projects = settings.local == LocalSolver::strict || settings.local == LocalSolver::projection;
    if (blocks().has_moments()) rolling_.resize(matrices_.size());
    const bool planar = blocks().count(ConstraintKind::contact2d) == blocks().count();
    if (planar && settings.local == LocalSolver::exact) planar_matrices_.resize(4 * blocks().count());
    for (Index i = 0; i < blocks().count(); ++i) {
      if (has_moments(blocks().kind(i)))
        rolling_[uz(i)] = delassus().diagonal_block(i);
      else
        matrices_[uz(i)] = padded_block(delassus(), i);
      if (planar_matrices_.size() > 0)
        planar_matrices_.segment<4>(4 * i) = matrices_[uz(i)].topLeftCorner<2, 2>().reshaped();
      if (projects || !has_friction(blocks().kind(i))) step_[uz(i)] = 1.0 / stable_rate(delassus().diagonal_block(i));
    }
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    return run_sweeps(start, shift, settings_.sweep, monitor, Update{*this, planar_matrices_});
  }

 private:
  struct Update {
    const NsgsSession& session;
    const Vector& planar_matrices;

    template <typename Block>
    typename Block::Point operator()(const Block& block, const typename Block::Point& u,
                                     const typename Block::Point& gamma) const {
      return session.updated_block(block, u, gamma);
    }
  };

  /// The new impulse of a block, whose velocity with its present impulse γ is u.
  template <typename Block>
  typename Block::Point updated_block(const Block& block, const typename Block::Point& u,
                                      const typename Block::Point& gamma) const {
    if constexpr (Block::kind == ConstraintKind::contact)
      return updated_contact(block.index, block.mu, u, gamma, false);
    else if constexpr (Block::kind == ConstraintKind::contact2d)
      return updated_contact(block.index, block.mu, {u[0], u[1], 0.0}, {gamma[0], gamma[1], 0.0}, true).template head<2>();
    else if constexpr (has_moments(Block::kind))
      return updated_rolling(block, u, gamma);
    else
      return block.project(gamma - step_[uz(block.index)] * u);
  }

  template <typename Block>
  typename Block::Point updated_rolling(const Block& block, typename Block::Point u,
                                        const typename Block::Point& gamma) const {
    const double step = step_[uz(block.index)];
    switch (settings_.local) {
      case LocalSolver::strict: {
        typename Block::Point next = gamma - step * u;
        project_rolling_strict(block.cone, next.data(), next.data());
        return next;
      }
      case LocalSolver::projection: {
        u[0] += rolling_shift(block.cone, u.data());
        return block.project(gamma - step * u);
      }
      case LocalSolver::bisection:
      case LocalSolver::newton:
      case LocalSolver::exact: break;
    }
    const BlockSquare& N_ii = rolling_[uz(block.index)];
    return solve_rolling_exact({N_ii, u - N_ii * gamma, block.cone}, gamma);
  }

  Vector3 updated_contact(Index i, double mu, const Vector3& u, const Vector3& gamma, bool planar) const {
    const double step = step_[uz(i)];
    const auto frozen = [&] {
      const Matrix3& N_ii = matrices_[uz(i)];
      return LocalContact{N_ii, u - N_ii * gamma, mu};
    };
    switch (settings_.local) {
      case LocalSolver::strict: return project_strict(Vector3(gamma - step * u), mu);
      case LocalSolver::projection: return project_friction_cone(Vector3(gamma - step * de_saxce_velocity(u, mu)), mu);
      case LocalSolver::newton: {
        bool converged = false;
        const Vector3 solution = solve_contact_newton(frozen(), gamma, newton_steps, converged);
        return converged ? project_strict(solution, mu) : solve_contact_exact(frozen());
      }
      case LocalSolver::exact: {
        if (!planar) return solve_contact_exact(frozen());
        const Matrix3& N_ii = matrices_[uz(i)];
        const Vector2 w = u.head<2>() - N_ii.topLeftCorner<2, 2>() * gamma.head<2>();
        return solve_planar_exact({N_ii, {w[0], w[1], 0.0}, mu});
      }
      case LocalSolver::bisection: return solve_contact_bisection(frozen(), planar);
    }
    return gamma;
  }

  NsgsSettings settings_;
  std::vector<Matrix3> matrices_;     ///< N_ii of blocks of up to three rows
  Vector planar_matrices_;            ///< N_ii, four numbers each, of contacts in the plane alone that are solved exactly
  std::vector<BlockSquare> rolling_;  ///< of those with moments, at their places; empty where there are none
  std::vector<double> step_;          ///< 1/λ_max(N_ii) of blocks that are projected
};

class Nsgs final : public SweepMethod<NsgsSettings, NsgsSession> {
 public:
  /// local: that of a program, which is no setting then.
  Nsgs(const char* name, const char* title, const char* reference, std::optional<LocalSolver> local = std::nullopt)
      : SweepMethod({name,
                     title,
                     reference,
                     {Model::ncp},
                     FixedPointColumns().columns(),
                     local != LocalSolver::bisection,
                     local == LocalSolver::bisection,
                     local != LocalSolver::bisection}) {
    if (local)
      settings_.local = *local;
    else
      add_local_fields();
    add_sweep_fields(fields_, settings_.sweep);
    if (!local) add_rank_fields(fields_, settings_.sweep);
    add_row_operator_field(fields_, settings_.form);
  }

 private:
  void add_local_fields() {
    fields_.add(
        "local", &settings_.local,
        {{"strict", LocalSolver::strict},
         {"projection", LocalSolver::projection},
         {"newton", LocalSolver::newton},
         {"exact", LocalSolver::exact}},
        "how one contact problem is solved: one strict projection (the PGS of Lee et al.), one Euclidean projection, "
        "Alart–Curnier Newton with fallback to exact, or exactly by enumeration",
        "Lee et al., eq. 17; Alart and Curnier 1991; ours");
  }
};

}  // namespace

std::unique_ptr<Solver> make_nsgs() {
  return std::make_unique<Nsgs>("nsgs", "Nonlinear Gauss–Seidel",
                                "Jean and Moreau 1992; the PGS of Lee et al. with local = strict");
}
std::unique_ptr<Solver> make_pgs_lee() {
  return std::make_unique<Nsgs>("pgs_lee", "Projected Gauss–Seidel with the strict projection: nsgs with local = strict",
                                "the PGS of Lee et al. 2025, eq. 17", LocalSolver::strict);
}
std::unique_ptr<Solver> make_raisim() {
  return std::make_unique<Nsgs>("raisim", "RaiSim's sweeps: each contact by bisection on its cone, least energy",
                                "Hwangbo, Lee, Hutter 2018", LocalSolver::bisection);
}

}  // namespace ccp
