#include <catch2/catch.hpp>

#include "bench/analysis/ensemble_number.hpp"
#include "bench/results/result_table.hpp"

using namespace ccp;

TEST_CASE("A mean and a geometric mean of cells") {
  CHECK(ensemble_number(ClaimOver::mean, {40.0, 10.0, 20.0}) == Approx(70.0 / 3.0));
  CHECK(ensemble_number(ClaimOver::geometric_mean, {40.0, 10.0, 20.0}) == Approx(20.0));
  CHECK(ensemble_number(ClaimOver::mean, {0.12}) == 0.12);
  // One that never arrives has no mean below any bound; a zero makes the geometric mean zero.
  CHECK(ensemble_number(ClaimOver::mean, {1.0, never}) == never);
  CHECK(ensemble_number(ClaimOver::geometric_mean, {1.0, never}) == never);
  CHECK(ensemble_number(ClaimOver::geometric_mean, {1e-8, 0.0}) == 0.0);
}

TEST_CASE("What makes a line is no number of cells") {
  CHECK_THROWS_AS(ensemble_number(ClaimOver::slope, {1.0, 2.0}), std::logic_error);
  CHECK_FALSE(is_quantile(ClaimOver::mean));
  CHECK(is_quantile(ClaimOver::upper_quartile));
}
