#pragma once

namespace ccp {

/// Limits of a process, enforced from outside.
struct Limits {
  double wall_s = 600.0;      ///< s, of the whole process
  double memory_mb = 8192.0;  ///< MiB of private memory
};

}  // namespace ccp
