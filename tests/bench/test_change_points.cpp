#include <catch2/catch.hpp>
#include <random>

#include "bench/analysis/change_points.hpp"

using namespace ccp;

namespace {

using Places = std::vector<std::size_t>;

/// A level for each piece, and noise that the seed decides.
std::vector<double> series(const std::vector<std::pair<std::size_t, double>>& pieces, double noise, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<double> values;
  for (const auto& [count, level] : pieces)
    for (std::size_t i = 0; i < count; ++i) {
      double sum = 0.0;  // of twelve uniform numbers: nearly normal
      for (int k = 0; k < 12; ++k) sum += static_cast<double>(engine() >> 11) * 0x1p-53;
      values.push_back(level + noise * (sum - 6.0));
    }
  return values;
}

}  // namespace

TEST_CASE("counts without noise change wherever they differ") {
  CHECK(change_points({}, {}).empty());
  CHECK(change_points({3.0}, {}).empty());
  CHECK(change_points(std::vector<double>(50, 0.7), {}).empty());
  CHECK(change_points({1.0, 2.0}, {}) == Places{1});
  CHECK(change_points({0.0, 0.0, 0.0, 0.7, 0.7, 0.7, 0.7}, {}) == Places{3});
  CHECK(change_points({4.0, 4.0, 5.0, 4.0, 4.0, 4.0}, {}) == Places{2, 3});
  CHECK(change_points({1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0, 3.0}, {}) == Places{1, 4});
}

TEST_CASE("noise is no change, and a change is found in it") {
  const ChangeRule times{0.01, 2};
  int false_alarms = 0, found = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    false_alarms += change_points(series({{40, 1.0}}, 0.05, seed), times).empty() ? 0 : 1;
    const Places places = change_points(series({{20, 1.0}, {20, 1.2}}, 0.05, seed), times);
    found += places.size() == 1 && places[0] >= 19 && places[0] <= 21 ? 1 : 0;
  }
  CHECK(false_alarms <= 10);
  CHECK(found >= 85);
  CHECK(change_points(series({{6, 1.0}, {6, 1.3}, {6, 1.1}}, 0.003, 1), times) == Places{6, 12});
}

TEST_CASE("a single value far off is no change where pieces have two values") {
  std::vector<double> values(20, 1.0);
  values[7] = 3.0;
  CHECK(change_points(values, {0.01, 1}) == Places{7, 8});
  CHECK(change_points({1.0, 1.5}, {0.01, 2}).empty());
}

TEST_CASE("levels are the means of the pieces") {
  CHECK(levels_of({1.0, 3.0, 10.0}, {2}) == std::vector<double>{2.0, 2.0, 10.0});
  CHECK(levels_of({1.0, 3.0}, {}) == std::vector<double>{2.0, 2.0});
}
