#include "bench/run/thermal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace ccp {
namespace {

namespace fs = std::filesystem;

template <typename Value>
std::optional<Value> value_in_file(const fs::path& file) {
  Value value{};
  std::ifstream stream(file);
  return stream >> value ? std::optional(value) : std::nullopt;
}

}  // namespace

Thermal read_thermal(const fs::path& sys) {
  Thermal thermal;
  std::error_code missing;
  for (const auto& zone : fs::directory_iterator(sys / "class/thermal", missing)) {
    const auto kind = value_in_file<std::string>(zone.path() / "type");
    const auto thousandths = value_in_file<double>(zone.path() / "temp");
    if (!kind || !thousandths) continue;
    const double degrees = 1e-3 * *thousandths;
    const auto [known, fresh] = thermal.temperatures_c.try_emplace(*kind, degrees);
    known->second = std::max(known->second, degrees);
  }
  for (const auto& core : fs::directory_iterator(sys / "devices/system/cpu", missing))
    for (const char* count : {"core_throttle_count", "package_throttle_count"})
      if (const auto times = value_in_file<double>(core.path() / "thermal_throttle" / count))
        thermal.throttled = thermal.throttled.value_or(0.0) + *times;
  return thermal;
}

Json thermal_json(const Thermal& thermal) {
  Json json;
  for (const auto& [kind, degrees] : thermal.temperatures_c) json["temperatures_C"][kind] = degrees;
  if (thermal.throttled) json["throttled"] = *thermal.throttled;
  return json;
}

std::string throttling_text(const Thermal& before, const Thermal& after) {
  if (!before.throttled || !after.throttled || !(*after.throttled > *before.throttled)) return "";
  return fmt::format("heat slowed the processor down during the run ({:.0f} events of throttling)",
                     *after.throttled - *before.throttled);
}

}  // namespace ccp
