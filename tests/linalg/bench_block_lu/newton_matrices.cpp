#include "linalg/bench_block_lu/newton_matrices.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <utility>

#include "problem/judge/judge.hpp"
#include "solvers/newton/contact_map.hpp"
#include "solvers/registry.hpp"
#include "solvers/run_monitor.hpp"
#include "solvers/solver.hpp"

namespace ccp::testing {
namespace {

constexpr double step_factor = 1.5, first_weight = 1e-2, later_weight = 3e-4;  // defaults of proximal_newton

/// diag(G) N + diag(E) with identity rows: what a Newton step sets up.
struct NewtonRows {
  std::vector<Matrix3> G, E;
  std::vector<char> identity;
};

Vector mean_diagonal(const ConstraintSet& constraints, const BlockMatrix& N) {
  Vector mean(constraints.count());
  for (Index i = 0; i < mean.size(); ++i) {
    const double trace = N.block[static_cast<std::size_t>(N.diagonal[static_cast<std::size_t>(i)])].trace();
    mean[i] = trace > 0.0 ? trace / static_cast<double>(constraints.rows(i)) : 1.0;
  }
  return mean;
}

/// The rows at the start, where every contact sticks.
NewtonRows sticking_rows(const Vector& weight) {
  NewtonRows rows;
  for (const double t : weight) {
    const double rho = step_factor / (t * (1.0 + first_weight));
    rows.G.push_back(rho * Matrix3::Identity());
    rows.E.push_back(rho * first_weight * t * Matrix3::Identity());
    rows.identity.push_back(0);
  }
  return rows;
}

/// The rows at an impulse.
NewtonRows rows_at(const Vector& impulse, const ContactProblem& problem, const BlockMatrix& N, const Vector& weight) {
  const ConstraintSet& constraints = problem.constraints();
  Vector x(3 * constraints.count()), r(x.size()), u(x.size());
  pad(constraints, impulse, x);
  pad(constraints, problem.free_velocity(), r);
  N.multiply(x, u);
  u += r;
  NewtonRows rows;
  for (Index i = 0; i < constraints.count(); ++i) {
    const double rho = step_factor / (weight[i] * (1.0 + later_weight));
    const Vector3 s = x.segment<3>(3 * i) - rho * u.segment<3>(3 * i);
    const ContactMap map = contact_map(constraints.kind(i), constraints.friction(i), Model::ncp, s);
    rows.G.emplace_back(rho * map.derivative);
    rows.E.emplace_back(Matrix3::Identity() + (rho * later_weight * weight[i] - 1.0) * map.derivative);
    rows.identity.push_back(map.open ? 1 : 0);
  }
  return rows;
}

Vector impulse_of_a_run(const ContactProblem& problem) {
  Judge judge(problem, Model::ncp);
  StopRule stop;
  stop.tolerance = 1e-4;
  stop.max_iterations = 300;
  RunMonitor monitor(judge, stop);
  return make_solver("proximal_newton")->solve(problem, Model::ncp, {}, monitor).impulse;
}

SparseMatrix scalar_matrix(const BlockMatrix& N, const NewtonRows& rows) {
  std::vector<Triplet> entries;
  for (std::size_t i = 0; i < N.diagonal.size(); ++i)
    for (int p = N.row_start[i]; p < N.row_start[i + 1]; ++p) {
      Matrix3 block = Matrix3::Zero();
      if (rows.identity[i] == 0) block = rows.G[i] * N.block[static_cast<std::size_t>(p)];
      if (p == N.diagonal[i]) block += rows.identity[i] == 0 ? rows.E[i] : Matrix3(Matrix3::Identity());
      for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r)
          entries.emplace_back(3 * static_cast<int>(i) + r, 3 * N.column[static_cast<std::size_t>(p)] + c, block(r, c));
    }
  SparseMatrix scalar(3 * N.rows(), 3 * N.rows());
  scalar.setFromTriplets(entries.begin(), entries.end());
  return scalar;
}

bool has_velocity_form(const ContactProblem& problem) {
  if (!problem.has_factored()) return false;
  for (Index b = 0; b < problem.mass().blocks().count(); ++b)
    if (problem.mass().blocks().size(b) % 3 != 0) return false;
  return true;
}

/// H + D S⁻¹G Dᵀ, S = E + G C.
SparseMatrix velocity_matrix(const ContactProblem& problem, const NewtonRows& rows) {
  const ConstraintSet& constraints = problem.constraints();
  const GlobalForm& global = problem.global();
  const SparseMatrix compliance = global.C;
  std::vector<Triplet> entries;
  for (Index i = 0; i < constraints.count(); ++i) {
    const auto block = static_cast<std::size_t>(i);
    Matrix3 C = Matrix3::Zero(), weight = Matrix3::Zero();
    for (Index r = 0; r < constraints.rows(i); ++r)
      for (Index c = 0; c < constraints.rows(i); ++c)
        C(r, c) = compliance.coeff(constraints.offset(i) + r, constraints.offset(i) + c);
    if (rows.identity[block] == 0) weight = Matrix3(rows.E[block] + rows.G[block] * C).inverse() * rows.G[block];
    for (Index r = 0; r < constraints.rows(i); ++r)
      for (Index c = 0; c < constraints.rows(i); ++c)
        entries.emplace_back(static_cast<int>(constraints.offset(i) + r), static_cast<int>(constraints.offset(i) + c),
                             weight(r, c));
  }
  SparseMatrix weights(problem.rows(), problem.rows());
  weights.setFromTriplets(entries.begin(), entries.end());
  const SparseMatrix half = global.D * weights;
  const SparseMatrix transposed = global.D.transpose();
  SparseMatrix K = global.H + SparseMatrix(half * transposed);
  K.makeCompressed();
  return K;
}

BlockMatrix blocks_of(const SparseMatrix& matrix) {
  ConstraintSet groups;
  for (Index g = 0; g < matrix.rows() / 3; ++g) groups.add(ConstraintKind::contact);
  return block_matrix(groups, matrix);
}

}  // namespace

Index NewtonMatrix::left_out() const { return std::count(identity.begin(), identity.end(), 1); }

std::vector<NewtonMatrix> newton_matrices(const std::string& name, const ContactProblem& problem) {
  const BlockMatrix N = block_matrix(problem.constraints(), problem.local().N);
  const Vector weight = mean_diagonal(problem.constraints(), N);
  std::vector<std::pair<std::string, NewtonRows>> points;
  points.emplace_back("start", sticking_rows(weight));
  points.emplace_back("later", rows_at(impulse_of_a_run(problem), problem, N, weight));
  std::vector<NewtonMatrix> matrices;
  for (const auto& [point, rows] : points)
    matrices.push_back({name, "contacts", point, scalar_matrix(N, rows), N, rows.G, rows.E, rows.identity});
  if (!has_velocity_form(problem)) return matrices;
  for (const auto& [point, rows] : points) {
    const SparseMatrix K = velocity_matrix(problem, rows);
    matrices.push_back({name, "velocities", point, K, blocks_of(K), {}, {}, {}});
  }
  return matrices;
}

}  // namespace ccp::testing
