#include "problems/scenes/single_ball.hpp"

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

std::unique_ptr<Motion> SingleBall::do_motion(std::uint64_t /*seed: nothing here is random*/) const {
  const double r = parameters_.radius;
  return dropped_body(info().name, moving_sphere(ball_mass(r, parameters_.drop.density), r), Sphere{r}, r, parameters_.drop);
}

}  // namespace ccp
