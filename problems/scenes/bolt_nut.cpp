#include "problems/scenes/bolt_nut.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "problems/distance_field/approach.hpp"
#include "problems/distance_field/thread.hpp"
#include "problems/distance_field/thread_surface.hpp"
#include "problems/distance_field/triangle_mesh.hpp"
#include "problems/random.hpp"
#include "problems/scenes/field_contacts.hpp"
#include "problems/scenes/m48.hpp"

namespace ccp {
namespace {

constexpr const char* lee_bolt = "Lee 2025, sec. VII-A";
constexpr double half_grip = 0.022;    // from the middle of the nut to a rim that a tilt brings to the bolt, m
constexpr double share_of_play = 0.2;  // of offset and tilt
constexpr int surface_of_nut = 0, surface_of_bolt = 1;
enum Stream { stream_of_poses, stream_of_wrenches };

struct NutPose {
  Matrix3 rotation = Matrix3::Identity();
  Vector3 position = Vector3::Zero();  ///< m
  Vector3 push = Vector3::UnitZ();     ///< the side to which it is pushed
};

/// The rotation by 2 arctan(‖w‖/2) about w = (x, y, 0), which for small w is one by w.
Matrix3 small_tilt(const Vector3& w) {
  const double x = 0.5 * w[0], y = 0.5 * w[1], scale = 2.0 / (1.0 + x * x + y * y);
  Matrix3 tilt;
  tilt << 1.0 - scale * y * y, scale * x * y, scale * y,  //
      scale * x * y, 1.0 - scale * x * x, -scale * x,     //
      -scale * y, scale * x, 1.0 - scale * (x * x + y * y);
  return tilt;
}

NutPose draw_pose(const ThreadProfile& bolt, const ThreadProfile& nut, Random& random) {
  const double allowed = share_of_play * 0.5 * (nut.pitch_diameter - bolt.pitch_diameter);
  const double turn = random.uniform();
  const Vector3 offset = allowed * random.in_disc(), tilt = allowed / half_grip * random.in_disc();
  NutPose pose;
  pose.rotation = small_tilt(tilt) * m48::turn_about_axis(2.0 * std::numbers::pi * turn);
  pose.position = offset + bolt.pitch * turn * Vector3::UnitZ();
  pose.push = random.uniform() < 0.5 ? Vector3(-Vector3::UnitZ()) : Vector3(Vector3::UnitZ());
  return pose;
}

/// The nut where it touches, and its contacts.
struct TouchingNut {
  NutPose pose;
  std::vector<FieldContact> contacts;
  double shift = 0.0;  ///< of all gaps, m
};

TouchingNut place_nut(const BoltNut::Parameters& p, std::uint64_t seed) {
  const ThreadProfile bolt_profile = ThreadProfile::bolt_m48(p.fit), nut_profile = ThreadProfile::nut_m48(p.fit);
  const ThreadedBolt bolt(bolt_profile, m48::half_bolt);
  Random poses = Random::stream(seed, stream_of_poses, static_cast<std::uint64_t>(p.pose));
  TouchingNut nut;
  nut.pose = draw_pose(bolt_profile, nut_profile, poses);
  NutPose& pose = nut.pose;
  const TriangleMesh mesh = nut_mesh(nut_profile, m48::half_height, m48::nut_azimuths, m48::flank_rows);
  const double reach = nut_profile.pitch_diameter - bolt_profile.pitch_diameter;  // no flank has farther to go
  pose.position += way_to_contact(bolt, mesh.placed(pose.rotation, pose.position), pose.push, reach) * pose.push;
  nut.contacts = contact_set(bolt, mesh.placed(pose.rotation, pose.position), {p.margin, p.contacts});
  nut.shift = -nut.contacts.front().gap - p.overlap;
  return nut;
}

}  // namespace

BoltNut::BoltNut() {
  Parameters& p = parameters_;
  fields_
      .add("fit", &p.fit, Range::closed(0.0, 1.0), "", "place in the tolerances 6H/6g: 0 tightest, 1 loosest",
           "ours; ISO 965-1")
      .add("pose", &p.pose, Range::closed(0.0, 9.0), "which pose of the nut", lee_bolt)
      .add("wrench", &p.wrench, Range::closed(0.0, 9.0), "which force and torque on the nut", lee_bolt)
      .add("force", &p.force, Range::non_negative(), "N",
           "largest force on the nut besides its weight; the largest torque is 0.05 m times that", "ours")
      .add("friction", &p.friction, Range::non_negative(), "", "friction coefficient of every contact", "ours")
      .add("overlap", &p.overlap, Range::closed(0.0, 1e-4), "m", "depth of the deepest contact", "ours")
      .add("margin", &p.margin, Range::closed(1e-6, 1e-3), "m", "points of the nut nearer to the bolt may be contacts",
           "ours")
      .add("contacts", &p.contacts, Range::closed(1.0, 1e4), "most contacts; more points than that are clustered", lee_bolt)
      .add("gravity", &p.gravity, Range::non_negative(), "m/s²", "acceleration of gravity, downwards along the bolt", "ours")
      .add("time_step", &p.time_step, Range::positive(), "s", "length of the step h", "ours");
}

const SceneInfo& BoltNut::info() const {
  static const SceneInfo scene{"bolt_nut", "A nut M48 on its bolt, touching at 120 points of the thread",
                               "Lee, Lee, Park, Yun, Lee 2025, sec. VII-A, Figs. 6 and 7"};
  return scene;
}

ContactProblem BoltNut::do_build(std::uint64_t seed) const {
  const Parameters& p = parameters_;
  const TouchingNut touching = place_nut(p, seed);
  const NutPose& pose = touching.pose;
  RigidBody nut;
  nut.mass = m48::nut_mass;
  nut.inertia = pose.rotation * m48::nut_moments.asDiagonal() * pose.rotation.transpose();
  nut.position = pose.position;
  Random wrenches = Random::stream(seed, stream_of_wrenches, static_cast<std::uint64_t>(p.wrench));
  add_wrench(nut, wrenches, p.force, p.gravity);
  std::vector<RigidConstraint> constraints;
  add_field_contacts(constraints, touching.contacts, RigidConstraint::fixed, 0, p.friction, touching.shift);
  return rigid_step(info().name, {nut}, constraints, p.time_step);
}

SceneGeometry BoltNut::do_geometry(std::uint64_t seed) const {
  const TouchingNut touching = place_nut(parameters_, seed);
  SceneGeometry seen;
  add_placed_contacts(seen.contacts, touching.contacts, surface_of_bolt, surface_of_nut, touching.shift);
  return seen;
}

std::vector<PlacedMesh> BoltNut::meshes(std::uint64_t seed) const {
  const NutPose pose = place_nut(parameters_, seed).pose;
  const ThreadProfile nut = ThreadProfile::nut_m48(parameters_.fit), bolt = ThreadProfile::bolt_m48(parameters_.fit);
  return {mesh_at_rest(
              nut_surface(nut, m48::half_height, m48::across_flats, m48::nut_azimuths).placed(pose.rotation, pose.position),
              false),
          mesh_at_rest(bolt_surface(bolt, m48::half_bolt, m48::nut_azimuths), true)};
}

}  // namespace ccp
