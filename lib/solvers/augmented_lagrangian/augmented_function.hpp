#pragma once

#include <cmath>
#include <vector>

#include "problem/contact_problem.hpp"
#include "problem/model.hpp"
#include "solvers/newton/padded_maps.hpp"

namespace ccp {

/// One inner problem of the augmented Lagrangian methods: the root of (I.2)
///
///     ϱ(v) = H v − k − D λ(v),   λ_i(v) = P(a_i − β_i (Dᵀv)_i)
///
/// with P the Euclidean projection on K (Lee et al., eq. 21, where ϱ is a gradient) or the strict projection (eq. 19), and
/// its derivative H + D W Dᵀ, W_i = β_i ∂P. Vectors of velocities have n entries, those of impulses m. No allocation after
/// the constructor. Rows: of a padded constraint, 3, or most_rows where contacts have moments.
template <int Rows>
class AugmentedFunction {
 public:
  using Point = BlockVector<Rows>;
  using Square = Eigen::Matrix<double, Rows, Rows>;

  /// map: ccp for the Euclidean projection, ncp for the strict one.
  AugmentedFunction(const ContactProblem& problem, Model map);

  /// The point a (m, N·s) and the penalties β_i (one per constraint, kg) of the next problem.
  void freeze(const Vector& target, const Vector& penalty);

  /// Moves to v. value() and impulse() hold for it afterwards.
  void evaluate(const Vector& v);
  const Vector& velocity() const { return v_; }
  const Vector& constraint_velocity() const { return constraint_velocity_; }  ///< Dᵀv, m/s
  const Vector& impulse() const { return impulse_; }                          ///< λ(v)
  const Vector& value() const { return value_; }                              ///< ϱ(v), kg·m/s
  const Vector& penalty() const { return penalty_; }                          ///< β_i

  /// ‖x‖ in the metric of 1/H_jj: a momentum as the square root of twice an energy.
  double norm(const Vector& x) const { return std::sqrt(x.cwiseAbs2().dot(inverse_diagonal_)); }
  /// Size of the terms that cancel in ϱ, same metric.
  double scale() const { return norm(momentum_) + norm(load_) + norm(k_); }
  const Vector& inverse_diagonal() const { return inverse_diagonal_; }  ///< 1/H_jj

  /// W_i at the last point.
  const std::vector<Square>& linearise();
  /// y <- (H + D W Dᵀ) x, or its transpose, with the blocks of the last linearise().
  void multiply(const Vector& x, Vector& y, bool transposed);

  /// Prepares slope() along d from the last point.
  void set_direction(const Vector& d);
  /// First and second derivative of the potential of ϱ along the direction: dᵀϱ(v + αd) and its derivative.
  struct Slope {
    double value, derivative;
  };
  Slope slope(double length) const;
  /// Slopes below this are rounding.
  double slope_noise() const { return noise_; }

 private:
  const ContactProblem problem_;
  const ConstraintSet& set_;
  const SparseMatrix &H_, &D_;
  const Vector& k_;
  PaddedMaps<Rows> maps_;
  Vector target_, penalty_, inverse_diagonal_;
  Vector v_, constraint_velocity_, impulse_, momentum_, load_, value_;
  Vector direction_velocity_, direction_momentum_, weighted_, carried_;
  double start_slope_ = 0.0, curvature_ = 0.0, noise_ = 0.0;
  std::vector<Square> blocks_;
};

}  // namespace ccp
