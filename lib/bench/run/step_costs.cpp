#include "bench/run/step_costs.hpp"

#include <algorithm>
#include <iterator>

namespace ccp {
namespace {

using Costs = std::map<std::int64_t, double>;

/// Means over a part of the known steps.
struct Part {
  double step = 0.0, cost = 0.0;
};

Part mean_of(Costs::const_iterator from, Costs::const_iterator to) {
  Part mean;
  const auto count = static_cast<double>(std::distance(from, to));
  for (auto it = from; it != to; ++it) {
    mean.step += static_cast<double>(it->first) / count;
    mean.cost += it->second / count;
  }
  return mean;
}

/// What a step takes after the known ones.
class Trend {
 public:
  explicit Trend(const Costs& costs) {
    const auto middle = std::next(costs.begin(), std::ssize(costs) / 2);
    late_ = mean_of(middle, costs.end());
    if (middle == costs.begin()) return;
    const Part early = mean_of(costs.begin(), middle);
    slope_ = std::max(0.0, (late_.cost - early.cost) / (late_.step - early.step));
  }
  double at(std::int64_t step) const {
    return std::min(late_.cost + slope_ * (static_cast<double>(step) - late_.step), StepCosts::most_growth * late_.cost);
  }

 private:
  Part late_;
  double slope_ = 0.0;
};

}  // namespace

void StepCosts::add(std::int64_t step, double seconds) { costs_[step] = seconds; }

double StepCosts::total(std::int64_t first, std::int64_t end) const {
  if (costs_.empty()) return 0.0;
  const Trend trend(costs_);
  double sum = 0.0;
  for (std::int64_t step = first; step < end; ++step) {
    const auto next = costs_.lower_bound(step);
    if (next == costs_.end()) {
      sum += trend.at(step);
    } else if (next == costs_.begin() || next->first == step) {
      sum += next->second;
    } else {
      const auto before = std::prev(next);
      const double way = static_cast<double>(step - before->first) / static_cast<double>(next->first - before->first);
      sum += (1.0 - way) * before->second + way * next->second;
    }
  }
  return sum;
}

}  // namespace ccp
