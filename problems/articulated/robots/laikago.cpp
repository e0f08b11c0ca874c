#include "problems/articulated/robots/robots.hpp"

namespace ccp {
namespace {

/// Products of inertia xy, xz, yz beside the moments, kg m².
Matrix3 inertia_of(const Vector3& moments, const Vector3& products) {
  Matrix3 result;
  result << moments[0], products[0], products[1], products[0], moments[1], products[2], products[1], products[2], moments[2];
  return result;
}

TreeLink leg_link(const std::string& name, int parent, const Vector3& place, const Vector3& axis, double lower,
                  double upper) {
  TreeLink link;
  link.name = name;
  link.parent = parent;
  link.place = place;
  link.axis = axis;
  link.lower = lower;
  link.upper = upper;
  return link;
}

/// front, side: ±1, the right side being −1.
void add_leg(const std::string& name, double front, double side, std::vector<TreeLink>& links) {
  constexpr double inward = 1.0471975512, outward = 0.872664625997;
  TreeLink hip = leg_link(name + "_hip", 0, {front * 0.21935, side * 0.0875, 0.0}, Vector3::UnitX(),
                          side < 0.0 ? -inward : -outward, side < 0.0 ? outward : inward);
  hip.mass = 1.096;
  hip.centre = {front * -0.001568, side * -0.008134, 0.000864};
  hip.inertia =
      inertia_of({0.000822113, 0.000983196, 0.000864753}, {front * side * -4.982e-06, front * -3.672e-05, side * 2.811e-06});
  const int hip_number = static_cast<int>(links.size());
  links.push_back(hip);
  TreeLink thigh =
      leg_link(name + "_thigh", hip_number, {0.0, side * 0.037, 0.0}, Vector3::UnitY(), -0.523598775598, 3.92699081699);
  thigh.mass = 1.528;
  thigh.centre = {-0.000482, side * 0.02001, -0.031996};
  thigh.inertia = inertia_of({0.00991611, 0.009280083, 0.00178256}, {side * 1.0388e-05, 0.000250428, side * -8.511e-05});
  links.push_back(thigh);
  TreeLink calf =
      leg_link(name + "_calf", hip_number + 1, {0.0, 0.0, -0.25}, Vector3::UnitY(), -2.77507351067, -0.610865238198);
  calf.mass = 0.241;
  calf.centre = {-0.002196, -0.000381, -0.12338};
  calf.inertia = inertia_of({0.006181961, 0.006196546, 3.4774e-05}, {2.37e-07, -2.985e-06, 5.138e-06});
  links.push_back(calf);
  TreeLink foot;
  foot.name = name + "_foot";
  foot.parent = hip_number + 2;
  foot.joint = TreeJoint::fixed;
  foot.place = {0.0, 0.0, -0.25};
  foot.mass = 0.06;
  foot.inertia = Vector3::Constant(1.6854e-05).asDiagonal();
  links.push_back(foot);
}

}  // namespace

std::vector<TreeLink> laikago() {
  TreeLink trunk;
  trunk.name = "trunk";
  trunk.joint = TreeJoint::free;
  trunk.mass = 13.733;
  trunk.centre = {0.002284, -4.1e-05, 0.025165};
  trunk.inertia = inertia_of({0.073348887, 0.250684593, 0.254469458}, {0.00030338, 0.001918218, -7.5402e-05});
  std::vector<TreeLink> links{trunk};
  add_leg("FR", 1.0, -1.0, links);
  add_leg("FL", 1.0, 1.0, links);
  add_leg("RR", -1.0, -1.0, links);
  add_leg("RL", -1.0, 1.0, links);
  return links;
}

std::vector<LinkShape> laikago_shapes() {
  constexpr double half_leg = 0.125;
  std::vector<LinkShape> shapes{{0, Box{{0.2808, 0.086, 0.09375}}, {0.0, 0.0, 0.01675}}};
  for (std::size_t leg = 0; leg < 4; ++leg) {
    const std::size_t thigh = 3 * leg + 2, calf = thigh + 1;
    shapes.push_back({thigh, Box{{0.0215, 0.017, half_leg}}, {0.0, 0.0, -half_leg}});
    shapes.push_back({calf, Box{{0.008, 0.008, half_leg}}, {0.0, 0.0, -half_leg}});
    shapes.push_back({calf, Sphere{0.0265}, {0.0, 0.0, -2.0 * half_leg}});
  }
  return shapes;
}

}  // namespace ccp
