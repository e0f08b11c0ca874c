#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace ccp {

/// How a run ended. The one list of the project: names in files and on the terminal come from status_name().
enum class Status {
  solved,           ///< the stop measure of the returned point is at or below the tolerance, and rounding allows to say so
  below_rounding,   ///< the point is as good as rounding lets anybody see, but the tolerance asks for more
  iteration_limit,  ///< max_iterations reached
  time_limit,       ///< time_limit_s of solver clock reached, or the supervisor's wall limit
  infeasible,       ///< the problem has no solution: a certificate was verified
  stalled,          ///< the solver cannot improve its iterate any more
  diverged,         ///< NaN, infinity or unbounded growth
  false_converged,  ///< the solver's native criterion says converged, the stop measure says no
  failed,           ///< the solver gave up, with its reason
  crashed,          ///< the worker process died of a signal
  out_of_memory,    ///< the memory limit was hit
  unsupported,      ///< the solver cannot take this problem or model; no failure
  interrupted       ///< the user stopped the run; never stored as a result
};

/// Name as it stands in files, e.g. "iteration_limit".
std::string_view status_name(Status status);

/// One line of explanation.
std::string_view status_meaning(Status status);

/// Inverse of status_name; nothing for an unknown name.
std::optional<Status> status_from_name(std::string_view name);

/// All statuses in the order of the enum.
const std::vector<Status>& all_statuses();

}  // namespace ccp
