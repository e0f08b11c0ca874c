#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "problem/problem_builder.hpp"
#include "support/uniform.hpp"

/// Problems whose solutions can be worked out by hand, and small random ones. Shared by the tests of problem and solvers.
namespace ccp::testing {

inline SparseMatrix sparse(const DenseMatrix& dense) { return dense.sparseView(); }
inline SparseMatrix diagonal(const Vector& entries) { return sparse(entries.asDiagonal()); }

/// A point mass (kg) over a floor with free velocity r (normal first): H = m I, D = I, so u = γ/m + r.
inline ContactProblem point_mass(double mass, const Vector3& free_velocity, double mu,
                                 const std::string& name = "point mass") {
  ProblemBuilder builder(name);
  builder.global(diagonal(Vector3::Constant(mass)), mass * free_velocity, sparse(DenseMatrix::Identity(3, 3)),
                 Vector3::Zero());
  return builder.contact(mu).build();
}

/// The same mass held by `copies` identical contacts: N has rank 3.
inline ContactProblem redundant_point_mass(double mass, const Vector3& free_velocity, double mu, int copies) {
  DenseMatrix D(3, 3 * copies);
  ProblemBuilder builder("redundant point mass");
  for (int i = 0; i < copies; ++i) {
    D.middleCols(3 * i, 3).setIdentity();
    builder.contact(mu);
  }
  return builder.global(diagonal(Vector3::Constant(mass)), mass * free_velocity, sparse(D), Vector::Zero(3 * copies))
      .build();
}

struct RandomShape {
  int bodies = 4;
  int contacts = 5, planar = 0, unilateral = 0, bilateral = 0;
  double mu = 0.5;
  bool coupled_mass = false;  ///< H with entries between bodies, as with finite elements
  bool compliance = false;
  double skew = 0.0;  ///< size of an antisymmetric part of H; with coupled_mass its pattern is unsymmetric, too
};

/// Rigid bodies with dense SPD 6×6 blocks and random constraints between random pairs; b = 0, so that the problem is
/// bounded.
inline ContactProblem random_problem(std::uint64_t seed, const RandomShape& shape, const std::string& name = "random") {
  Uniform uniform(seed);
  const Index n = 6 * shape.bodies;
  DenseMatrix H = DenseMatrix::Zero(n, n);
  for (int b = 0; b < shape.bodies; ++b) {
    const DenseMatrix root = uniform.matrix(6, 6);
    H.block(6 * b, 6 * b, 6, 6) = root * root.transpose() + 2.0 * DenseMatrix::Identity(6, 6);
  }
  for (int b = 0; shape.skew > 0.0 && b < shape.bodies; ++b) {
    const DenseMatrix part = shape.skew * uniform.matrix(6, 6);
    H.block(6 * b, 6 * b, 6, 6) += part - part.transpose();
  }
  if (shape.coupled_mass && shape.skew > 0.0)
    for (Index i = 0; i + 6 < n; ++i) H(i, i + 6) = -0.3;
  else if (shape.coupled_mass)
    for (Index i = 0; i + 6 < n; ++i) H(i, i + 6) = H(i + 6, i) = -0.3;
  ProblemBuilder builder(name);
  std::vector<Index> rows;
  for (int i = 0; i < shape.contacts; ++i) (builder.contact(shape.mu), rows.push_back(3));
  for (int i = 0; i < shape.planar; ++i) (builder.contact2d(shape.mu), rows.push_back(2));
  for (int i = 0; i < shape.unilateral; ++i) (builder.unilateral(), rows.push_back(1));
  for (int i = 0; i < shape.bilateral; ++i) (builder.bilateral(), rows.push_back(1));
  Index m = 0;
  for (const Index r : rows) m += r;
  DenseMatrix D = DenseMatrix::Zero(n, m);
  DenseMatrix C = DenseMatrix::Zero(m, m);
  Index column = 0;
  for (const Index r : rows) {
    const auto a = static_cast<Index>((uniform() + 1.0) * 0.5 * shape.bodies), b = (a + 1) % shape.bodies;
    D.block(6 * a, column, 6, r) = uniform.matrix(6, r);
    if (b != a) D.block(6 * b, column, 6, r) = uniform.matrix(6, r);
    const DenseMatrix root = uniform.matrix(r, r);
    C.block(column, column, r, r) = 0.05 * (root * root.transpose() + DenseMatrix::Identity(r, r));
    column += r;
  }
  builder.global(sparse(H), uniform.vector(n), sparse(D), Vector::Zero(m));
  if (shape.compliance) builder.compliance(sparse(C));
  return builder.build();
}

/// The local form of a problem, as a problem of its own.
inline ContactProblem as_local(const ContactProblem& problem) {
  ProblemBuilder builder(problem.name() + ", local");
  return builder.local(problem.local().N, problem.local().r).constraints(problem.constraints()).build();
}

}  // namespace ccp::testing
