#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/fake_catalog.hpp"
#include "bench/results/result_store.hpp"
#include "bench/run/run_limits.hpp"
#include "bench/runs.hpp"
#include "bench/sequence_runs.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

RunLimits limits_of(const TemporaryFolder& folder, const std::string& text, const Catalog& catalog, int jobs = 1,
                    int repeat = 1) {
  const Plan plan = make_plan(parse_config(text, "c.json", catalog));
  RunOptions options;
  options.out = folder.path().string();
  options.jobs = jobs;
  options.repeat = repeat;
  return limits_of_run(plan, select_cells(plan, {}, {}), catalog, options);
}

}  // namespace

TEST_CASE("The cells of a run can take their wall limits, two at once half of it and half of the longest more") {
  const TemporaryFolder folder;
  const std::string text = solvers_config({"good", "picky", "hang"}, R"(, "limits": {"wall_s": 30})");
  CHECK(limits_of(folder, text, fake_catalog()).cells_s == Approx(3 * 30.0));
  CHECK(limits_of(folder, text, fake_catalog(), 2).cells_s == Approx(3 * 30.0 / 2 + 30.0 / 2));
  const RunLimits repeated = limits_of(folder, text, fake_catalog(), 1, 5);
  CHECK(repeated.to_run.size() == 3);
  CHECK(repeated.runs >= 15);
  CHECK(repeated.cells_s == Approx(30.0 * static_cast<double>(repeated.runs)));
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("The driver of a shared sequence counts once, with its own limit") {
  const TemporaryFolder folder;
  const std::string text = sequence_config({{"/limits", {{"wall_s", 20}}}, {"/problems/0/sequence/driver/wall_s", 50}});
  const RunLimits limits = limits_of(folder, text, moving_scenes());
  CHECK(limits.to_run.size() == 2);
  CHECK(limits.cells_s == Approx(2 * 20.0));
  CHECK(limits.drivers == 1);
  CHECK(limits.drivers_s == Approx(50.0));
  const std::string own = sequence_config({{"/problems/0/sequence/trajectory", "own"}});
  CHECK(limits_of(folder, own, moving_scenes()).drivers == 0);
}

TEST_CASE("Cells with a result take no time but for missing repeats, and say what they took") {
  const TemporaryFolder folder;
  const std::string text = solvers_config({"good", "picky"}, R"(, "limits": {"wall_s": 30})");
  const Plan plan = make_plan(parse_config(text, "c.json", fake_catalog()));
  const ResultStore store(folder.path().string(), "x");
  CellRecord record;
  record.hash = plan.cells[1].hash;
  record.status = Status::solved;
  record.limits = plan.cells[1].limits;
  record.wall_s = 12.5;
  record.runs.emplace_back();
  store.prepare(plan.cells[1]);
  store.store(plan.cells[1], record);
  const RunLimits limits = limits_of(folder, text, fake_catalog());
  CHECK(limits.to_run == std::vector<std::size_t>{0});
  CHECK(limits.to_repeat.empty());
  CHECK(limits.stored == 1);
  CHECK(limits.stored_s == 12.5);
  CHECK(limits.cells_s == Approx(30.0));
  const RunLimits repeated = limits_of(folder, text, fake_catalog(), 1, 3);
  CHECK(repeated.to_run == std::vector<std::size_t>{0});
  CHECK(repeated.to_repeat == std::vector<std::size_t>{1});
}
