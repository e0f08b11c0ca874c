#pragma once

#include <vector>

#include "bench/config/config.hpp"

namespace ccp {

/// Whether `over` is the median or a quartile (L.6).
bool is_quantile(ClaimOver over);

/// One number of at least one value: the largest, smallest, spread (largest over smallest, 1 where all are the same), mean,
/// geometric mean, median or quartile (L.6). Values that never come to an accuracy are infinite. `over` is none of those of
/// a line.
double ensemble_number(ClaimOver over, std::vector<double> values);

}  // namespace ccp
