#include "process/core_wait.hpp"

#include <fstream>
#include <limits>
#include <string>

namespace ccp {

double core_wait_s(pid_t process) {
  std::ifstream stream("/proc/" + (process == 0 ? "self" : std::to_string(process)) + "/schedstat");
  double ran = 0.0, waited = 0.0;
  return stream >> ran >> waited ? 1e-9 * waited : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace ccp
