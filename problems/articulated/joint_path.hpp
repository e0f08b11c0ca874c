#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace ccp {

/// Angles that go through points in turn and rest at each: between two, q = q_a + s (q_b − q_a) with s = 10τ³ − 15τ⁴ + 6τ⁵,
/// τ the share of the time. At rest at the last one from then on. Angles: a list of numbers, all of one length, rad or m.
template <typename Angles>
class JointPath {
 public:
  struct Point {
    double time;  ///< s, later than that of the point before; 0 of the first one
    Angles angles;
  };
  explicit JointPath(std::vector<Point> points) : points_(std::move(points)) {}

  Angles angles(double time) const {
    const Piece now = piece(time);
    Angles result = now.from;
    for (std::size_t i = 0; i < static_cast<std::size_t>(result.size()); ++i)
      at(result, i) = at(now.from, i) + now.share * (at(now.to, i) - at(now.from, i));
    return result;
  }

  Angles rates(double time) const {
    const Piece now = piece(time);
    Angles result = now.from;
    for (std::size_t i = 0; i < static_cast<std::size_t>(result.size()); ++i)
      at(result, i) = now.rate * (at(now.to, i) - at(now.from, i));
    return result;
  }

 private:
  /// The place of a time on the path: between which points, s, and ds/dt.
  struct Piece {
    const Angles& from;
    const Angles& to;
    double share, rate;
  };

  /// Eigen counts with signed numbers.
  static auto& at(auto& angles, std::size_t i) { return angles[static_cast<decltype(angles.size())>(i)]; }

  Piece piece(double time) const {
    for (std::size_t i = 1; i < points_.size(); ++i) {
      if (time >= points_[i].time) continue;
      const double length = points_[i].time - points_[i - 1].time, tau = (time - points_[i - 1].time) / length;
      const double rest = tau * (1.0 - tau);
      return {points_[i - 1].angles, points_[i].angles, tau * tau * tau * (10.0 - 15.0 * tau + 6.0 * tau * tau),
              30.0 * rest * rest / length};
    }
    return {points_.back().angles, points_.back().angles, 0.0, 0.0};
  }

  std::vector<Point> points_;
};

}  // namespace ccp
