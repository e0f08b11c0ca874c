#include "solvers/fixed_point/sweep_plan.hpp"

#include <numeric>

namespace ccp {

SweepPlan::SweepPlan(const FactoredDelassus& N) : order(N.order()) {
  if (!N.contact_pairs()) return;
  const int idle = static_cast<int>(N.bodies());
  std::vector<Index> last_use(static_cast<std::size_t>(idle) + 1, -1);  // of each body, as a place
  const Index count = N.constraints().count();
  groups.push_back(0);
  for (Index place = 0; place < count; ++place) {
    bool joins = place - groups.back() < group_size;
    const auto bodies = N.bodies_of(order[static_cast<std::size_t>(place)]);
    for (const int body : bodies)
      joins = joins && (body == idle || last_use[static_cast<std::size_t>(body)] < groups.back());
    if (!joins) groups.push_back(place);
    for (const int body : bodies) last_use[static_cast<std::size_t>(body)] = place;
  }
  groups.push_back(count);
  tiles.push_back(0);
  for (std::size_t g = 0; g + 1 < groups.size(); ++g)
    tiles.push_back(tiles.back() + (groups[g + 1] - groups[g] + lane_count - 1) / lane_count);
}

SweepPlan::SweepPlan(Index count) : order(static_cast<std::size_t>(count)) { std::iota(order.begin(), order.end(), 0); }

Vector SweepPlan::scalars_in_lanes(const Vector& of_blocks) const {
  if (groups.empty()) return {};
  Vector lane_numbers = Vector::Zero(lane_count * tiles.back());
  for_lanes([&](Index block, Index lane) { lane_numbers[lane] = of_blocks[block]; });
  return lane_numbers;
}

void SweepPlan::put_in_lanes(const Vector& of_blocks, Vector& lane_numbers) const {
  lane_numbers.setZero(3 * lane_count * tiles.back());
  for_lanes([&](Index block, Index lane) { in_lane(lane_numbers.data(), lane) = of_blocks.segment<3>(3 * block); });
}

void SweepPlan::take_from_lanes(const Vector& lane_numbers, Vector& of_blocks) const {
  for_lanes([&](Index block, Index lane) { of_blocks.segment<3>(3 * block) = in_lane(lane_numbers.data(), lane); });
}

}  // namespace ccp
