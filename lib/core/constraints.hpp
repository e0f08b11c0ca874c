#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/types.hpp"

namespace ccp {

/// The kinds of constraint blocks a solver knows. Within a contact the order is normal first, then the tangents, the rolling
/// moments and the spinning moment.
enum class ConstraintKind : std::uint8_t {
  contact,          ///< 3 rows: ‖γ_T‖ <= μ γ_n
  contact2d,        ///< 2 rows: |γ_t| <= μ γ_n
  unilateral,       ///< 1 row: γ >= 0, u >= 0
  bilateral,        ///< 1 row: γ free, u = 0
  torsion,          ///< 4 rows: a contact with |m_n| <= μ_s γ_n
  rolling,          ///< 5 rows: a contact with ‖m_R‖ <= μ_r γ_n
  rolling_torsion,  ///< 6 rows: a contact with both
  rolling2d         ///< 3 rows: a contact in the plane with |m| <= μ_r γ_n
};
constexpr std::size_t constraint_kinds = 8;
constexpr int most_rows = 6;  ///< of a block

/// The rows of a block behind its first one.
struct BlockShape {
  int tangents = 0, rollings = 0, spins = 0;
  constexpr int rows() const { return 1 + tangents + rollings + spins; }
};
constexpr BlockShape block_shape(ConstraintKind kind) {
  switch (kind) {
    case ConstraintKind::contact: return {2, 0, 0};
    case ConstraintKind::contact2d: return {1, 0, 0};
    case ConstraintKind::torsion: return {2, 0, 1};
    case ConstraintKind::rolling: return {2, 2, 0};
    case ConstraintKind::rolling_torsion: return {2, 2, 1};
    case ConstraintKind::rolling2d: return {1, 1, 0};
    case ConstraintKind::unilateral:
    case ConstraintKind::bilateral: break;
  }
  return {};
}
/// Rows of each kind: a table, because every loop over blocks asks.
inline constexpr std::array<int, constraint_kinds> rows_of_kind = [] {
  std::array<int, constraint_kinds> rows{};
  for (std::size_t kind = 0; kind < constraint_kinds; ++kind)
    rows[kind] = block_shape(static_cast<ConstraintKind>(kind)).rows();
  return rows;
}();
constexpr int constraint_rows(ConstraintKind kind) { return rows_of_kind[uz(kind)]; }
constexpr bool has_friction(ConstraintKind kind) {
  return kind != ConstraintKind::unilateral && kind != ConstraintKind::bilateral;
}
constexpr bool has_moments(ConstraintKind kind) { return kind > ConstraintKind::bilateral; }

/// What limits the moments of a contact. In a problem their rows are in N·s and m/s as all others: moments are divided by
/// `length` and rates multiplied by it (A.7), and so are the coefficients.
struct MomentFriction {
  double rolling = 0.0;   ///< μ_r/ℓ
  double spinning = 0.0;  ///< μ_s/ℓ
  double length = 1.0;    ///< ℓ, m

  bool operator==(const MomentFriction&) const = default;
};

/// The blocks of γ and u in row order: block i owns rows [offset(i), offset(i) + rows(i)).
class ConstraintSet {
 public:
  /// friction: μ, dimensionless; used by the contact kinds only, as is `moments` by those with moments.
  void add(ConstraintKind kind, double friction = 0.0, const MomentFriction& moments = {});

  Index count() const { return std::ssize(kinds_); }
  Index count(ConstraintKind kind) const { return counts_[uz(kind)]; }
  /// Blocks with friction, those with moments among them.
  Index contacts() const { return count() - count(ConstraintKind::unilateral) - count(ConstraintKind::bilateral); }
  /// Total number of rows m.
  Index rows() const { return offsets_.back(); }

  ConstraintKind kind(Index block) const { return kinds_[uz(block)]; }
  double friction(Index block) const { return frictions_[uz(block)]; }
  /// μ of all blocks, count() of them.
  const std::vector<double>& frictions() const { return frictions_; }
  /// That of a block without moments is zero.
  const MomentFriction& moments(Index block) const { return moments_.empty() ? no_moments : moments_[uz(block)]; }
  /// Whether any block has moments.
  bool has_moments() const { return !moments_.empty(); }
  Index offset(Index block) const { return offsets_[uz(block)]; }
  Index rows(Index block) const { return constraint_rows(kind(block)); }
  /// count() + 1 first rows, the last being rows().
  const std::vector<Index>& offsets() const { return offsets_; }
  /// True when every block is a 3D contact, the layout with fast kernels.
  bool all_contacts_3d() const { return count() == count(ConstraintKind::contact); }

  /// The same rows in blocks of at most three, for matrices of 3×3 blocks: a contact with moments of more rows becomes one
  /// of its first three and one of the others, whose kind only says how many they are.
  ConstraintSet narrow() const;

  bool operator==(const ConstraintSet&) const = default;

 private:
  static constexpr MomentFriction no_moments{};

  std::vector<ConstraintKind> kinds_;
  std::vector<double> frictions_;
  std::vector<MomentFriction> moments_;  ///< of all blocks; empty where none has moments
  std::vector<Index> offsets_{0};
  Index counts_[constraint_kinds] = {};
};

}  // namespace ccp
