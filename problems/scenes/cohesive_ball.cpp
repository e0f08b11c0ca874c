#include "problems/scenes/cohesive_ball.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "problems/dynamics/elementary.hpp"
#include "problems/dynamics/world.hpp"
#include "problems/geometry/sphere_pairs.hpp"
#include "problems/scenes/cohesive_contacts.hpp"

namespace ccp {
namespace {

constexpr const char* cohesion_source = "Mazhar 2015, sec. 4.2";

/// Spheres, and how many of them still hold together.
class StickyWorld final : public World {
 public:
  /// reach: of the cohesion, from centre to centre, m.
  StickyWorld(WorldSettings settings, WorldParts parts, double reach)
      : World(std::move(settings), std::move(parts)), reach_(reach) {}

  std::vector<MotionFact> facts() const override {
    std::vector<MotionFact> all = World::facts();
    all.push_back({"largest_cluster", static_cast<double>(largest_cluster())});
    return all;
  }

 private:
  /// Spheres in the largest group that hangs together through gaps within reach.
  int largest_cluster() const {
    std::vector<Vector3> centres;
    for (const MovingBody& body : bodies()) centres.push_back(body.position);
    std::vector<int> root(centres.size()), size(centres.size(), 1);
    std::iota(root.begin(), root.end(), 0);
    const auto root_of = [&](int sphere) {
      while (root[static_cast<std::size_t>(sphere)] != sphere)
        sphere = root[static_cast<std::size_t>(sphere)] =
            root[static_cast<std::size_t>(root[static_cast<std::size_t>(sphere)])];
      return sphere;
    };
    for (const auto& [first, second] : pairs_within(centres, reach_)) {
      int larger = root_of(first), smaller = root_of(second);
      if (larger == smaller) continue;
      if (size[static_cast<std::size_t>(larger)] < size[static_cast<std::size_t>(smaller)]) std::swap(larger, smaller);
      root[static_cast<std::size_t>(smaller)] = larger;
      size[static_cast<std::size_t>(larger)] += size[static_cast<std::size_t>(smaller)];
    }
    return *std::max_element(size.begin(), size.end());
  }

  double reach_;
};

/// The sites of a face-centred cubic lattice nearest to the origin, where spheres of this radius touch: i + j + k even, at
/// √2 radius (i, j, k). Equally far ones in the order of k, j, i.
std::vector<Vector3> lattice_ball(int count, double radius) {
  using Site = std::array<int, 4>;  // i² + j² + k², k, j, i
  // A ball that holds half as many sites again: each takes 2 of the unit volume.
  const int reach = static_cast<int>(cube_root(1.5 * 1.5 * count / std::numbers::pi)) + 3;
  std::vector<Site> sites;
  for (int k = -reach; k <= reach; ++k)
    for (int j = -reach; j <= reach; ++j)
      for (int i = -reach; i <= reach; ++i)
        if ((i + j + k) % 2 == 0 && i * i + j * j + k * k <= reach * reach)
          sites.push_back({i * i + j * j + k * k, k, j, i});
  std::sort(sites.begin(), sites.end());
  std::vector<Vector3> centres;
  for (int n = 0; n < count; ++n) {
    const Site& site = sites.at(static_cast<std::size_t>(n));
    centres.push_back(std::numbers::sqrt2 * radius * Vector3(site[3], site[2], site[1]));
  }
  return centres;
}

}  // namespace

CohesiveBall::CohesiveBall() {
  Parameters& p = parameters_;
  fields_.add("spheres", &p.spheres, Range::closed(1.0, 1e6), "number of spheres; 75 000 in the paper", cohesion_source)
      .add("radius", &p.radius, Range::positive(), "m", "radius of every sphere", "ours")
      .add("density", &p.density, Range::positive(), "kg/m³", "density of every sphere", "ours")
      .add("cohesion", &p.cohesion, Range::non_negative(), "N",
           "largest pull c of a contact of two spheres; 500, 1000 and 10 000 in the paper", cohesion_source)
      .add("range", &p.range, Range::non_negative(), "", "contacts with gaps up to this hold together, over the radius",
           "ours")
      .add("speed", &p.speed, Range::non_negative(), "m/s", "of the ball along x at the start", cohesion_source)
      .add("slope", &p.slope, Range::closed(0.0, 90.0), "°", "of the plane, which rises along x", cohesion_source)
      .add("clearance", &p.clearance, Range::non_negative(), "m", "from the ball to the plane at the start", "ours")
      .add("friction", &p.friction, Range::non_negative(), "", "friction coefficient among spheres", cohesion_source)
      .add("plane_friction", &p.plane_friction, Range::non_negative(), "", "friction coefficient of spheres on the plane",
           cohesion_source)
      .add("envelope", &p.envelope, Range::positive(), "m", "pairs nearer than this are contacts", "ours")
      .add("gravity", &p.gravity, Range::non_negative(), "m/s²", "acceleration of gravity, downwards", "ours")
      .add("time_step", &p.time_step, Range::positive(), "s", "length of the step h", "ours");
}

const SceneInfo& CohesiveBall::info() const {
  static const SceneInfo scene{"cohesive_ball", "A ball of cohesive spheres thrown against an inclined plane, in time",
                               "Mazhar 2015, sec. 4.2"};
  return scene;
}

std::optional<std::string> CohesiveBall::check() const {
  const Parameters& p = parameters_;
  if (p.envelope < p.range * p.radius)
    return fmt::format("'envelope' is {} m, expected at least 'range' times 'radius', {} m", format_double(p.envelope),
                       format_double(p.range * p.radius));
  if (p.envelope < p.speed * p.time_step)
    return fmt::format("spheres would tunnel: 'envelope' is {} m, expected at least their way in a step, {} m",
                       format_double(p.envelope), format_double(p.speed * p.time_step));
  return std::nullopt;
}

std::unique_ptr<Motion> CohesiveBall::do_motion(std::uint64_t /*seed: nothing here is random*/) const {
  const Parameters& p = parameters_;
  const double mass = ball_mass(p.radius, p.density);
  const Quaternion slope = turned({}, {0.0, -p.slope * std::numbers::pi / 180.0, 0.0});
  const Vector3 normal = rotation_matrix(slope).col(2);
  WorldParts parts;
  double lowest = 0.0;
  for (const Vector3& centre : lattice_ball(p.spheres, p.radius)) {
    MovingBody& body = parts.bodies.emplace_back(moving_sphere(mass, p.radius));
    body.position = centre;
    body.velocity = {p.speed, 0.0, 0.0};
    lowest = std::min(lowest, normal.dot(centre));
  }
  parts.obstacles = {resting((lowest - p.radius - p.clearance) * normal, slope)};
  const std::vector<Shape> spheres(parts.bodies.size(), Sphere{p.radius});
  give_cohesive_surfaces(parts, {spheres, {HalfSpace{}}, p.envelope, p.friction},
                         {p.cohesion, p.range * p.radius, p.time_step}, p.plane_friction);
  return std::make_unique<StickyWorld>(WorldSettings{info().name, p.time_step, {0.0, 0.0, -p.gravity}}, std::move(parts),
                                       (2.0 + p.range) * p.radius);
}

}  // namespace ccp
