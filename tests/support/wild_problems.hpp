#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "cones/rolling_cone.hpp"
#include "problem/model.hpp"
#include "support/small_problems.hpp"

/// Problems that no scene makes: 1 to 12 constraints of all kinds, zero rows, huge and tiny entries, duplicates,
/// contradictions, μ up to 1e17, masses over 20 decades; and problems of this kind with a known solution.
namespace ccp::testing {

/// A size between 10^−digits and 10^digits.
inline double decades(Uniform& uniform, double digits) { return std::pow(10.0, uniform(-digits, digits)); }

inline double wild_friction(Uniform& uniform) {
  switch (uniform.below(5)) {
    case 0: return 0.0;
    case 1: return decades(uniform, 17.0);
    case 2: return 1e16;
    default: return uniform(0.0, 1.0);
  }
}

/// Of a contact with moments: of six decades, or of forty.
inline double wild_coefficient(Uniform& uniform) {
  switch (uniform.below(4)) {
    case 0: return wild_friction(uniform);
    case 1: return decades(uniform, 20.0);
    default: return decades(uniform, 3.0);
  }
}

/// With `moments`, every other block is a contact with some, of coefficients of all sizes.
inline ConstraintSet wild_constraints(Uniform& uniform, bool moments) {
  ConstraintSet set;
  for (Index left = 1 + uniform.below(moments ? 6 : 12); left > 0; --left) {
    const auto kind = static_cast<ConstraintKind>(uniform.below(moments ? 8 : 4));
    const double friction = has_friction(kind) ? wild_friction(uniform) : 0.0;
    if (has_moments(kind))
      set.add(kind, wild_coefficient(uniform),
              {wild_coefficient(uniform), wild_coefficient(uniform), decades(uniform, 3.0)});
    else
      set.add(kind, friction);
  }
  return set;
}

/// Transposed Jacobian, n×m. Each block is random, scaled, zero in a row or in all, or ± an earlier one.
inline DenseMatrix wild_jacobian(Uniform& uniform, const ConstraintSet& set, Index n, bool scaled) {
  DenseMatrix D = uniform.matrix(n, set.rows());
  for (Index i = 0; i < set.count(); ++i) {
    auto block = D.middleCols(set.offset(i), set.rows(i));
    switch (uniform.below(10)) {
      case 0: block.setZero(); break;
      case 1: block.col(uniform.below(set.rows(i))).setZero(); break;
      case 2:
      case 3: {
        const Index other = uniform.below(i + 1);
        if (set.rows(other) != set.rows(i)) break;
        const DenseMatrix copy = D.middleCols(set.offset(other), set.rows(other));
        block = uniform.below(2) == 0 ? copy : DenseMatrix(-copy);
        break;
      }
      case 4:
        if (scaled) block *= decades(uniform, 8.0);
        break;
      default: break;
    }
  }
  return D;
}

/// Symmetric positive definite: by bodies or coupled; where `skew`, its antisymmetric part is not zero.
inline DenseMatrix wild_mass(Uniform& uniform, Index n, bool coupled, bool skew, double digits) {
  DenseMatrix H = DenseMatrix::Zero(n, n);
  const Index size = coupled ? n : 3;
  for (Index first = 0; first < n; first += size) {
    const Index rows = std::min(size, n - first);
    const DenseMatrix root = uniform.matrix(rows, rows), turn = uniform.matrix(rows, rows);
    DenseMatrix block = root * root.transpose() + DenseMatrix::Identity(rows, rows);
    if (skew) block += 0.5 * (turn - turn.transpose());
    Vector scale(rows);
    for (double& s : scale) s = std::sqrt(decades(uniform, digits));
    H.block(first, first, rows, rows) = scale.asDiagonal() * block * scale.asDiagonal();
  }
  return H;
}

/// The same problem for the same seed. Throws InputError where rounding makes H indefinite.
inline ContactProblem wild_problem(std::uint64_t seed, bool moments = false) {
  Uniform uniform(seed);
  const ConstraintSet set = wild_constraints(uniform, moments);
  const Index n = 1 + uniform.below(12), m = set.rows();
  const bool scaled = uniform.below(2) == 0, local = uniform.below(2) == 0;
  const double speed = uniform.below(2) == 0 ? 1.0 : decades(uniform, 10.0);
  const DenseMatrix D = wild_jacobian(uniform, set, n, scaled);
  const double digits = scaled ? 10.0 : 0.0;
  ProblemBuilder builder("wild " + std::to_string(seed));
  if (local) {
    Vector inverse_mass(n);
    for (double& entry : inverse_mass) entry = decades(uniform, digits);
    DenseMatrix N = D.transpose() * inverse_mass.asDiagonal() * D;
    N = 0.5 * (N + N.transpose()).eval();
    if (uniform.below(4) == 0) N(uniform.below(m), uniform.below(m)) *= 1.25;  // not symmetric
    return builder.local(sparse(N), speed * uniform.vector(m)).constraints(set).build();
  }
  const bool coupled = uniform.below(2) == 0, skew = uniform.below(4) == 0;
  const DenseMatrix H = wild_mass(uniform, n, coupled, skew, digits);
  builder.global(sparse(H), speed * (H * uniform.vector(n)), sparse(D), speed * uniform.vector(m));
  if (uniform.below(4) == 0) {
    Vector softness(m);
    for (double& entry : softness) entry = decades(uniform, digits);
    builder.compliance(diagonal(softness));
  }
  return builder.constraints(set).build();
}

/// A problem and one of its solutions, exact up to the rounding of r or b.
struct Solved {
  ContactProblem problem;
  Vector impulse;  ///< γ, m
};

/// One pair that obeys the law of a contact: open, without force at rest, stuck, or sliding.
inline void wild_contact(Uniform& uniform, Model model, double mu, double force, double speed, Eigen::Ref<Vector> gamma,
                         Eigen::Ref<Vector> u) {
  const Index tangents = gamma.size() - 1;
  const Vector direction = uniform.vector(tangents).normalized();
  gamma.setZero();
  u.setZero();
  const Index state = uniform.below(4);
  if (state == 0) u[0] = speed;
  if (state == 0) u.tail(tangents) = (model == Model::ncp ? speed : speed / (2.0 + 2.0 * mu)) * direction;
  if (state < 2) return;
  gamma[0] = force;
  gamma.tail(tangents) = -(state == 2 ? 0.5 : 1.0) * mu * force * direction;
  if (state == 2) return;
  u.tail(tangents) = speed * direction;
  if (model == Model::ccp) u[0] = mu * speed;
}

/// The same with moments, each disc stuck or sliding by itself.
inline void wild_rolling(Uniform& uniform, Model model, const RollingCone& cone, double force, double speed,
                         Eigen::Ref<Vector> gamma, Eigen::Ref<Vector> u) {
  gamma.setZero();
  u.setZero();
  const Index state = uniform.below(4);
  if (state >= 2) gamma[0] = force;
  if (state == 0) u[0] = speed;
  for (int i = 0; state != 1 && i < cone.count; ++i) {
    const ConeDisc& disc = cone.disc[uz(i)];
    const Vector direction = uniform.vector(disc.size).normalized();
    const bool sticks = uniform.below(2) == 0;
    gamma.segment(disc.first, disc.size) = -(sticks ? 0.5 : 1.0) * disc.radius * gamma[0] * direction;
    if (state == 0)
      u.segment(disc.first, disc.size) = 0.25 * speed / (1.0 + (model == Model::ccp ? disc.radius : 0.0)) * direction;
    if (state == 0 || sticks) continue;
    u.segment(disc.first, disc.size) = speed * direction;
    if (model == Model::ccp) u[0] += disc.radius * speed;
  }
}

/// wild_problem(seed) with another r or b, for which a random γ solves it. Throws as wild_problem does.
inline Solved solved_wild_problem(std::uint64_t seed, Model model, bool moments = false) {
  Uniform uniform(seed + 7000000);
  const ContactProblem wild = wild_problem(seed, moments);
  const ConstraintSet& set = wild.constraints();
  const double impulses = decades(uniform, 10.0), speeds = decades(uniform, 10.0);
  Vector gamma = Vector::Zero(set.rows()), u = gamma;
  for (Index i = 0; i < set.count(); ++i) {
    const Index row = set.offset(i), rows = set.rows(i);
    const double force = impulses * decades(uniform, 2.0), speed = speeds * decades(uniform, 2.0);
    if (set.kind(i) == ConstraintKind::bilateral) gamma[row] = force * uniform();
    if (set.kind(i) == ConstraintKind::unilateral && uniform.below(2) == 0) gamma[row] = force;
    if (set.kind(i) == ConstraintKind::unilateral && gamma[row] == 0.0) u[row] = speed;
    if (has_moments(set.kind(i)))
      wild_rolling(uniform, model, rolling_cone(set, i), force, speed, gamma.segment(row, rows), u.segment(row, rows));
    else if (has_friction(set.kind(i)))
      wild_contact(uniform, model, set.friction(i), force, speed, gamma.segment(row, rows), u.segment(row, rows));
  }
  // r or b is what the rest leaves of u, so that its rounding is within that of the sum.
  const auto build = [&](const Vector& last) {
    ProblemBuilder builder("solved " + std::to_string(seed));
    if (wild.given_global())
      builder.global(wild.global().H, wild.global().k, wild.global().D, last).compliance(wild.global().C);
    else
      builder.local(wild.local().N, last);
    return builder.constraints(set).build();
  };
  const ContactProblem rest = build(Vector::Zero(set.rows()));
  Vector scratch, moved;
  (model == Model::ccp ? rest.symmetrised() : rest).local_velocity(gamma, scratch, moved);
  return {build(u - moved), gamma};
}

}  // namespace ccp::testing
