#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "support/small_problems.hpp"

/// Problems that no scene makes: 1 to 12 constraints of all kinds, zero rows, huge and tiny entries, duplicates,
/// contradictions, μ up to 1e17, masses over 20 decades.
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

inline ConstraintSet wild_constraints(Uniform& uniform) {
  ConstraintSet set;
  for (Index left = 1 + uniform.below(12); left > 0; --left) {
    const auto kind = static_cast<ConstraintKind>(uniform.below(4));
    set.add(kind, has_friction(kind) ? wild_friction(uniform) : 0.0);
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
inline ContactProblem wild_problem(std::uint64_t seed) {
  Uniform uniform(seed);
  const ConstraintSet set = wild_constraints(uniform);
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

}  // namespace ccp::testing
