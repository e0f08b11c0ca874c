#pragma once

#include <cstddef>
#include <vector>

#include "bench/config/catalog.hpp"
#include "bench/config/plan.hpp"
#include "bench/run/runner.hpp"

namespace ccp {

/// The work of a run, and what is known of its time before it starts.
struct RunLimits {
  std::vector<std::size_t> to_run;     ///< indices of the cells without a result, each hash once
  std::vector<std::size_t> to_repeat;  ///< indices of the cells with a result that lack timed runs
  std::size_t runs = 0;                ///< of all these cells, with their repeats
  double cells_s = 0.0;                ///< the longest these runs can take, options.jobs at once, by their wall limits; s
  std::size_t drivers = 0;             ///< that move the worlds of shared sequences for cells without a result
  double drivers_s = 0.0;              ///< the longest they can take, one after the other; s
  std::size_t stored = 0;              ///< cells that have a result
  double stored_s = 0.0;               ///< the wall time they took; s
};

/// For a run of the chosen cells with these options. Reads their results, which need not exist; runs and writes nothing.
RunLimits limits_of_run(const Plan& plan, const std::vector<std::size_t>& chosen, const Catalog& catalog,
                        const RunOptions& options);

}  // namespace ccp
