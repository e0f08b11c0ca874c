#pragma once

#include <vector>

#include "core/types.hpp"

namespace ccp {

/// The columns of D as an operator reads them: of one matrix or of several, one after the other, some of which go as they
/// are read, so that D and what is made of it are never there together.
class JacobianColumns {
 public:
  JacobianColumns() = default;
  JacobianColumns(const SparseMatrix& D) { add(D); }  // NOLINT(google-explicit-constructor): any D will do

  void add(const SparseMatrix& D) { parts_.push_back({&D, nullptr, D.cols()}); }
  /// D: empty once passed() has left it behind.
  void add_to_consume(SparseMatrix& D) { parts_.push_back({&D, &D, D.cols()}); }

  /// Calls take(row, value) for the entries of a column.
  template <typename Take>
  void for_entries(Index column, const Take& take) const {
    const Part* part = parts_.data();
    while (column >= part->cols) column -= (part++)->cols;
    for (SparseMatrix::InnerIterator entry(*part->D, column); entry; ++entry) take(entry.row(), entry.value());
  }

  /// Columns before this one are read no more. Calls come in ascending order, the last one with the number of columns.
  void passed(Index column);

 private:
  struct Part {
    const SparseMatrix* D;
    SparseMatrix* consumed;
    Index cols;
    Index gone = 0;  ///< columns whose memory was given back
  };
  std::vector<Part> parts_;
};

}  // namespace ccp
