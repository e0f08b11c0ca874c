#pragma once

#include <utility>
#include <vector>

#include "core/block_rows.hpp"
#include "problem/contact_problem.hpp"
#include "problem/judge/measure.hpp"
#include "problem/model.hpp"

namespace ccp::testing {

/// 113 bits and an exponent that no product of two doubles leaves. `long double` is that type where __float128 is not there.
#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 Quad;
#else
using Quad = long double;
#endif
using QuadVector = std::vector<Quad>;

/// A point judged in quad precision, then rounded.
struct OracleMeasures {
  Measures values{};  ///< `rounding_floor` bounds the error of the judge, and is NaN here
  Vector u;           ///< m, m/s
  Vector corrected;   ///< û, m, m/s

  double operator[](Measure measure) const { return values[measure_index(measure)]; }
};

/// Evaluates the measures by their definitions (D.1) to (D.14) from the data of a problem as given, dense, in quad
/// precision, and shares no arithmetic with the library. What cancels loses 18 digits less than in double precision: an
/// error is near 1e-34(|N||γ| + |r| + |γ|/ρ + μ‖u_T‖), so that any floor of a judge in double precision is 1e18 times as
/// large; times the condition of H. For small problems: n³ + n²m operations of 50 ns.
class Oracle {
 public:
  Oracle(const ContactProblem& problem, Model model);

  /// impulse: γ, m; velocity: the own v of a method, n; reference: u*, m. Measures that lack what they need are NaN.
  OracleMeasures evaluate(const Vector& impulse, const Vector* velocity = nullptr, const Vector* reference = nullptr) const;

  /// ρ_i of all blocks, kg.
  Vector steps() const;
  /// N_ii in the leading corner, 1/kg.
  BlockSquare diagonal_block(Index block) const;

 private:
  void form_local();
  void form_global();
  void set_steps();
  QuadVector local_velocity(const QuadVector& impulse) const;
  QuadVector corrected_velocity(const QuadVector& u) const;
  QuadVector defect(const QuadVector& impulse, const QuadVector& velocity, Quad step) const;
  static QuadVector projected(const ConstraintSet& set, QuadVector x);
  QuadVector projected(QuadVector x) const { return projected(set_, std::move(x)); }
  Quad given_map(const QuadVector& impulse, const QuadVector& u, const QuadVector& corrected) const;
  void project_strict(QuadVector& x) const;
  Quad velocity_residual(const QuadVector& impulse, const QuadVector& corrected) const;
  Quad contact_residual(const QuadVector& impulse, const QuadVector& u) const;
  Quad merit(const QuadVector& impulse, const QuadVector& corrected) const;
  Quad objective(const QuadVector& impulse) const;
  Quad penetration(const QuadVector& u) const;
  Quad creep(const QuadVector& impulse, const QuadVector& u) const;
  void own_measures(const QuadVector& impulse, const Vector& velocity, Measures& values) const;
  Quad diagonal(Index row, Index column) const {
    return block_diagonal_[static_cast<std::size_t>(most_rows * row + column)];
  }

  ContactProblem problem_;
  Model model_;
  ConstraintSet set_;
  QuadVector N_;               ///< local form: m×m by rows
  QuadVector H_, D_, factor_;  ///< global form: n×n, n×m and the LU of H, by rows
  QuadVector C_, k_, b_, r_;
  QuadVector block_diagonal_;  ///< N_ii: six entries for each row
  QuadVector step_;            ///< ρ_i
  Quad initial_residual_ = 0;
};

/// One point of a problem.
inline OracleMeasures oracle(const ContactProblem& problem, Model model, const Vector& impulse,
                             const Vector* velocity = nullptr) {
  return Oracle(problem, model).evaluate(impulse, velocity);
}

}  // namespace ccp::testing
