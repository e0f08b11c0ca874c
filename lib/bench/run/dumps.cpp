#include "bench/run/dumps.hpp"

#include <fmt/format.h>

#include "bench/config/config_json.hpp"
#include "core/error.hpp"
#include "process/process_pool.hpp"

namespace ccp {

void try_reading(const std::string& path, const std::function<void()>& read) {
  const auto died = try_apart([&] {
    try {
      read();
    } catch (const std::exception&) {
      // said by the second reading
    }
  });
  if (died) throw InputError(path, "", fmt::format("is damaged: a process that tried to read it ended by {}", died->text()));
}

FclibFile read_dump(const std::string& path) {
  try_reading(path, [&] { read_fclib(path); });
  return read_fclib(path);
}

FclibInfo info_of(const Scene& scene, std::uint64_t seed) {
  FclibInfo info;
  info.title = scene.info().title;
  info.description = scene.info().reference;
  info.scene = scene.info().name;
  info.parameters = parameters_json(scene.parameters().values()).dump();
  info.seed = seed;
  return info;
}

}  // namespace ccp
