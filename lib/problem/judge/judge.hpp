#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "problem/body_columns.hpp"
#include "problem/contact_problem.hpp"
#include "problem/judge/measure.hpp"
#include "problem/judge/velocity_residual.hpp"
#include "problem/model.hpp"

namespace ccp {

/// No value below so many floors of its measure means anything (D.2).
constexpr double meaningful_floors = 10.0;

/// A point to judge. The local velocity u is always recomputed from the impulse, whatever the solver believes.
struct Point {
  const Vector* impulse = nullptr;   ///< γ, m, N·s; the iterate that satisfies the set
  const Vector* velocity = nullptr;  ///< the solver's own v, n, where it carries one
};

/// The only judge of the project: evaluates the measures for one problem and model, the same for every solver. It keeps
/// operators of its own, so that judging forms nothing that a solver is timed for (except the symmetrised copy of an
/// unsymmetric N, which both need). The rounding floors go through the absolute terms of the global form; an H that couples
/// more than 200 dofs takes N, which is kept up to 3000 rows, and above that a solve with H for each impulse that is not
/// zero. One evaluation at a time per object. In a shared problem (share.hpp) all ranks evaluate together, and get the same
/// values; `distance` is that of whole problems, and floor() a bound of it once set_unit_error() was called.
class Judge {
 public:
  Judge(const ContactProblem& problem, Model model);

  Model model() const { return model_; }
  const ContactProblem& problem() const { return problem_; }

  /// Gives a solution to measure `distance` against: u*, m (m/s). Empty removes it.
  void set_reference(Vector local_velocity) { reference_ = std::move(local_velocity); }

  /// The compliance R that the method to be judged adds by a law of its own, m, >= 0, m/(s·N·s): regularised_residual is the
  /// relative residual of the problem with N + R, by a judge that is made when it is first asked for. Empty: none.
  void set_added_compliance(Vector diagonal);

  /// For a shared problem: the largest rounding error of u at γ = (1, …, 1) over all ranks, m/s.
  void set_unit_error(double error) { unit_error_ = error; }

  /// One measure of a point.
  double evaluate(Measure measure, const Point& point);
  /// All measures named; the others are NaN. u is computed once.
  Measures evaluate(const std::vector<Measure>& wanted, const Point& point);

  /// What rounding leaves of a stoppable measure at the last point judged, in its unit; NaN of the other measures. No value
  /// below ten times it means anything. impulse: γ of that point. For velocity_residual it is rounding_floor (D.2).
  double floor(Measure measure, const Vector& impulse);
  /// Whether so many floors of a measure at the last point judged are at most `value`. Of contacts judged again and again,
  /// as those of a simulator, a bound of the floor decides mostly: it costs a hundredth.
  bool floor_within(Measure measure, double floors, double value, const Vector& impulse);
  /// Whether penetration and complementarity of the last point judged are within ten times what `tolerance` of a stoppable
  /// measure lets pass, in the scale of that measure (D.15). A residual can be small where these are not: the projection on
  /// a wide cone shrinks it.
  bool consistent(Measure measure, double tolerance, const Vector& impulse);

  /// u = Dᵀ H⁻¹(k + D γ) + C γ + b in global form, N γ + r in local form (A.2, A.3), of the last point judged; m, m/s.
  const Vector& local_velocity() const { return u_; }

  /// velocity_residual (D.1) of an impulse (m, N·s) with a given û (m, m/s): the inner residual of a method that freezes
  /// part of û.
  double velocity_residual_with(const Vector& impulse, const Vector& corrected_velocity);

  /// How many points it has judged so far.
  std::int64_t points() const { return points_; }

  /// velocity_residual at γ = 0, m/s: the scale of relative_residual.
  double initial_residual() const { return initial_residual_; }
  /// The same, or the velocity of penetration at γ = 0 where that is larger: with large μ the residual shrinks by √(1 + μ²).
  double initial_velocity() const { return initial_velocity_; }
  /// ρ_i of (D.1), kg.
  double step(Index block) const { return step_[block]; }
  /// r, m, m/s.
  const Vector& free_velocity() const { return r(); }

 private:
  static constexpr double apgd_step = 1e-6;  ///< g_d of Mazhar 2015, eq. 25, kg

