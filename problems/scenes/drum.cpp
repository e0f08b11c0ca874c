#include "problems/scenes/drum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "problems/dynamics/assembly.hpp"
#include "problems/dynamics/elementary.hpp"
#include "problems/dynamics/shaped_contacts.hpp"
#include "problems/dynamics/world.hpp"
#include "problems/geometry/find_contacts.hpp"
#include "problems/rigid/rigid_parts.hpp"
#include "problems/scenes/drum_filling.hpp"

namespace ccp {
namespace {

constexpr const char* paper = "Koziara 2017, sec. 8.1";
constexpr double pipe_radius = 1.0;                     // m, of the corners
constexpr double wall_low = -0.002, wall_high = 0.502;  // y of the side walls, m; Solfec's
constexpr double middle = 0.25;                         // y of the drum's middle, and z of the highest layer, m
constexpr double block_x = 0.9, block_half = 0.1;       // m: ± x of the blocks' centres, half their width and height
constexpr double grid_half_x = 0.7, grid_half_y = 0.2, grid_height = 0.75;  // m
// Neighbours of the grid would touch to rounding and fall with contacts that carry nothing.
constexpr double clearance = 1e-6;                    // over the spacing
constexpr int pipe = 0, low_wall = 3, high_wall = 4;  // of the obstacles

/// Place and time of entry of particles, from their number. Lengths in m, times in s.
struct Insertion {
  Vector3 radii;        ///< of a particle
  int per_batch = 0;    ///< particles that come in at once
  double interval = 0;  ///< from batch to batch, and from the last one to the rotation
  int along_x = 0, along_y = 0;
  Vector3 first;  ///< the site of the first particle

  Vector3 site(int particle) const {
    const int place = particle % per_batch, row = place / along_y;
    const Vector3 index(row % along_x, place % along_y, -(row / along_x));
    return first + 2.0 * (1.0 + clearance) * radii.cwiseProduct(index);
  }
  double enters(int particle) const { return interval * (particle / per_batch); }
  double rotation(int particles) const { return enters(particles - 1) + interval; }
};

/// Sites from low upwards below high, `spacing` apart; rounding decides nothing.
int sites_below(double low, double high, double spacing) {
  return std::max(1, static_cast<int>(std::ceil((high - low) / spacing - 1e-6)));
}

Insertion insertion_of(const RotatingDrum::Parameters& p) {
  const double r0 = cube_root(0.1 / p.particles);
  const bool sphere = p.shape == RotatingDrum::Particle::sphere;
  Insertion in;
  in.radii = sphere ? Vector3::Constant(0.8 * r0) : Vector3(0.9 * r0, 0.5 * r0, r0);
  const int layers = std::max(1, static_cast<int>(grid_height / (2.0 * r0) + 1e-6));
  in.interval = layers * std::sqrt(0.42 * r0);  // the time of a fall by 2.1 r₀ at 10 m/s², for each layer
  // As in Solfec's input, but not into a block or a wall, which large particles would overlap.
  const double low_x = std::max(-grid_half_x, block_half - block_x + 1.001 * in.radii[0]);
  const double low_y = std::max(middle - grid_half_y, in.radii[1]);
  const double high_y = std::min(middle + grid_half_y, 2.0 * middle - in.radii[1]);
  in.along_x = sites_below(low_x, -low_x, 2.0 * in.radii[0]);
  in.along_y = 1 + static_cast<int>((high_y - low_y) / (2.0 * in.radii[1]) + 1e-6);
  in.per_batch = layers * in.along_x * in.along_y;
  in.first = {low_x, low_y, middle};
  return in;
}

bool is_packed(const RotatingDrum::Parameters& p) { return p.filling == RotatingDrum::Filling::packed; }

MovingBody rigid_particle(const Vector3& radii, double density) {
  return moving_ellipsoid(4.0 / 3.0 * std::numbers::pi * radii.prod() * density, radii);
}

/// Turns the frame so that its z axis is along ±y.
Quaternion z_along_y(double sign) { return {std::numbers::sqrt2 / 2.0, -sign * std::numbers::sqrt2 / 2.0, 0.0, 0.0}; }

/// Particles, and how many of them have left the drum. One that has would fall for ever.
class DrumWorld final : public World {
 public:
  using World::World;

  std::vector<MotionFact> facts() const override {
    std::vector<MotionFact> all = World::facts();
    all.push_back({"outside", static_cast<double>(outside())});
    return all;
  }

