#pragma once

#include <functional>
#include <limits>
#include <optional>

#include "problem/contact_problem.hpp"
#include "solvers/monitor.hpp"

namespace ccp {

/// What the kernels of the first-order methods take on one problem: the least of repeated timings, s, product and projection
/// in turn as in an iteration. NaN where a kernel does not exist.
struct KernelTimes {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  double product = unknown;        ///< y = N x by the operator that methods choose: factored where it exists, else block-CSR
  double projection = unknown;     ///< Π_Υ(x) of a whole vector
  double block_product = unknown;  ///< N x by 3×3 block-CSR
  double csr_product = unknown;    ///< N x by Eigen's scalar compressed rows
  double factors_product = unknown;    ///< Dᵀ(H⁻¹(D x)) by Eigen's scalar sparse matrices
  double bytes_per_contact = unknown;  ///< of the operator that methods choose; bytes

  /// What a run should take for the products and projections it has counted, s.
  double work(const Counters& counters) const {
    return static_cast<double>(counters.products) * product + static_cast<double>(counters.projections) * projection;
  }
};

/// Times the kernels in this process, on `threads` threads where they take any (Eigen's run on one).
KernelTimes measure_kernels(const ContactProblem& problem, int threads);

/// The same in a worker of its own, so that what it derives and allocates is gone afterwards. `run_apart` runs a function in
/// a forked process and says whether it has returned 0; nothing when it has not.
std::optional<KernelTimes> measure_kernels_apart(const ContactProblem& problem, int threads,
                                                 const std::function<bool(const std::function<int()>&)>& run_apart);

}  // namespace ccp
