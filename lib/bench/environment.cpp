#include "bench/environment.hpp"

#include <dlfcn.h>
#include <fmt/core.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <Eigen/Core>
#include <array>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/build_info.hpp"
#include "bench/git_commit.hpp"

namespace ccp {
namespace {

/// OpenBLAS describes itself; what else the system may have put behind MUMPS is named by its library file.
std::string blas_description() {
  if (void* config = dlsym(RTLD_DEFAULT, "openblas_get_config")) {
    std::string text = reinterpret_cast<char* (*)()>(config)();
    if (void* core = dlsym(RTLD_DEFAULT, "openblas_get_corename"))
      text += fmt::format(", running as {}", reinterpret_cast<char* (*)()>(core)());
    return text;
  }
  Dl_info info{};
  void* multiply = dlsym(RTLD_DEFAULT, "dgemm_");
  if (multiply == nullptr || ::dladdr(multiply, &info) == 0 || info.dli_fname == nullptr) return "unknown";
  return info.dli_fname;
}

/// Value of "name : value" lines.
std::string proc_value(const char* file, const std::string& name) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    const auto colon = line.find(':');
    if (line.rfind(name, 0) != 0 || colon == std::string::npos) continue;
    const auto start = line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? "" : line.substr(start);
  }
  return "unknown";
}

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace

Environment read_environment() {
  Environment environment;
  environment.program_version = build_info::version;
  environment.git_commit = build_info::git_commit;
  environment.compiler = build_info::compiler;
  environment.build_type = build_info::build_type;
  environment.flags = build_info::flags;
  utsname system{};
  if (::uname(&system) == 0) environment.system = fmt::format("{} {} {}", system.sysname, system.release, system.machine);
  environment.cpu = proc_value("/proc/cpuinfo", "model name");
  environment.cores = usable_cores();
  environment.memory_mb =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGE_SIZE)) / 1048576.0;
  environment.blas = blas_description();
  environment.libraries = {{"Eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
                           {"MUMPS", build_info::mumps_version},
                           {"CHOLMOD", build_info::cholmod_version},
                           {"HDF5", build_info::hdf5_version},
                           {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
                           {"nlohmann_json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR,
                                                         NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)}};
  return environment;
}

std::string iso_time_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

}  // namespace ccp
