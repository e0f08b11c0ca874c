#include "bench/run/machine_load.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include "bench/record/csv.hpp"
#include "process/core_wait.hpp"

namespace ccp {
namespace {

constexpr double shortest_s = 0.2;                  // twenty ticks of a core
constexpr double most_waiting = 0.05;               // of the time of a run
constexpr double usual_others = 0.5, slack = 0.25;  // cores

double seconds(const timeval& time) { return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec); }

/// CPU time of this process and of the children it has waited for.
double own_cpu_s() {
  double sum = 0.0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    if (::getrusage(who, &usage) == 0) sum += seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }
  return sum;
}

/// CPU time of all cores since the start of the machine, without what they were idle.
double machine_cpu_s() {
  std::ifstream stream("/proc/stat");
  std::string word;
  if (!(stream >> word) || word != "cpu") return unknown_number;
  double busy = 0.0, ticks = 0.0;
  // user nice system idle iowait irq softirq steal
  for (int field = 0; field < 8 && stream >> ticks; ++field)
    if (field != 3 && field != 4) busy += ticks;
  return busy / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace

// The wait is read next to the watch, last and first: this process may be waiting for a core as well while it reads.
LoadMeter::LoadMeter() : before_{machine_cpu_s(), own_cpu_s(), core_wait_s(0)} { watch_.start(); }

MachineLoad LoadMeter::read() const {
  const double waited = core_wait_s(0) - before_.waited_s, elapsed = watch_.seconds();
  const double others = (machine_cpu_s() - before_.machine_s - (own_cpu_s() - before_.own_s)) / elapsed;
  return {elapsed < shortest_s ? unknown_number : std::max(0.0, others), waited / elapsed};
}

std::string busy_text(const MachineLoad& load, int threads, int cores) {
  const bool waited = load.waited > most_waiting;
  const bool crowded = load.others > usual_others && load.others + threads > cores - slack;
  std::string text;
  if (crowded) text = fmt::format("other programs kept {:.1f} of {} cores busy", load.others, cores);
  if (waited)
    text +=
        fmt::format("{}it waited {:.0f} % of its time for a core", crowded ? ", " : "", 100.0 * std::min(1.0, load.waited));
  return text;
}

int machine_cores() { return static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)); }

}  // namespace ccp
