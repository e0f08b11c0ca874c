#include "problems/geometry/broadphase.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace ccp {
namespace {

constexpr int max_strips = 512;

/// How the bounded bodies lie. Axes and strips decide the time, never the pairs.
struct Layout {
  std::array<Index, 3> axes{0, 1, 2};  ///< by the spread of the centres, the widest first
  double low = 0.0;                    ///< of the centres on the second axis, m
  double strip = 1.0;                  ///< width on the second axis, m; two bodies wide
  int strips = 1;

  explicit Layout(std::span<const BoundedBody> bodies) {
    Vector3 least = Vector3::Constant(infinite), most = -least, extents = Vector3::Zero();
    int count = 0;
    for (const BoundedBody& body : bodies) {
      const Vector3 centre = 0.5 * (body.bounds.low + body.bounds.high);
      if (!centre.allFinite()) continue;
      least = least.cwiseMin(centre);
      most = most.cwiseMax(centre);
      extents += body.bounds.high - body.bounds.low;
      ++count;
    }
    if (count == 0) return;
    const Vector3 spread = most - least;
    std::stable_sort(axes.begin(), axes.end(), [&](Index i, Index j) { return spread[i] > spread[j]; });
    const double width = 2.0 * extents[axes[1]] / count;
    if (!(spread[axes[1]] > width)) return;
    low = least[axes[1]];
    strips = spread[axes[1]] < max_strips * width ? static_cast<int>(spread[axes[1]] / width) : max_strips;
    strip = spread[axes[1]] / strips;
  }

  int strip_of(double place) const {
    return static_cast<int>(std::clamp(std::floor((place - low) / strip), 0.0, static_cast<double>(strips - 1)));
  }
};

/// Grown bounds in the order of the axes.
struct Swept {
  double low[3];
  double high[3];
  int id;
  int first_strip, last_strip;
  bool moves;
};

std::vector<Swept> in_order(std::span<const BoundedBody> bodies, double envelope, const Layout& layout) {
  std::vector<Swept> order;
  order.reserve(bodies.size());
  for (const BoundedBody& body : bodies) {
    Swept& swept = order.emplace_back();
    for (std::size_t i = 0; i < 3; ++i) {
      swept.low[i] = body.bounds.low[layout.axes[i]] - 0.5 * envelope;
      swept.high[i] = body.bounds.high[layout.axes[i]] + 0.5 * envelope;
    }
    swept.id = body.id;
    swept.first_strip = layout.strip_of(swept.low[1]);
    swept.last_strip = layout.strip_of(swept.high[1]);
    swept.moves = body.moves;
  }
  std::sort(order.begin(), order.end(),
            [](const Swept& x, const Swept& y) { return std::pair(x.low[0], x.id) < std::pair(y.low[0], y.id); });
  return order;
}

bool meet(const Swept& x, const Swept& y) {
  return x.low[1] <= y.high[1] && y.low[1] <= x.high[1] && x.low[2] <= y.high[2] && y.low[2] <= x.high[2] &&
         (x.moves || y.moves);
}

/// Bodies that share several strips are a pair of the first one.
void sweep(const std::vector<Swept>& bodies, int strip, std::vector<BodyPair>& pairs) {
  for (auto body = bodies.begin(); body != bodies.end(); ++body)
    for (auto other = body + 1; other != bodies.end() && other->low[0] <= body->high[0]; ++other)
      if (meet(*body, *other) && std::max(body->first_strip, other->first_strip) == strip)
        pairs.push_back({std::min(body->id, other->id), std::max(body->id, other->id)});
}

}  // namespace

std::vector<BodyPair> close_pairs(std::span<const BoundedBody> bodies, double envelope) {
  const Layout layout(bodies);
  std::vector<std::vector<Swept>> strips(static_cast<std::size_t>(layout.strips));
  for (const Swept& body : in_order(bodies, envelope, layout))
    for (int strip = body.first_strip; strip <= body.last_strip; ++strip)
      strips[static_cast<std::size_t>(strip)].push_back(body);

  std::vector<BodyPair> pairs;
  for (int strip = 0; strip < layout.strips; ++strip) sweep(strips[static_cast<std::size_t>(strip)], strip, pairs);
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace ccp
