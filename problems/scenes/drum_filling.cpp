#include "problems/scenes/drum_filling.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

#include "problems/geometry/facets.hpp"

namespace ccp {
namespace {

constexpr double shrunk = 1.0 - 1e-6;                    // of the radius of a particle, between it and what it touches
constexpr double slack = 4.0 * (1.0 - shrunk * shrunk);  // of the square of the distance of two that touch, radii²
constexpr double still_fits = 1e-9;                      // radii
constexpr double one_place = 1e-6;  // radii: of heights and places that differ by less neither is the lower

struct Disc {
  double x = 0.0, z = 0.0;  ///< radii
  bool shifted = false;
};

/// The centre of a disc has x nx + z nz <= offset.
struct Wall {
  double nx = 0.0, nz = 0.0, offset = 0.0;
};

/// Discs in a convex polygon, the lowest place first.
class Heap {
 public:
  /// alike, across: how far the centres of two discs are from each other, of the same kind and of both.
  Heap(std::vector<Wall> walls, double alike, double across) : walls_(std::move(walls)), alike_(alike), across_(across) {}

  /// The next disc: the first one lies in the middle of the lowest wall.
  Disc lay() {
    if (discs_.empty()) {
      double lowest = -infinite;
      for (const Wall& wall : walls_)
        if (wall.nz < 0.0) lowest = std::max(lowest, wall.offset / wall.nz);
      return add({0.0, lowest, false});
    }
    while (!fits(places_.top().second)) places_.pop();
    const Disc lowest = places_.top().second;
    places_.pop();
    return add(lowest);
  }

  /// Discs with lower numbers that touch it.
  std::vector<int> touching(int number) const {
    std::vector<int> found;
    const Disc& disc = discs_[static_cast<std::size_t>(number)];
    for_near(disc, [&](int other) {
      const Disc& beside = discs_[static_cast<std::size_t>(other)];
      const double distance = between(disc, beside);
      if (other < number && square(disc, beside) <= distance * distance + slack) found.push_back(other);
    });
    return found;
  }

 private:
  using Order = std::tuple<std::int64_t, std::int64_t, std::int64_t, bool>;
  using Place = std::pair<Order, Disc>;
  struct Later {
    bool operator()(const Place& a, const Place& b) const { return a.first > b.first; }
  };

  double between(const Disc& a, const Disc& b) const { return a.shifted == b.shifted ? alike_ : across_; }
  static double square(const Disc& a, const Disc& b) { return (a.x - b.x) * (a.x - b.x) + (a.z - b.z) * (a.z - b.z); }
  static std::pair<int, int> cell_of(const Disc& disc) {
    return {static_cast<int>(std::floor(0.5 * disc.x)), static_cast<int>(std::floor(0.5 * disc.z))};
  }
  template <typename Visit>
  void for_near(const Disc& disc, const Visit& visit, int cells = 1) const {
    const auto [x, z] = cell_of(disc);
    for (int i = x - cells; i <= x + cells; ++i)
      for (int j = z - cells; j <= z + cells; ++j)
        if (const auto cell = cells_.find({i, j}); cell != cells_.end())
          for (const int other : cell->second) visit(other);
  }

  bool fits(const Disc& disc) const {
    for (const Wall& wall : walls_)
      if (wall.nx * disc.x + wall.nz * disc.z > wall.offset + still_fits) return false;
    bool free = true;
    for_near(disc, [&](int other) {
      const Disc& beside = discs_[static_cast<std::size_t>(other)];
      const double distance = between(disc, beside) - still_fits;
      free = free && square(disc, beside) >= distance * distance;
    });
    return free;
  }

  Disc add(const Disc& disc) {
    for (const bool shifted : {false, true}) {
      for (const Wall& wall : walls_) offer_at_wall(disc, wall, shifted);
      for_near(
          disc, [&](int other) { offer_between(disc, discs_[static_cast<std::size_t>(other)], shifted); }, 2);
    }
    cells_[cell_of(disc)].push_back(static_cast<int>(discs_.size()));
    discs_.push_back(disc);
    return disc;
  }

  void offer(const Disc& place, bool from_left, bool from_right) {
    if (!from_left || !from_right || !fits(place)) return;
    const auto whole = [](double value) { return static_cast<std::int64_t>(std::floor(value / one_place + 0.5)); };
    places_.push({{whole(place.z), std::abs(whole(place.x)), whole(place.x), place.shifted}, place});
  }

