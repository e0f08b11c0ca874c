#pragma once

#include <algorithm>
#include <ctime>
#include <vector>

namespace ccp::testing {

/// CPU time of this process, s: on a busy machine wall times of milliseconds are those of other programs. Everything timed
/// here runs in one thread.
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Seconds a call of `work`, called again and again for two milliseconds.
template <typename Work>
double seconds_a_call(const Work& work) {
  const double begin = cpu_seconds();
  double end = begin;
  int calls = 0;
  do {
    work();
    ++calls;
    end = cpu_seconds();
  } while (end - begin < 2e-3);
  return (end - begin) / calls;
}

/// The middle of an odd number of values, the upper of the two middle ones otherwise.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace ccp::testing
