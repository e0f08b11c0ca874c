#pragma once

#include <compare>
#include <span>
#include <vector>

#include "problems/geometry/shape.hpp"

namespace ccp {

struct BoundedBody {
  int id = 0;
  bool moves = true;  ///< two that do not are no pair
  Bounds bounds;
};

struct BodyPair {
  int a = 0;
  int b = 0;  ///< > a

  auto operator<=>(const BodyPair&) const = default;
};

/// The pairs of ids whose bounds, each grown by envelope/2, have a point in common, in ascending order: the same whatever
/// the order of the bodies. Sweeps along the axis on which the centres are spread most, in strips across the next one: for N
/// bodies of a size in a cube the time grows as N^(4/3). envelope: m, >= 0.
std::vector<BodyPair> close_pairs(std::span<const BoundedBody> bodies, double envelope);

}  // namespace ccp
