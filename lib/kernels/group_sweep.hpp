#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "core/types.hpp"
#include "kernels/kernels.hpp"

/// Gauss–Seidel over the contacts of rigid bodies, in groups.
///
/// A sweep (E.2, E.3) takes one contact after the other: u_i = (L⁻¹D)_iᵀ w + r_i from the velocities w of its two bodies,
/// γ_i ← Π_K(γ_i − s_i u_i), w ← w + (L⁻¹D)_i Δγ_i. Each contact waits for the one before it, so that a processor that can
/// work at eight of them works at one. But a contact needs to wait only for contacts that share a body with it.
///
/// 1. `ContactGroups` cuts the order of the contacts into groups of up to 16 neighbours of which no two share a body. The
///    order itself is kept, so a sweep has the same bits whether it takes a group at once or contact by contact.
/// 2. Vectors are packed by groups. A tile holds the numbers of eight contacts in lanes: first the eight normal numbers,
/// then
///    the tangential ones, two rows of them, or one in the plane. A group has one or two tiles of its own; lanes without a
///    contact hold zeros.
/// 3. `GroupSweep::sweep()` takes group after group through three steps, each for all contacts of the group: the products
///    (`find_lanes` of pair_loops.cpp), the projection and the change of γ (`relax` of group_loops.cpp; `solve` where
///    contacts in the plane are solved exactly), and what the change does to w (`add_lanes`). These loops are compiled once
///    for each instruction set.
/// 4. Two cases leave step 3: a contact whose numbers could overflow or underflow in the short form of the projection
///    (safe_range.hpp), or that has no closed form, and methods with another update. Their contacts are updated one by one
///    between the same two products, and `accept` of group_loops.cpp takes what they become.
namespace ccp {

/// The contacts of a factored operator in the order of its data (E.3), each between two bodies, all of three rows or of two.
struct PairedContacts {
  ContactPairs pairs;
  std::span<const int> order;  ///< number of each contact
  int idle;                    ///< where the velocity of the body starts that stands for the world
  const Matrix3* compliance;   ///< C_ii by number of the contact, in the leading corner; null where C = 0
};

/// The groups of all contacts, and vectors packed by them.
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

  int rows() const { return rows_; }

  /// So many numbers of each contact.
  void pack(Eigen::Ref<const Vector> of_contacts, int each, Vector& packed) const;
  /// The rows of each contact.
  void pack(const Vector& of_contacts, Vector& packed) const { pack(of_contacts, rows_, packed); }
  void unpack(const Vector& packed, Vector& of_contacts) const;

  /// visit(contact, lane) for the contacts of a group.
  template <typename Visit>
  void for_contacts(std::size_t group, const Visit& visit) const {
    const Index first = places_[group], lane = lane_count * tiles_[group];
    for (Index k = 0; k < size(group); ++k) visit(Index{order_[uz(first + k)]}, lane + k);
  }

 private:
  template <typename Visit>
  void for_contacts(const Visit& visit) const {
    for (std::size_t g = 0; g + 1 < places_.size(); ++g) for_contacts(g, visit);
  }

  std::span<const int> order_;
  int rows_ = 3;
  std::vector<Index> places_;  ///< first one of each group, and the end
  std::vector<Index> tiles_;   ///< first one of each group, and the end
};

/// The corner of so many rows.
template <int Rows>
decltype(auto) leading_corner(const Matrix3& matrix) {
  if constexpr (Rows == 3)
    return (matrix);
  else
    return matrix.topLeftCorner<Rows, Rows>();
}

/// The numbers of a packed contact.
template <int Rows = 3>
auto in_lane(double* packed, Index lane) {
  using Numbers = Eigen::Matrix<double, Rows, 1>;
  return Eigen::Map<Numbers, 0, Eigen::InnerStride<lane_count>>(packed + lane_place(lane, Rows));
}
template <int Rows = 3>
auto in_lane(const double* packed, Index lane) {
  using Numbers = Eigen::Matrix<double, Rows, 1>;
  return Eigen::Map<const Numbers, 0, Eigen::InnerStride<lane_count>>(packed + lane_place(lane, Rows));
}

/// The sweeps, with γ, r and the other data of the update in packed form.
class GroupSweep {
 public:
  /// lambda: share of the new impulse in the average with the old one.
  GroupSweep(const ContactGroups& groups, const PairedContacts& contacts, double lambda)
      : groups_(groups), contacts_(contacts), lambda_(lambda) {}

