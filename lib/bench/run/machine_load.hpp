#pragma once

#include <string>

#include "core/stopwatch.hpp"

namespace ccp {

/// The load of the machine by others while a run was timed.
struct MachineLoad {
  double others;  ///< cores that other processes kept busy, mean; NaN where the run was too short to say, or the system does
                  ///< not
  double waited;  ///< share of its time in which this process had work and no core to do it on; NaN where the system does
                  ///< not say
};

/// Measures it from its construction on, from the clocks of Linux: /proc/stat, whose ticks need runs of a fifth of a second,
/// and /proc/self/schedstat, in nanoseconds.
class LoadMeter {
 public:
  LoadMeter();
  MachineLoad read() const;

 private:
  struct Clocks {
    double machine_s, own_s, waited_s;
  };
  Clocks before_;
  Stopwatch watch_;
};

/// Why the times of a run with so many threads are worth less, in words; empty where they are not: a twentieth of its time
/// without a core, or all of `cores` busy, not counting the half core that other work takes on every machine.
std::string busy_text(const MachineLoad& load, int threads, int cores);

/// Cores of the machine that are switched on.
int machine_cores();

}  // namespace ccp
