#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/record/cell_record.hpp"

namespace ccp {

/// The source of the value of a metric.
enum class MetricSource {
  column,         ///< a column of summary.csv
  decade,         ///< a column of summary.csv for each decade that the stop measure can reach
  trace_at,       ///< a column of the trace, at the iteration that reached a decade
  trace_end,      ///< a column of the trace, at the end of the run
  trace_largest,  ///< a column of the trace, the largest value after the start
  trace_rises,    ///< how often a column of the trace is larger than in the iteration before
  derived         ///< follows from other columns of summary.csv
};

/// One number that results are compared by. The table of all is the list of the numbers of summary.csv and of what a claim
/// or a plot can name.
struct Metric {
  std::string name, unit, meaning;
  MetricSource source = MetricSource::column;
  std::function<std::string(const CellRecord&)> field{};       ///< of a column, in summary.csv
  std::function<std::string(const Crossing&)> decade_field{};  ///< of the column of one decade
  bool claimed = true;                                         ///< a claim or a plot can name it
  std::string traced{};                                        ///< the column of the trace that the sources trace_… read
  bool cost = false;            ///< what a run took to converge; in a spread or a line that of one that did not is never
  bool at_native_stop = false;  ///< of methods that stop on their own criterion alone

  bool takes_decade() const { return source == MetricSource::decade || source == MetricSource::trace_at; }
};

/// In the order of summary.csv; what has no column there comes last.
const std::vector<Metric>& metrics();
/// Null for an unknown name.
const Metric* find_metric(const std::string& name);
/// Names of those that a claim or a plot can name.
const std::vector<std::string>& claim_metrics();

}  // namespace ccp
