#pragma once

#include <cstddef>
#include <vector>

/// Where the level of a series changes.
namespace ccp {

struct ChangeRule {
  double least_noise = 1e-9;  ///< standard deviation of the values, at least; above 0
  std::size_t shortest = 1;   ///< values between two changes, at least
};

/// The first index of each piece but the first. The pieces are those of the least sum of squared deviations from their
/// means, in variances of the noise, and 3 log n for each change, the penalty of Zhang and Siegmund 2007. The minimum is
/// exact: it is found by optimal partitioning (Jackson et al. 2005), as PELT does (Killick, Fearnhead, Eckley 2012). Noise:
/// the median absolute deviation of the differences of neighbours, over 0.6745 √2, which a few changes do not raise. Of
/// equal pieces those with the latest change. Deterministic.
std::vector<std::size_t> change_points(const std::vector<double>& values, const ChangeRule& rule);

/// The mean of the piece that each value belongs to.
std::vector<double> levels_of(const std::vector<double>& values, const std::vector<std::size_t>& changes);

}  // namespace ccp
