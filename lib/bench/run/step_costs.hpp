#pragma once

#include <cstdint>
#include <map>

namespace ccp {

/// What the steps of a sequence take, from some of them. All times in s.
class StepCosts {
 public:
  void add(std::int64_t step, double seconds);
  bool empty() const { return costs_.empty(); }

  /// Cost of the steps first … end − 1; 0 where no cost is known. Between two known ones they lie on a line, before the
  /// first they take what it takes. After the last ones they go on as the known ones have grown, from their first half to
  /// their second, but not beyond most_growth times the second; where they have not grown, they take what the second half
  /// takes.
  double total(std::int64_t first, std::int64_t end) const;

  static constexpr double most_growth = 2.0;

 private:
  std::map<std::int64_t, double> costs_;
};

}  // namespace ccp
