#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "solvers/solver.hpp"

namespace ccp {

struct CellRecord;

/// The times of one run of a cell, s of solver clock.
struct TimedRun {
  int pass = 1;  ///< 1: iterates were judged between iterations; 2: they were not
  double setup_s = 0.0, solve_s = 0.0;
  Crossings crossings;
  std::vector<int> cores;  ///< it was bound to; empty when it was not
  /// Time of the products and projections it has counted, timed between its iterations, s; NaN where they are not timed.
  double kernel_work_s = std::numeric_limits<double>::quiet_NaN();
  std::string difference;  ///< how its iterates differ from those of the first run; empty when they do not
};

/// Times of the kernels called by themselves, one call after the other, s: the mean of the fastest batch of calls. NaN where
/// a kernel does not exist.
struct KernelTimes {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  double product = unknown;            ///< of FirstOrderKernels, in turn with the projection
  double projection = unknown;         ///< and the other way round
  double block_product = unknown;      ///< N x by 3×3 block-CSR
  double csr_product = unknown;        ///< N x by Eigen's scalar compressed rows
  double factors_product = unknown;    ///< Dᵀ(H⁻¹(D x)) by Eigen's scalar sparse matrices
  double bytes_per_contact = unknown;  ///< of the operator that methods choose; bytes
};

/// Adds a run. Sets the times of the record to the medians over its runs of the highest pass, and notes iterates that differ
/// from those of the first run.
void add_run(CellRecord& record, const Result& result, TimedRun run);

/// What the record says of runs with other iterates than the first: "run 3 differs from the first: …".
std::vector<std::string> differing_runs(const CellRecord& record);

/// Least and largest solve_s of the runs whose median the record gives, and how many they are.
struct Spread {
  double least_s, largest_s;
  std::size_t runs = 0;
};
Spread solve_spread(const CellRecord& record);

/// Medians over the same runs of their kernel_work_s, and of solve_s over that: NaN where kernels are not timed.
struct KernelShare {
  double work_s, ratio;
};
KernelShare kernel_share(const CellRecord& record);

}  // namespace ccp
