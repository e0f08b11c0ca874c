#include "kernels/group_sweep.hpp"

#include <algorithm>
#include <utility>

namespace ccp {

ContactGroups::ContactGroups(const PairedContacts& contacts) : order_(contacts.order) {
  const auto count = std::ssize(order_);
  std::vector<Index> last_use(uz(contacts.idle) + 1, -1);  // of each body, as a place
  places_.push_back(0);
  for (Index place = 0; place < count; ++place) {
    bool joins = place - places_.back() < most_tiles * lane_count;
    const std::span<const int> bodies(contacts.pairs.body + 2 * place, 2);
    for (const int body : bodies) joins = joins && (body == contacts.idle || last_use[uz(body)] < places_.back());
    if (!joins) places_.push_back(place);
    for (const int body : bodies) last_use[uz(body)] = place;
  }
  places_.push_back(count);
  tiles_.push_back(0);
  for (std::size_t g = 0; g + 1 < places_.size(); ++g)
    tiles_.push_back(tiles_.back() + (size(g) + lane_count - 1) / lane_count);
}

Vector ContactGroups::packed_scalars(Eigen::Ref<const Vector> of_contacts) const {
  Vector packed = Vector::Zero(lane_count * tiles_.back());
  for_contacts([&](Index contact, Index lane) { packed[lane] = of_contacts[contact]; });
  return packed;
}

void ContactGroups::pack(const Vector& of_contacts, Vector& packed) const {
  packed.setZero(tile_numbers * tiles_.back());
  for_contacts([&](Index contact, Index lane) { in_lane(packed.data(), lane) = of_contacts.segment<3>(3 * contact); });
}

void ContactGroups::unpack(const Vector& packed, Vector& of_contacts) const {
  for_contacts([&](Index contact, Index lane) { of_contacts.segment<3>(3 * contact) = in_lane(packed.data(), lane); });
}

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
