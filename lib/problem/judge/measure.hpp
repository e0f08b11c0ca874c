#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccp {

/// Every measure the suite knows: one yardstick for all solvers. Definitions in lib/docs/d_measures.md and judge.cpp.
enum class Measure {
  velocity_residual,
  relative_residual,
  natural_map,
  objective,
  penetration_velocity,
  cone_violation,
  complementarity,
  momentum_residual,
  apgd_residual,
  contact_residual,
  merit,
  distance,
  rounding_floor,
  lift_velocity,
  own_penetration_velocity,
  creep_velocity,
  given_map,
  regularised_residual
};

constexpr std::size_t measure_count = 18;

/// Values by measure; NaN where a measure does not apply (no own velocity, no reference).
using Measures = std::array<double, measure_count>;

struct MeasureInfo {
  Measure measure;
  std::string_view name;  ///< column name
  std::string_view unit;  ///< "" when dimensionless
  std::string_view definition;
  bool stoppable;  ///< goes to zero at a solution and may be named in stop.measure
};

const MeasureInfo& measure_info(Measure measure);
constexpr std::size_t measure_index(Measure measure) { return static_cast<std::size_t>(measure); }
const std::vector<Measure>& all_measures();
std::vector<std::string> measure_names();
std::optional<Measure> measure_from_name(std::string_view name);

}  // namespace ccp
