#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "bench/config/config_json.hpp"

namespace ccp {

/// How hot the machine is, as far as Linux says.
struct Thermal {
  std::map<std::string, double> temperatures_c;  ///< by the kind of sensor, the hottest of each, °C
  std::optional<double> throttled;  ///< how often heat has slowed a core or a package down since the start of the machine
};

/// sys: where the system describes itself.
Thermal read_thermal(const std::filesystem::path& sys = "/sys");

/// Null where nothing is known.
Json thermal_json(const Thermal& thermal);

/// One sentence where heat slowed the processor down between the two; else empty.
std::string throttling_text(const Thermal& before, const Thermal& after);

}  // namespace ccp
