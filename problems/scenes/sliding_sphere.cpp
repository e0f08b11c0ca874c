#include "problems/scenes/sliding_sphere.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "problems/dynamics/world.hpp"
#include "problems/geometry/contact.hpp"

namespace ccp {
namespace {

constexpr const char* mazhar_sliding = "Mazhar 2015, sec. 2.3";
constexpr double max_steps = 1e7;
constexpr double rolling = 3.5;  // 1/mass + radius²/inertia of a solid sphere, times its mass

/// The motion stays in the plane of x and z.
struct State {
  double gap = 0.0;    ///< m
  double along = 0.0;  ///< velocity of the centre along x, m/s
  double up = 0.0;     ///< velocity of the centre along z, m/s
  double spin = 0.0;   ///< angular velocity about y, rad/s
};

/// Normal impulse over the mass of one contact with N = diag(1, 3.5, 3.5)/mass and free velocity (normal, ±slip), m/s; slip
/// is not negative. Unless the contact sticks, the tangential impulse is `friction` times that, against the slip.
double normal_impulse(double normal, double slip, double friction, Model model) {
  const bool sticks = normal < 0.0 && slip <= -rolling * friction * normal;
  if (sticks || model == Model::ncp) return std::max(-normal, 0.0);
  return std::max((friction * slip - normal) / (1.0 + rolling * friction * friction), 0.0);  // u_n = μ‖u_T‖
}

void step(State& state, const SlidingSphere::Parameters& p) {
  const double h = p.time_step;
  state.up -= h * p.gravity;
  const double slip = state.along - p.radius * state.spin;
  const double impulse = normal_impulse(state.up + state.gap / h, std::abs(slip), p.friction, p.stepping);
  const double friction = std::copysign(std::min(p.friction * impulse, std::abs(slip) / rolling), -slip);
  state.up += impulse;
  state.along += friction;
  state.spin -= (rolling - 1.0) * friction / p.radius;
  state.gap += h * state.up;
}

/// At `time`.
State state_at_end(const SlidingSphere::Parameters& p) {
  State state{p.height, p.speed, 0.0, 0.0};
  const long steps = std::lround(p.time / p.time_step);
  for (long i = 0; i < steps; ++i) step(state, p);
  return state;
}

/// The lowest point of the sphere touches the plane, at every distance.
ContactFinder lowest_point(double radius, double friction) {
  return [radius, friction](const Configuration& at) {
    WorldContact contact;
    contact.key = {0, 1, static_cast<int>(ContactKind::smooth), 0, 0};
    contact.gap = at.bodies.front().position[2] - radius;
    contact.point = at.bodies.front().position - Vector3(0.0, 0.0, radius);
    contact.normal = -Vector3::UnitZ();
    contact.friction = friction;
    return std::vector<WorldContact>{contact};
  };
}

/// The sphere, and what the figure shows of it.
class SlidingWorld final : public World {
 public:
  SlidingWorld(WorldSettings settings, WorldParts parts, double radius)
      : World(std::move(settings), std::move(parts)), radius_(radius) {}

  std::vector<MotionFact> facts() const override {
    std::vector<MotionFact> all = World::facts();
    const MovingBody& sphere = bodies().front();
    all.push_back({"along", sphere.velocity[0]});
    all.push_back({"hover", sphere.position[2] - radius_});
    return all;
  }

 private:
  double radius_;
};

}  // namespace

SlidingSphere::SlidingSphere() {
  Parameters& p = parameters_;
  fields_
      .add("time", &p.time, Range::closed(0.0, 1e6), "s",
           "when the step of the problem begins; the nearest multiple of 'time_step'", mazhar_sliding)
      .add("time_step", &p.time_step, Range::positive(), "s", "length of the step h", "ours")
      .add("stepping", &p.stepping, model_choices(), "model of the steps from t = 0 to 'time'", mazhar_sliding)
      .add("height", &p.height, Range::non_negative(), "m", "gap at t = 0", "ours")
      .add("speed", &p.speed, Range{}, "m/s", "velocity along x at t = 0", "ours")
      .add("radius", &p.radius, Range::positive(), "m", "radius of the sphere", "ours")
      .add("mass", &p.mass, Range::positive(), "kg", "mass of the sphere", "ours")
      .add("friction", &p.friction, Range::non_negative(), "", "friction coefficient", "ours")
      .add("gravity", &p.gravity, Range::non_negative(), "m/s²", "acceleration of gravity, downwards", "ours");
}

const SceneInfo& SlidingSphere::info() const {
  static const SceneInfo scene{"sliding_sphere", "A sphere that falls, slides and rolls: one contact, in time",
                               "Mazhar, Heyn, Negrut, Tasora 2015, sec. 2.3, convexification artefact"};
  return scene;
}

std::optional<std::string> SlidingSphere::check() const {
  const Parameters& p = parameters_;
  if (p.time > max_steps * p.time_step)
    return fmt::format("'time' is {} s, expected at most {:.0e} steps of {} s", format_double(p.time), max_steps,
                       format_double(p.time_step));
  return std::nullopt;
}

std::unique_ptr<Motion> SlidingSphere::do_motion(std::uint64_t /*seed: nothing here is random*/) const {
  const Parameters& p = parameters_;
  const State state = state_at_end(p);
  WorldParts parts;
  MovingBody& sphere = parts.bodies.emplace_back(moving_sphere(p.mass, p.radius));
  sphere.position = {0.0, 0.0, p.radius + state.gap};
  sphere.velocity = {state.along, 0.0, state.up};
  sphere.spin = {0.0, state.spin, 0.0};
  parts.obstacles = {resting(Vector3::Zero())};
  parts.contacts = lowest_point(p.radius, p.friction);
  parts.shapes = {Sphere{p.radius}, HalfSpace{}};
  return std::make_unique<SlidingWorld>(WorldSettings{info().name, p.time_step, {0.0, 0.0, -p.gravity}}, std::move(parts),
                                        p.radius);
}

}  // namespace ccp
