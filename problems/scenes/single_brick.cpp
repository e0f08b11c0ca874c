#include "problems/scenes/single_brick.hpp"

#include <fmt/format.h>

#include "core/text.hpp"

namespace ccp {

SingleBrick::SingleBrick() {
  Parameters& p = parameters_;
  fields_.add("length", &p.length, Range::positive(), "m", "edge along x", "ours")
      .add("width", &p.width, Range::positive(), "m", "edge along y", "ours")
      .add("height", &p.height, Range::positive(), "m", "edge along z", "ours");
  add_drop_fields(fields_, p.drop);
  fields_.add("slope", &p.drop.slope, Range::closed(0.0, 60.0), "°", "of the floor, which falls along x", "ours");
}

const SceneInfo& SingleBrick::info() const {
  static const SceneInfo scene{"single_brick", "A brick that falls flat on a floor: four contacts, one redundant, in time",
                               "Mangoni's thesis, sec. 5.1, Tab. 5.1"};
  return scene;
}

std::optional<std::string> SingleBrick::check() const {
  const Parameters& p = parameters_;
  if (p.drop.envelope >= p.height)
    return fmt::format("'envelope' is {} m, expected less than 'height', which is {} m: the upper corners would be contacts",
                       format_double(p.drop.envelope), format_double(p.height));
  return drop_defect(p.drop);
}

std::unique_ptr<Motion> SingleBrick::do_motion(std::uint64_t /*seed: nothing here is random*/) const {
  const Parameters& p = parameters_;
  const Vector3 half = 0.5 * Vector3(p.length, p.width, p.height);
  const double mass = p.length * p.width * p.height * p.drop.density;
  return dropped_body(info().name, moving_box(mass, half), Box{half}, half[2], p.drop);
}

}  // namespace ccp
