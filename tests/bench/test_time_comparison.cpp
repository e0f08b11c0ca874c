#include <catch2/catch.hpp>

#include "bench/analysis/time_comparison.hpp"

using ccp::rank_sum_chance;

// Orders of the values: 252 of five and five, 20 of three and three.
TEST_CASE("The chance of ranks as far apart is exact") {
  CHECK(rank_sum_chance({1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}) == Approx(2.0 / 252.0));
  CHECK(rank_sum_chance({6, 7, 8, 9, 10}, {1, 2, 3, 4, 5}) == Approx(2.0 / 252.0));
  CHECK(rank_sum_chance({1, 2, 3, 4, 6}, {5, 7, 8, 9, 10}) == Approx(4.0 / 252.0));
  CHECK(rank_sum_chance({1, 2, 3}, {4, 5, 6}) == Approx(0.1));
  CHECK(rank_sum_chance({1, 4, 5}, {2, 3, 6}) == Approx(1.0));
  CHECK(rank_sum_chance({1, 1, 1}, {1, 1, 1}) == Approx(1.0));
  CHECK(rank_sum_chance({}, {1}) == 1.0);
}

TEST_CASE("Many values are taken as normal, which agrees with the exact chance") {
  std::vector<double> a, b;
  for (int i = 0; i < 40; ++i) a.push_back(i), b.push_back(i + 5.5);
  const double exact = rank_sum_chance(a, b);
  a.push_back(40), b.push_back(45.5);
  CHECK(exact > 0.01);
  CHECK(rank_sum_chance(a, b) == Approx(exact).epsilon(0.15));
}
