#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "bench/analysis/budget.hpp"
#include "bench/analysis/profile.hpp"

using namespace ccp;

namespace {

CostTable table(std::vector<std::vector<double>> costs) {
  CostTable made;
  made.at = 1e-4;
  for (std::size_t p = 0; p < costs.front().size(); ++p) made.problems.push_back(std::to_string(p));
  made.contacts.assign(made.problems.size(), 4.0);
  for (std::size_t s = 0; s < costs.size(); ++s) made.labels.push_back(std::to_string(s));
  made.costs = std::move(costs);
  return made;
}

ProfileOptions by_iterations() {
  ProfileOptions options;
  options.by = "iterations";
  return options;
}

}  // namespace

TEST_CASE("Performance profiles count ties for both, and failures for nobody") {
  const auto curves = performance_profile(table({{10, 20, never, 8}, {10, 10, never, never}, {never, never, never, never}}),
                                          by_iterations());
  REQUIRE(curves.size() == 3);
  CHECK(curves[0].x.front() == 1.0);
  CHECK(curves[0].fraction.front() == 0.5);
  CHECK(curves[1].fraction.front() == 0.5);
  CHECK(curves[0].fraction.back() == 0.75);
  CHECK(curves[1].fraction.back() == 0.5);
  CHECK(curves[2].fraction.back() == 0.0);
  for (std::size_t i = 0; i < curves[0].x.size(); ++i) CHECK(curves[0].fraction[i] == (curves[0].x[i] < 2.0 ? 0.5 : 0.75));
}

TEST_CASE("Costs of zero are the resolution, not an infinite ratio") {
  const auto curves = performance_profile(table({{0}, {5}}), by_iterations());
  CHECK(curves[0].fraction.front() == 1.0);
  CHECK(curves[1].fraction.front() == 0.0);
  CHECK(curves[1].fraction.back() == 1.0);
}

TEST_CASE("Data profiles take times per contact") {
  ProfileOptions options;
  const auto curves = data_profile(table({{0.4, 4.0}}), options);
  CHECK(curves[0].x.front() == Approx(0.1));
  CHECK(curves[0].fraction.front() == 0.5);
  CHECK(curves[0].x.back() == Approx(1.0));
  CHECK(curves[0].fraction.back() == 1.0);
}

TEST_CASE("Shifted geometric means punish failures and are known by their shift") {
  const auto means = shifted_means(table({{10, 90}, {never, 90}}), by_iterations());
  CHECK(means[0].mean == Approx(std::sqrt(20.0 * 100.0) - 10.0));
  CHECK(means[0].solved == 2);
  CHECK(means[1].mean == Approx(std::sqrt(910.0 * 100.0) - 10.0));
  CHECK(means[1].solved == 1);
  CHECK(std::isnan(shifted_means(table({{never}}), by_iterations())[0].mean));
  CHECK(shifted_means(table({{0, 0}, {1, 2}}), by_iterations())[0].mean == 0.0);  // of methods without products, say
}

TEST_CASE("A tighter accuracy never looks cheaper") {
  // The dear problem is solved to 1e-4 alone: at 1e-8 the dearest solved cost is that of the cheap one.
  CostTable loose = table({{10, 1000}}), tight = table({{20, never}});
  loose.dearest = tight.dearest = 1000.0;
  const double before = shifted_means(loose, by_iterations())[0].mean, after = shifted_means(tight, by_iterations())[0].mean;
  CHECK(before == Approx(std::sqrt(20.0 * 1010.0) - 10.0));
  CHECK(after == Approx(std::sqrt(30.0 * 10010.0) - 10.0));
  CHECK(after > before);
}

TEST_CASE("What is not asked of a solver is in none of its denominators") {
  const double absent = std::numeric_limits<double>::quiet_NaN();
  const CostTable some = table({{10, absent, never, absent}, {20, 10, 10, 10}, {absent, absent, absent, absent}});
  CHECK(some.taken(0) == 2);
  CHECK(some.taken(2) == 0);
  for (const auto& curves : {performance_profile(some, by_iterations()), data_profile(some, by_iterations())}) {
    REQUIRE(curves.size() == 2);  // none of the third
    CHECK(curves[0].problems == 2);
    CHECK(curves[0].fraction.back() == 0.5);
    CHECK(curves[1].problems == 4);
    CHECK(curves[1].fraction.back() == 1.0);
  }
  CHECK(performance_profile(some, by_iterations())[1].fraction.front() == 0.75);  // the quickest where it is alone
  const auto means = shifted_means(some, by_iterations());
  CHECK(means[0].solved == 1);
  CHECK(means[0].problems == 2);
  CHECK(means[0].mean == Approx(std::sqrt(20.0 * 210.0) - 10.0));
  CHECK(means[2].problems == 0);
  CHECK(std::isnan(means[2].mean));
}

TEST_CASE("Bands hold the value and stay within its extremes; few problems have none") {
  const CostTable five = table({{10, 20, 30, 40, 90}, {never, never, 30, 30, 30}});
  const ShiftedMean mean = shifted_means(five, by_iterations())[0];
  CHECK(mean.low < mean.mean);
  CHECK(mean.high > mean.mean);
  CHECK(mean.low >= 10.0);
  CHECK(mean.high <= 90.0 + 1e-9);
  for (const ProfileCurve& curve : performance_profile(five, by_iterations())) {
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      CHECK(curve.low[i] <= curve.fraction[i]);
      CHECK(curve.high[i] >= curve.fraction[i]);
    }
    CHECK(curve.low.front() < curve.high.front());
  }
  const CostTable four = table({{10, 20, 30, 40}});
  CHECK(std::isnan(shifted_means(four, by_iterations())[0].low));
  CHECK_FALSE(std::isnan(shifted_means(four, by_iterations())[0].mean));
  CHECK(std::isnan(data_profile(four, by_iterations())[0].high.back()));
}

TEST_CASE("the interval of a share has the quantiles of the binomial distribution") {
  const auto interval = [](std::size_t solved, std::size_t runs) {
    const ShareInterval made = share_interval(solved, runs);
    return std::pair(made.low, made.high);
  };
  CHECK(interval(9, 10) == std::pair(0.7, 1.0));  // P(X <= 6) = 0.013, P(X <= 7) = 0.070, P(X <= 9) = 0.651
  CHECK(interval(5, 10) == std::pair(0.2, 0.8));  // P(X <= 1) = 0.011, P(X <= 2) = 0.055, P(X <= 7) = 0.945
  CHECK(interval(10, 10) == std::pair(1.0, 1.0));
  CHECK(interval(0, 10) == std::pair(0.0, 0.0));
  CHECK(std::isnan(interval(4, 4).first));
  const auto [low, high] = interval(1500, 3000);  // 0.5 ± 1.96·(0.25/3000)^½, as of a normal distribution
  CHECK(std::abs(low - 0.4821) < 5e-4);
  CHECK(std::abs(high - 0.5179) < 5e-4);
}
