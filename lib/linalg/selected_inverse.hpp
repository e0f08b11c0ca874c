#pragma once

#include <span>
#include <vector>

#include "core/types.hpp"
#include "linalg/supernodal_factor.hpp"

namespace ccp {

/// Entries of A⁻¹ in the pattern of a factor of A, without the rest of A⁻¹ (Takahashi, Fagan and Chin 1973; Erisman and
/// Tinney 1975). With Z = P A⁻¹ Pᵀ, the columns s of a supernode and the rows r below them,
///     Z_rs = −Z_rr Y,   Z_ss = L_ss⁻ᵀ L_ss⁻¹ − Yᵀ Z_rs,   Y = L_rs L_ss⁻¹                              (B.7)
/// from the root of the elimination tree to the leaves. A supernode and its rows are a dense matrix, which its children read
/// Z_rr from and which goes when they have. Supernodes below which nothing was asked for are left out. The operations are
/// about twice those of the factorisation, however many entries are asked for.
class SelectedInverse {
 public:
  explicit SelectedInverse(SupernodalFactor L);

  /// False where no path in the graph of A joins i and j, so that (A⁻¹)_ij is zero.
  bool coupled(Index i, Index j) const { return tree_of(i) == tree_of(j); }
  /// Whether L has a place for the entry.
  bool holds(Index i, Index j) const { return find_place(i, j).row >= 0; }
  /// Asks for (A⁻¹)_ij, which must have a place; returns its number among the entries.
  Index ask(Index i, Index j);

  /// Multiplications and additions that entries() takes.
  double operations() const;
  /// What was asked for, in that order.
  Vector entries() const;

 private:
  struct Place {
    int supernode, column, row;  ///< row and column inside the supernode; row −1: none
    Index number;
  };

  int supernodes() const { return static_cast<int>(L_.first.size()) - 1; }
  Index columns(int s) const { return L_.first[at(s) + 1] - L_.first[at(s)]; }
  Index rows(int s) const { return L_.row_start[at(s) + 1] - L_.row_start[at(s)]; }
  std::span<const int> row_list(int s) const { return L_.row.subspan(at(L_.row_start[at(s)]), uz(rows(s))); }
  int tree_of(Index i) const { return tree_[at(owner_[at(position_[at(i)])])]; }
  Place find_place(Index i, Index j) const;
  std::vector<bool> needed_supernodes() const;
  DenseMatrix inverse_of_rows(int s, const DenseMatrix& parent) const;
  DenseMatrix front(int s, const DenseMatrix* parent) const;
  static std::size_t at(Index i) { return uz(i); }

  SupernodalFactor L_;
  std::vector<int> position_;  ///< of a row of A in L
  std::vector<int> owner_;     ///< supernode of each column of L
  std::vector<int> parent_;    ///< of each supernode; −1: a root
  std::vector<int> tree_;      ///< root above each supernode
  std::vector<Place> asked_;
};

}  // namespace ccp
