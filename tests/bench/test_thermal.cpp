#include <catch2/catch.hpp>
#include <tuple>

#include "bench/run/thermal.hpp"
#include "io/file.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp;
using ccp::testing::TemporaryFolder;

namespace {

void write_number(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  write_file_atomically(file, text + "\n");
}

}  // namespace

TEST_CASE("temperatures and throttling are read where the system tells them") {
  const TemporaryFolder sys("thermal XXXXXX");
  CHECK(thermal_json(read_thermal(sys / "")).is_null());
  for (const auto& [zone, kind, temperature] : {std::tuple("0", "acpitz", "27800"), std::tuple("1", "x86_pkg_temp", "48000"),
                                                std::tuple("2", "x86_pkg_temp", "51500")}) {
    const std::filesystem::path folder = sys / ("class/thermal/thermal_zone" + std::string(zone));
    write_number(folder / "type", kind);
    write_number(folder / "temp", temperature);
  }
  write_number(sys / "class/thermal/cooling_device0/type", "Processor");  // has no temperature
  CHECK(thermal_json(read_thermal(sys / "")) == Json({{"temperatures_C", {{"acpitz", 27.8}, {"x86_pkg_temp", 51.5}}}}));
  const Thermal cool = read_thermal(sys / "");
  CHECK(throttling_text(cool, cool).empty());
  write_number(sys / "devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3");
  write_number(sys / "devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "0");
  write_number(sys / "devices/system/cpu/cpu1/thermal_throttle/package_throttle_count", "4");
  const Thermal before = read_thermal(sys / "");
  CHECK(thermal_json(before).at("throttled") == 7);
  CHECK(throttling_text(before, before).empty());
  CHECK(throttling_text(cool, before).empty());
  write_number(sys / "devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "2");
  CHECK_THAT(throttling_text(before, read_thermal(sys / "")), Catch::Contains("2 events"));
}
