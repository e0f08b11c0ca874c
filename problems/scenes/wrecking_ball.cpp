#include "problems/scenes/wrecking_ball.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "problems/dynamics/shaped_contacts.hpp"
#include "problems/dynamics/state.hpp"
#include "problems/dynamics/world.hpp"

namespace ccp {
namespace {

constexpr const char* test2_source = "Tasora 2021, sec. 8.2";

/// Bricks and a ball, which is the last body. The fixed joint that holds the ball ends when `hold` is over; the ball has its
/// speed from the end of the step before.
class Demolition final : public World {
 public:
  Demolition(WorldSettings settings, WorldParts parts, const Vector3& throwing, double hold)
      : World(std::move(settings), std::move(parts)), throwing_(throwing) {
    for (const MovingBody& body : bodies()) starts_.push_back(body.position);
    // Rounding may be off by one step; no run has as many steps as the bound.
    release_ = static_cast<std::int64_t>(std::min(std::floor(hold / time_step()), 1e15));
    if (static_cast<double>(release_) * time_step() < hold) ++release_;
    if (release_ == 0) throw_ball();
  }

  void advance(const Vector& velocity, const Vector& impulse) override {
    World::advance(velocity, impulse);
    if (step() == release_) throw_ball();
  }

  std::vector<MotionFact> facts() const override {
    std::vector<MotionFact> all = World::facts();
    double drift = 0.0;
    for (std::size_t i = 0; i + 1 < bodies().size(); ++i)
      drift = std::max(drift, (bodies()[i].position - starts_[i]).norm());
    all.push_back({"drift", drift});
    return all;
  }

 private:
  void throw_ball() {
    MotionState now = state();
    now.values.segment<3>(now.values.size() - rigid_state_size + 7) = throwing_;
    restore(now);
  }

