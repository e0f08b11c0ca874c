#include "problem/body_columns.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace ccp {
namespace {

void sort_and_unite(std::vector<int>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

/// a <- entries of column j of D, those of each body times H_b⁻¹; `a` is zero elsewhere.
void add_response(const SparseMatrix& D, const MassMatrix& mass, const std::vector<int>& bodies, Index j, Vector& a) {
  for (SparseMatrix::InnerIterator entry(D, j); entry; ++entry) a[entry.row()] = entry.value();
  for (const int b : bodies) mass.solve_group(b, a.segment(mass.groups().offset(b), mass.groups().size(b)));
}

double column_dot(const SparseMatrix& D, Index i, const Vector& a) {
  double sum = 0.0;
  for (SparseMatrix::InnerIterator entry(D, i); entry; ++entry) sum += entry.value() * a[entry.row()];
  return sum;
}

}  // namespace

BodyColumns::BodyColumns(ConstraintSet constraints, const GlobalForm& form, const MassMatrix& mass)
    : constraints_(std::move(constraints)),
      form_(form),
      mass_(mass),
      bodies_(uz(constraints_.count())),
      blocks_(uz(mass.groups().count())),
      response_(Vector::Zero(form.D.rows())) {
  assert(mass.size() == 0 || !mass.groups().empty());
  const std::vector<int> owner = mass.groups().owner();
  for (Index i = 0; i < constraints_.count(); ++i) {
    auto& bodies = bodies_[uz(i)];
    for (Index c = 0; c < constraints_.rows(i); ++c)
      for (SparseMatrix::InnerIterator entry(form.D, constraints_.offset(i) + c); entry; ++entry)
        bodies.push_back(owner[uz(entry.row())]);
    sort_and_unite(bodies);
    for (const int b : bodies) blocks_[uz(b)].push_back(static_cast<int>(i));
  }
}

/// Calls take(row, N_rowcolumn) for the rows of the blocks `coupled`, with `column` the c-th column of `block`.
template <typename Take>
void BodyColumns::for_column(Index block, Index column, const std::vector<int>& coupled, const Take& take) {
  const auto& bodies = bodies_[uz(block)];
  add_response(form_.D, mass_, bodies, column, response_);
  for (const int i : coupled)
    for (Index row = constraints_.offset(i), last = row + constraints_.rows(i); row < last; ++row)
      take(row, column_dot(form_.D, row, response_));
  for (const int b : bodies) response_.segment(mass_.groups().offset(b), mass_.groups().size(b)).setZero();
}

/// The blocks that share a body with one, itself among them, ascending: its pattern in N.
const std::vector<int>& BodyColumns::coupled_with(Index block) {
  coupled_.assign(1, static_cast<int>(block));
  for (const int b : bodies_[uz(block)]) {
    const auto& others = blocks_[uz(b)];
    coupled_.insert(coupled_.end(), others.begin(), others.end());
  }
  sort_and_unite(coupled_);
  return coupled_;
}

double BodyColumns::compliance(Index row, Index column) const {
  return form_.C.nonZeros() > 0 ? form_.C.coeff(row, column) : 0.0;
}

SparseMatrix BodyColumns::assembled() {
  std::size_t most = 0;  // entries: two blocks may share two bodies
  for (const auto& blocks : blocks_) {
    std::size_t rows = 0;
    for (const int i : blocks) rows += uz(constraints_.rows(i));
    most += rows * rows;
  }
  std::vector<int> start{0}, row;
  std::vector<double> value;
  row.reserve(most);
  value.reserve(most);
  for (Index j = 0; j < constraints_.count(); ++j) {
    const std::vector<int>& coupled = coupled_with(j);
    for (Index c = 0; c < constraints_.rows(j); ++c) {
      for_column(j, constraints_.offset(j) + c, coupled, [&](Index i, double entry) {
        if (entry == 0.0) return;
        row.push_back(static_cast<int>(i));
        value.push_back(entry);
      });
      start.push_back(static_cast<int>(row.size()));
    }
  }
  const Index m = constraints_.rows();
  SparseMatrix N = Eigen::Map<const SparseMatrix>(m, m, std::ssize(row), start.data(), row.data(), value.data());
  if (form_.C.nonZeros() > 0) N += form_.C;
  return N;
}

BlockSquare BodyColumns::diagonal_block(Index block) {
  const Index first = constraints_.offset(block);
  const std::vector<int> itself{static_cast<int>(block)};
  BlockSquare corner = zero_square(constraints_.rows(block));
  for (Index c = 0; c < constraints_.rows(block); ++c)
    for_column(block, first + c, itself,
               [&](Index row, double entry) { corner(row - first, c) += entry + compliance(row, first + c); });
  return corner;
}

std::vector<BlockSquare> BodyColumns::diagonal_blocks() {
  std::vector<BlockSquare> blocks;
  blocks.reserve(uz(constraints_.count()));
  for (Index i = 0; i < constraints_.count(); ++i) {
    const BlockSquare block = diagonal_block(i);
    blocks.push_back(0.5 * (block + block.transpose()));
  }
  return blocks;
}

}  // namespace ccp
