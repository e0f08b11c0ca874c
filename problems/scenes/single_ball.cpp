#include "problems/scenes/single_ball.hpp"

#include <numbers>

namespace ccp {

SingleBall::SingleBall() {
  fields_.add("radius", &parameters_.radius, Range::positive(), "m", "radius of the sphere", "ours");
  add_drop_fields(fields_, parameters_.drop);
}

const SceneInfo& SingleBall::info() const {
  static const SceneInfo scene{"single_ball", "A sphere that falls on a floor: one contact, in time",
                               "Mangoni's thesis, sec. 5.1, Tab. 5.1"};
  return scene;
}

std::optional<std::string> SingleBall::check() const { return drop_defect(parameters_.drop); }

ContactProblem SingleBall::do_build(std::uint64_t seed) const { return do_motion(seed)->problem().problem; }

std::unique_ptr<Motion> SingleBall::do_motion(std::uint64_t /*seed: nothing here is random*/) const {
  const double r = parameters_.radius;
  const double mass = 4.0 / 3.0 * std::numbers::pi * r * r * r * parameters_.drop.density;
  return dropped_body(info().name, moving_sphere(mass, r), Sphere{r}, r, parameters_.drop);
}

}  // namespace ccp
