#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/results/result_table.hpp"

namespace ccp {

/// The times of the repeats of one cell, setup and iterations, s: of those that no other program has disturbed where there are
/// five of these, else of all.
struct TimeSample {
  double median, least, largest;
  std::size_t runs;  ///< that these times are of
  std::size_t busy;  ///< runs while the machine was busy, of the same pass
  bool disturbed = false;  ///< the times are of busy runs too
};

/// One cell that was repeated in two folders of results.
struct TimeChange {
  std::string cell;  ///< "problem/model/label"
  TimeSample before, now;
  double ratio;       ///< of the medians, now to before
  double chance;      ///< of ranks at least as far apart if both were the same (rank_sum_chance)
  bool beyond_noise;  ///< chance < 0.01, which takes five repeats of each at least

  /// Why the change is not judged: fewer than five runs, or a busy machine. Empty where it is.
  std::string left_out() const;
};

/// Cells of both that were timed twice or more in both, by the same pass. Throws InputError where a cell.json is missing.
std::vector<TimeChange> compare_times(const ResultTable& before, const ResultTable& now);

/// The exact two-sided probability, if both samples come from one distribution, of a rank sum at least as far from its mean
/// as that of `a` among both (Mann and Whitney 1947); ties count half. 1 where a sample is empty.
double rank_sum_chance(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace ccp
