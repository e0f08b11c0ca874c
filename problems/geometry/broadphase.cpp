#include "problems/geometry/broadphase.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace ccp {
namespace {

/// The axis on which the centres of the bounded bodies are spread most; the first of equals.
Index widest_axis(std::span<const BoundedBody> bodies) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  Vector3 low = Vector3::Constant(infinite), high = Vector3::Constant(-infinite);
  for (const BoundedBody& body : bodies) {
    const Vector3 centre = 0.5 * (body.bounds.low + body.bounds.high);
    if (!centre.allFinite()) continue;
    low = low.cwiseMin(centre);
    high = high.cwiseMax(centre);
  }
  Index axis = 0;
  for (Index i = 1; i < 3; ++i)
    if (high[i] - low[i] > high[axis] - low[axis]) axis = i;
  return axis;
}

/// Bounds with the axis of the sweep first, beside each other in memory in the order of the sweep.
struct Swept {
  double low[3];
  double high[3];
  int id;
  bool moves;
};

std::vector<Swept> in_order(std::span<const BoundedBody> bodies, double envelope) {
  const Index axis = widest_axis(bodies);
  std::vector<Swept> order;
  order.reserve(bodies.size());
  for (const BoundedBody& body : bodies) {
    Swept& swept = order.emplace_back();
    for (Index i = 0; i < 3; ++i) {
      swept.low[i] = body.bounds.low[(axis + i) % 3] - 0.5 * envelope;
      swept.high[i] = body.bounds.high[(axis + i) % 3] + 0.5 * envelope;
    }
    swept.id = body.id;
    swept.moves = body.moves;
  }
  std::sort(order.begin(), order.end(),
            [](const Swept& x, const Swept& y) { return x.low[0] != y.low[0] ? x.low[0] < y.low[0] : x.id < y.id; });
  return order;
}

bool meet(const Swept& x, const Swept& y) {
  return x.low[1] <= y.high[1] && y.low[1] <= x.high[1] && x.low[2] <= y.high[2] && y.low[2] <= x.high[2] &&
         (x.moves || y.moves);
}

}  // namespace

std::vector<BodyPair> close_pairs(std::span<const BoundedBody> bodies, double envelope) {
  const std::vector<Swept> order = in_order(bodies, envelope);
  std::vector<BodyPair> pairs;
  for (auto body = order.begin(); body != order.end(); ++body)
    for (auto other = body + 1; other != order.end() && other->low[0] <= body->high[0]; ++other)
      if (meet(*body, *other)) pairs.push_back({std::min(body->id, other->id), std::max(body->id, other->id)});
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace ccp
