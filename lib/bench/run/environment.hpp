#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ccp {

/// Where and with what results were made.
struct Environment {
  std::string program_version;
  std::string git_commit;  ///< short, "-dirty" with changes; "unknown" outside a repository
  std::string compiler, build_type, flags;
  std::string sanitizers;      ///< empty when there are none
  std::string governor;        ///< of the frequencies of the first core; "unknown" where the system does not say
  std::string boost;           ///< "on", "off" or "unknown"
  std::optional<double> load;  ///< mean number of runnable processes over the last minute
  std::string system;          ///< kernel and architecture
  std::string cpu;             ///< model
  int cores = 0;               ///< this process may run on
  double memory_mb = 0.0;      ///< of the machine, MiB
  std::string blas;            ///< that MUMPS uses
  std::vector<std::pair<std::string, std::string>> libraries;  ///< name, version
};

Environment read_environment();

/// Reasons to trust times on this machine and build less, a sentence each. used_cores: as many as the run will use.
std::vector<std::string> timing_warnings(const Environment& environment, int used_cores);

/// Now, UTC, "2026-01-31T12:00:00Z".
std::string iso_time_now();

}  // namespace ccp