 private:
  /// Particles whose centre is beyond the corners of the pipe or beyond a side wall.
  std::ptrdiff_t outside() const {
    const Configuration now = configuration();
    return std::count_if(now.bodies.begin(), now.bodies.end(), [](const Placement& particle) {
      const Vector3& x = particle.position;
      return std::hypot(x[0], x[2]) > pipe_radius || x[1] < wall_low || x[1] > wall_high;
    });
  }
};

Shape particle_shape(const RotatingDrum::Parameters& p, const Vector3& radii) {
  return p.shape == RotatingDrum::Particle::sphere ? Shape(Sphere{radii[0]}) : Shape(Ellipsoid{radii});
}

/// Pipe, blocks, walls.
std::vector<Shape> add_obstacles(WorldParts& parts, double angular_velocity, double start) {
  const Vector3 spin(0.0, angular_velocity, 0.0);
  const PrescribedMotion around = gliding({0.0, middle, 0.0}, z_along_y(1.0), Vector3::Zero(), spin, start);
  const PrescribedMotion turning = gliding({0.0, middle, 0.0}, {}, Vector3::Zero(), spin, start);
  const Vector3 block(block_x, 0.0, 0.0), half(block_half, middle, block_half);
  parts.obstacles = {around, carried(turning, -block), carried(turning, block),
                     resting({0.0, wall_low, 0.0}, z_along_y(1.0)), resting({0.0, wall_high, 0.0}, z_along_y(-1.0))};
  return {Drum{pipe_radius}, Box{half}, Box{half}, HalfSpace{}, HalfSpace{}};
}

DrumFilling filling_of(const RotatingDrum::Parameters& p) {
  return {p.particles, insertion_of(p).radii, {{pipe_radius}, rotation_matrix(z_along_y(1.0)), wall_low, wall_high}};
}

/// The bodies and contacts of the first step of packed rigid particles, one by one, as World has them.
class PackedStep {
 public:
  explicit PackedStep(const RotatingDrum::Parameters& p)
      : filling_(filling_of(p)), shape_(particle_shape(p, insertion_of(p).radii)) {
    const MovingBody particle = rigid_particle(insertion_of(p).radii, p.density / p.mass_unit);
    body_.mass = particle.mass;
    body_.inertia = world_inertia(particle.inertia, Matrix3::Identity());
    body_.force = particle.mass * Vector3(0.0, 0.0, -p.gravity);
    contact_.friction = p.friction;
    contact_.rolling = p.rolling_friction;
    contact_.spinning = p.spinning_friction;
    WorldParts parts;
    const std::vector<Shape> shapes = add_obstacles(parts, 0.0, 0.0);
    for (const int number : {pipe, low_wall, high_wall}) {
      const auto place = static_cast<std::size_t>(number);
      const ObstacleFrame frame = parts.obstacles[place](0.0);
      around_.push_back({p.particles + number, shapes[place], {frame.position, rotation_matrix(frame.attitude)}});
    }
    WorldContact kind;
    kind.friction = p.friction;
    kind.rolling = p.rolling_friction;
    kind.spinning = p.spinning_friction;
    contact_.kind = block_kind(kind);
  }

  void give(RigidTaker& taker) const {
    RigidBody body = body_;
    for (int i = 0; i < filling_.particles(); ++i) {
      body.position = filling_.centre(i);
      taker.take(body);
    }
    std::vector<int> others;
    Contacts found;
    for (int i = 0; i < filling_.particles(); ++i) {
      others.clear();
      filling_.add_touching(i, others);
      for (const int other : others) give_pair(i, other, taker);
      found.clear();
      for (const Solid& obstacle : around_) find_contacts_of(solid(i), obstacle, 0.0, found);
      for (const Contact& contact : found) give_contact(contact, RigidConstraint::fixed, taker);
    }
  }

 private:
  Solid solid(int particle) const { return {particle, shape_, {filling_.centre(particle), Matrix3::Identity()}}; }

  /// One contact.
  void give_pair(int first, int second, RigidTaker& taker) const {
    Contacts found(1);
    found[0].id.a = first;
    if (taker.wants_geometry()) {
      found.clear();
      find_contacts_of(solid(first), solid(second), infinite, found);
    }
    give_contact(found[0], second, taker);
  }

  void give_contact(const Contact& contact, int second, RigidTaker& taker) const {
    RigidConstraint constraint = contact_;
    constraint.first = contact.id.a;
    constraint.second = second;
    constraint.point = contact.point;
    constraint.normal = contact.normal;
    constraint.tangent = any_tangent(contact.normal);
    taker.take(constraint);
  }

