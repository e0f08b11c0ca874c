#include "kernels/group_sweep.hpp"

#include <algorithm>

namespace ccp {

ContactGroups::ContactGroups(const PairedContacts& contacts) : order_(contacts.order), rows_(contacts.pairs.rows) {
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

void ContactGroups::pack(Eigen::Ref<const Vector> of_contacts, int each, Vector& packed) const {
  packed.setZero(each * lane_count * tiles_.back());
  for_contacts([&](Index contact, Index lane) {
    for (int k = 0; k < each; ++k) packed[lane_place(lane, each) + k * lane_count] = of_contacts[each * contact + k];
  });
}

void ContactGroups::unpack(const Vector& packed, Vector& of_contacts) const {
  if (rows_ == 2)
    for_contacts([&](Index i, Index lane) { of_contacts.segment<2>(2 * i) = in_lane<2>(packed.data(), lane); });
  else
    for_contacts([&](Index i, Index lane) { of_contacts.segment<3>(3 * i) = in_lane<3>(packed.data(), lane); });
}

Largest GroupSweep::all_of(const LaneLargest& largest) {
  return {*std::max_element(largest.change, largest.change + lane_count),
          *std::max_element(largest.impulse, largest.impulse + lane_count)};
}

}  // namespace ccp
