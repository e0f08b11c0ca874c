#pragma once

#include <span>
#include <vector>

#include "core/types.hpp"
#include "kernels/pair_loops.hpp"

namespace ccp {

/// The contacts of a factored operator in the order of its data (E.3), each between two bodies.
struct PairedContacts {
  ContactPairs pairs;
  std::span<const int> order;  ///< number of each contact
  int idle;                    ///< where the velocity of the body starts that stands for the world
  const Matrix3* compliance;   ///< C_ii by number of the contact; null where C = 0
};

/// Contacts in groups of at most 16 neighbours in that order of which no two share a body: a sweep of Gauss–Seidel has the
/// same bits whether it takes a group at once or its contacts one after the other. Vectors are packed for that: every group
/// has whole tiles, in lanes, and lanes without a contact hold zeros.
class ContactGroups {
 public:
  ContactGroups() = default;
  explicit ContactGroups(const PairedContacts& contacts);

  bool empty() const { return places_.size() < 2; }
  std::size_t count() const { return places_.size() - 1; }
  /// The first of its places in the order, and the end.
  Index place(std::size_t group) const { return places_[group]; }
  Index size(std::size_t group) const { return places_[group + 1] - places_[group]; }
  Index tile(std::size_t group) const { return tiles_[group]; }
  Index tiles(std::size_t group) const { return tiles_[group + 1] - tiles_[group]; }

  /// One number of each contact.
  Vector packed_scalars(Eigen::Ref<const Vector> of_contacts) const;
  /// The three numbers of each contact.
  void pack(const Vector& of_contacts, Vector& packed) const;
  void unpack(const Vector& packed, Vector& of_contacts) const;

  /// visit(contact, lane) for the contacts of a group.
  template <typename Visit>
  void for_contacts(std::size_t group, const Visit& visit) const {
    const Index first = places_[group], lane = lane_count * tiles_[group];
    for (Index k = 0; k < size(group); ++k) visit(Index{order_[static_cast<std::size_t>(first + k)]}, lane + k);
  }

 private:
  template <typename Visit>
  void for_contacts(const Visit& visit) const {
    for (std::size_t g = 0; g + 1 < places_.size(); ++g) for_contacts(g, visit);
  }

  std::span<const int> order_;
  std::vector<Index> places_;  ///< first one of each group, and the end
  std::vector<Index> tiles_;   ///< first one of each group, and the end
};

/// The three numbers of a packed contact.
inline Eigen::Map<Vector3, 0, Eigen::InnerStride<lane_count>> in_lane(double* packed, Index lane) {
  return Eigen::Map<Vector3, 0, Eigen::InnerStride<lane_count>>(packed + lane_place(lane));
}
inline Eigen::Map<const Vector3, 0, Eigen::InnerStride<lane_count>> in_lane(const double* packed, Index lane) {
  return Eigen::Map<const Vector3, 0, Eigen::InnerStride<lane_count>>(packed + lane_place(lane));
}

}  // namespace ccp
