#pragma once

namespace ccp {

/// Of (K.9): entries of a problem count as known to so many units of ε ...
constexpr double entry_rounding = 8.0;
/// ... and a violation below this fraction of the fastest free velocity may come from rounding.
constexpr double least_excess = 1e-6;

}  // namespace ccp
