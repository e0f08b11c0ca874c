#include "kernels/group_sweep.hpp"

#include <algorithm>
#include <utility>

namespace ccp {

/// N γ of the group; lanes without a contact keep what they have.
void GroupSweep::find_products(std::size_t g, const double* w) {
  kernels_.pairs.find_lanes(pairs(g), groups_.size(g), w, product_.data());
  if (contacts_.compliance == nullptr) return;
  const Index first = lane_count * groups_.tile(g);
  groups_.for_contacts(g, [&](Index contact, Index lane) {
    in_lane(product_.data(), lane - first) +=
        contacts_.compliance[contact] * in_lane(std::as_const(packed_gamma_).data(), lane);
  });
}

GroupVectors GroupSweep::vectors(std::size_t g) {
  const Index tile = groups_.tile(g), first = tile_numbers * tile, lane = lane_count * tile;
  const bool steps = step_.size() > 0;
  return {groups_.tiles(g),
          lambda_,
          packed_gamma_.data() + first,
          delta_.data(),
          product_.data(),
          packed_r_.data() + first,
          steps ? step_.data() + lane : nullptr,
          steps ? friction_.data() + lane : nullptr};
}

Largest GroupSweep::all_of(const LaneLargest& largest) {
  return {*std::max_element(largest.change, largest.change + lane_count),
          *std::max_element(largest.impulse, largest.impulse + lane_count)};
}

}  // namespace ccp
