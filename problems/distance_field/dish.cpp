#include "problems/distance_field/dish.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "problems/dynamics/elementary.hpp"

namespace ccp {
namespace {

Vector2 nearest_on_segment(const Vector2& q, const Vector2& start, const Vector2& end) {
  const Vector2 edge = end - start;
  return start + std::clamp(edge.dot(q - start) / edge.squaredNorm(), 0.0, 1.0) * edge;
}

Vector2 in_section(const Vector3& p) { return {std::sqrt(p[0] * p[0] + p[1] * p[1]), p[2]}; }

/// From the nearest point of OA (part 0) or AB (part 1) to q.
Vector2 from_part(const DishProfile& profile, int part, const Vector2& q) {
  const std::array<Vector2, 3> line = profile.midline();
  const auto start = static_cast<std::size_t>(part);
  return q - nearest_on_segment(q, line[start], line[start + 1]);
}

/// From the nearest point of the midline to q; the first of equals.
Vector2 from_midline(const DishProfile& profile, const Vector2& q) {
  const Vector2 to_base = from_part(profile, 0, q), to_wall = from_part(profile, 1, q);
  return to_wall.squaredNorm() < to_base.squaredNorm() ? to_wall : to_base;
}

/// The unit vector along `away`, which is in the half-plane of p.
Vector3 turned_outwards(const Vector2& away, const Vector3& p) {
  const double r = in_section(p)[0], length = std::sqrt(away.squaredNorm());
  if (length == 0.0) return Vector3::UnitZ();
  if (r == 0.0) return away[1] < 0.0 ? Vector3(-Vector3::UnitZ()) : Vector3(Vector3::UnitZ());
  return Vector3(away[0] * p[0] / r, away[0] * p[1] / r, away[1]) / length;
}

double cross(const Vector2& a, const Vector2& b) { return a[0] * b[1] - a[1] * b[0]; }

/// Square of the distance of two segments; 0 where they cross.
double segment_distance_squared(const Vector2& a, const Vector2& b, const Vector2& c, const Vector2& d) {
  const bool parted = cross(b - a, c - a) * cross(b - a, d - a) > 0.0 || cross(d - c, a - c) * cross(d - c, b - c) > 0.0;
  const double ends =
      std::min({(c - nearest_on_segment(c, a, b)).squaredNorm(), (d - nearest_on_segment(d, a, b)).squaredNorm(),
                (a - nearest_on_segment(a, c, d)).squaredNorm(), (b - nearest_on_segment(b, c, d)).squaredNorm()});
  const bool along = cross(b - a, c - a) == 0.0 && cross(b - a, d - a) == 0.0;
  return parted || along ? ends : 0.0;
}

double midline_distance(const DishProfile& lower, const DishProfile& upper, double height) {
  const std::array<Vector2, 3> below = lower.midline();
  std::array<Vector2, 3> above = upper.midline();
  for (Vector2& point : above) point[1] += height;
  double least = std::numeric_limits<double>::infinity();
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
    for (const std::size_t j : {std::size_t{0}, std::size_t{1}})
      least = std::min(least, segment_distance_squared(below[i], below[i + 1], above[j], above[j + 1]));
  return std::sqrt(least);
}

Vector2 unit(const Vector2& direction) { return direction / std::sqrt(direction.squaredNorm()); }

/// Points from start to end; the first one only if it is asked for.
void add_line(std::vector<Vector2>& outline, const Vector2& start, const Vector2& end, int segments, bool with_start) {
  if (with_start) outline.push_back(start);
  for (int i = 1; i <= segments; ++i) outline.emplace_back(start + static_cast<double>(i) / segments * (end - start));
}

/// Inner points of an arc from the direction `from` by `angle`, rad, anticlockwise.
void add_arc(std::vector<Vector2>& outline, const Vector2& centre, const Vector2& from, double radius, double angle,
             int segments) {
  for (int i = 1; i < segments; ++i) {
    const double turn = angle * i / segments, c = taylor_cos(turn), s = taylor_sin(turn);
    outline.emplace_back(centre + radius * Vector2(c * from[0] - s * from[1], s * from[0] + c * from[1]));
  }
}

}  // namespace

double DishDistance::distance(const Vector3& p) const {
  return std::sqrt(from_midline(profile_, in_section(p)).squaredNorm()) - profile_.thickness;
}

Vector3 DishDistance::gradient(const Vector3& p) const { return turned_outwards(from_midline(profile_, in_section(p)), p); }

double DishDistance::part_distance(int part, const Vector3& p) const {
  return std::sqrt(from_part(profile_, part, in_section(p)).squaredNorm()) - profile_.thickness;
}

Vector3 DishDistance::part_gradient(int part, const Vector3& p) const {
  return turned_outwards(from_part(profile_, part, in_section(p)), p);
}

double stacking_height(const DishProfile& lower, const DishProfile& upper, double overlap) {
  const double wanted = lower.thickness + upper.thickness - overlap;
  double low = 0.0, high = lower.rim[1] + wanted;  // the base of the upper dish is over the rim of the lower one
  for (int halving = 0; halving < 100; ++halving) {
    const double middle = 0.5 * (low + high);
    (midline_distance(lower, upper, middle) < wanted ? low : high) = middle;
  }
  return high;
}

ShellInertia shell_inertia(const DishProfile& profile) {
  const double a = profile.foot[0], b = profile.rim[0], height = profile.rim[1];
  const double disc = a * a, cone = (a + b) * std::sqrt((b - a) * (b - a) + height * height);  // areas over π
  const double share = cone / (disc + cone);
  ShellInertia shell;
  shell.centre = share * height * (a + 2.0 * b) / (3.0 * (a + b));
  shell.axial = (1.0 - share) * 0.5 * a * a + share * 0.5 * (a * a + b * b);
  const double height_squared = share * height * height * (a + 3.0 * b) / (6.0 * (a + b));  // mean of z²
  shell.across = 0.5 * shell.axial + height_squared - shell.centre * shell.centre;
  return shell;
}

TriangleMesh dish_mesh(const DishProfile& profile, int azimuths) {
  constexpr int straight = 6, foot_arc = 2, rim_arc = 6;
  const double d = profile.thickness;
  const Vector2 foot = profile.foot, rim = profile.rim, along = unit(rim - foot), outward(along[1], -along[0]);
  // The inner corner is where the offsets of OA and AB meet: at height d over OA and at distance d inside of AB.
  const double rise = along[1] > 0.0 ? d * (1.0 - along[0]) / along[1] : 0.0;
  const Vector2 corner(foot[0] - rise, d);
  const double lean = taylor_atan2(along[1], along[0]);  // the arc about A goes from −e_z to `outward`
  std::vector<Vector2> outline;
  add_line(outline, {0.0, -d}, {foot[0], -d}, straight, true);
  add_arc(outline, foot, {0.0, -1.0}, d, lean, foot_arc);
  add_line(outline, foot + d * outward, rim + d * outward, straight, true);
  add_arc(outline, rim, outward, d, std::numbers::pi, rim_arc);
  add_line(outline, rim - d * outward, corner, straight, true);
  add_line(outline, corner, {0.0, d}, straight, false);
  return surface_of_revolution(outline, azimuths);
}

}  // namespace ccp
