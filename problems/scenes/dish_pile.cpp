#include "problems/scenes/dish_pile.hpp"

#include <algorithm>
#include <vector>

#include "problems/distance_field/dish.hpp"
#include "problems/distance_field/signed_distance.hpp"
#include "problems/random.hpp"
#include "problems/scenes/field_contacts.hpp"

namespace ccp {
namespace {

constexpr const char* lee_dishes = "Lee 2025, sec. VII-B";
constexpr int dish_azimuths = 96;

struct PiledDish {
  DishProfile profile;
  double mass;          ///< kg
  double height = 0.0;  ///< of its origin, m
};

std::vector<PiledDish> pile_dishes(const DishPile::Parameters& p) {
  std::vector<PiledDish> dishes = {{DishProfile::bowl(), p.light_mass},
                                   {DishProfile::bowl(), p.light_mass},
                                   {DishProfile::plate(), p.light_mass},
                                   {DishProfile::pot(), p.pot_mass}};
  dishes[0].height = dishes[0].profile.thickness - p.overlap;
  for (std::size_t i = 1; i < dishes.size(); ++i)
    dishes[i].height = dishes[i - 1].height + stacking_height(dishes[i - 1].profile, dishes[i].profile, p.overlap);
  return dishes;
}

RigidBody dish_body(const PiledDish& dish) {
  const ShellInertia shell = shell_inertia(dish.profile);
  RigidBody body;
  body.mass = dish.mass;
  body.inertia = dish.mass * Vector3(shell.across, shell.across, shell.axial).asDiagonal();
  body.position = {0.0, 0.0, dish.height + shell.centre};
  return body;
}

TriangleMesh placed_mesh(const PiledDish& dish) {
  return dish_mesh(dish.profile, dish_azimuths).placed(Matrix3::Identity(), {0.0, 0.0, dish.height});
}

/// Those of dish i with the one below it, or with the floor.
std::vector<FieldContact> contacts_below(const std::vector<PiledDish>& dishes, std::size_t i,
                                         const DishPile::Parameters& p) {
  const TriangleMesh mesh = placed_mesh(dishes[i]);
  std::vector<FieldContact> contacts;
  if (i == 0) {
    contacts = contact_set(FloorDistance(), mesh, {p.margin, p.contacts});
  } else {
    const DishDistance lower(dishes[i - 1].profile);
    contacts = contact_set(RaisedDistance(lower, dishes[i - 1].height), mesh, {p.margin, p.contacts});
  }
  for (FieldContact& contact : contacts) contact.gap = std::max(contact.gap, -p.overlap);  // deeper by rounding alone
  return contacts;
}

}  // namespace

DishPile::DishPile() {
  Parameters& p = parameters_;
  fields_.add("wrench", &p.wrench, Range::closed(0.0, 99.0), "which forces and torques on the dishes", lee_dishes)
      .add("load", &p.load, Range::non_negative(), "",
           "largest force on a dish besides its weight, over its weight; the largest torque is 0.05 m times that force",
           "ours")
      .add("overlap", &p.overlap, Range::closed(0.0, 1e-3), "m", "depth of the deepest contact of each pair", "ours")
      .add("light_mass", &p.light_mass, Range::positive(), "kg", "mass of a bowl and of the plate", lee_dishes)
      .add("pot_mass", &p.pot_mass, Range::positive(), "kg", "mass of the pot on top", lee_dishes)
      .add("friction", &p.friction, Range::non_negative(), "", "friction coefficient of every contact", "ours")
      .add("margin", &p.margin, Range::closed(1e-6, 2e-3), "m", "points of a dish nearer to the one below may be contacts",
           "ours")
      .add("contacts", &p.contacts, Range::closed(1.0, 1e4), "most contacts of a pair; more points than that are clustered",
           "ours")
      .add("gravity", &p.gravity, Range::non_negative(), "m/s²", "acceleration of gravity, downwards", "ours")
      .add("time_step", &p.time_step, Range::positive(), "s", "length of the step h", "ours");
}

const SceneInfo& DishPile::info() const {
  static const SceneInfo scene{"dish_pile", "Two bowls and a plate under a heavy pot",
                               "Lee, Lee, Park, Yun, Lee 2025, sec. VII-B, Figs. 8 and 9"};
  return scene;
}

ContactProblem DishPile::do_build(std::uint64_t seed) const {
  const Parameters& p = parameters_;
  const std::vector<PiledDish> dishes = pile_dishes(p);
  Random random = Random::stream(seed, 0, static_cast<std::uint64_t>(p.wrench));
  std::vector<RigidBody> bodies;
  std::vector<RigidConstraint> constraints;
  for (std::size_t i = 0; i < dishes.size(); ++i) {
    const PiledDish& dish = dishes[i];
    bodies.push_back(dish_body(dish));
    add_wrench(bodies.back(), random, p.load * dish.mass * p.gravity, p.gravity);
    const int body = static_cast<int>(i), below = i == 0 ? RigidConstraint::fixed : body - 1;
    add_field_contacts(constraints, contacts_below(dishes, i, p), below, body, p.friction, 0.0);
  }
  return rigid_step(info().name, bodies, constraints, p.time_step);
}

SceneGeometry DishPile::do_geometry(std::uint64_t /*seed*/) const {
  const std::vector<PiledDish> dishes = pile_dishes(parameters_);
  const int floor = static_cast<int>(dishes.size());
  SceneGeometry seen;
  seen.obstacles = {{SurfaceKind::half_space}};
  for (std::size_t i = 0; i < dishes.size(); ++i) {
    const int body = static_cast<int>(i);
    add_placed_contacts(seen.contacts, contacts_below(dishes, i, parameters_), i == 0 ? floor : body - 1, body, 0.0);
  }
  return seen;
}

std::vector<PlacedMesh> DishPile::meshes(std::uint64_t /*seed*/) const {
  std::vector<PlacedMesh> meshes;
  for (const PiledDish& dish : pile_dishes(parameters_)) meshes.push_back(mesh_at_rest(placed_mesh(dish), false));
  return meshes;
}

}  // namespace ccp
