#include "problems/scenes/cube_array.hpp"

#include <fmt/format.h>

#include <numbers>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "problems/dynamics/shaped_contacts.hpp"
#include "problems/dynamics/world.hpp"
#include "problems/finite_elements/elastic_world.hpp"

namespace ccp {
namespace {

constexpr const char* solfec_source = "Solfec's input of an array of cubes";
constexpr double half_turn = std::numbers::sqrt2 / 2.0;

/// Centres of the cubes, column by column; the floor is at z = 0.
std::vector<Vector3> cube_places(const CubeArray::Parameters& p) {
  std::vector<Vector3> places;
  const double pitch = p.edge + p.gap;
  for (int i = 0; i < p.per_edge; ++i)
    for (int j = 0; j < p.per_edge; ++j)
      for (int k = 0; k < p.per_edge; ++k) places.emplace_back(pitch * Vector3(i + 0.5, j + 0.5, k + 0.5));
  return places;
}

/// The six walls of the box: half-spaces whose normals point into it.
std::vector<PrescribedMotion> walls(const CubeArray::Parameters& p) {
  const double size = p.per_edge * (p.edge + p.gap);
  const Vector3 along = half_turn * p.amplitude * Vector3(1.0, 1.0, 0.0);
  const auto sweep = std::make_shared<const SineSweep>(p.frequency, p.duration);
  const auto wall = [&](const Vector3& place, const Quaternion& attitude) {
    return sweeping(place, attitude, along, sweep);
  };
  const Vector3 far = Vector3::Constant(size), near = Vector3::Zero();
  return {wall(near, {half_turn, 0.0, half_turn, 0.0}),
          wall(far, {half_turn, 0.0, -half_turn, 0.0}),
          wall(near, {half_turn, -half_turn, 0.0, 0.0}),
          wall(far, {half_turn, half_turn, 0.0, 0.0}),
          wall(near, {}),
          wall(far, {0.0, 1.0, 0.0, 0.0})};
}

}  // namespace

CubeArray::CubeArray() {
  Parameters& p = parameters_;
  fields_.add("per_edge", &p.per_edge, Range::closed(1.0, 100.0), "cubes along each edge of the array", solfec_source)
      .add("cells", &p.cells, Range::closed(1.0, 100.0), "hexahedra along each edge of an elastic cube", "ours")
      .add("edge", &p.edge, Range::positive(), "m", "length of the edges of a cube", solfec_source)
      .add("gap", &p.gap, Range::positive(), "m", "between neighbours; half of it to the walls", "ours")
      .add("kinematics", &p.kinematics, {{"elastic", Kinematics::elastic}, {"rigid", Kinematics::rigid}},
           "elastic: cubes of finite elements", solfec_source)
      .add("young", &p.young, Range::positive(), "Pa", "Young's modulus E", "ours")
      .add("poisson", &p.poisson, Range{0.0, 0.5, false, true}, "", "Poisson's ratio ν", solfec_source)
      .add("density", &p.density, Range::positive(), "kg/m³", "density of the cubes", "ours")
      .add("damping", &p.damping, Range::non_negative(), "", "η of the damping η K of elastic cubes, over the time step",
           "ours")
      .add("friction", &p.friction, Range::non_negative(), "", "friction coefficient of every contact", solfec_source)
      .add("amplitude", &p.amplitude, Range::non_negative(), "m/s²", "of the acceleration of the box, along (1, 1, 0)",
           "ours")
      .add("frequency", &p.frequency, Range::positive(), "Hz", "of the shaking at the end of the sweep, which starts at 0",
           "ours")
      .add("duration", &p.duration, Range::positive(), "s", "of the sweep; the frequency stays then", "ours")
      .add("mass_unit", &p.mass_unit, Range::positive(), "kg",
           "unit of masses, impulses, moduli and energies in the problem, as that of the scene drum", "ours")
      .add("gravity", &p.gravity, Range::non_negative(), "m/s²", "acceleration of gravity, downwards", solfec_source)
      .add("time_step", &p.time_step, Range::positive(), "s", "length of the step h", solfec_source);
}

const SceneInfo& CubeArray::info() const {
  static const SceneInfo scene{"cube_array", "Elastic or rigid cubes in a shaken box, in time", "Koziara 2017, sec. 8.2"};
  return scene;
}

std::optional<std::string> CubeArray::check() const {
  const double product = parameters_.frequency * parameters_.duration;
  if (product <= SineSweep::largest_product) return std::nullopt;
  return fmt::format("'frequency' times 'duration' is {}, expected at most {}, a sweep of 1000 periods",
                     format_double(product), format_double(SineSweep::largest_product));
}

std::unique_ptr<Motion> CubeArray::do_motion(std::uint64_t /*seed: nothing here is random*/) const {
  const Parameters& p = parameters_;
  const std::vector<Vector3> places = cube_places(p);
  const Vector3 gravity(0.0, 0.0, -p.gravity);
  if (p.kinematics == Kinematics::elastic) {
    const auto model = std::make_shared<const ElasticModel>(
        box_mesh(Vector3::Constant(p.edge), {p.cells, p.cells, p.cells}, ElementKind::hexahedron),
        ElasticMaterial{p.young / p.mass_unit, p.poisson, p.density / p.mass_unit, 0.0, p.damping * p.time_step},
        "the cubes");
    std::vector<ElasticBody> cubes;
    for (const Vector3& place : places) cubes.push_back(elastic_body(model, place, Matrix3::Identity()));
    std::vector<ElasticObstacle> box;
    for (const PrescribedMotion& wall : walls(p)) box.push_back({HalfSpace{}, wall});
    ElasticWorldSettings settings{info().name, p.time_step, gravity, Stepping::moreau_midpoint, 0.0, p.friction};
    return std::make_unique<ElasticWorld>(std::move(settings), std::move(cubes), std::move(box));
  }
  WorldParts parts;
  const double mass = p.density / p.mass_unit * p.edge * p.edge * p.edge;
  for (const Vector3& place : places) {
    MovingBody& cube = parts.bodies.emplace_back(moving_box(mass, Vector3::Constant(0.5 * p.edge)));
    cube.position = place;
  }
  parts.obstacles = walls(p);
  give_surfaces(parts, {std::vector<Shape>(places.size(), Box{Vector3::Constant(0.5 * p.edge)}),
                        std::vector<Shape>(6, HalfSpace{}), 0.0, p.friction});
  return std::make_unique<World>(WorldSettings{info().name, p.time_step, gravity, Stepping::moreau_midpoint},
                                 std::move(parts));
}

}  // namespace ccp
