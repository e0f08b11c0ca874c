#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace ccp {

/// Where a path rests.
enum class PathRests {
  at_points,  ///< at each point: between two, q = q_a + s (q_b − q_a)
  at_ends     ///< at the first and the last one: it is at time s T of the path through the points at constant rates
};

/// Angles that go through points in turn, with s = 10τ³ − 15τ⁴ + 6τ⁵, τ the share of the time between two rests, T apart. At
/// rest at the last point from then on. Angles: a list of numbers, all of one length, rad or m.
template <typename Angles>
class JointPath {
 public:
  struct Point {
    double time;  ///< s, later than that of the point before; 0 of the first one
    Angles angles;
  };
  explicit JointPath(std::vector<Point> points, PathRests rests = PathRests::at_points)
      : points_(std::move(points)), rests_(rests) {}

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

  /// s and ds/dτ.
  static std::pair<double, double> eased(double tau) {
    const double rest = tau * (1.0 - tau);
    return {tau * tau * tau * (10.0 - 15.0 * tau + 6.0 * tau * tau), 30.0 * rest * rest};
  }

  Piece piece(double time) const {
    const double end = points_.back().time;
    if (time >= end) return {points_.back().angles, points_.back().angles, 0.0, 0.0};
    const auto [s, speed] = rests_ == PathRests::at_ends ? eased(time / end) : std::pair(0.0, 0.0);
    if (rests_ == PathRests::at_ends) time = s * end;
    std::size_t i = 1;
    while (time >= points_[i].time && i + 1 < points_.size()) ++i;
    const double length = points_[i].time - points_[i - 1].time, tau = (time - points_[i - 1].time) / length;
    if (rests_ == PathRests::at_ends) return {points_[i - 1].angles, points_[i].angles, tau, speed / length};
    const auto [share, rate] = eased(tau);
    return {points_[i - 1].angles, points_[i].angles, share, rate / length};
  }

  std::vector<Point> points_;
  PathRests rests_;
};

}  // namespace ccp
