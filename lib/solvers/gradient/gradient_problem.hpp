#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "problem/block_scale.hpp"
#include "problem/conversion.hpp"
#include "problem/share_sums.hpp"
#include "solvers/blocks/block_pass.hpp"
#include "solvers/shared/native_columns.hpp"
#include "solvers/shared/operator_method.hpp"
#include "solvers/shared/start_given.hpp"
#include "solvers/solver.hpp"

namespace ccp {

/// The common settings of the gradient methods.
struct GradientSettings {
  double residual_step = 0.0;
  double native_tolerance = 1e-10;
  OperatorForm form = OperatorForm::automatic;
};

inline void add_gradient_fields(FieldTable& fields, GradientSettings& s, const char* source_of_tolerance) {
  fields
      .add("residual_step", &s.residual_step, Range::non_negative(), "kg",
           "g of the native residual; 0: rows/tr(N_ii) per block", "Mazhar 2015, eq. 25 has 1e-6; 0 is ours")
      .add("native_tolerance", &s.native_tolerance, Range::non_negative(), "m/s", "native criterion on that residual",
           source_of_tolerance);
  add_operator_field(fields, s.form);
}

enum class Preconditioner { none, diagonal };

inline std::vector<std::pair<std::string, Preconditioner>> preconditioner_names() {
  return {{"none", Preconditioner::none}, {"diagonal", Preconditioner::diagonal}};
}

/// The common data of the gradient methods: the operator in the form chosen, the free velocity, the scale of each block.
class GradientProblem {
 public:
  /// residual_step: g of (F.6) in kg on every block; 0 takes ρ_i of (D.1).
  GradientProblem(const ContactProblem& problem, const GradientSettings& settings)
      : problem_(problem), N_(delassus_operator(problem, OperatorUse::products, settings.form)) {
    problem.free_velocity();  // formed here, where set-up is timed
    const ConstraintSet& blocks = problem.constraints();
    const Vector diagonal = delassus_diagonal(problem);
    scale_ = block_steps(blocks, diagonal);
    const Share* share = problem.share();
    rows_ = share != nullptr ? share->rows() : blocks.rows();
    const double trace = sum_of_blocks(share, blocks, [&](Index i) { return block_trace(blocks, diagonal, i); });
    if (trace > 0.0) mean_diagonal_ = trace / static_cast<double>(rows_);
    if (settings.residual_step > 0.0) given_scale_ = Vector::Constant(scale_.size(), settings.residual_step);
  }

  const ConstraintSet& constraints() const { return N_.constraints(); }
  /// Rows of the ranks before this one.
  Index first_row() const { return problem_.share() != nullptr ? problem_.share()->first_row() : 0; }
  /// ‖x‖₂ of a vector with an entry for each row.
  double norm(const Vector& x) const { return ccp::norm(problem_.share(), problem_.constraints(), x); }
  const Vector& free_velocity() const { return problem_.free_velocity(); }
  /// ρ_i = rows(i)/tr(N_ii) per block, kg (D.1).
  const Vector& scale() const { return scale_; }
  /// g_i of (F.6) per block, kg.
  const Vector& residual_scale() const { return given_scale_.size() > 0 ? given_scale_ : scale_; }
  /// tr(N)/m, 1/kg; 1 for N = 0.
  double mean_diagonal() const { return mean_diagonal_; }

  /// P of (F.8) per block: ρ_i with the diagonal preconditioner, 1 without.
  Vector preconditioner(Preconditioner choice) const {
    return choice == Preconditioner::diagonal ? scale_ : Vector::Ones(scale_.size());
  }
  /// A step length α of the size of 1/λ(PN).
  double typical_step(Preconditioner choice) const {
    return choice == Preconditioner::diagonal ? 1.0 : 1.0 / mean_diagonal_;
  }

  /// y <- N x, counted.
  void multiply(const Vector& x, Vector& y, Monitor& monitor) const {
    N_.multiply(x, y, monitor.threads());
    ++monitor.counters().products;
  }

  /// Its forms in steps.
  const DelassusOperator& delassus() const { return N_; }

  /// ‖(γ − Π(γ − g u))/g‖₂/m from the sum of the squares of the blocks (F.6), m/s.
  double residual(double squares) const { return rows_ > 0 ? std::sqrt(squares) / static_cast<double>(rows_) : 0.0; }

  /// The start of a run: Π_Υ(γ⁰), 0 without one.
  void project_start(const WarmStart& start, Vector& gamma, BlockPass& pass, Monitor& monitor) const {
    if (!start_given(problem_.share(), start)) {
      gamma.setZero();
      return;
    }
    pass.run<1>(monitor.threads(), [&](const auto& block) {
      block.of(gamma) = block.project(block.of(start.impulse));
      return BlockPass::Sums<1>{};
    });
    ++monitor.counters().projections;
  }

 private:
  ContactProblem problem_;
  const DelassusOperator& N_;
  Index rows_ = 0;              ///< of all ranks
  Vector scale_, given_scale_;  ///< the latter where g is given
  double mean_diagonal_ = 1.0;
};

/// A product kept as a sum of steps, N γ ← N γ + λ N d, carries the rounding of every step. This says when that has become
/// more than the rounding of the product itself, so that it is time for a fresh one (F.11).
class Drift {
 public:
  void reset() { travelled_ = 0.0; }
  /// step: ‖λ N d‖, size: ‖N γ‖ after the step, in one norm.
  bool too_far(double step, double size) {
    travelled_ += step;
    return travelled_ > limit * size;
  }

 private:
  static constexpr double limit = 8.0;
  double travelled_ = 0.0;
};

/// The block's share of (F.6): ‖γ_i − Π(γ_i − g_i u_i)‖²/g_i², m²/s².
template <typename Block>
[[gnu::always_inline]] inline double residual_square(const Block& block, const typename Block::Point& gamma,
                                                     const typename Block::Point& u, double g) {
  return (gamma - block.project(gamma - g * u)).squaredNorm() / (g * g);
}

/// gᵀd of a projected step d = Π(γ − a g) − γ of one block. It is at most −dᵀd/a, but g can be large where d has nothing but
/// rounding, across the surface of a cone; then the bound is better than the product (F.9).
template <typename Point>
double projected_slope(const Point& g, const Point& d, double a) {
  return std::min(g.dot(d), -d.squaredNorm() / a);
}

/// The native columns every gradient method has.
struct GradientColumns : NativeColumns {
  explicit GradientColumns(const char* step_meaning) : step(*this, "step", "kg", step_meaning) {}
  NativeValue projected_gradient{*this, "projected_gradient", "m/s",
                                 "‖(γ − Π(γ − g u))/g‖₂/m, by which the best iterate is chosen"};
  NativeValue step;
};

/// Those of a method with projected steps of Barzilai–Borwein length.
struct ProjectedStepColumns : GradientColumns {
  ProjectedStepColumns() : GradientColumns("α of the next projected step (dimensionless with the preconditioner)") {}
};

}  // namespace ccp
