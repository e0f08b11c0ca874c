#include <catch2/catch.hpp>
#include <cmath>

#include "bench/record/cell_record.hpp"
#include "bench/run/kernel_times.hpp"
#include "support/small_problems.hpp"

using namespace ccp;
using namespace ccp::testing;

TEST_CASE("kernels called between iterations give the share of each product and projection", "[bench]") {
  FirstOrderKernels kernels(random_problem(5, {20, 60}), 1);
  KernelTotals totals;
  Counters products, projections, both;
  products.products = both.products = 4;
  projections.projections = both.projections = 7;
  CHECK(std::isnan(totals.work(both)));
  for (int call = 0; call < 3; ++call) totals.add_call(kernels);
  CHECK(totals.work(products) > 0.0);
  CHECK(totals.work(projections) > 0.0);
  CHECK(totals.work(both) == Approx(totals.work(products) + totals.work(projections)));
  CHECK(totals.work({}) == 0.0);
}

TEST_CASE("the kernels of a run are shared out by the runs that judge nothing", "[bench]") {
  CellRecord record;
  const auto add = [&record](int pass, double solve_s, double work_s) {
    TimedRun run;
    run.pass = pass;
    run.solve_s = solve_s;
    run.kernel_work_s = work_s;
    record.runs.push_back(run);
  };
  add(1, 9.0, unknown_number);
  CHECK(std::isnan(kernel_share(record).work_s));
  CHECK(std::isnan(kernel_share(record).ratio));
  add(2, 3.0, 2.0);
  add(2, 8.0, 4.0);
  add(2, 5.0, 5.0);
  CHECK(kernel_share(record).work_s == 4.0);
  CHECK(kernel_share(record).ratio == 1.5);  // of the runs, not of the medians
  record.runs.clear();
  add(2, 3.0, 0.0);  // a method without products
  CHECK(std::isnan(kernel_share(record).ratio));
}
