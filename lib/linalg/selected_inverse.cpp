#include "linalg/selected_inverse.hpp"

#include <algorithm>
#include <stdexcept>

namespace ccp {

SelectedInverse::SelectedInverse(SupernodalFactor L)
    : L_(L), position_(L.order.size()), owner_(L.order.size()), parent_(at(supernodes()), -1), tree_(at(supernodes())) {
  for (std::size_t k = 0; k < L_.order.size(); ++k) position_[at(L_.order[k])] = static_cast<int>(k);
  for (int s = 0; s < supernodes(); ++s)
    std::fill(owner_.begin() + L_.first[at(s)], owner_.begin() + L_.first[at(s) + 1], s);
  for (int s = supernodes() - 1; s >= 0; --s) {
    if (rows(s) > columns(s)) parent_[at(s)] = owner_[at(row_list(s)[at(columns(s))])];
    tree_[at(s)] = parent_[at(s)] < 0 ? s : tree_[at(parent_[at(s)])];
  }
}

SelectedInverse::Place SelectedInverse::find_place(Index i, Index j) const {
  const auto [column, row] = std::minmax(position_[at(i)], position_[at(j)]);
  const int s = owner_[at(column)];
  const auto list = row_list(s);
  const auto found = std::lower_bound(list.begin(), list.end(), row);
  const bool there = found != list.end() && *found == row;
  return {s, column - L_.first[at(s)], there ? static_cast<int>(found - list.begin()) : -1, 0};
}

Index SelectedInverse::ask(Index i, Index j) {
  Place place = find_place(i, j);
  if (place.row < 0) throw std::logic_error("SelectedInverse::ask: the entry is not in the pattern of the factor");
  place.number = std::ssize(asked_);
  asked_.push_back(place);
  return place.number;
}

/// Those with an entry that was asked for, and all above them.
std::vector<bool> SelectedInverse::needed_supernodes() const {
  std::vector<bool> needed(parent_.size(), false);
  for (const Place& place : asked_) needed[at(place.supernode)] = true;
  for (std::size_t s = 0; s < parent_.size(); ++s)
    if (needed[s] && parent_[s] >= 0) needed[at(parent_[s])] = true;
  return needed;
}

double SelectedInverse::operations() const {
  const std::vector<bool> needed = needed_supernodes();
  double sum = 0.0;
  for (int s = 0; s < supernodes(); ++s) {
    if (!needed[at(s)]) continue;
    const auto w = static_cast<double>(columns(s)), r = static_cast<double>(rows(s) - columns(s));
    sum += 2.0 * r * r * w + 3.0 * r * w * w + w * w * w;
  }
  return sum;
}

/// Z_rr of a supernode, from the matrix of its parent, whose rows have all of r.
DenseMatrix SelectedInverse::inverse_of_rows(int s, const DenseMatrix& parent) const {
  const auto below = row_list(s).subspan(at(columns(s))), above = row_list(parent_[at(s)]);
  std::vector<Index> place;
  auto next = above.begin();
  for (const int row : below) {
    next = std::lower_bound(next, above.end(), row);
    place.push_back(next - above.begin());
  }
  const auto count = std::ssize(place);
  DenseMatrix Z(count, count);
  for (Index c = 0; c < count; ++c)
    for (Index r = 0; r < count; ++r) Z(r, c) = parent(place[at(r)], place[at(c)]);
  return Z;
}

/// Z on the columns and rows of a supernode, (B.7).
DenseMatrix SelectedInverse::front(int s, const DenseMatrix* parent) const {
  const Index w = columns(s), f = rows(s), r = f - w;
  const Eigen::Map<const DenseMatrix> L(L_.value.data() + L_.value_start[at(s)], f, w);
  const auto diagonal = L.topRows(w).triangularView<Eigen::Lower>();
  DenseMatrix Z(f, f);
  const DenseMatrix root = diagonal.solve(DenseMatrix::Identity(w, w));
  Z.topLeftCorner(w, w).noalias() = root.transpose() * root;
  if (r == 0) return Z;
  DenseMatrix Y = L.bottomRows(r);
  diagonal.solveInPlace<Eigen::OnTheRight>(Y);
  Z.bottomRightCorner(r, r) = inverse_of_rows(s, *parent);
  Z.bottomLeftCorner(r, w).noalias() = -Z.bottomRightCorner(r, r) * Y;
  Z.topRightCorner(w, r) = Z.bottomLeftCorner(r, w).transpose();
  Z.topLeftCorner(w, w).noalias() -= Y.transpose() * Z.bottomLeftCorner(r, w);
  return Z;
}

Vector SelectedInverse::entries() const {
  const std::vector<bool> needed = needed_supernodes();
  std::vector<int> children(parent_.size(), 0);  // that have not read the matrix yet
  for (std::size_t s = 0; s < parent_.size(); ++s)
    if (needed[s] && parent_[s] >= 0) ++children[at(parent_[s])];
  std::vector<Place> asked = asked_;
  std::sort(asked.begin(), asked.end(), [](const Place& a, const Place& b) { return a.supernode > b.supernode; });
  std::vector<DenseMatrix> fronts(parent_.size());
  Vector values(std::ssize(asked));
  auto next = asked.begin();
  for (int s = supernodes() - 1; s >= 0; --s) {
    if (!needed[at(s)]) continue;
    const int above = parent_[at(s)];
    fronts[at(s)] = front(s, above < 0 ? nullptr : &fronts[at(above)]);
    for (; next != asked.end() && next->supernode == s; ++next)
      values[next->number] = fronts[at(s)](next->row, next->column);
    if (above >= 0 && --children[at(above)] == 0) fronts[at(above)].resize(0, 0);
    if (children[at(s)] == 0) fronts[at(s)].resize(0, 0);
  }
  return values;
}

}  // namespace ccp
