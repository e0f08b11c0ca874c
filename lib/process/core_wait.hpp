#pragma once

#include <sys/types.h>

namespace ccp {

/// Time in which the main thread of a process was ready to run and had no core, s, by /proc/PID/schedstat; NaN where the
/// system does not say. 0 for this process.
double core_wait_s(pid_t process);

}  // namespace ccp