  void set_point(const Vector& impulse);
  /// r by local_velocity() at γ = 0, which is free_velocity() of a shared problem.
  const Vector& r() const { return share_ != nullptr ? problem_.free_velocity() : own_r_; }
  /// The judge of the problem with N + R; this one where there is no R.
  Judge& of_own_law();
  double value(Measure measure, const Point& point);
  Correction correction() const { return model_ == Model::ncp ? Correction::de_saxce : Correction::none; }
  /// velocity_residual of the last point judged, whose impulse is given again; found once.
  double residual(const Vector& impulse);
  /// ‖γ − Π_Υ(γ − ρ û)‖₂/ρ with one step for all blocks, m/s.
  double map_norm(const Vector& impulse, double step) const;
  double objective(const Vector& impulse);
  /// of_block(i) of all blocks, those of other ranks included.
  template <typename OfBlock>
  double sum(const OfBlock& of_block) const {
    return sum_of_blocks(share_, constraints_, of_block);
  }
  template <typename OfBlock>
  double largest(const OfBlock& of_block) const {
    return largest_of_blocks(share_, constraints_, of_block);
  }
  double penetration_velocity(const Vector& u) const;
  double cone_violation(const Vector& impulse) const;
  double own_penetration_velocity(const Vector& impulse, const Vector& velocity);
  double lift_velocity(const Vector& impulse) const;
  double creep_velocity(const Vector& impulse);
  double complementarity(const Vector& impulse) const;
  double momentum_residual(const Vector& impulse, const Vector& velocity);
  double contact_residual(const Vector& impulse);
  double merit(const Vector& impulse);
  double strict_defect_square(Index block, const Vector& impulse) const;
  double given_defect_square(Index block, const Vector& impulse) const;
  double given_map(const Vector& impulse) const;
  void find_errors(const Vector& impulse);
  double floor_bound(const Vector& impulse) const;
  double shared_floor(Measure measure, const Vector& impulse) const;
  void add_terms_of_global_form(const Vector& impulse);
  double block_floor(Index block, double step, const Vector& impulse) const;
  double strict_block_floor(Index block, const Vector& impulse) const;
  double merit_scale();
  double natural_scale(const Vector& impulse) const;
  double given_scale(const Vector& impulse) const;
  /// The largest ratio of a number of a block in one of both units to that in the other.
  double given_factor(Index block) const;
  /// What a row of the problem is multiplied by in the unit of the problem as given: ℓ for impulses of moments, else 1.
  double row_length(Index block, Index row_of_block) const;
  /// The velocity that `tolerance` of a measure lets pass in a block, m/s, and the step that goes with it, kg.
  std::pair<double, double> passes(Measure measure, double tolerance, Index block, double scale) const;
  void invert_blocks();
  BlockSquare diagonal_block(Index block);
  const AssembledDelassus& assembled();
  /// Nothing where H does not split into bodies.
  BodyColumns* body_columns();

  ContactProblem problem_;
  Model model_;
  const ConstraintSet& constraints_;  ///< of problem_
  const Share* share_ = nullptr;      ///< of a shared problem
  Index contacts_ = 0, rows_ = 0;     ///< blocks that are not bilateral, and rows, of all ranks
  Vector own_r_, u_, scratch_m_, projected_, scratch_n_;
  Vector errors_;  ///< of u at the last point, per row, m/s
  bool errors_known_ = false;
  std::optional<double>
      unit_error_;  ///< the largest of `errors_` at γ = (1, …, 1), m/s, from the second call of floor_within() on
  bool asked_before_ = false;       ///< floor_within()
  std::optional<double> residual_;  ///< velocity_residual of the last point, once it was asked for
  Vector step_;                     ///< ρ_i per block
  Vector reference_, added_compliance_;
  std::unique_ptr<Judge> of_own_law_;
  std::unique_ptr<BodyColumns> body_columns_;
  std::unique_ptr<AssembledDelassus> assembled_;
  std::vector<BlockSquare> diagonal_blocks_;  ///< N_ii where H is not block-diagonal; else none
  std::vector<BlockSquare> inverse_blocks_;
  double initial_residual_ = 0.0, initial_velocity_ = 0.0;
  std::int64_t points_ = 0;
};

}  // namespace ccp
