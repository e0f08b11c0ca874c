#pragma once

#include <vector>

#include "distributed/part.hpp"

namespace ccp {

/// What the ranks need of their matrices, beside operators, to judge the returned point. Of a rigid problem.
struct PartFacts {
  double unit_error = 0.0;           ///< Judge::set_unit_error(), of its own rows (D.2)
  std::vector<double> load_of_cell;  ///< kᵀH⁻¹k of the bodies of each of its cells (D.16)
};
PartFacts facts_of(const RankPart& part);

}  // namespace ccp
