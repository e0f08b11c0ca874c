#include "problems/scenes/guided_stack.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "problems/rigid/rigid_system.hpp"

namespace ccp {
namespace {

constexpr const char* thesis = "Mangoni's thesis, sec. 5.3.3";
constexpr double largest_mass = 1e30, smallest_mass = 1e-30;

/// Newton's method instead of std::cbrt, whose last digit is a matter of the mathematics library.
double cube_root(double x) {
  double root = std::sqrt(x);
  for (int i = 0; i < 200; ++i) root -= (root - x / (root * root)) / 3.0;
  return root;
}

RigidConstraint guide(int sphere, const Vector3& centre, const Vector3& direction) {
  RigidConstraint row;
  row.kind = ConstraintKind::bilateral;
  row.second = sphere;
  row.point = centre;
  row.normal = direction;
  return row;
}

}  // namespace

GuidedStack::GuidedStack() {
  Parameters& p = parameters_;
  fields_.add("spheres", &p.spheres, Range::closed(1.0, 1e6), "spheres in the column", thesis)
      .add("mass", &p.mass, Range::closed(1e-12, 1e18), "kg", "mass of the lowest sphere: 1e2, 1e6 and 1e12 in the thesis",
           thesis)
      .add("growth", &p.growth, Range::closed(0.01, 100.0), "",
           "mass of a sphere over that of the one below it: 1, or 10 in the fourth test, with 'mass' 10", thesis)
      .add("density", &p.density, Range::positive(), "kg/m³", "density of every sphere", "ours; constant in the thesis")
      .add("friction", &p.friction, Range::non_negative(), "",
           "friction coefficient of every contact; 0: a contact is a single unilateral row", "ours; none in the thesis")
      .add("gravity", &p.gravity, Range::non_negative(), "m/s²", "acceleration of gravity, downwards", "ours")
      .add("time_step", &p.time_step, Range::positive(), "s", "length of the step h", "Mangoni's thesis, Fig. 5.6");
}

const SceneInfo& GuidedStack::info() const {
  static const SceneInfo scene{"guided_stack", "A column of guided spheres, equal or each ten times heavier than the last",
                               "Mangoni's thesis, sec. 5.3.3, Figs. 5.5 and 5.6"};
  return scene;
}

std::optional<std::string> GuidedStack::check() const {
  const Parameters& p = parameters_;
  double mass = p.mass;
  for (int i = 1; i < p.spheres && p.growth != 1.0; ++i) {
    mass *= p.growth;
    if (mass > largest_mass || mass < smallest_mass)
      return fmt::format(
          "sphere {} would have {:.0e} kg, expected masses from {:.0e} to {:.0e}: fewer 'spheres' or a "
          "'growth' nearer to 1",
          i + 1, mass, smallest_mass, largest_mass);
  }
  return std::nullopt;
}

ContactProblem GuidedStack::do_build(std::uint64_t /*seed: nothing here is random*/) const {
  const Parameters& p = parameters_;
  std::vector<RigidBody> bodies;
  std::vector<RigidConstraint> rows;
  double mass = p.mass, top = 0.0;
  for (int i = 0; i < p.spheres; ++i, mass *= p.growth) {
    const double radius = cube_root(3.0 * mass / (4.0 * std::numbers::pi * p.density));
    RigidConstraint contact;
    contact.kind = p.friction > 0.0 ? ConstraintKind::contact : ConstraintKind::unilateral;
    contact.first = i == 0 ? RigidConstraint::fixed : i - 1;
    contact.second = i;
    contact.point = {0.0, 0.0, top};
    contact.friction = p.friction;
    const Vector3 centre(0.0, 0.0, top + radius);
    bodies.push_back(solid_sphere(mass, radius, centre, p.gravity));
    rows.push_back(contact);
    rows.push_back(guide(i, centre, Vector3::UnitX()));
    rows.push_back(guide(i, centre, Vector3::UnitY()));
    top += 2.0 * radius;
  }
  return rigid_step(info().name, bodies, rows, p.time_step);
}

}  // namespace ccp
