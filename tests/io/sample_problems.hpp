#pragma once

#include <filesystem>
#include <random>
#include <vector>

#include "io/hdf5_editor.hpp"
#include "problem/problem_builder.hpp"

inline constexpr ccp::ConstraintKind contact = ccp::ConstraintKind::contact, contact2d = ccp::ConstraintKind::contact2d,
                                     unilateral = ccp::ConstraintKind::unilateral, bilateral = ccp::ConstraintKind::bilateral;

inline ccp::DenseMatrix dense(const ccp::SparseMatrix& matrix) { return ccp::DenseMatrix(matrix); }

/// Random problems with the same bits on every platform.
class SampleProblems {
 public:
  explicit SampleProblems(std::uint64_t seed) : random_(seed) {}

  double uniform(double low = -1.0, double high = 1.0) {
    return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53;
  }
  ccp::Vector vector(ccp::Index size) {
    ccp::Vector values(size);
    for (double& value : values) value = uniform();
    return values;
  }
  ccp::DenseMatrix spd(ccp::Index size) {
    ccp::DenseMatrix factor(size, size);
    for (double& value : factor.reshaped()) value = uniform();
    const ccp::DenseMatrix product = factor * factor.transpose() + 0.5 * ccp::DenseMatrix::Identity(size, size);
    return 0.5 * (product + product.transpose());
  }
  /// C, with a block of size rows(i) for every constraint i of the list.
  ccp::SparseMatrix compliance(const ccp::ConstraintSet& set, const std::vector<ccp::Index>& compliant) {
    ccp::DenseMatrix C = ccp::DenseMatrix::Zero(set.rows(), set.rows());
    for (const ccp::Index i : compliant) C.block(set.offset(i), set.offset(i), set.rows(i), set.rows(i)) = spd(set.rows(i));
    return C.sparseView();
  }
  /// bodies of 6 degrees of freedom, each constraint between two of them.
  ccp::ProblemBuilder global(const ccp::ConstraintSet& set, ccp::Index bodies) {
    const ccp::Index n = 6 * bodies;
    ccp::DenseMatrix H = ccp::DenseMatrix::Zero(n, n), D = ccp::DenseMatrix::Zero(n, set.rows());
    for (ccp::Index body = 0; body < bodies; ++body) H.block(6 * body, 6 * body, 6, 6) = spd(6);
    for (ccp::Index i = 0; i < set.count(); ++i)
      for (const ccp::Index body : {i % bodies, (i + 1) % bodies})
        for (ccp::Index row = 0; row < set.rows(i); ++row) D.col(set.offset(i) + row).segment(6 * body, 6) = vector(6);
    ccp::ProblemBuilder builder("sample");
    builder.global(H.sparseView(), vector(n), D.sparseView(), vector(set.rows())).constraints(set);
    return builder;
  }
  ccp::ContactProblem local(const ccp::ConstraintSet& set) {
    return ccp::ProblemBuilder("sample").local(spd(set.rows()).sparseView(), vector(set.rows())).constraints(set).build();
  }

 private:
  std::mt19937_64 random_;
};

/// The constraints in the order given, each contact with another friction coefficient, the first one with μ = 0.
inline ccp::ConstraintSet constraint_set(const std::vector<ccp::ConstraintKind>& kinds) {
  ccp::ConstraintSet set;
  for (const ccp::ConstraintKind kind : kinds) set.add(kind, 0.1 * static_cast<double>(set.count()));
  return set;
}

/// A local file with one 3D contact: W = diag(2, 3, 4) in compressed rows, q = (−1, 0.5, 0), μ = 0.5.
inline void write_small_local(const std::filesystem::path& path) {
  Hdf5Editor file(path);
  file.integer("/fclib_local/spacedim", 3);
  for (const char* size : {"nzmax", "m", "n"}) file.integer(std::string("/fclib_local/W/") + size, 3);
  file.integer("/fclib_local/W/nz", -2);
  file.integers("/fclib_local/W/p", {0, 1, 2, 3});
  file.integers("/fclib_local/W/i", {0, 1, 2});
  file.reals("/fclib_local/W/x", {2, 3, 4});
  file.reals("/fclib_local/vectors/q", {-1, 0.5, 0});
  file.reals("/fclib_local/vectors/mu", {0.5});
}

/// A global file with one 2D contact and one equality row, in triplets: M = diag(2, 2, 5), H(0,0) = 1, H(1,1) = −1, G(2,0) =
/// 3, f = (1, 2, 3), w = (0.1, 0.2), b = 0.3, μ = 0.25.
inline void write_small_global(const std::filesystem::path& path) {
  Hdf5Editor file(path);
  const std::string root = "/fclib_global/";
  const auto matrix = [&](const std::string& name, int m, int n, const std::vector<int>& rows,
                          const std::vector<int>& columns, const std::vector<double>& values) {
    const std::string group = root + name + "/";
    const int nz = static_cast<int>(values.size());
    file.integer(group + "nzmax", nz + 7);  // as in real files
    file.integer(group + "m", m);
    file.integer(group + "n", n);
    file.integer(group + "nz", nz);
    file.integers(group + "i", rows);
    file.integers(group + "p", columns);
    file.reals(group + "x", values);
  };
  file.integer(root + "spacedim", 2);
  matrix("M", 3, 3, {0, 1, 2}, {0, 1, 2}, {2, 2, 5});
  matrix("H", 3, 2, {0, 1}, {0, 1}, {1, -1});
  matrix("G", 3, 1, {2}, {0}, {3});
  file.reals(root + "vectors/f", {1, 2, 3});
  file.reals(root + "vectors/w", {0.1, 0.2});
  file.reals(root + "vectors/b", {0.3});
  file.reals(root + "vectors/mu", {0.25});
}
