#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ccp {

/// Where and with what results were made.
struct Environment {
  std::string program_version;
  std::string git_commit;  ///< short, "-dirty" with changes; "unknown" outside a repository
  std::string compiler, build_type, flags;
  std::string system;                                          ///< kernel and architecture
  std::string cpu;                                             ///< model
  int cores = 0;                                               ///< this process may run on
  double memory_mb = 0.0;                                      ///< of the machine, MiB
  std::string blas;                                            ///< what stands behind MUMPS
  std::vector<std::pair<std::string, std::string>> libraries;  ///< name, version
};

Environment read_environment();

/// Now, UTC, "2026-01-31T12:00:00Z".
std::string iso_time_now();

}  // namespace ccp
