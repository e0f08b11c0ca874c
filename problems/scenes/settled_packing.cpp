#include "problems/scenes/settled_packing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "core/error.hpp"
#include "problems/geometry/sphere_pairs.hpp"

namespace ccp {
namespace {

constexpr double filling = 0.6;  // of the box in which spheres are thrown
constexpr int relaxations = 400, relaxations_per_search = 10;
constexpr double yielding = 3e-3;  // of a contact under the mean load of a sphere at the floor, over the radius
constexpr double at_rest = 1e-4;   // force left on a sphere, over the sum of its forces
constexpr int most_steps = 1000000;
constexpr double search_reach = 2.5, search_again = 0.14;  // radii; 2 √3 · 0.14 < 0.5

void sort_upwards(std::vector<Vector3>& centres) {
  std::sort(centres.begin(), centres.end(), [](const Vector3& a, const Vector3& b) { return a[2] < b[2]; });
}

void push_apart(Vector3& first, Vector3& second, double distance) {
  const Vector3 line = second - first;
  const double length = line.norm();
  if (length >= distance || length == 0.0) return;
  const Vector3 push = 0.5 * (distance / length - 1.0) * line;
  first -= push;
  second += push;
}

/// Points uniform in the box, with each overlap removed in turn, in rounds, until all overlaps are small.
SpherePacking thrown(int spheres, double radius, double width, Random& random) {
  SpherePacking packing;
  const double volume = 4.0 / 3.0 * std::numbers::pi * radius * radius * radius * spheres;
  packing.height = std::max(2.0 * radius, volume / (filling * width * width));
  const Vector3 low = Vector3::Constant(radius), high = Vector3(width, width, packing.height) - low;
  for (int i = 0; i < spheres; ++i) {
    const double x = random.uniform(), y = random.uniform(), z = random.uniform();  // in this order
    packing.centres.push_back(low + Vector3(x, y, z).cwiseProduct(high - low));
  }
  std::vector<SpherePair> near;
  for (int step = 0; step < relaxations; ++step) {
    if (step % relaxations_per_search == 0) near = pairs_within(packing.centres, search_reach * radius);
    for (const SpherePair& pair : near)
      push_apart(packing.centres[static_cast<std::size_t>(pair.first)],
                 packing.centres[static_cast<std::size_t>(pair.second)], 2.0 * radius);
    for (Vector3& centre : packing.centres) centre = centre.cwiseMax(low).cwiseMin(high);
  }
  return packing;
}

/// Damped motion of the spheres and the lid. Lengths are in radii, masses and forces in those of a sphere and its weight;
/// the last unknown is the height of the lid times √lid_mass_, so that every unknown has the same mass.
class Settling {
 public:
  Settling(const SpherePacking& start, double radius, double width, double lid_weight)
      : spheres_(static_cast<Index>(start.centres.size())), radius_(radius), width_(width / radius), lid_(lid_weight) {
    const double floor_places = 0.25 * width_ * width_;  // spheres side by side
    stiffness_ = (lid_ + static_cast<double>(spheres_)) / (floor_places * yielding);
    lid_scale_ = std::sqrt(floor_places);
    x_.resize(3 * spheres_ + 1);
    for (Index i = 0; i < spheres_; ++i) x_.segment<3>(3 * i) = start.centres[static_cast<std::size_t>(i)] / radius;
    x_[3 * spheres_] = lid_scale_ * start.height / radius;
  }

  void run() {
    const double step = 0.5 / std::sqrt(stiffness_);  // stable: less than 2 over the largest frequency, √(8 stiffness)
    const double kept = 1.0 - step;                   // drag of one over the time in which a sphere falls half a radius
    Vector v = Vector::Zero(x_.size());
    for (int n = 0; n < most_steps; ++n) {
      find_forces();
      if (largest_force_left() < at_rest) return;
      v = kept * v + step * force_;
      x_ += step * v;
    }
    throw InputError("the random packing does not come to rest: a lighter slab, or fewer spheres");
  }

  SpherePacking result() const {
    SpherePacking packing;
    for (Index i = 0; i < spheres_; ++i) packing.centres.push_back(radius_ * x_.segment<3>(3 * i));
    packing.height = radius_ * x_[3 * spheres_] / lid_scale_;
    sort_upwards(packing.centres);
    return packing;
  }

 private:
  /// force_, and in load_ the sum of the sizes of the forces on each sphere.
  void find_forces() {
    find_pairs();
    force_.setZero(x_.size());
    load_.setOnes(spheres_);
    for (const SpherePair& pair : near_) {
      const Vector3 line = x_.segment<3>(3 * pair.second) - x_.segment<3>(3 * pair.first);
      const double square = line.squaredNorm();
      if (square >= 4.0 || square == 0.0) continue;
      const double length = std::sqrt(square), size = stiffness_ * (2.0 - length);
      force_.segment<3>(3 * pair.first) -= size / length * line;
      force_.segment<3>(3 * pair.second) += size / length * line;
      load_[pair.first] += size;
      load_[pair.second] += size;
    }
    const auto push = [this](double distance) { return stiffness_ * std::max(1.0 - distance, 0.0); };
    const double height = x_[3 * spheres_] / lid_scale_;
    double on_lid = 0.0;
    for (Index i = 0; i < spheres_; ++i) {
      const Vector3 centre = x_.segment<3>(3 * i);
      const Vector3 low(push(centre[0]), push(centre[1]), push(centre[2]));
      const Vector3 high(push(width_ - centre[0]), push(width_ - centre[1]), lid_ > 0.0 ? push(height - centre[2]) : 0.0);
      force_.segment<3>(3 * i) += low - high - Vector3::UnitZ();
      load_[i] += low.sum() + high.sum();
      on_lid += high[2];
    }
    force_[3 * spheres_] = (on_lid - lid_) / lid_scale_;
  }

  /// Found anew when a pair may have come near from farther away.
  void find_pairs() {
    if (searched_.size() > 0 && (x_ - searched_).head(3 * spheres_).cwiseAbs().maxCoeff() < search_again) return;
    searched_ = x_;
    std::vector<Vector3> points;
    for (Index i = 0; i < spheres_; ++i) points.push_back(x_.segment<3>(3 * i));
    near_ = pairs_within(points, search_reach);
  }

  /// Over the forces on the same body.
  double largest_force_left() const {
    double largest = lid_ > 0.0 ? std::abs(force_[3 * spheres_]) * lid_scale_ / lid_ : 0.0;
    for (Index i = 0; i < spheres_; ++i) largest = std::max(largest, force_.segment<3>(3 * i).norm() / load_[i]);
    return largest;
  }

  Index spheres_;
  double radius_, width_, lid_, stiffness_ = 0.0, lid_scale_ = 1.0;
  Vector x_, force_, load_, searched_;
  std::vector<SpherePair> near_;
};

}  // namespace

SpherePacking thrown_packing(int spheres, double radius, double width, Random& random) {
  SpherePacking packing = thrown(spheres, radius, width, random);
  sort_upwards(packing.centres);
  return packing;
}

SpherePacking settled_packing(int spheres, double radius, double width, double lid_weight, Random& random) {
  Settling settling(thrown(spheres, radius, width, random), radius, width, lid_weight);
  settling.run();
  return settling.result();
}

}  // namespace ccp
