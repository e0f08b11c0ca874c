#pragma once

#include <optional>
#include <string>

#include "bench/run/runner.hpp"

namespace ccp {

/// State of a run as manifest.json tells it.
struct ManifestState {
  std::string start, end;      ///< ISO times; end empty while it runs
  std::optional<double> load;  ///< of the machine when the run began
  bool complete = false;       ///< every cell of the plan has a result
  bool interrupted = false;
};

/// manifest.json: the resolved config, the program, the machine, the options, and how far the run came.
std::string manifest_json(const Config& config, const Plan& plan, const RunOptions& options, const RunReport& report,
                          const ManifestState& state);

}  // namespace ccp
