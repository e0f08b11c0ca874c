#pragma once

#include <cstdint>
#include <vector>

#include "core/types.hpp"

namespace ccp {

/// The four kinds of constraint blocks a solver knows. Within a contact the order is normal first, then the tangents.
enum class ConstraintKind : std::uint8_t {
  contact,     ///< 3 rows: ‖γ_T‖ <= μ γ_n
  contact2d,   ///< 2 rows: |γ_t| <= μ γ_n
  unilateral,  ///< 1 row: γ >= 0, u >= 0
  bilateral    ///< 1 row: γ free, u = 0
};

constexpr int constraint_rows(ConstraintKind kind) {
  return kind == ConstraintKind::contact ? 3 : kind == ConstraintKind::contact2d ? 2 : 1;
}
constexpr bool has_friction(ConstraintKind kind) {
  return kind == ConstraintKind::contact || kind == ConstraintKind::contact2d;
}

/// The blocks of γ and u in row order: block i owns rows [offset(i), offset(i) + rows(i)).
class ConstraintSet {
 public:
  /// friction: μ, dimensionless; used by the contact kinds only.
  void add(ConstraintKind kind, double friction = 0.0);

  Index count() const { return std::ssize(kinds_); }
  Index count(ConstraintKind kind) const { return counts_[uz(kind)]; }
  /// Blocks with friction: 3D plus 2D contacts.
  Index contacts() const { return count(ConstraintKind::contact) + count(ConstraintKind::contact2d); }
  /// Total number of rows m.
  Index rows() const { return offsets_.back(); }

  ConstraintKind kind(Index block) const { return kinds_[uz(block)]; }
  double friction(Index block) const { return frictions_[uz(block)]; }
  /// μ of all blocks, count() of them.
  const std::vector<double>& frictions() const { return frictions_; }
  Index offset(Index block) const { return offsets_[uz(block)]; }
  Index rows(Index block) const { return constraint_rows(kind(block)); }
  /// count() + 1 first rows, the last being rows().
  const std::vector<Index>& offsets() const { return offsets_; }
  /// True when every block is a 3D contact, the layout with fast kernels.
  bool all_contacts_3d() const { return count() == count(ConstraintKind::contact); }

  bool operator==(const ConstraintSet&) const = default;

 private:
  std::vector<ConstraintKind> kinds_;
  std::vector<double> frictions_;
  std::vector<Index> offsets_{0};
  Index counts_[4] = {0, 0, 0, 0};
};

}  // namespace ccp
