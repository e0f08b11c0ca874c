#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/run/runner.hpp"
#include "bench/run/thermal.hpp"

namespace ccp {

/// What times depend on.
struct Environment {
  std::string build_type;
  std::string sanitizers;      ///< empty when there are none
  std::string governor;        ///< of the frequencies of the first core; "unknown" where the system does not say
  std::optional<double> load;  ///< mean number of runnable processes over the last minute
  int cores = 0;               ///< this process may run on
};

Environment read_environment();

/// Reasons to trust times on this machine and build less, a sentence each. How busy it is shows in the timed runs themselves
/// (bench/run/machine_load.hpp).
std::vector<std::string> timing_warnings(const Environment& environment);

/// State of a run as manifest.json tells it.
struct ManifestState {
  std::string start, end;      ///< ISO times; end empty while it runs
  std::optional<double> load;  ///< of the machine when the run began
  Thermal heat, heat_at_end;
  bool complete = false;  ///< every cell of the plan has a result
  bool interrupted = false;
};

/// manifest.json: the resolved config, the program, the machine, the options, and how far the run came. memory_mb: MiB;
/// blas: that MUMPS uses; git_commit: short, "-dirty" with changes, "unknown" outside a repository.
std::string manifest_json(const Config& config, const Plan& plan, const RunOptions& options, const RunReport& report,
                          const ManifestState& state);

}  // namespace ccp
