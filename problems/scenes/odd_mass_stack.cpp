#include "problems/scenes/odd_mass_stack.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <vector>

#include "problem/problem_builder.hpp"
#include "problems/rigid/assembly.hpp"

namespace ccp {
namespace {

constexpr int floor_body = -1;
constexpr double max_spheres = 1e6;
constexpr double lone_distance = 6.0;  // of the lone sphere in pictures, over the radius; the problem does not depend on it
constexpr const char* tasora_stack = "Tasora 2021, TEST 1.A";

struct StackedSphere {
  double mass;     ///< kg
  double force;    ///< vertical force, N
  int lower_body;  ///< what it rests on
};

std::vector<StackedSphere> place_spheres(const OddMassStack::Parameters& p) {
  std::vector<StackedSphere> spheres;
  for (int i = 1; i <= p.spheres; ++i) {
    const bool heavy = i == p.heavy_index;
    const double mass = heavy ? p.heavy_mass : p.mass;
    const double lift = heavy ? p.lift_factor : 0.0;
    spheres.push_back({mass, (lift - 1.0) * mass * p.gravity, i == 1 ? floor_body : i - 2});
  }
  if (p.lone_mass > 0.0) spheres.push_back({p.lone_mass, -p.lone_mass * p.gravity, floor_body});
  return spheres;
}

SparseMatrix mass_matrix(const std::vector<StackedSphere>& spheres, double radius) {
  const auto count = static_cast<Index>(spheres.size());
  MassWriter H(6 * count, 6 * count);
  for (const StackedSphere& sphere : spheres)
    H.add_rigid(sphere.mass, 0.4 * sphere.mass * radius * radius * Matrix3::Identity());
  return H.finish();
}

SparseMatrix contact_jacobian(const std::vector<StackedSphere>& spheres, double radius) {
  const Vector3 directions[3] = {Vector3::UnitZ(), Vector3::UnitX(), Vector3::UnitY()};  // normal first
  const Vector3 up = radius * Vector3::UnitZ();
  const auto count = static_cast<Index>(spheres.size());
  JacobianWriter D(6 * count, 3 * count, 36 * count);
  for (Index body = 0; body < count; ++body)
    for (const Vector3& direction : directions) {
      D.next_column();
      const int below = spheres[static_cast<std::size_t>(body)].lower_body;
      if (below != floor_body) D.insert(6 * below, rigid_impulse(-1.0, direction, up));
      D.insert(6 * body, rigid_impulse(1.0, direction, -up));
    }
  return D.finish();
}

}  // namespace

OddMassStack::OddMassStack() {
  Parameters& p = parameters_;
  fields_.add("spheres", &p.spheres, Range::closed(1.0, max_spheres), "spheres in the column", tasora_stack)
      .add("mass", &p.mass, Range::positive(), "kg", "mass of a sphere of the column", tasora_stack)
      .add("heavy_index", &p.heavy_index, Range::closed(0.0, max_spheres),
           "which sphere of the column is the heavy one, counted from the floor, from 1; 0: none", tasora_stack)
      .add("heavy_mass", &p.heavy_mass, Range::positive(), "kg", "mass of the heavy sphere", tasora_stack)
      .add("lone_mass", &p.lone_mass, Range::non_negative(), "kg",
           "mass of one more sphere alone on the floor; 0: no such sphere", tasora_stack)
      .add("lift_factor", &p.lift_factor, Range::non_negative(), "",
           "upward force on the heavy sphere, over its weight: 0 in TEST 1.A, 2 in TEST 1.B", "Tasora 2021, TEST 1.B")
      .add("gravity", &p.gravity, Range::non_negative(), "m/s²", "acceleration of gravity, downwards", tasora_stack)
      .add("radius", &p.radius, Range::positive(), "m", "radius of every sphere", "ours")
      .add("friction", &p.friction, Range::non_negative(), "", "friction coefficient of every contact", "ours")
      .add("time_step", &p.time_step, Range::positive(), "s", "length of the step h", "ours")
      .add("gap", &p.gap, Range::non_negative(), "m", "distance at every contact, closed before it carries: b = gap/h",
           "ours");
}

const SceneInfo& OddMassStack::info() const {
  static const SceneInfo scene{"odd_mass_stack", "A column of spheres, one of them a thousand times heavier",
                               "Tasora, Mangoni, Benatti, Garziera 2021, sec. 8.1, TEST 1.A and 1.B"};
  return scene;
}

std::optional<std::string> OddMassStack::check() const {
  const Parameters& p = parameters_;
  if (p.heavy_index > p.spheres)
    return fmt::format("'heavy_index' is {}, expected at most 'spheres', which is {}", p.heavy_index, p.spheres);
  if (p.heavy_index == 0 && p.lift_factor > 0.0)
    return std::string("'lift_factor' lifts the heavy sphere, expected 'heavy_index' >= 1");
  return std::nullopt;
}

ContactProblem OddMassStack::do_build(std::uint64_t /*seed: nothing here is random*/) const {
  const Parameters& p = parameters_;
  const std::vector<StackedSphere> spheres = place_spheres(p);
  const auto count = static_cast<Index>(spheres.size());
  Vector k = Vector::Zero(6 * count);  // M v⁽ˡ⁾ + h f from rest
  for (Index body = 0; body < count; ++body) k[6 * body + 2] = p.time_step * spheres[static_cast<std::size_t>(body)].force;
  ProblemBuilder builder(info().name);
  Vector b = Vector::Zero(3 * count);
  for (Index contact = 0; contact < count; ++contact) b[3 * contact] = p.gap / p.time_step;
  builder.global(mass_matrix(spheres, p.radius), k, contact_jacobian(spheres, p.radius), b);
  for (Index body = 0; body < count; ++body) builder.contact(p.friction);
  return builder.build();
}

SceneGeometry OddMassStack::do_geometry(std::uint64_t /*seed*/) const {
  const double r = parameters_.radius;
  SceneGeometry geometry;
  for (const StackedSphere& sphere : place_spheres(parameters_)) {
    const int body = static_cast<int>(geometry.bodies.size()), floor = parameters_.spheres + (parameters_.lone_mass > 0.0);
    const bool lone = body == parameters_.spheres;
    const Vector3 foot(lone ? lone_distance * r : 0.0, 0.0, lone ? 0.0 : 2.0 * r * body);
    geometry.bodies.push_back({SurfaceKind::sphere, {r, 0.0, 0.0}, foot + r * Vector3::UnitZ()});
    Matrix3 frame;
    frame << Vector3::UnitZ(), Vector3::UnitX(), Vector3::UnitY();
    geometry.contacts.push_back({foot, frame, 0.0, sphere.lower_body == floor_body ? floor : sphere.lower_body, body});
  }
  geometry.obstacles.push_back({SurfaceKind::half_space});
  return geometry;
}

}  // namespace ccp
