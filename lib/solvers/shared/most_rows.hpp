#pragma once

#include <optional>
#include <string>

#include "core/constraints.hpp"

namespace ccp {

/// Why a method whose blocks are padded to three rows cannot take a problem; nothing when it can.
inline std::optional<std::string> most_rows_defect(const ConstraintSet& set, const std::string& solver) {
  for (Index i = 0; i < set.count(); ++i)
    if (set.rows(i) > 3) return solver + " takes no contacts with rolling or spinning friction";
  return std::nullopt;
}

}  // namespace ccp
