#pragma once

/// A contact is in the safe range when its friction coefficient and entries are such that no square or product leaves the
/// range of double. Nearly all are; the others take functions that scale by powers of two.
namespace ccp::detail {

constexpr double safe_limit = 1e100;
constexpr double safe_square_min = 1e-200;
constexpr double safe_square_max = 1e200;

/// Seven roundings of at most 2^-53 separate mu * p_n' from the norm of the scaled tangential part as it will be evaluated
/// again; with this factor the second norm is never the larger one, so a projected point tests as inside K.
constexpr double inward = 1.0 - 0x1p-50;

}  // namespace ccp::detail