  std::vector<Vector3> starts_;  ///< m
  Vector3 throwing_;             ///< velocity of the ball when it is let go, m/s
  std::int64_t release_ = 0;     ///< first step without the joint
};

std::vector<Vector3> brick_centres(const WreckingBall::Parameters& p) {
  std::vector<Vector3> centres;
  for (int wall = 0; wall < p.walls; ++wall)
    for (int row = 0; row < p.rows; ++row)
      for (int column = 0; column < p.columns; ++column)
        centres.emplace_back(p.pitch * (column - 0.5 * (p.columns - 1)) + (row % 2 == 0 ? 0.0 : p.bond), p.spacing * wall,
                             p.height * (row + 0.5));
  return centres;
}

}  // namespace

WreckingBall::WreckingBall() {
  Parameters& p = parameters_;
  fields_.add("walls", &p.walls, Range::closed(1.0, 100.0), "number of parallel walls", test2_source)
      .add("rows", &p.rows, Range::closed(1.0, 100.0), "rows of bricks in a wall", test2_source)
      .add("columns", &p.columns, Range::closed(1.0, 1000.0), "bricks in a row", test2_source)
      .add("bond", &p.bond, Range::non_negative(), "m",
           "shift of every other row; with 2 m, as in the program of the paper, bricks at the ends tip over", "ours")
      .add("length", &p.length, Range::positive(), "m", "of a brick, along the wall (x)", test2_source)
      .add("width", &p.width, Range::positive(), "m", "of a brick, through the wall (y)", test2_source)
      .add("height", &p.height, Range::positive(), "m", "of a brick", test2_source)
      .add("pitch", &p.pitch, Range::positive(), "m", "from brick to brick in a row", "the program of Tasora 2021")
      .add("spacing", &p.spacing, Range::positive(), "m", "from the middle of a wall to that of the next one",
           "the program of Tasora 2021")
      .add("brick_density", &p.brick_density, Range::positive(), "kg/m³", "density of every brick", test2_source)
      .add("ball_radius", &p.ball_radius, Range::positive(), "m", "radius of the ball", test2_source)
      .add("ball_density", &p.ball_density, Range::positive(), "kg/m³", "density of the ball", test2_source)
      .add("ball_height", &p.ball_height, Range::positive(), "m", "height of the centre of the ball at the start", "ours")
      .add("ball_gap", &p.ball_gap, Range::positive(), "m", "from the ball to the first wall at the start", "ours")
      .add("ball_speed", &p.ball_speed, Range::non_negative(), "m/s", "speed of the ball along y when it is let go",
           "the program of Tasora 2021")
      .add("hold", &p.hold, Range::non_negative(), "s", "a fixed joint holds the ball until then",
           "the program of Tasora 2021")
      .add("friction", &p.friction, Range::non_negative(), "", "friction coefficient of every contact", test2_source)
      .add("compliance", &p.compliance, Range::non_negative(), "m/N",
           "of every contact point, in its normal and its tangents; 0: rigid", "Tasora 2021, Fig. 10")
      .add("envelope", &p.envelope, Range::positive(), "m", "points nearer than this are contacts", "ours")
      .add("gravity", &p.gravity, Range::non_negative(), "m/s²", "acceleration of gravity, downwards",
           "Tasora 2021, sec. 8.1")
      .add("time_step", &p.time_step, Range::positive(), "s", "length of the step h", test2_source);
}

const SceneInfo& WreckingBall::info() const {
  static const SceneInfo scene{"wrecking_ball", "Walls of dry bricks and a heavy ball that runs into them, in time",
                               "Tasora 2021, sec. 8.2, TEST 2"};
  return scene;
}

std::optional<std::string> WreckingBall::check() const {
  const Parameters& p = parameters_;
  if (p.pitch < p.length)
    return fmt::format("bricks of a row would overlap: 'pitch' is {} m, expected at least 'length', which is {} m",
                       format_double(p.pitch), format_double(p.length));
  if (p.walls > 1 && p.spacing < p.width)
    return fmt::format("walls would overlap: 'spacing' is {} m, expected at least 'width', which is {} m",
                       format_double(p.spacing), format_double(p.width));
  if (p.rows > 1 && !(p.bond < p.length))
    return fmt::format("the last brick of a row would lie on nothing: 'bond' is {} m, expected less than 'length', {} m",
                       format_double(p.bond), format_double(p.length));
  if (!(p.ball_height >= p.ball_radius))
    return fmt::format(
        "the ball would be in the floor: 'ball_height' is {} m, expected at least 'ball_radius', which is {} m",
        format_double(p.ball_height), format_double(p.ball_radius));
  const double approach = p.ball_speed * p.time_step;
  if (!(p.envelope >= approach))
    return fmt::format(
        "the ball would run into a wall unseen: 'envelope' is {} m, expected at least its way in a step, {} m",
        format_double(p.envelope), format_double(approach));
  return std::nullopt;
}

std::unique_ptr<Motion> WreckingBall::do_motion(std::uint64_t /*seed: nothing here is random*/) const {
  const Parameters& p = parameters_;
  const Vector3 half = 0.5 * Vector3(p.length, p.width, p.height);
  const double brick_mass = p.length * p.width * p.height * p.brick_density;
  WorldParts parts;
  Surfaces surfaces;
  for (const Vector3& centre : brick_centres(p)) {
    parts.bodies.emplace_back(moving_box(brick_mass, half)).position = centre;
    surfaces.bodies.emplace_back(Box{half});
  }
  const auto ball = static_cast<int>(parts.bodies.size());
  parts.bodies.push_back(moving_sphere(ball_mass(p.ball_radius, p.ball_density), p.ball_radius));
  parts.bodies.back().position = {0.0, -(half[1] + p.ball_gap + p.ball_radius), p.ball_height};
  surfaces.bodies.emplace_back(Sphere{p.ball_radius});
  parts.obstacles = {resting(Vector3::Zero())};
  surfaces.obstacles = {HalfSpace{}};
  surfaces.envelope = p.envelope;
  surfaces.friction = p.friction;
  give_surfaces(parts, std::move(surfaces));
  if (p.hold > 0.0) {
    parts.joints = {joint_here(parts, JointKind::fixed, Joint::ground, ball, parts.bodies.back().position)};
    parts.joints[0].until = p.hold;
  }
  WorldSettings settings{info().name, p.time_step, {0.0, 0.0, -p.gravity}};
  settings.compliance = p.compliance;
  return std::make_unique<Demolition>(std::move(settings), std::move(parts), Vector3(0.0, p.ball_speed, 0.0), p.hold);
}

}  // namespace ccp
