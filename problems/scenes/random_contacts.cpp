#include "problems/scenes/random_contacts.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "problems/random.hpp"
#include "problems/rigid/rigid_parts.hpp"

namespace ccp {
namespace {

constexpr double max_contacts = 1e6;
constexpr double max_coordination = 20.0;  // of the 26 neighbours in a grid
constexpr double jitter = 0.2;             // largest shift of a body from its grid point, over the grid spacing
constexpr double tilt = 0.4;               // largest deviation of a normal from the line of centres, before normalisation
constexpr double offset = 0.3;             // largest distance of a contact from the midpoint of the centres, over the radius

/// A cubic grid filled layer by layer, in which body i has its candidates for a contact among bodies before it.
class Grid {
 public:
  explicit Grid(int bodies) : bodies_(bodies) {
    while (side_ * side_ * side_ < bodies) ++side_;
  }

  int bodies() const { return bodies_; }
  Vector3 point(int body) const {
    return {static_cast<double>(x(body)), static_cast<double>(y(body)), static_cast<double>(z(body)) + 0.5};
  }

  /// Calls visit(other) for the floor or each neighbour before `body`: 13 of them inside the grid.
  template <typename Visit>
  void for_neighbours(int body, const Visit& visit) const {
    if (z(body) == 0) visit(RigidConstraint::fixed);
    for (int dz = z(body) > 0 ? -1 : 0; dz <= 0; ++dz)
      for (int dy = y(body) > 0 ? -1 : 0; dy <= (dz < 0 && y(body) + 1 < side_ ? 1 : 0); ++dy)
        for (int dx = x(body) > 0 ? -1 : 0; dx <= 1 && x(body) + dx < side_; ++dx) {
          const int step = (dz * side_ + dy) * side_ + dx;
          if (step < 0) visit(body + step);
        }
  }

  Index candidates() const {
    Index count = 0;
    for (int body = 0; body < bodies_; ++body) for_neighbours(body, [&](int) { ++count; });
    return count;
  }

 private:
  int x(int body) const { return body % side_; }
  int y(int body) const { return body / side_ % side_; }
  int z(int body) const { return body / side_ / side_; }

  int bodies_;
  int side_ = 1;
};

/// The smallest grid with that coordination which has enough neighbours for all contacts.
Grid make_grid(Index distinct, double contacts_per_body) {
  int bodies = std::max(1, static_cast<int>(2.0 * static_cast<double>(distinct) / contacts_per_body));
  for (;; bodies += 1 + bodies / 8) {
    const Grid grid(bodies);
    if (grid.candidates() >= distinct) return grid;
  }
}

/// Picks `wanted` of `total` items in one pass, each subset equally likely (Knuth, The Art of Computer Programming 2,
/// algorithm 3.4.2 S).
class Sampler {
 public:
  Sampler(Index wanted, Index total) : wanted_(wanted), left_(total) {}
  bool pick(Random& random) {
    const bool picked = static_cast<double>(left_--) * random.uniform() < static_cast<double>(wanted_);
    if (picked) --wanted_;
    return picked;
  }

