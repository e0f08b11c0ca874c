#include "problems/scenes/deformable_bars.hpp"

#include <fmt/format.h>

#include <numbers>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "problems/dynamics/elementary.hpp"
#include "problems/finite_elements/elastic_world.hpp"
#include "problems/random.hpp"

namespace ccp {
namespace {

constexpr const char* bars_source = "Tasora 2021, TEST 4";

}  // namespace

DeformableBars::DeformableBars() {
  Parameters& p = parameters_;
  fields_.add("layers", &p.layers, Range::closed(1.0, 1000.0), "number of layers", bars_source)
      .add("bars", &p.bars, Range::closed(1.0, 1000.0), "bars of a layer", bars_source)
      .add("length", &p.length, Range::positive(), "m", "length of a bar", "ours")
      .add("width", &p.width, Range::positive(), "m", "width and height of a bar", "ours")
      .add("pitch", &p.pitch, Range::positive(), "m",
           "height of the axes of a layer over those of the one below it, and of the lowest over the floor", bars_source)
      .add("spacing", &p.spacing, Range::positive(), "m", "distance of the axes of neighbours in a layer", "ours")
      .add("cells_along", &p.cells_along, Range::closed(1.0, 1000.0), "cells along a bar, six tetrahedra each",
           "ours; the 9360 dofs are Tasora's")
      .add("cells_across", &p.cells_across, Range::closed(1.0, 1000.0), "cells across a bar, both ways",
           "ours; the 9360 dofs are Tasora's")
      .add("young", &p.young, Range::positive(), "Pa", "Young's modulus E; 1e6 in TEST 4.A, 2e11 in TEST 4.B", bars_source)
      .add("poisson", &p.poisson, Range{0.0, 0.5, false, true}, "", "Poisson's ratio ν", bars_source)
      .add("density", &p.density, Range::positive(), "kg/m³", "density of the bars", bars_source)
      .add("damping", &p.damping, Range::non_negative(), "s", "β of the Rayleigh damping β K", "Tasora 2021, TEST 4: 0.01")
      .add("friction", &p.friction, Range::non_negative(), "", "friction coefficient of every contact", bars_source)
      .add("envelope", &p.envelope, Range::non_negative(), "m", "points at rest nearer than this are contacts", "ours")
      .add("ball_mass", &p.ball_mass, Range::non_negative(), "kg",
           "of a rigid ball that falls on the middle of the top layer, at first above it by the gap of the layers; 0: none",
           "ours")
      .add("ball_radius", &p.ball_radius, Range::positive(), "m", "of that ball", "ours")
      .add("gravity", &p.gravity, Range::non_negative(), "m/s²", "acceleration of gravity, downwards", bars_source)
      .add("time_step", &p.time_step, Range::positive(), "s", "length of the step h", bars_source);
}

const SceneInfo& DeformableBars::info() const {
  static const SceneInfo scene{"deformable_bars", "Elastic bars that fall on each other, in time", "Tasora 2021, TEST 4"};
  return scene;
}

std::optional<std::string> DeformableBars::check() const {
  const Parameters& p = parameters_;
  if (p.bars > 1 && p.spacing < p.width)
    return fmt::format("bars of a layer would overlap: 'spacing' is {} m, expected at least 'width', {} m",
                       format_double(p.spacing), format_double(p.width));
  if (p.pitch < (p.layers > 1 ? p.width : 0.5 * p.width))
    return fmt::format("bars would overlap with those below: 'pitch' is {} m, expected at least {} m",
                       format_double(p.pitch), format_double(p.layers > 1 ? p.width : 0.5 * p.width));
  return std::nullopt;
}

std::unique_ptr<Motion> DeformableBars::do_motion(std::uint64_t seed) const {
  const Parameters& p = parameters_;
  const auto model = std::make_shared<const ElasticModel>(
      box_mesh({p.length, p.width, p.width}, {p.cells_along, p.cells_across, p.cells_across}, ElementKind::tetrahedron),
      ElasticMaterial{p.young, p.poisson, p.density, 0.0, p.damping}, "the bars");
  std::vector<ElasticBody> bars;
  Random random(seed);
  for (int layer = 0; layer < p.layers; ++layer) {
    const double yaw = 2.0 * std::numbers::pi * random.uniform();
    const Vector3 along(taylor_cos(yaw), taylor_sin(yaw), 0.0), across(-along[1], along[0], 0.0);
    Matrix3 rotation;
    rotation << along, across, Vector3::UnitZ();
    for (int bar = 0; bar < p.bars; ++bar) {
      const double beside = p.spacing * (bar - 0.5 * (p.bars - 1));
      bars.push_back(elastic_body(model, beside * across + p.pitch * (layer + 1) * Vector3::UnitZ(), rotation));
    }
  }
  std::vector<RigidPartner> balls;
  if (p.ball_mass > 0.0) {
    RigidPartner& ball = balls.emplace_back(RigidPartner{Sphere{p.ball_radius}, moving_sphere(p.ball_mass, p.ball_radius)});
    ball.body.position[2] = p.pitch * (p.layers + 1) - 0.5 * p.width + p.ball_radius;
  }
  return std::make_unique<ElasticWorld>(
      ElasticWorldSettings{
          info().name, p.time_step, {0.0, 0.0, -p.gravity}, Stepping::velocity_impulse, p.envelope, p.friction},
      std::move(bars), std::vector<ElasticObstacle>{{HalfSpace{}, resting(Vector3::Zero())}}, std::move(balls));
}

}  // namespace ccp