  /// The places at two discs.
  void offer_between(const Disc& a, const Disc& b, bool shifted) {
    const double d = std::sqrt(square(a, b)), to_a = shifted == a.shifted ? alike_ : across_;
    const double to_b = shifted == b.shifted ? alike_ : across_;
    const double along = (to_a * to_a - to_b * to_b + d * d) / (2.0 * d), up = to_a * to_a - along * along;
    if (!(up > 0.0)) return;
    const double ex = (b.x - a.x) / d, ez = (b.z - a.z) / d;
    for (const double side : {std::sqrt(up), -std::sqrt(up)}) {
      const Disc place{a.x + along * ex - side * ez, a.z + along * ez + side * ex, shifted};
      if (std::max(a.z, b.z) > place.z + still_fits) continue;
      offer(place, std::min(a.x, b.x) <= place.x + still_fits, std::max(a.x, b.x) >= place.x - still_fits);
    }
  }

  /// The places at a disc and a wall.
  void offer_at_wall(const Disc& a, const Wall& wall, bool shifted) {
    const double to_a = shifted == a.shifted ? alike_ : across_;
    const double away = wall.offset - wall.nx * a.x - wall.nz * a.z, beside = to_a * to_a - away * away;
    if (wall.nz >= 0.0 || !(beside > 0.0)) return;
    for (const double side : {std::sqrt(beside), -std::sqrt(beside)}) {
      const Disc place{a.x + away * wall.nx - side * wall.nz, a.z + away * wall.nz + side * wall.nx, shifted};
      if (a.z > place.z + still_fits) continue;
      offer(place, std::min(a.x - place.x, wall.nx) <= still_fits, std::max(a.x - place.x, wall.nx) >= -still_fits);
    }
  }

  std::vector<Wall> walls_;
  double alike_, across_;
  std::vector<Disc> discs_;
  std::map<std::pair<int, int>, std::vector<int>> cells_;  ///< 2 radii wide
  std::priority_queue<Place, std::vector<Place>, Later> places_;
};

/// In radii.
std::vector<Wall> walls_of(const FilledDrum& drum, const Vector3& radii) {
  std::vector<Wall> walls;
  for_each_facet(drum.pipe, drum.rotation, [&](const Facet& facet) {
    const Vector3 image = radii.cwiseProduct(facet.into);
    const double length = image.norm();
    walls.push_back({image[0] / length, image[2] / length, facet.distance / length - shrunk});
  });
  return walls;
}

}  // namespace

DrumFilling::DrumFilling(int particles, const Vector3& radii, const FilledDrum& drum)
    : particles_(particles), radii_(radii), first_y_(drum.low + shrunk * radii[1]) {
  const double way = drum.high - drum.low - 2.0 * shrunk * radii[1];
  const int more = static_cast<int>(way / (2.0 * shrunk * radii[1]));
  if (more > 0) spacing_ = way / more;
  const double aside = 0.5 * spacing_ / radii[1];  // of shifted particles; none is where one fits in
  Heap heap(walls_of(drum, radii), 2.0 * shrunk, std::sqrt(4.0 * shrunk * shrunk - aside * aside));
  for (int laid = 0; laid < particles;) {
    const Disc disc = heap.lay();
    const int number = static_cast<int>(rows_.size());
    rows_.push_back({disc.x, disc.z, disc.shifted, laid, {}});
    for (const int below : heap.touching(number)) rows_[static_cast<std::size_t>(below)].touching.push_back(number);
    laid += more + (disc.shifted && more > 0 ? 0 : 1);
  }
}

int DrumFilling::row_of(int particle) const {
  const auto behind =
      std::upper_bound(rows_.begin(), rows_.end(), particle, [](int number, const Row& row) { return number < row.first; });
  return static_cast<int>(behind - rows_.begin()) - 1;
}

Vector3 DrumFilling::centre(int particle) const {
  const Row& row = rows_[static_cast<std::size_t>(row_of(particle))];
  const double place = static_cast<double>(particle - row.first) + (row.shifted ? 0.5 : 0.0);
  return {radii_[0] * row.x, first_y_ + spacing_ * place, radii_[2] * row.z};
}

void DrumFilling::add_touching(int particle, std::vector<int>& others) const {
  const auto number = static_cast<std::size_t>(row_of(particle));
  const Row& row = rows_[number];
  const auto end_of = [&](std::size_t which) { return which + 1 < rows_.size() ? rows_[which + 1].first : particles_; };
  const int place = particle - row.first;
  if (spacing_ <= 2.0 * radii_[1] && particle + 1 < end_of(number)) others.push_back(particle + 1);
  for (const int next : row.touching) {
    const Row& other = rows_[static_cast<std::size_t>(next)];
    const int before = row.shifted || !other.shifted ? place : place - 1;  // its first neighbour, which may be missing
    const int last = row.shifted == other.shifted ? before : before + 1;
    for (int beside = std::max(before, 0); beside <= last; ++beside)
      if (other.first + beside < end_of(static_cast<std::size_t>(next))) others.push_back(other.first + beside);
  }
}

double DrumFilling::top() const {
  double highest = -infinite;
  for (const Row& row : rows_) highest = std::max(highest, row.z + 1.0);
  return radii_[2] * highest;
}

}  // namespace ccp