  /// Says that updates are Π_K(γ_i − s_i u_i), which a group takes at once: s_i and μ_i of each contact.
  void set_projected_step(Eigen::Ref<const Vector> step, Eigen::Ref<const Vector> friction) {
    groups_.pack(step, 1, step_);
    groups_.pack(friction, 1, friction_);
  }
  /// Says that updates of contacts in the plane are their solutions (E.6): N_ii, column by column, and μ_i of each contact.
  void set_planar_solution(Eigen::Ref<const Vector> matrix, Eigen::Ref<const Vector> friction) {
    groups_.pack(matrix, 4, matrix_);
    groups_.pack(friction, 1, friction_);
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

  int rows() const { return groups_.rows(); }
  /// One sweep, or one forward and one backward. update(contact, u, γ) is the new impulse of a contact, w the body
  /// velocities. Rows: rows().
  template <int Rows, typename Update>
  Largest sweep(bool symmetric, double* w, const Update& update) {
    current_ = false;
    LaneLargest largest;
    for (std::size_t g = 0; g < groups_.count(); ++g) relax<Rows>(g, w, update, largest);
    if (symmetric) {
      for (double& impulse : largest.impulse) impulse = 0.0;
      for (std::size_t g = groups_.count(); g-- > 0;) relax<Rows>(g, w, update, largest);
    }
    return all_of(largest);
  }

 private:
  /// Step by step, so that the processor works at all contacts of the group.
  template <int Rows, typename Update>
  void relax(std::size_t g, double* w, const Update& update, LaneLargest& largest) {
    const GroupVectors at = vectors<Rows>(g);
    find_products<Rows>(g, w);
    GroupChange change = GroupChange::out_of_range;
    const RowGroupLoops& loops = kernels_.groups.of_rows<Rows>();
    if (at.step != nullptr) change = loops.relax(at, largest);
    if (Rows == 2 && at.matrix != nullptr) change = kernels_.groups.solve(at, largest);
    if (change == GroupChange::out_of_range) {
      using Numbers = Eigen::Matrix<double, Rows, 1>;
      std::array<double, most_tiles * tile_numbers> updated{};
      const Index first = lane_count * groups_.tile(g);
      groups_.for_contacts(g, [&](Index contact, Index lane) {
        const Index k = lane - first;
        const Numbers gamma = in_lane<Rows>(at.gamma, k);
        const Numbers u = in_lane<Rows>(at.product, k) + in_lane<Rows>(at.r, k);
        in_lane<Rows>(updated.data(), k) = update(contact, u, gamma);
      });
      change = loops.accept(at, updated.data(), largest);
    }
    const auto add = Rows == 2 ? kernels_.pairs.add_planar_lanes : kernels_.pairs.add_lanes;
    if (change == GroupChange::some) add(pairs(g), groups_.size(g), delta_.data(), w);
  }

  /// N γ of the group; lanes without a contact keep what they have.
  template <int Rows>
  void find_products(std::size_t g, const double* w) {
    const auto find = Rows == 2 ? kernels_.pairs.find_planar_lanes : kernels_.pairs.find_lanes;
    find(pairs(g), groups_.size(g), w, product_.data());
    if (contacts_.compliance == nullptr) return;
    const Index first = lane_count * groups_.tile(g);
    groups_.for_contacts(g, [&](Index contact, Index lane) {
      in_lane<Rows>(product_.data(), lane - first) +=
          leading_corner<Rows>(contacts_.compliance[contact]) * in_lane<Rows>(std::as_const(packed_gamma_).data(), lane);
    });
  }
  template <int Rows>
  GroupVectors vectors(std::size_t g) {
    const Index lane = lane_count * groups_.tile(g), first = Rows * lane;
    const bool steps = step_.size() > 0, solves = Rows == 2 && matrix_.size() > 0;
    return {groups_.tiles(g),
            lambda_,
            packed_gamma_.data() + first,
            delta_.data(),
            product_.data(),
            packed_r_.data() + first,
            steps ? step_.data() + lane : nullptr,
            steps || solves ? friction_.data() + lane : nullptr,
            solves ? matrix_.data() + 4 * lane : nullptr};
  }
  ContactPairs pairs(std::size_t g) const { return contacts_.pairs.from(groups_.place(g)); }
  static Largest all_of(const LaneLargest& largest);

  const ContactGroups& groups_;
  PairedContacts contacts_;
  double lambda_;
  const Kernels& kernels_ = kernels();
  Vector gamma_;
  bool current_ = true;  ///< whether gamma_ is what packed_gamma_ is
  Vector packed_gamma_, packed_r_;
  Vector step_, matrix_, friction_;  ///< packed; the first or the first two are empty where updates are others
  alignas(64) std::array<double, most_tiles * tile_numbers> product_{}, delta_{};  ///< of a group
};

}  // namespace ccp
