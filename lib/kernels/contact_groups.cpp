#include "kernels/contact_groups.hpp"

#include "kernels/group_loops.hpp"

namespace ccp {

ContactGroups::ContactGroups(const PairedContacts& contacts) : order_(contacts.order) {
  const auto count = static_cast<Index>(order_.size());
  std::vector<Index> last_use(static_cast<std::size_t>(contacts.idle) + 1, -1);  // of each body, as a place
  places_.push_back(0);
  for (Index place = 0; place < count; ++place) {
    bool joins = place - places_.back() < most_tiles * lane_count;
    const std::span<const int> bodies(contacts.pairs.body + 2 * place, 2);
    for (const int body : bodies)
      joins = joins && (body == contacts.idle || last_use[static_cast<std::size_t>(body)] < places_.back());
    if (!joins) places_.push_back(place);
    for (const int body : bodies) last_use[static_cast<std::size_t>(body)] = place;
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

}  // namespace ccp
