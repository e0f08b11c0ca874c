#include "bench/run/manifest.hpp"

#include "bench/config/config_json.hpp"
#include "bench/run/environment.hpp"
#include "bench/run/runner.hpp"

namespace ccp {
namespace {

Json environment_json() {
  const Environment environment = read_environment();
  Json libraries = Json::object();
  for (const auto& [name, version] : environment.libraries) libraries[name] = version;
  return {{"system", environment.system},       {"cpu", environment.cpu},    {"cores", environment.cores},
          {"memory_mb", environment.memory_mb}, {"blas", environment.blas},  {"libraries", libraries},
          {"governor", environment.governor},   {"boost", environment.boost}};
}

Json program_json() {
  const Environment environment = read_environment();
  return {{"name", "ccpbench"},
          {"version", environment.program_version},
          {"git_commit", environment.git_commit},
          {"solver_version", solver_version},
          {"compiler", environment.compiler},
          {"build_type", environment.build_type},
          {"flags", environment.flags},
          {"sanitizers", environment.sanitizers}};
}

Json seeds_json(const Config& config) {
  Json seeds = Json::object();
  for (const ConfigVariant& variant : config.variants)
    for (const auto& problem : variant.problems)
      if (!problem->scene.empty()) seeds[problem->label] = problem->seed;
  return seeds;
}

}  // namespace

std::string manifest_json(const Config& config, const Plan& plan, const RunOptions& options, const RunReport& report,
                          const ManifestState& state) {
  Json statuses = Json::object();
  for (const Status status : all_statuses())
    if (const auto count = report.counts[static_cast<std::size_t>(status)]; count > 0)
      statuses[std::string(status_name(status))] = count;
  const Json manifest = {
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
      {"load_at_start", state.load ? Json(*state.load) : Json(nullptr)},
      {"warnings", report.warnings},
      {"seeds", seeds_json(config)},
      {"program", program_json()},
      {"environment", environment_json()},
      {"config", Json::parse(config.resolved)}};
  return dump_json(manifest, 2) + "\n";
}

}  // namespace ccp
