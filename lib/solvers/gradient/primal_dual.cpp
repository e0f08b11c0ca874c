#include <cmath>
#include <limits>
#include <utility>

#include "solvers/gradient/gradient_problem.hpp"
#include "solvers/gradient/iterates.hpp"
#include "solvers/methods.hpp"
#include "solvers/shared/largest_eigenvalue.hpp"

namespace ccp {
namespace {

constexpr double eigenvalue_margin = 1.1;  // the power method finds λ_max from below

struct PrimalDualSettings : GradientSettings {
  double tau = 1.0;
  bool accelerated = true;
  bool restart = true;
  Preconditioner preconditioner = Preconditioner::diagonal;
};

struct PrimalDualColumns : GradientColumns {
  PrimalDualColumns() : GradientColumns("σ of the iteration (dimensionless with the preconditioner)") {}
  NativeValue restarts{*this, "restarts", "", "restarts of the step lengths so far"};
};

/// μ‖u_T‖ + μ_r‖ω_R‖ + μ_s|ω_n| of a block, what De Saxcé adds to u_n.
template <typename Block>
double de_saxce_term(const Block& block, const typename Block::Point& u) {
  if constexpr (has_moments(Block::kind))
    return rolling_shift(block.cone, u.data());
  else if constexpr (has_friction(Block::kind))
    return block.mu * u.template tail<Block::rows - 1>().norm();
  else
    return 0.0;
}

class PrimalDualSession final : public Session {
 public:
  PrimalDualSession(const PrimalDualSettings& settings, const ContactProblem& problem, Model model, Monitor& monitor)
      : settings_(settings),
        renews_shift_(model == Model::ncp),
        problem_(problem, settings),
        pass_(problem),
        gamma_(problem.rows()),
        P_(problem_.preconditioner(settings.preconditioner)) {
    for (Vector* vector : {&r_, &u_, &leading_u_, &own_u_}) vector->setZero(problem.rows());
    first_sigma_ = 1.0 / (eigenvalue_margin * settings.tau * largest_lipschitz(monitor));
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    begin(start, shift, monitor);
    bool converged = false;
    while (monitor.go_on({gamma_.current(), nullptr, native_.values(), converged})) {
      step_impulses(monitor);
      problem_.multiply(gamma_.current(), own_u_, monitor);
      const bool uphill = step_velocities(monitor);
      if (uphill && settings_.restart)
        restart();
      else if (settings_.accelerated)
        accelerate();
      converged = native_.projected_gradient <= settings_.native_tolerance;
    }
    return {monitor.solved() ? gamma_.current() : gamma_.best(), {}, 0.0, std::nullopt, ""};
  }

 private:
  /// λ_max(PN).
  double largest_lipschitz(Monitor& monitor) {
    const auto multiply = [&](const Vector& x, Vector& y) {
      problem_.multiply(x, y, monitor);
      pass_.run<1>(monitor.threads(), [&](const auto& block) {
        block.of(y) *= P_[block.index];
        return BlockPass::Sums<1>{};
      });
    };
    const double L = largest_eigenvalue(multiply, u_, own_u_);
    return L > 0.0 ? L : 1.0;
  }

  void begin(const WarmStart& start, const Vector& shift, Monitor& monitor) {
    r_ = problem_.free_velocity() + shift;
    problem_.project_start(start, gamma_.current(), pass_, monitor);
    problem_.multiply(gamma_.current(), own_u_, monitor);
    if (start.impulse.size() > 0 && worse_than_zero(monitor)) {
      gamma_.current().setZero();
      own_u_.setZero();
    }
    gamma_.mark_best();
    native_.clear();
    best_residual_ = std::numeric_limits<double>::infinity();
    native_.projected_gradient = best_residual_;
    restart();
    native_.restarts = 0.0;
  }

  /// Whether the residual (F.6) of γ is above that of zero: averaged velocities would keep what such a start leaves in them.
  bool worse_than_zero(Monitor& monitor) {
    const auto [own, zero] = pass_.run<2>(monitor.threads(), [this](const auto& block) {
      const auto free = block.of(std::as_const(r_)).eval();
      const auto square = [&](const auto& gamma, auto u) {
        if (renews_shift_) u[0] += de_saxce_term(block, u);
        return residual_square(block, gamma, u, problem_.residual_scale()[block.index]);
      };
      const auto gamma = block.of(std::as_const(gamma_).current()).eval();
      return BlockPass::Sums<2>{square(gamma, (block.of(std::as_const(own_u_)) + free).eval()),
                                square((0.0 * free).eval(), free)};
    });
    monitor.counters().projections += 2;
    return own > zero;
  }

