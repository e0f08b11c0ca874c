#include "linalg/matrices.hpp"

#include <cmath>

namespace ccp::testing {
namespace {

SparseMatrix assemble(Index rows, Index columns, const std::vector<Triplet>& entries) {
  SparseMatrix matrix(rows, columns);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

Triplet entry(Index row, Index column, double value) { return {static_cast<int>(row), static_cast<int>(column), value}; }

}  // namespace

SparseMatrix laplacian(Index side) {
  std::vector<Triplet> entries;
  for (Index i = 0; i < side; ++i)
    for (Index j = 0; j < side; ++j) {
      const Index here = i * side + j;
      entries.push_back(entry(here, here, 4));
      for (const Index other : {j + 1 < side ? here + 1 : here, i + 1 < side ? here + side : here})
        if (other != here) {
          entries.push_back(entry(here, other, -1));
          entries.push_back(entry(other, here, -1));
        }
    }
  return assemble(side * side, side * side, entries);
}

SparseMatrix laplacian_cube(Index side) {
  const Index size = side * side * side;
  std::vector<Triplet> entries;
  for (Index here = 0; here < size; ++here) {
    entries.push_back(entry(here, here, 6));
    for (const Index stride : {Index{1}, side, side * side})
      if (here / stride % side + 1 < side) {
        entries.push_back(entry(here, here + stride, -1));
        entries.push_back(entry(here + stride, here, -1));
      }
  }
  return assemble(size, size, entries);
}

SparseMatrix random_spd(Index size, Uniform& random) {
  std::vector<Triplet> entries;
  for (Index column = 0; column < size; ++column) {
    const double scale = std::pow(10.0, random(-1, 1));
    for (int k = 0; k < 3; ++k) entries.push_back(entry(random.below(size), column, scale * random()));
  }
  const SparseMatrix factor = assemble(size, size, entries);
  SparseMatrix identity(size, size);
  identity.setIdentity();
  return factor * SparseMatrix(factor.transpose()) + 0.01 * identity;
}

SparseMatrix body_masses(Index bodies, Uniform& random) {
  std::vector<Triplet> entries;
  for (Index i = 0; i < 6 * bodies; ++i) entries.push_back(entry(i, i, std::pow(10.0, random(-1, 3))));
  return assemble(6 * bodies, 6 * bodies, entries);
}

SparseMatrix random_joints(Index bodies, Index columns, Uniform& random) {
  std::vector<Triplet> entries;
  for (Index column = 0; column < columns; ++column)
    for (const Index body : {column % bodies, random.below(bodies)})
      for (Index row = 0; row < 6; ++row) entries.push_back(entry(6 * body + row, column, random()));
  return assemble(6 * bodies, columns, entries);
}

SparseMatrix with_redundant_copies(const SparseMatrix& joints) {
  const Index columns = joints.cols();
  std::vector<Triplet> entries;
  for (Index column = 0; column < columns; ++column)
    for (SparseMatrix::InnerIterator it(joints, column); it; ++it) {
      entries.push_back(entry(it.row(), column, it.value()));
      entries.push_back(entry(it.row(), 2 * columns - 1 - column, -3 * it.value()));
    }
  return assemble(joints.rows(), 2 * columns, entries);
}

double mean_delassus_diagonal(const SparseMatrix& masses, const SparseMatrix& joints) {
  const Vector inverse = masses.diagonal().cwiseInverse();
  double sum = 0;
  for (Index column = 0; column < joints.cols(); ++column)
    for (SparseMatrix::InnerIterator it(joints, column); it; ++it) sum += it.value() * it.value() * inverse[it.row()];
  return sum / static_cast<double>(joints.cols());
}

SparseMatrix saddle_matrix(const SparseMatrix& masses, const SparseMatrix& joints, double rho) {
  const Index n = masses.rows(), m = joints.cols();
  std::vector<Triplet> entries;
  for (Index column = 0; column < n; ++column)
    for (SparseMatrix::InnerIterator it(masses, column); it; ++it) entries.push_back(entry(it.row(), column, it.value()));
  for (Index column = 0; column < m; ++column) {
    for (SparseMatrix::InnerIterator it(joints, column); it; ++it) {
      entries.push_back(entry(it.row(), n + column, it.value()));
      entries.push_back(entry(n + column, it.row(), it.value()));
    }
    if (rho != 0) entries.push_back(entry(n + column, n + column, -rho));
  }
  return assemble(n + m, n + m, entries);
}

SparseMatrix random_unsymmetric(Index size, Uniform& random) {
  std::vector<Triplet> entries;
  for (Index row = 0; row < size; ++row) {
    entries.push_back(entry(row, (row + 1) % size, 4 + random()));
    for (int k = 0; k < 2; ++k) {
      const Index column = random.below(size);
      if (column != row) entries.push_back(entry(row, column, random()));
    }
  }
  return assemble(size, size, entries);
}

SparseMatrix sample_matrix(MatrixKind kind, std::uint64_t seed) {
  Uniform random(seed);
  if (kind == MatrixKind::spd) return random_spd(60, random);
  if (kind == MatrixKind::unsymmetric) return random_unsymmetric(50, random);
  const SparseMatrix masses = body_masses(10, random), joints = random_joints(10, 20, random);
  const double rho = kind == MatrixKind::indefinite ? 0 : 0.01 * mean_delassus_diagonal(masses, joints);
  return saddle_matrix(masses, joints, rho);
}

SparseMatrix rescaled(const SparseMatrix& matrix, Uniform& random) {
  const Vector scale = (2 * random.vector(matrix.rows())).array().exp();
  return scale.asDiagonal() * matrix * scale.asDiagonal();
}

double relative_residual(const SparseMatrix& matrix, const Vector& x, const Vector& rhs) {
  return (rhs - matrix * x).lpNorm<Eigen::Infinity>() / rhs.lpNorm<Eigen::Infinity>();
}

std::vector<std::string> backends_for(MatrixKind kind) {
  std::vector<std::string> able;
  for (const std::string& name : linear_solver_names())
    if (linear_solver_supports(name, kind)) able.push_back(name);
  return able;
}

std::vector<SolverCase> all_solver_cases() {
  std::vector<SolverCase> cases;
  for (const MatrixKind kind :
       {MatrixKind::spd, MatrixKind::quasi_definite, MatrixKind::indefinite, MatrixKind::unsymmetric})
    for (const std::string& name : backends_for(kind)) cases.push_back({name, kind});
  return cases;
}

std::string kind_name(MatrixKind kind) {
  switch (kind) {
    case MatrixKind::spd: return "spd";
    case MatrixKind::quasi_definite: return "quasi_definite";
    case MatrixKind::indefinite: return "indefinite";
    case MatrixKind::unsymmetric: return "unsymmetric";
  }
  return "";
}

}  // namespace ccp::testing
