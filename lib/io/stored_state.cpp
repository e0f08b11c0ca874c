#include "io/stored_state.hpp"

#include <charconv>
#include <cmath>

#include "io/hdf5_group.hpp"
#include "io/hdf5_step_end.hpp"

namespace ccp {

StoredState read_stored_state(const std::filesystem::path& path) {
  const hdf5::Group root = hdf5::Group::open(path);
  if (!root.has("ccpbench_state")) root.fail("ccpbench_state", "is missing, expected the state of a scene that moves");
  const hdf5::Group group = root.group("ccpbench_state");
  StoredState stored;
  stored.state.scene = group.text("scene");
  stored.parameters = group.text("parameters");
  const std::string seed = group.text("seed");
  const auto [end, failure] = std::from_chars(seed.data(), seed.data() + seed.size(), stored.seed);
  if (failure != std::errc() || end != seed.data() + seed.size()) group.fail("seed", "is no whole number >= 0");
  stored.state.step = group.integer("step");
  if (stored.state.step < 0) group.fail("step", "is negative");
  const Vector time = group.reals("time");
  if (time.size() != 1 || !std::isfinite(time[0])) group.fail("time", "is not one finite number");
  stored.time = time[0];
  stored.state.values = group.reals("values");
  if (!stored.state.values.allFinite()) group.fail("values", "has entries that are not finite");
  if (group.has("end")) stored.end = hdf5::read_step_end(group.group("end"));
  return stored;
}

}  // namespace ccp
