#pragma once

#include <array>

#include "kernels/contact_groups.hpp"
#include "kernels/kernels.hpp"

namespace ccp {

/// Sweeps of Gauss–Seidel over contacts in groups (E.2, E.3), with the bits of a sweep over one contact after the other.
class GroupSweep {
 public:
  /// lambda: share of the new impulse in the average with the old one.
  GroupSweep(const ContactGroups& groups, const PairedContacts& contacts, double lambda)
      : groups_(groups), contacts_(contacts), lambda_(lambda) {}

  /// Says that updates are Π_K(γ_i − s_i u_i), which a group takes at once: s_i and μ_i of each contact.
  void set_projected_step(Eigen::Ref<const Vector> step, Eigen::Ref<const Vector> friction) {
    step_ = groups_.packed_scalars(step);
    friction_ = groups_.packed_scalars(friction);
  }
  void set_impulse(const Vector& gamma) {
    gamma_ = gamma;
    groups_.pack(gamma, packed_gamma_);
    current_ = true;
  }
  /// What is added to the products with N: the r of u = N γ + r.
  void set_free_velocity(const Vector& r) { groups_.pack(r, packed_r_); }

  /// γ. It is unpacked only when somebody looks: in each sweep that would take a tenth of the time.
  const Vector& impulse() {
    if (!current_) groups_.unpack(packed_gamma_, gamma_);
    current_ = true;
    return gamma_;
  }

  /// One sweep, or one forward and one backward. update(contact, u, γ) is the new impulse of a contact, w the body
  /// velocities.
  template <typename Update>
  Largest sweep(bool symmetric, double* w, const Update& update) {
    current_ = false;
    LaneLargest largest;
    for (std::size_t g = 0; g < groups_.count(); ++g) relax(g, w, update, largest);
    if (symmetric) {
      for (double& impulse : largest.impulse) impulse = 0.0;
      for (std::size_t g = groups_.count(); g-- > 0;) relax(g, w, update, largest);
    }
    return all_of(largest);
  }

 private:
  /// Step by step, so that the processor works at all contacts of the group.
  template <typename Update>
  void relax(std::size_t g, double* w, const Update& update, LaneLargest& largest) {
    const GroupVectors at = vectors(g);
    find_products(g, w);
    GroupChange change = step_.size() > 0 ? kernels_.groups.relax(at, largest) : GroupChange::out_of_range;
    if (change == GroupChange::out_of_range) {
      std::array<double, most_tiles * tile_numbers> updated{};
      const Index first = lane_count * groups_.tile(g);
      groups_.for_contacts(g, [&](Index contact, Index lane) {
        const Index k = lane - first;
        const Vector3 gamma = in_lane(at.gamma, k);
        const Vector3 u = in_lane(at.product, k) + in_lane(at.r, k);
        in_lane(updated.data(), k) = update(contact, u, gamma);
      });
      change = kernels_.groups.accept(at, updated.data(), largest);
    }
    if (change == GroupChange::some) kernels_.pairs.add_lanes(pairs(g), groups_.size(g), delta_.data(), w);
  }

  void find_products(std::size_t g, const double* w);
  GroupVectors vectors(std::size_t g);
  ContactPairs pairs(std::size_t g) const { return contacts_.pairs.from(groups_.place(g)); }
  static Largest all_of(const LaneLargest& largest);

  const ContactGroups& groups_;
  PairedContacts contacts_;
  double lambda_;
  const Kernels& kernels_ = kernels();
  Vector gamma_;
  bool current_ = true;  ///< whether gamma_ is what packed_gamma_ is
  Vector packed_gamma_, packed_r_;
  Vector step_, friction_;  ///< packed; empty where updates are others
  alignas(64) std::array<double, most_tiles * tile_numbers> product_{}, delta_{};  ///< of a group
};

}  // namespace ccp
