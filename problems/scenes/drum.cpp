#include "problems/scenes/drum.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "problems/dynamics/elementary.hpp"
#include "problems/dynamics/shaped_contacts.hpp"
#include "problems/dynamics/world.hpp"

namespace ccp {
namespace {

constexpr const char* paper = "Koziara 2017, sec. 8.1";
constexpr double pipe_radius = 1.0;                     // m, of the corners
constexpr double wall_low = -0.002, wall_high = 0.502;  // y of the side walls, m; Solfec's
constexpr double middle = 0.25;                         // y of the drum's middle, and z of the highest layer, m
constexpr double block_x = 0.9, block_half = 0.1;       // m: ± x of the blocks' centres, half their width and height
constexpr double grid_half_x = 0.7, grid_half_y = 0.2, grid_height = 0.75;  // m
// Neighbours of the grid would touch to rounding and fall with contacts that carry nothing.
constexpr double clearance = 1e-6;  // over the spacing

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

/// Pipe, blocks, walls.
std::vector<Shape> add_obstacles(WorldParts& parts, double angular_velocity, double start) {
  const Vector3 spin(0.0, angular_velocity, 0.0);
  const PrescribedMotion pipe = gliding({0.0, middle, 0.0}, z_along_y(1.0), Vector3::Zero(), spin, start);
  const PrescribedMotion turning = gliding({0.0, middle, 0.0}, {}, Vector3::Zero(), spin, start);
  const Vector3 block(block_x, 0.0, 0.0), half(block_half, middle, block_half);
  parts.obstacles = {pipe, carried(turning, -block), carried(turning, block), resting({0.0, wall_low, 0.0}, z_along_y(1.0)),
                     resting({0.0, wall_high, 0.0}, z_along_y(-1.0))};
  return {Drum{pipe_radius}, Box{half}, Box{half}, HalfSpace{}, HalfSpace{}};
}

}  // namespace

RotatingDrum::RotatingDrum() {
  Parameters& p = parameters_;
  fields_.add("particles", &p.particles, Range::closed(5.0, 1e6), "number of particles N, of the size r₀ = (0.1/N)^⅓", paper)
      .add("shape", &p.shape, {{"ellipsoid", Particle::ellipsoid}, {"sphere", Particle::sphere}},
           "ellipsoid: half axes 0.9 r₀, 0.5 r₀, r₀; sphere: radius 0.8 r₀", paper)
      .add("kinematics", &p.kinematics, {{"rigid", Kinematics::rigid}, {"pseudo_rigid", Kinematics::pseudo_rigid}},
           "pseudo_rigid: particles deform uniformly; spheres keep their shape for contacts", paper)
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

std::unique_ptr<Motion> RotatingDrum::do_motion(std::uint64_t /*seed: nothing here is random*/) const {
  const Parameters& p = parameters_;
  const Insertion in = insertion_of(p);
  WorldParts parts;
  for (int i = 0; i < p.particles; ++i) {
    if (p.kinematics == Kinematics::rigid) {
      MovingBody& body = parts.bodies.emplace_back(rigid_particle(in.radii, p.density / p.mass_unit));
      body.position = in.site(i);
      body.enters = in.enters(i);
    } else {
      PseudoRigidBody& body = parts.pseudo_rigid.emplace_back(pseudo_rigid_ellipsoid(
          in.radii, p.density / p.mass_unit, p.young / p.mass_unit, p.poisson, p.damping * p.time_step));
      body.position = in.site(i);
      body.enters = in.enters(i);
    }
  }
  const Shape particle = p.shape == Particle::sphere ? Shape(Sphere{in.radii[0]}) : Shape(Ellipsoid{in.radii});
  const std::vector<Shape> obstacles = add_obstacles(parts, p.angular_velocity, in.rotation(p.particles));
  give_surfaces(parts, {std::vector<Shape>(static_cast<std::size_t>(p.particles), particle), obstacles, 0.0, p.friction,
                        p.rolling_friction, p.spinning_friction});
  const WorldSettings settings{info().name, p.time_step, {0.0, 0.0, -p.gravity}, Stepping::moreau_midpoint};
  return std::make_unique<DrumWorld>(settings, std::move(parts));
}

}  // namespace ccp
