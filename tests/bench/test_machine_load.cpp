#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/fake_catalog.hpp"
#include "bench/results/cell_file.hpp"
#include "bench/run/machine_load.hpp"
#include "bench/run/runner.hpp"
#include "bench/runs.hpp"
#include "support/skip.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp;
using ccp::testing::fake_catalog;
using ccp::testing::solvers_config;
using ccp::testing::TemporaryFolder;

namespace {

constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

class WarningListener final : public RunProgress {
 public:
  void warning(const std::string& text) override { texts_ += text + "\n"; }
  std::string texts_;
};

struct LoadRun {
  RunReport report;
  std::string warnings;
};

LoadRun run_on_machine(const TemporaryFolder& folder) {
  WarningListener listener;
  const Config config = parse_config(solvers_config({"good"}), "c.json", fake_catalog());
  RunOptions options;
  options.out = folder.path().string();
  RunReport report = run_config(config, make_plan(config), fake_catalog(), options, listener);
  return {std::move(report), listener.texts_};
}

}  // namespace

TEST_CASE("A machine is busy where a run waits for a core, or all cores have work") {
  CHECK(busy_text({0.4, 0.01}, 1, 2).empty());
  CHECK(busy_text({0.4, 0.01}, 2, 2).empty());  // there is always half a core of others
  CHECK(busy_text({0.9, 0.01}, 1, 2) == "other programs kept 0.9 of 2 cores busy");
  CHECK(busy_text({0.9, 0.01}, 1, 16).empty());
  CHECK(busy_text({15.2, 0.0}, 1, 16) == "other programs kept 15.2 of 16 cores busy");
  CHECK(busy_text({not_measured, 0.2}, 1, 16) == "it waited 20 % of its time for a core");
  CHECK(busy_text({1.4, 0.3}, 1, 2) == "other programs kept 1.4 of 2 cores busy, it waited 30 % of its time for a core");
  CHECK(busy_text({not_measured, not_measured}, 1, 2).empty());
}

TEST_CASE("The work of others is measured while it goes on") {
  const LoadMeter meter;
  const pid_t other = ::fork();
  if (other == 0) {
    volatile bool forever = true;
    while (forever) {
    }
  }
  ::usleep(600000);
  const MachineLoad load = meter.read();
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  if (std::isnan(load.others)) return ccp::testing::skip("no /proc/stat here");
  CHECK(load.others > 0.3);
  CHECK(load.others <= machine_cores() + 0.5);
}

TEST_CASE("A cell that was timed on a busy machine says so when it is used again") {
  const TemporaryFolder folder;
  run_on_machine(folder);
  const auto file = std::filesystem::directory_iterator(folder.path() / "x/cells")->path() / "cell.json";
  auto cell = Json::parse(ccp::testing::read_text(file));
  for (auto& run : cell["runs"]) run.erase("busy");
  ccp::testing::write_text(file, with_checksum(cell));
  const LoadRun idle = run_on_machine(folder);
  CHECK(idle.report.reused == 1);
  CHECK(idle.warnings.empty());
  cell["runs"][0]["busy"] = "other programs kept 1.4 of 2 cores busy";
  ccp::testing::write_text(file, with_checksum(cell));
  const LoadRun busy = run_on_machine(folder);
  CHECK(busy.report.reused == 1);
  CHECK_THAT(
      busy.warnings,
      Catch::Contains("the times of 1 of 1 cells were taken on a busy machine (pebbles/ccp/good: other programs kept 1.4"));
  CHECK_THAT(ccp::testing::read_text(folder.path() / "x/manifest.json"), Catch::Contains("taken on a busy machine"));
  CHECK_THAT(ccp::testing::read_text(folder.path() / "x/summary.csv"), Catch::Contains("busy_runs"));
}