  DrumFilling filling_;
  Shape shape_;
  RigidBody body_;
  RigidConstraint contact_;    ///< what all have in common; its gap is 0, since overlaps stay
  std::vector<Solid> around_;  ///< what they may touch; the filling ends below the blocks
};

}  // namespace

RotatingDrum::RotatingDrum() {
  Parameters& p = parameters_;
  fields_.add("particles", &p.particles, Range::closed(5.0, 1e6), "number of particles N, of the size r₀ = (0.1/N)^⅓", paper)
      .add("shape", &p.shape, {{"ellipsoid", Particle::ellipsoid}, {"sphere", Particle::sphere}},
           "ellipsoid: half axes 0.9 r₀, 0.5 r₀, r₀; sphere: radius 0.8 r₀", paper)
      .add("kinematics", &p.kinematics, {{"rigid", Kinematics::rigid}, {"pseudo_rigid", Kinematics::pseudo_rigid}},
           "pseudo_rigid: particles deform uniformly; spheres keep their shape for contacts", paper)
      .add("filling", &p.filling, {{"dropped", Filling::dropped}, {"packed", Filling::packed}},
           "dropped: batches of particles fall into the drum; packed: all lie in it, in contact, when it begins", "ours")
      .add("density", &p.density, Range::positive(), "kg/m³", "density of every particle", paper)
      .add("friction", &p.friction, Range::non_negative(), "", "friction coefficient of every contact", paper)
      .add("rolling_friction", &p.rolling_friction, Range::non_negative(), "m",
           "μ_r of every contact of rigid particles; 0: no rolling moments", "ours")
      .add("spinning_friction", &p.spinning_friction, Range::non_negative(), "m", "the same for μ_s and spinning moments",
           "ours")
      .add("young", &p.young, Range::positive(), "Pa", "Young's modulus of pseudo-rigid particles", paper)
      .add("poisson", &p.poisson, Range::closed(0.0, 0.49), "", "Poisson's ratio of pseudo-rigid particles", paper)
      .add("damping", &p.damping, Range::non_negative(), "",
           "η of the stiffness damping of pseudo-rigid particles, over the time step", "Solfec's input of the example")
      .add("angular_velocity", &p.angular_velocity, Range::closed(-100.0, 100.0), "rad/s",
           "of pipe and blocks about +y, when all are in", paper)
      .add("gravity", &p.gravity, Range::non_negative(), "m/s²", "acceleration of gravity, downwards", paper)
      .add("mass_unit", &p.mass_unit, Range::positive(), "kg",
           "unit of masses, impulses, moduli and energies in the problem; where it is h in s, impulses are forces in N, "
           "Solfec's unknowns",
           "ours")
      .add("time_step", &p.time_step, Range::positive(), "s", "length of the step h", paper);
}

const SceneInfo& RotatingDrum::info() const {
  static const SceneInfo scene{"drum", "Particles in a rotating drum, rigid and pseudo-rigid, in time",
                               "Koziara 2017, sec. 8.1, Tab. 2, Figs. 1 to 11"};
  return scene;
}

bool RotatingDrum::in_parts() const { return is_packed(parameters_) && parameters_.kinematics == Kinematics::rigid; }

std::optional<std::string> RotatingDrum::check() const {
  if (!is_packed(parameters_)) return std::nullopt;
  const double top = filling_of(parameters_).top();
  if (top < -block_half) return std::nullopt;
  return fmt::format("'particles' is {}, expected a packed filling below the blocks: its top is at {} m, they begin at {} m",
                     parameters_.particles, format_double(top), format_double(-block_half));
}

std::unique_ptr<PartSource> RotatingDrum::do_parts(std::uint64_t /*seed*/) const {
  return rigid_parts([step = PackedStep(parameters_)](RigidTaker& taker) { step.give(taker); }, parameters_.time_step);
}

std::unique_ptr<Motion> RotatingDrum::do_motion(std::uint64_t /*seed: nothing here is random*/) const {
  const Parameters& p = parameters_;
  const Insertion in = insertion_of(p);
  std::optional<DrumFilling> filling;
  if (is_packed(p)) filling = filling_of(p);
  const auto begin = [&](auto& body, int number) {
    body.position = filling ? filling->centre(number) : in.site(number);
    body.enters = filling ? 0.0 : in.enters(number);
  };
  WorldParts parts;
  for (int i = 0; i < p.particles; ++i) {
    if (p.kinematics == Kinematics::rigid)
      begin(parts.bodies.emplace_back(rigid_particle(in.radii, p.density / p.mass_unit)), i);
    else
      begin(parts.pseudo_rigid.emplace_back(pseudo_rigid_ellipsoid(in.radii, p.density / p.mass_unit, p.young / p.mass_unit,
                                                                   p.poisson, p.damping * p.time_step)),
            i);
  }
  const double start = filling ? in.interval : in.rotation(p.particles);
  const std::vector<Shape> obstacles = add_obstacles(parts, p.angular_velocity, start);
  give_surfaces(parts, {std::vector<Shape>(static_cast<std::size_t>(p.particles), particle_shape(p, in.radii)), obstacles,
                        0.0, p.friction, p.rolling_friction, p.spinning_friction});
  const WorldSettings settings{info().name, p.time_step, {0.0, 0.0, -p.gravity}, Stepping::moreau_midpoint};
  return std::make_unique<DrumWorld>(settings, std::move(parts));
}

}  // namespace ccp