  /// First step lengths, from the velocities of γ.
  void restart() {
    u_ = own_u_ + r_;
    leading_u_ = u_;
    tau_ = settings_.tau;
    sigma_ = first_sigma_;
    theta_ = settings_.accelerated ? 1.0 / std::sqrt(1.0 + 2.0 * tau_) : 1.0;
    native_.restarts += 1.0;
    native_.step = sigma_;
  }

  /// (F.17): τ falls and σ grows, with their product as it is.
  void accelerate() {
    tau_ *= theta_;
    sigma_ /= theta_;
    theta_ = 1.0 / std::sqrt(1.0 + 2.0 * tau_);
    native_.step = sigma_;
  }

  /// (F.15): γ ← Π_Υ(γ − σ P (ū + s)) with the shift s of ū.
  void step_impulses(Monitor& monitor) {
    pass_.run<1>(monitor.threads(), [this](const auto& block) {
      auto u = block.of(std::as_const(leading_u_)).eval();
      if (renews_shift_) u[0] += de_saxce_term(block, u);
      block.of(gamma_.next()) = block.project(block.of(std::as_const(gamma_).current()) - sigma_ * P_[block.index] * u);
      return BlockPass::Sums<1>{};
    });
    gamma_.accept();
    ++monitor.counters().projections;
  }

  /// (F.16): u ← (u + τ (Nγ + r))/(1 + τ), ū with it. The residual (F.6) of γ, and whether its step went uphill there.
  bool step_velocities(Monitor& monitor) {
    const auto [squares, slope] = pass_.run<2>(monitor.threads(), [this](const auto& block) {
      const auto gamma = block.of(std::as_const(gamma_).current()).eval();
      auto own = (block.of(std::as_const(own_u_)) + block.of(std::as_const(r_))).eval();
      const auto old = block.of(std::as_const(u_)).eval();
      const auto next = ((old + tau_ * own) / (1.0 + tau_)).eval();
      block.of(u_) = next;
      block.of(leading_u_) = next + theta_ * (next - old);
      if (renews_shift_) own[0] += de_saxce_term(block, own);
      return BlockPass::Sums<2>{residual_square(block, gamma, own, problem_.residual_scale()[block.index]),
                                own.dot(gamma - block.of(gamma_.previous()))};
    });
    ++monitor.counters().projections;
    native_.projected_gradient = problem_.residual(squares);
    if (native_.projected_gradient < best_residual_) {
      best_residual_ = native_.projected_gradient;
      gamma_.mark_best();
    }
    return slope > 0.0;
  }

  PrimalDualSettings settings_;
  bool renews_shift_;  ///< De Saxcé's shift follows ū: the model is ncp
  GradientProblem problem_;
  BlockPass pass_;
  Iterates gamma_;
  Vector P_, r_;
  Vector u_, leading_u_;  ///< Dᵀv + b of the primal iterate, and ū
  Vector own_u_;          ///< N γ
  double first_sigma_ = 1.0, sigma_ = 1.0, tau_ = 1.0, theta_ = 1.0;
  double best_residual_ = 0.0;
  PrimalDualColumns native_;
};

class PrimalDual final : public OperatorMethod<PrimalDualSettings, PrimalDualSession> {
 public:
  PrimalDual()
      : OperatorMethod({"primal_dual",
                        "Accelerated primal–dual method with De Saxcé's shift renewed in every iteration",
                        "Kanno 2021; Chambolle and Pock 2011, Algorithm 2",
                        {Model::ncp, Model::ccp},
                        PrimalDualColumns().columns(),
                        false,
                        false,
                        true}) {
    PrimalDualSettings& s = settings_;
    fields_.add("tau", &s.tau, Range::positive(), "", "first step length of the velocities, in the metric of H", "ours")
        .add("accelerated", &s.accelerated, "step lengths follow the strong convexity of the kinetic energy; false: fixed",
             "Chambolle and Pock 2011, Algorithms 1 and 2")
        .add("restart", &s.restart, "back to the first step lengths where the impulses have moved uphill",
             "O'Donoghue and Candès 2015; the test is ours")
        .add("preconditioner", &s.preconditioner, preconditioner_names(), "scales of the impulses: ρ_i of each block, or 1",
             "ours");
    add_gradient_fields(fields_, s, "ours");
  }
};

}  // namespace

std::unique_ptr<Solver> make_primal_dual() { return std::make_unique<PrimalDual>(); }

}  // namespace ccp
