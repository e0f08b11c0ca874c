#include "bench/run/manifest.hpp"

#include <dlfcn.h>
#include <fmt/core.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <Eigen/Core>
#include <cstdlib>
#include <fstream>

#include "bench/config/config_json.hpp"
#include "bench/run/build_info.hpp"
#include "bench/run/git_commit.hpp"
#include "core/event_counter.hpp"
#include "peers/external/external_name.hpp"
#include "peers/external/external_solver.hpp"

namespace ccp {
namespace {

/// OpenBLAS describes itself; any other BLAS behind MUMPS is named by its library file.
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

std::string first_word(const char* file) {
  std::string word;
  std::ifstream(file) >> word;
  return word.empty() ? "unknown" : word;
}

std::string boost_state() {
  const std::string boost = first_word("/sys/devices/system/cpu/cpufreq/boost");
  if (boost != "unknown") return boost == "1" ? "on" : "off";
  const std::string no_turbo = first_word("/sys/devices/system/cpu/intel_pstate/no_turbo");
  if (no_turbo != "unknown") return no_turbo == "0" ? "on" : "off";
  return "unknown";
}

std::optional<double> load_of_last_minute() {
  double load = 0.0;
  if (::getloadavg(&load, 1) != 1) return std::nullopt;
  return load;
}

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
}

Json program_json() {
  return {{"name", "ccpbench"},
          {"version", build_info::version},
          {"git_commit", build_info::git_commit},
          {"solver_version", solver_version},
          {"compiler", build_info::compiler},
          {"build_type", build_info::build_type},
          {"flags", build_info::flags},
          {"sanitizers", build_info::sanitizers}};
}

Json environment_json() {
  const Environment environment = read_environment();
  utsname system{};
  const bool named = ::uname(&system) == 0;
  const double memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGE_SIZE));
  const Json libraries = {{"Eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
                          {"MUMPS", build_info::mumps_version},
                          {"CHOLMOD", build_info::cholmod_version},
                          {"HDF5", build_info::hdf5_version},
                          {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
                          {"nlohmann_json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                                        NLOHMANN_JSON_VERSION_PATCH)}};
  const std::string uncounted = EventCounter(CountedEvent::instructions).defect();
  return {{"system", named ? fmt::format("{} {} {}", system.sysname, system.release, system.machine) : std::string()},
          {"cpu", proc_value("/proc/cpuinfo", "model name")},
          {"cores", environment.cores},
          {"memory_mb", memory / 1048576.0},
          {"blas", blas_description()},
          {"libraries", libraries},
          {"governor", environment.governor},
          {"boost", boost_state()},
          {"instructions", uncounted.empty() ? "counted" : "not counted: " + uncounted}};
}

Json seeds_json(const Config& config) {
  Json seeds = Json::object();
  for (const ConfigVariant& variant : config.variants)
    for (const auto& problem : variant.problems)
      if (!problem->scene.empty()) seeds[problem->label] = problem->seed;
  return seeds;
}

/// Version and school of the peers among the solvers, and what solvers of the user say of themselves.
Json peers_json(const Config& config) {
  Json peers = Json::object();
  for (const ConfigVariant& variant : config.variants)
    for (const auto& solver : variant.solvers) {
      if (!solver->peer_version) continue;
      Json& peer = peers[solver->solver] = {{"version", *solver->peer_version}, {"school", solver->school}};
      if (!is_external_name(solver->solver)) continue;
      if (const auto* own = ExternalSolver(solver->solver).description()) peer["says"] = try_parse_json(own->text);
    }
  return peers;
}

}  // namespace

Environment read_environment() {
  return {build_info::build_type, build_info::sanitizers,
          first_word("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"), load_of_last_minute(), usable_cores()};
}

std::vector<std::string> timing_warnings(const Environment& environment) {
  std::vector<std::string> warnings;
  if (!environment.sanitizers.empty())
    warnings.push_back(fmt::format("the program is built with sanitizers ({})", environment.sanitizers));
  if (environment.build_type != "Release" && environment.build_type != "RelWithDebInfo")
    warnings.push_back(fmt::format("the program is not built for speed (build type '{}')", environment.build_type));
  if (environment.governor != "performance" && environment.governor != "unknown")
    warnings.push_back(fmt::format("the frequency governor is '{}', not 'performance'", environment.governor));
  return warnings;
}

std::string manifest_json(const Config& config, const Plan& plan, const RunOptions& options, const RunReport& report,
                          const ManifestState& state) {
  Json statuses = Json::object();
  for (const Status status : all_statuses())
    if (const auto count = report.counts[static_cast<std::size_t>(status)]; count > 0)
      statuses[std::string(status_name(status))] = count;
  Json manifest = {
      {"schema", 1},
      {"name", config.name},
      {"complete", state.complete},
      {"interrupted", state.interrupted},
      {"start", state.start},
      {"end", state.end.empty() ? Json(nullptr) : Json(state.end)},
      {"cells",
       {{"planned", plan.cells.size()}, {"selected", report.selected}, {"reused", report.reused}, {"statuses", statuses}}},
      {"options",
       {{"size", config.size},
        {"set", options.overrides.set},
        {"only", options.only},
        {"shard", std::to_string(options.shard.index) + "/" + std::to_string(options.shard.count)},
        {"jobs", options.jobs},
        {"threads", options.threads},
        {"repeat", options.repeat},
        {"passes", timing_of(options, config.kernels).passes},
        {"fresh", options.fresh}}},
      {"changes", config.changes},
      {"load_at_start", state.load ? Json(*state.load) : Json(nullptr)},
      {"warnings", report.warnings},
      {"seeds", seeds_json(config)},
      {"program", program_json()},
      {"environment", environment_json()},
      {"config", try_parse_json(config.resolved)}};
  if (const Json heat = thermal_json(state.heat); !heat.is_null())
    manifest["thermal"] = {{"start", heat}, {"end", state.end.empty() ? Json() : thermal_json(state.heat_at_end)}};
  if (Json peers = peers_json(config); !peers.empty()) manifest["peers"] = std::move(peers);
  return dump_json(manifest, 2) + "\n";
}

}  // namespace ccp
