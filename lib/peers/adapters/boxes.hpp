#pragma once

#include <limits>
#include <vector>

#include "peers/adapters/service.hpp"

namespace ccp {

/// The problem as physics engines have it: A x = b + w with w complementary to the bounds of x, where the bounds of a
/// friction row are those times the impulse of its normal row. The cone becomes a box (a pyramid with four sides).
struct BoxProblem {
  std::vector<double> b, low, high;
  std::vector<int> normal_row;  ///< −1 of a normal row itself

  explicit BoxProblem(const AdapterService& service) {
    for (int i = 0; i < service.contacts; ++i)
      for (int row = 0; row < 3; ++row) {
        const double mu = service.friction[static_cast<std::size_t>(i)];
        b.push_back(-service.r[static_cast<std::size_t>(3 * i + row)]);
        low.push_back(row == 0 ? 0.0 : -mu);
        high.push_back(row == 0 ? std::numeric_limits<double>::infinity() : mu);
        normal_row.push_back(row == 0 ? -1 : 3 * i);
      }
  }
};

}  // namespace ccp
