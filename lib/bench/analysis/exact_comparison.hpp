#pragma once

#include "bench/analysis/baseline.hpp"

namespace ccp {

/// Whether two folders of results are the same to the last digit: statuses, and every column of every trace and every table
/// of steps but measured times. One change a column, at its first row that differs. Throws InputError where the folders
/// share no cell or a file is damaged or missing.
BaselineComparison compare_exactly(const ResultTable& before, const ResultTable& now);

}  // namespace ccp
