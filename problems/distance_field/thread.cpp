#include "problems/distance_field/thread.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

#include "problems/dynamics/elementary.hpp"

namespace ccp {
namespace {

constexpr double mm = 1e-3;
constexpr double tan_30 = 0.57735026918962576;
constexpr double chamfer_depth = 0.5 * mm;  // of the cones at the ends, under the root

/// ‖∇φ_raw‖.
double length_of_gradient(double along, double slope) { return std::sqrt(1.0 + along * slope * along * slope); }

}  // namespace

ThreadProfile ThreadProfile::bolt_m48(double fit) {
  return {5.0 * mm, (47.929 - 0.530 * fit) * mm, (44.681 - 0.250 * fit) * mm, 41.866 * mm};
}

ThreadProfile ThreadProfile::nut_m48(double fit) {
  return {5.0 * mm, 48.3 * mm, (44.752 + 0.335 * fit) * mm, (42.587 + 0.710 * fit) * mm};
}

std::array<Vector2, 4> ThreadProfile::half_section() const {
  const double crest = 0.25 * pitch - 0.5 * (major - pitch_diameter) * tan_30;
  const double root = 0.25 * pitch + 0.5 * (pitch_diameter - minor) * tan_30;
  return {Vector2(0.0, 0.5 * major), Vector2(crest, 0.5 * major), Vector2(root, 0.5 * minor),
          Vector2(0.5 * pitch, 0.5 * minor)};
}

ThreadedBolt::ThreadedBolt(const ThreadProfile& profile, double half_length) : profile_(profile), half_length_(half_length) {
  const std::array<Vector2, 4> corners = profile.half_section();
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    const Vector2 way = corners[i + 1] - corners[i];
    const double length = std::sqrt(way.squaredNorm());
    const Vector2 along = way / length;  // edges go to larger s, material is below
    edges_[i] = {corners[i], corners[i + 1], along, Vector2(-along[1], along[0]), length};
  }
}

ThreadedBolt::Section ThreadedBolt::section(double s, double r, double slope) const {
  const double wrapped = s - profile_.pitch * std::floor(s / profile_.pitch + 0.5);
  const double side = wrapped < 0.0 ? -1.0 : 1.0;
  const Vector2 q(side * wrapped, r);  // the section is symmetric in s: half of it is enough
  double nearest = std::numeric_limits<double>::infinity();
  Section result;
  for (const Edge& edge : edges_) {
    const Vector2 from = q - edge.start;
    const double place = edge.along.dot(from), height = edge.outward.dot(from);
    Section part{height, side * edge.outward[0], edge.outward[1]};
    if (place < 0.0 || place > edge.length) {  // a corner is where both of its edges end: q is outside of both, or inside
      const Vector2 from_corner = q - (place < 0.0 ? edge.start : edge.end);
      const double length = std::sqrt(from_corner.squaredNorm()), sign = height < 0.0 ? -1.0 : 1.0;
      if (length > 0.0) part = {sign * length, sign * side * from_corner[0] / length, sign * from_corner[1] / length};
    }
    const double distance = std::abs(part.distance) / length_of_gradient(part.along, slope);
    if (distance >= nearest) continue;
    nearest = distance;
    result = part;
  }
  return result;
}

double ThreadedBolt::evaluate(const Vector3& p, Vector3* gradient) const {
  const double r = std::sqrt(p[0] * p[0] + p[1] * p[1]);
  const Vector3 radial = r > 0.0 ? Vector3(p[0] / r, p[1] / r, 0.0) : Vector3(1.0, 0.0, 0.0);
  const double turn = 0.5 * std::numbers::inv_pi * taylor_atan2(p[1], p[0]);
  const double slope = r > 0.0 ? 0.5 * std::numbers::inv_pi * profile_.pitch / r : 0.0;
  const Section raw = section(p[2] - profile_.pitch * turn, r, slope);
  const double length = length_of_gradient(raw.along, slope);
  double distance = raw.distance / length;
  if (gradient) {
    const Vector3 azimuthal(-radial[1], radial[0], 0.0);
    *gradient = (raw.along * (Vector3::UnitZ() - slope * azimuthal) + raw.radial * radial) / length;
  }
  const double up = p[2] < 0.0 ? -1.0 : 1.0, beyond = up * p[2] - half_length_;
  if (beyond > distance) {
    distance = beyond;
    if (gradient) *gradient = up * Vector3::UnitZ();
  }
  const double cone = (r - (0.5 * profile_.minor - chamfer_depth) + beyond) / std::numbers::sqrt2;
  if (cone > distance) {
    distance = cone;
    if (gradient) *gradient = (radial + up * Vector3::UnitZ()) / std::numbers::sqrt2;
  }
  return distance;
}

double ThreadedBolt::distance(const Vector3& p) const { return evaluate(p, nullptr); }

Vector3 ThreadedBolt::gradient(const Vector3& p) const {
  Vector3 gradient;
  evaluate(p, &gradient);
  return gradient;
}

double ThreadedBolt::lipschitz() const {
  const double slope = profile_.pitch * std::numbers::inv_pi / profile_.minor;  // the steepest outside of the root
  return std::sqrt(1.0 + slope * slope);
}

}  // namespace ccp
