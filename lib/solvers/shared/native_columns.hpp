#pragma once

#include <algorithm>
#include <cstddef>
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
/// Allocates when it is made, never when a value is written. Texts are those of the program: no copy of them is made for
/// each run.
class NativeColumns {
 public:
  NativeColumns(const NativeColumns&) = delete;
  NativeColumns& operator=(const NativeColumns&) = delete;

  /// For SolverInfo::native.
  std::vector<NativeColumn> columns() const {
    std::vector<NativeColumn> list;
    for (const Texts& column : texts_) list.push_back({column.name, column.unit, column.meaning});
    return list;
  }
  /// For Iterate::native: one value per column, in the order of the members.
  const std::vector<double>& values() const { return values_; }
  /// All values are zero again.
  void clear() { std::fill(values_.begin(), values_.end(), 0.0); }

 protected:
  NativeColumns() {
    texts_.reserve(usual_number);
    values_.reserve(usual_number);
  }
  ~NativeColumns() = default;

 private:
  static constexpr std::size_t usual_number = 8;
  struct Texts {
    const char *name, *unit, *meaning;
  };
  friend class NativeValue;
  std::vector<Texts> texts_;
  std::vector<double> values_;
};

/// One column: reads and writes like a number.
class NativeValue {
 public:
  /// The texts, literals as a rule, must live as long as the columns.
  NativeValue(NativeColumns& all, const char* name, const char* unit, const char* meaning)
      : values_(all.values_), index_(all.values_.size()) {
    all.texts_.push_back({name, unit, meaning});
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
