#include <omp.h>

#include <catch2/catch.hpp>

#include "bench/temporary_folder.hpp"
#include "process/process_pool.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

int team_size() {
  int size = 0;
#pragma omp parallel num_threads(2)
#pragma omp atomic
  ++size;
  return size;
}

}  // namespace

TEST_CASE("Workers have threads, and the process they come from has none") {
  const TemporaryFolder folder;
  const int levels = ::omp_get_max_active_levels();
  {
    ProcessPool pool;
    CHECK(team_size() == 1);
    Limits limits;
    limits.wall_s = 20.0;
    pool.spawn(7, limits, folder.path() / "log.txt", [] { return team_size(); });
    std::optional<WorkerExit> exit;
    while (!exit) exit = pool.wait(std::chrono::milliseconds(200));
    CHECK(exit->id == 7);
    CHECK(exit->code == 2);
  }
  CHECK(::omp_get_max_active_levels() == levels);
}
