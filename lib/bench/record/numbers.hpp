#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "bench/record/cell_record.hpp"

namespace ccp {

/// A number that a record holds, declared once: cell.json, steps.csv, summary.csv, the metrics of claims and plots, and what
/// `list metrics` says of them come from it.
template <typename Record>
struct Number {
  std::string key;   ///< in cell.json and steps.csv
  std::string unit;  ///< "" without one
  std::string meaning;
  std::variant<int Record::*, std::int64_t Record::*, double Record::*> member;
  std::string column{};  ///< of summary.csv; empty: none
  bool cost = false;     ///< Metric::cost
  bool claimed = true;   ///< Metric::claimed
};

/// Those of Counters, CellRecord, ProblemFacts, Balance, RankFacts, KernelTimes, SequenceFacts and NativeStop.
template <typename Record>
const std::vector<Number<Record>>& numbers();

template <>
const std::vector<Number<Counters>>& numbers();
template <>
const std::vector<Number<CellRecord>>& numbers();
template <>
const std::vector<Number<ProblemFacts>>& numbers();
template <>
const std::vector<Number<Balance>>& numbers();
template <>
const std::vector<Number<RankFacts>>& numbers();
template <>
const std::vector<Number<KernelTimes>>& numbers();
template <>
const std::vector<Number<SequenceFacts>>& numbers();
template <>
const std::vector<Number<NativeStop>>& numbers();

}  // namespace ccp
