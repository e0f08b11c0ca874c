#include "problems/scenes/pile.hpp"

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "problems/dynamics/shaped_contacts.hpp"
#include "problems/dynamics/world.hpp"
#include "problems/random.hpp"

namespace ccp {
namespace {

constexpr double column_margin = 0.1;  // between the largest neighbours at the start, over their diameter

/// Knows the angle of the triangle, or of the cone, whose points have the same mean height and mean distance from the middle
/// as the centres of the spheres: heights are those above a sphere that lies on the plane.
class PileWorld final : public World {
 public:
  PileWorld(WorldSettings settings, WorldParts parts, std::vector<double> radii, bool planar)
      : World(std::move(settings), std::move(parts)), radii_(std::move(radii)), planar_(planar) {}

  std::vector<MotionFact> facts() const override {
    std::vector<MotionFact> all = World::facts();
    all.push_back({"angle", angle()});
    return all;
  }

 private:
  /// °. A triangle has its mean height at a third, and its mean distance too; a cone at a quarter and at a half.
  double angle() const {
    const double count = static_cast<double>(radii_.size());
    Vector3 middle = Vector3::Zero();
    for (const MovingBody& body : bodies()) middle += body.position / count;
    double height = 0.0, distance = 0.0;
    for (std::size_t i = 0; i < radii_.size(); ++i) {
      const Vector3 from = bodies()[i].position - middle;
      height += bodies()[i].position[2] - radii_[i];
      distance += std::hypot(from[0], from[1]);
    }
    return std::atan2((planar_ ? 1.0 : 2.0) * height, distance) * 180.0 / std::numbers::pi;
  }

  std::vector<double> radii_;
  bool planar_;
};

}  // namespace

Pile::Pile() {
  Parameters& p = parameters_;
  fields_.add("spheres", &p.spheres, Range::closed(1.0, 1e5), "number of spheres", "ours")
      .add("layout", &p.layout, {{"plane", Layout::plane}, {"space", Layout::space}},
           "plane: centres in the plane of x and z, contacts of two forces and a moment; space: in three dimensions", "ours")
      .add("across", &p.across, Range::closed(1.0, 1000.0), "spheres along a side of the column", "ours")
      .add("radius", &p.radius, Range::positive(), "m", "mean radius", "ours")
      .add("spread", &p.spread, Range::closed(0.0, 0.5), "",
           "largest difference of a radius from the mean, over the mean; equal spheres would lie as in a crystal", "ours")
      .add("density", &p.density, Range::positive(), "kg/m³", "density of the spheres", "ours")
      .add("friction", &p.friction, Range::non_negative(), "", "friction coefficient of every contact", "ours")
      .add("rolling_friction", &p.rolling_friction, Range::non_negative(), "m",
           "μ_r of every contact; 0: no rolling moments", "ours")
      .add("envelope", &p.envelope, Range::positive(), "m", "pairs with a smaller gap are contacts", "ours")
      .add("gravity", &p.gravity, Range::non_negative(), "m/s²", "acceleration of gravity, downwards", "ours")
      .add("time_step", &p.time_step, Range::positive(), "s", "length of the step h", "ours");
}

const SceneInfo& Pile::info() const {
  static const SceneInfo scene{"pile", "A column of spheres that collapses to a pile, whose angle rolling friction decides",
                               "ours; rolling friction as in Tasora and Anitescu 2013"};
  return scene;
}

std::optional<std::string> Pile::check() const {
  if (parameters_.friction == 0.0 && parameters_.rolling_friction > 0.0)
    return "'friction' is 0, expected more where moments rub";
  return std::nullopt;
}

std::unique_ptr<Motion> Pile::do_motion(std::uint64_t seed) const {
  const Parameters& p = parameters_;
  const bool planar = p.layout == Layout::plane;
  const double largest = (1.0 + p.spread) * p.radius, cell = 2.0 * (1.0 + column_margin) * largest;
  const int layer = planar ? p.across : p.across * p.across;
  Random random(seed);
  WorldParts parts;
  Surfaces surfaces;
  std::vector<double> radii;
  for (int i = 0; i < p.spheres; ++i) {
    radii.push_back(p.radius * (1.0 + p.spread * random.uniform(-1.0, 1.0)));
    const int place = i % layer, height = i / layer;
    // Every other layer is above the pockets of the one below; a jitter tells left from right.
    const double shift = (height % 2 == 0 ? -0.25 : 0.25) * cell + random.uniform(-1.0, 1.0) * column_margin * largest;
    MovingBody& body = parts.bodies.emplace_back(moving_sphere(ball_mass(radii.back(), p.density), radii.back()));
    body.position = {cell * (place % p.across - 0.5 * (p.across - 1)) + shift,
                     planar ? 0.0 : cell * (place / p.across - 0.5 * (p.across - 1)) + shift, largest + cell * height};
    surfaces.bodies.emplace_back(Sphere{radii.back()});
  }
  parts.obstacles = {resting(Vector3::Zero())};
  surfaces.obstacles = {HalfSpace{}};
  surfaces.envelope = p.envelope;
  surfaces.friction = p.friction;
  surfaces.rolling = p.rolling_friction;
  surfaces.planar = planar;
  give_surfaces(parts, std::move(surfaces));
  return std::make_unique<PileWorld>(WorldSettings{info().name, p.time_step, {0.0, 0.0, -p.gravity}}, std::move(parts),
                                     std::move(radii), planar);
}

}  // namespace ccp
