#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "solvers/monitor.hpp"

namespace ccp {

/// The native columns of a method with their present values. A method derives from it and declares each column once, as a
/// member that it also writes to:
///
///     struct AdmmColumns : NativeColumns {
///       NativeValue primal{*this, "primal_residual", "N·s", "|γ − z|∞"};
///     };
///
/// Allocates when it is made, never when a value is written.
class NativeColumns {
 public:
  NativeColumns(const NativeColumns&) = delete;
  NativeColumns& operator=(const NativeColumns&) = delete;

  /// For SolverInfo::native.
  const std::vector<NativeColumn>& columns() const { return columns_; }
  /// For Iterate::native: one value per column, in the order of the members.
  const std::vector<double>& values() const { return values_; }
  /// All values are zero again.
  void clear() { std::fill(values_.begin(), values_.end(), 0.0); }

 protected:
  NativeColumns() = default;
  ~NativeColumns() = default;

 private:
  friend class NativeValue;
  std::vector<NativeColumn> columns_;
  std::vector<double> values_;
};

/// One column: reads and writes like a number.
class NativeValue {
 public:
  NativeValue(NativeColumns& all, std::string name, std::string unit, std::string meaning)
      : values_(all.values_), index_(all.values_.size()) {
    all.columns_.push_back({std::move(name), std::move(unit), std::move(meaning)});
    all.values_.push_back(0.0);
  }
  NativeValue(const NativeValue&) = delete;
  NativeValue& operator=(const NativeValue&) = delete;

  NativeValue& operator=(double value) {
    values_[index_] = value;
    return *this;
  }
  NativeValue& operator+=(double change) { return *this = values_[index_] + change; }
  operator double() const { return values_[index_]; }

 private:
  std::vector<double>& values_;
  std::size_t index_;
};

}  // namespace ccp
