#include "problems/scenes/rolling_body.hpp"

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "problems/dynamics/world.hpp"
#include "problems/geometry/contact.hpp"

namespace ccp {
namespace {

constexpr double disc_height = 0.2;  // of the radius

/// Height of the centre above the plane.
double depth_of(const RollingBody::Parameters& p) {
  return p.form == RollingBody::Form::disc ? 0.5 * disc_height * p.radius : p.radius;
}

/// About x, y, z. A cylinder is as long as wide and lies along y, a disc stands on its face.
Vector3 inertia_of(const RollingBody::Parameters& p) {
  const double square = p.mass * p.radius * p.radius, round = 0.5 * square;
  switch (p.form) {
    case RollingBody::Form::cylinder: return {square * (0.25 + 1.0 / 3.0), round, square * (0.25 + 1.0 / 3.0)};
    case RollingBody::Form::disc: {
      const double across = square * (0.25 + disc_height * disc_height / 12.0);
      return {across, across, round};
    }
    case RollingBody::Form::sphere: break;
  }
  return Vector3::Constant(0.4 * square);
}

ContactFinder contact_below(const RollingBody::Parameters& p) {
  WorldContact contact;
  contact.key = {0, 1, static_cast<int>(ContactKind::smooth), 0, 0};
  contact.normal = -Vector3::UnitZ();
  contact.friction = p.friction;
  contact.rolling = p.rolling_friction;
  contact.spinning = p.spinning_friction;
  contact.planar = p.planar;
  return [contact, depth = depth_of(p)](const Configuration& at) {
    WorldContact here = contact;
    here.gap = at.bodies.front().position[2] - depth;
    here.point = at.bodies.front().position - Vector3(0.0, 0.0, depth);
    return std::vector<WorldContact>{here};
  };
}

/// What is seen has its axis along z in its own frame.
Shape shape_of(const RollingBody::Parameters& p) {
  switch (p.form) {
    case RollingBody::Form::cylinder: return Cylinder{p.radius, p.radius};
    case RollingBody::Form::disc: return Cylinder{p.radius, depth_of(p)};
    case RollingBody::Form::sphere: break;
  }
  return Sphere{p.radius};
}

class RollingWorld final : public World {
 public:
  RollingWorld(WorldSettings settings, WorldParts parts, bool lies)
      : World(std::move(settings), std::move(parts)), lies_(lies) {}

  std::vector<MotionFact> facts() const override {
    std::vector<MotionFact> all = World::facts();
    const MovingBody& body = bodies().front();
    all.push_back({"along", body.velocity[0]});
    all.push_back({"turning", body.spin[1]});
    all.push_back({"spinning", body.spin[2]});
    all.push_back({"way", body.position[0]});
    return all;
  }

  SceneGeometry surfaces() const override {
    SceneGeometry seen = World::surfaces();
    if (lies_) seen.bodies.front().rotation *= (Matrix3() << 1, 0, 0, 0, 0, 1, 0, -1, 0).finished();
    return seen;
  }

 private:
  bool lies_;  ///< the axis of the shape along y of the body
};

}  // namespace

RollingBody::RollingBody() {
  Parameters& p = parameters_;
  fields_
      .add("form", &p.form, {{"sphere", Form::sphere}, {"cylinder", Form::cylinder}, {"disc", Form::disc}},
           "sphere; cylinder, whose axis is level; disc on its face, which does not roll", "ours")
      .add("planar", &p.planar, "the contact is in the plane of x and z: two forces and a moment, FCLib's 2D", "ours")
      .add("radius", &p.radius, Range::positive(), "m", "radius R", "ours")
      .add("mass", &p.mass, Range::positive(), "kg", "mass m", "ours")
      .add("slope", &p.slope, Range::closed(0.0, 85.0), "°", "angle of the plane, down along x", "ours")
      .add("speed", &p.speed, Range{}, "m/s", "velocity along x at t = 0; a sphere and a cylinder roll", "ours")
      .add("spin", &p.spin, Range{}, "rad/s", "spin about the normal at t = 0", "ours")
      .add("friction", &p.friction, Range::non_negative(), "", "friction coefficient", "ours")
      .add("rolling_friction", &p.rolling_friction, Range::non_negative(), "m", "μ_r; 0: no rolling moments", "ours")
      .add("spinning_friction", &p.spinning_friction, Range::non_negative(), "m", "μ_s; 0: no spinning moment", "ours")
      .add("gravity", &p.gravity, Range::non_negative(), "m/s²", "acceleration of gravity", "ours")
      .add("time_step", &p.time_step, Range::positive(), "s", "length of the step h", "ours");
}

const SceneInfo& RollingBody::info() const {
  static const SceneInfo scene{"rolling_body", "A body that rolls or spins on a plane to rest: one contact, in time",
                               "ours; rolling friction as in Tasora and Anitescu 2013"};
  return scene;
}

std::optional<std::string> RollingBody::check() const {
  if (parameters_.friction == 0.0 && parameters_.rolling_friction + parameters_.spinning_friction > 0.0)
    return "'friction' is 0, expected more where moments rub";
  if (parameters_.planar && (parameters_.form == Form::disc || parameters_.spinning_friction > 0.0))
    return "'planar' has no spin, expected a sphere or a cylinder, and 'spinning_friction' 0";
  return std::nullopt;
}

std::unique_ptr<Motion> RollingBody::do_motion(std::uint64_t /*seed: nothing here is random*/) const {
  const Parameters& p = parameters_;
  WorldParts parts;
  MovingBody& body = parts.bodies.emplace_back();
  body.mass = p.mass;
  body.inertia = inertia_of(p);
  body.position = {0.0, 0.0, depth_of(p)};
  body.velocity = {p.speed, 0.0, 0.0};
  body.spin = {0.0, p.form == Form::disc ? 0.0 : p.speed / p.radius, p.spin};
  parts.obstacles = {resting(Vector3::Zero())};
  parts.contacts = contact_below(p);
  parts.shapes = {shape_of(p), HalfSpace{}};
  const double angle = p.slope * std::numbers::pi / 180.0;
  const Vector3 gravity(p.gravity * std::sin(angle), 0.0, -p.gravity * std::cos(angle));
  return std::make_unique<RollingWorld>(WorldSettings{info().name, p.time_step, gravity}, std::move(parts),
                                        p.form == Form::cylinder);
}

}  // namespace ccp