 private:
  Index wanted_, left_;
};

void give_bodies(const Grid& grid, const RandomContacts::Parameters& p, Random& random, RigidTaker& taker) {
  const LogUniform mass_factor(p.mass_ratio);
  const std::array extremes{1.0 / std::sqrt(p.conditioning), std::sqrt(p.conditioning)};
  const LogUniform inertia_factor(p.conditioning);
  const double spacing = 2.0 * p.radius;
  for (int i = 0; i < grid.bodies(); ++i) {
    RigidBody body;
    body.mass = p.mass * mass_factor(random);
    const double middle = inertia_factor(random);
    const Matrix3 axes = random.rotation();
    const Vector3 principal = 0.4 * body.mass * p.radius * p.radius * Vector3(extremes[0], middle, extremes[1]);
    for (Index row = 0; row < 3; ++row)
      for (Index column = 0; column <= row; ++column)  // symmetric to the last digit
        body.inertia(row, column) = body.inertia(column, row) = axes(row, 0) * principal[0] * axes(column, 0) +
                                                                axes(row, 1) * principal[1] * axes(column, 1) +
                                                                axes(row, 2) * principal[2] * axes(column, 2);
    body.position = spacing * (grid.point(i) + jitter * random.in_ball());
    body.velocity = p.speed * random.in_ball();
    body.spin = (p.spin > 0.0 ? p.spin : p.speed / p.radius) * random.in_ball();
    body.gyroscopic = p.spin > 0.0;
    body.force = {0.0, 0.0, -body.mass * p.gravity};
    taker.take(body);
  }
}

/// Takes as many random numbers wherever the bodies are.
RigidConstraint random_contact(int first, int second, const RigidTaker& bodies, const RandomContacts::Parameters& p,
                               Random& random) {
  RigidConstraint contact;
  contact.first = first;
  contact.second = second;
  const Vector3 above = bodies.position(second);
  if (first == RigidConstraint::fixed) {
    const Vector3 shift = random.in_ball();
    contact.point = {above[0] + offset * p.radius * shift[0], above[1] + offset * p.radius * shift[1], 0.0};
  } else {
    const Vector3 below = bodies.position(first);
    contact.normal = ((above - below).normalized() + tilt * random.in_ball()).normalized();
    contact.point = 0.5 * (above + below) + offset * p.radius * random.in_ball();
  }
  const Vector3 tangent = any_tangent(contact.normal), other = contact.normal.cross(tangent);
  double c = 0.0, s = 0.0, square = 0.0;
  do {  // a direction in the plane, without a sine
    c = random.uniform(-1.0, 1.0);
    s = random.uniform(-1.0, 1.0);
    square = c * c + s * s;
  } while (square > 1.0 || square < 1e-6);
  contact.tangent = ((c * tangent + s * other) / std::sqrt(square)).normalized();
  contact.friction = random.uniform(p.friction_min, p.friction_max);
  contact.gap = p.gap * (1.0 - random.uniform());
  return contact;
}

void give_packing(const RandomContacts::Parameters& p, std::uint64_t seed, RigidTaker& taker) {
  Random random(seed);
  const auto repeats = static_cast<Index>(p.redundancy * p.contacts);  // below p.contacts
  const Index distinct = p.contacts - repeats;
  const Grid grid = make_grid(distinct, p.contacts_per_body);
  give_bodies(grid, p, random, taker);
  Sampler candidate(distinct, grid.candidates()), extra(repeats % distinct, distinct);
  for (int body = 0; body < grid.bodies(); ++body)
    grid.for_neighbours(body, [&](int other) {
      if (!candidate.pick(random)) return;
      const RigidConstraint contact = random_contact(other, body, taker, p, random);
      taker.take(contact);
      const Index copies = repeats / distinct + (extra.pick(random) ? 1 : 0);
      for (Index copy = 0; copy < copies; ++copy) {
        const Vector3 shift = random.in_ball();
        RigidConstraint moved = contact;
        moved.point += p.patch * (shift[0] * contact.tangent + shift[1] * contact.normal.cross(contact.tangent));
        taker.take(moved);
      }
    });
}

}  // namespace

RandomContacts::RandomContacts() {
  Parameters& p = parameters_;
  fields_.add("contacts", &p.contacts, Range::closed(1.0, max_contacts), "number of contacts", "ours")
      .add("contacts_per_body", &p.contacts_per_body, Range::closed(1.0, max_coordination), "",
           "mean number of distinct contacts of a body, far from the border; one between two bodies counts for both", "ours")
      .add("mass_ratio", &p.mass_ratio, Range::closed(1.0, 1e12), "",
           "largest over smallest mass; the logarithm of the mass is uniform", "ours")
      .add("conditioning", &p.conditioning, Range::closed(1.0, 1e12), "",
           "largest over smallest principal moment of inertia of every body", "ours")
      .add("redundancy", &p.redundancy, Range::closed(0.0, 0.95), "",
           "share of the contacts that repeat another one: same bodies, same frame, same friction and gap", "ours")
      .add("patch", &p.patch, Range::non_negative(), "m",
           "largest distance of a repeated contact from its original, in the contact plane; 0: exact copies", "ours")
      .add("friction_min", &p.friction_min, Range::non_negative(), "", "smallest friction coefficient", "ours")
      .add("friction_max", &p.friction_max, Range::non_negative(), "", "largest friction coefficient; uniform between",
           "ours")
      .add("gravity", &p.gravity, Range::non_negative(), "m/s²", "acceleration of gravity, downwards", "ours")
      .add("speed", &p.speed, Range::non_negative(), "m/s",
           "largest speed of a centre at the start of the step; speed/radius is the largest angular velocity", "ours")
      .add("gap", &p.gap, Range::positive(), "m", "largest gap; uniform above zero, so that both models have a solution",
           "ours")
      .add("radius", &p.radius, Range::positive(), "m", "size of a body: half the grid spacing", "ours")
      .add("mass", &p.mass, Range::positive(), "kg", "geometric mean of the masses", "ours")
      .add("time_step", &p.time_step, Range::positive(), "s", "length of the step h", "ours");
}

const SceneInfo& RandomContacts::info() const {
  static const SceneInfo scene{"random_contacts", "Random contacts of rigid bodies near a grid, of any number",
                               "ours; the scaling studies of Mangoni's thesis and of Mazhar et al. 2015"};
  return scene;
}

std::optional<std::string> RandomContacts::check() const {
  const Parameters& p = parameters_;
  if (p.friction_min > p.friction_max)
    return fmt::format("'friction_min' is {}, expected at most 'friction_max', which is {}", p.friction_min, p.friction_max);
  return std::nullopt;
}

SpinningContacts::SpinningContacts() {
  parameters_.spin = 20.0;
  fields_.add("spin", &parameters_.spin, Range::positive(), "rad/s", "largest angular velocity at the start of the step",
              "ours");
}

const SceneInfo& SpinningContacts::info() const {
  static const SceneInfo scene{"spinning_contacts", "Random contacts of bodies that spin: gyroscopic torques in H",
                               "ours; the unsymmetric H of Tasora et al. 2021, footnote to Algorithm 1"};
  return scene;
}

std::optional<std::string> SpinningContacts::check() const {
  if (auto defect = RandomContacts::check()) return defect;
  // In principal axes and scaled by J^-½ the symmetric part of H is I + T, where T_ij = ½ h ω_k (J_i − J_j)/√(J_i J_j) has
  // no trace: ‖T‖₂ <= √⅔ ‖T‖_F <= h ‖ω‖ (c − 1)/√(3c).
  const Parameters& p = parameters_;
  const double bound = p.time_step * p.spin * (p.conditioning - 1.0) / std::sqrt(3.0 * p.conditioning);
  if (bound < 1.0) return std::nullopt;
  return fmt::format(
      "'spin' is {}, expected less than {:.6g}, so that H is positive definite with this 'time_step' and "
      "'conditioning'",
      p.spin, p.spin / bound);
}

ContactProblem RandomContacts::do_build(std::uint64_t seed) const {
  const RigidLists lists = rigid_lists([&](RigidTaker& taker) { give_packing(parameters_, seed, taker); });
  return rigid_step(info().name, lists.bodies, lists.constraints, parameters_.time_step);
}

std::unique_ptr<PartSource> RandomContacts::do_parts(std::uint64_t seed) const {
  return rigid_parts([p = parameters_, seed](RigidTaker& taker) { give_packing(p, seed, taker); }, parameters_.time_step);
}

}  // namespace ccp
