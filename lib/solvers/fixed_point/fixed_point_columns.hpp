#pragma once

#include "solvers/shared/native_columns.hpp"

namespace ccp {

/// The native column of the fixed-point methods.
struct FixedPointColumns : NativeColumns {
  NativeValue impulse_change{*this, "impulse_change", "N·s", "largest change of an impulse component in the last sweep"};
};

}  // namespace ccp
