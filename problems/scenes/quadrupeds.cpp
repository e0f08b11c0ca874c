#include "problems/scenes/quadrupeds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "problems/articulated/articulated_world.hpp"
#include "problems/random.hpp"

namespace ccp {
namespace {

constexpr const char* lee_quadrupeds = "Lee 2025, sec. VII-D2";
const Vector3 heap_cell(0.9, 0.9, 0.7);   // m, from site to site
const Vector3 floor_cell(1.6, 1.6, 0.0);  // no leg reaches the next robot
constexpr double clearance = 0.005;       // m, at the start between what may touch
constexpr int most_draws = 10000;         // of one robot

/// The least s with s^power >= count.
int sites_a_side(int count, int power) {
  for (int side = 1;; ++side) {
    double sites = 1.0;
    for (int i = 0; i < power; ++i) sites *= side;
    if (sites >= count) return side;
  }
}

/// Places of the bases of the robots, columns of a heap one after the other.
std::vector<Vector3> quadruped_sites(const Quadrupeds::Parameters& p) {
  const bool heap = p.arrangement == Quadrupeds::Arrangement::heap;
  const int side = sites_a_side(p.count, heap ? 3 : 2), layers = heap ? side : 1;
  std::vector<Vector3> sites;
  for (int n = 0; n < p.count; ++n) {
    const Vector3 site(n / layers / side, n / layers % side, n % layers);
    sites.push_back(site.cwiseProduct(heap ? heap_cell : floor_cell));
  }
  return sites;
}

TreePose random_robot(const Tree& tree, const Vector3& site, Random& random) {
  TreePose pose = tree.rest();
  pose.base = site;
  pose.attitude = rotation_exponential({0.0, 0.0, random.uniform(-std::numbers::pi, std::numbers::pi)});
  for (std::size_t link = 1; link < tree.links().size(); ++link)
    pose.joints[link] = random.uniform(tree.links()[link].lower, tree.links()[link].upper);
  return pose;
}

/// Robots that are placed one after the other, apart from those before.
class RobotPlacer {
 public:
  explicit RobotPlacer(std::shared_ptr<const RobotModel> model) : model_(std::move(model)) {}

  void add(const Vector3& site, Random& random) {
    for (int draw = 0; draw < most_draws; ++draw) {
      TreePose pose = random_robot(model_->tree, site, random);
      std::vector<Solid> shapes = placed_shapes(*model_, PlacedTree(model_->tree, pose), static_cast<int>(solids_.size()));
      if (!is_clear(shapes)) continue;
      solids_.insert(solids_.end(), shapes.begin(), shapes.end());
      robots_.push_back({model_, std::move(pose), Vector::Zero(model_->tree.dofs())});
      return;
    }
    throw InputError(fmt::format("found no place for robot {} in {} draws", robots_.size(), most_draws));
  }

  /// With the lowest point at this height, m.
  std::vector<Robot> raised(double height) {
    double lowest = infinite;
    for (const Solid& solid : solids_) lowest = std::min(lowest, bounds_of(solid.shape, solid.pose).low[2]);
    for (Robot& robot : robots_) robot.pose.base[2] += height - lowest;
    return std::move(robots_);
  }

 private:
  bool is_clear(const std::vector<Solid>& shapes) const {
    std::vector<Solid> all = solids_;
    all.insert(all.end(), shapes.begin(), shapes.end());
    const Contacts found = find_contacts(all, {}, clearance);
    const auto first = static_cast<int>(solids_.size());
    return std::none_of(found.begin(), found.end(), [&](const Contact& contact) {
      if (contact.id.b < first) return false;
      const auto link = [&](int id) { return static_cast<int>(model_->shapes[static_cast<std::size_t>(id - first)].link); };
      return contact.id.a < first || may_touch(model_->tree, link(contact.id.a), link(contact.id.b));
    });
  }

  std::shared_ptr<const RobotModel> model_;
  std::vector<Solid> solids_;
  std::vector<Robot> robots_;
};

}  // namespace

Quadrupeds::Quadrupeds() {
  Parameters& p = parameters_;
  fields_.add("count", &p.count, Range::closed(1.0, 1000.0), "robots; 8 and 27 in the paper", lee_quadrupeds)
      .add("arrangement", &p.arrangement, {{"floor", Arrangement::floor}, {"heap", Arrangement::heap}},
           "side by side on the floor, or in layers that fall on one another", "floor: Lee 2025, Fig. 12; heap: ours")
      .add("drop", &p.drop, Range::closed(0.0, 10.0), "m", "height of the lowest point at the start", "ours")
      .add("friction", &p.friction, Range::non_negative(), "", "friction coefficient of every contact", "ours")
      .add("joint_damping", &p.joint_damping, Range::non_negative(), "N·m·s/rad", "of every joint", "ours")
      .add("limit_margin", &p.limit_margin, Range::non_negative(), "rad", "joints nearer to a bound have a row there",
           "ours")
      .add("envelope", &p.envelope, Range::non_negative(), "m", "distance of contacts besides what closes in the step",
           "ours")
      .add("gravity", &p.gravity, Range::non_negative(), "m/s²", "acceleration of gravity, downwards", "ours")
      .add("time_step", &p.time_step, Range::positive(), "s", "length of the step h", "ours");
}

const SceneInfo& Quadrupeds::info() const {
  static const SceneInfo scene{"quadrupeds", "Robots of four legs that are dropped on the floor, or on one another, in time",
                               "Lee, Lee, Park, Yun, Lee 2025, sec. VII-D2, Fig. 12"};
  return scene;
}

std::unique_ptr<Motion> Quadrupeds::do_motion(std::uint64_t seed) const {
  const Parameters& p = parameters_;
  const auto model = std::make_shared<const RobotModel>(RobotModel{Tree(laikago()), laikago_shapes()});
  RobotPlacer placer(model);
  Random random(seed);
  for (const Vector3& site : quadruped_sites(p)) placer.add(site, random);
  ArticulatedWorldSettings settings = world_settings(info().name, p);
  settings.limit_margin = p.limit_margin;
  settings.joint_damping = p.joint_damping;
  return std::make_unique<ArticulatedWorld>(settings, placer.raised(p.drop), std::vector<PlacedObstacle>{{HalfSpace{}}});
}

}  // namespace ccp
