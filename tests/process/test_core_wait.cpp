#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>

#include "process/core_wait.hpp"

using namespace ccp;

TEST_CASE("Two processes that share a core wait for it") {
  if (std::isnan(core_wait_s(0))) {
    WARN("this system does not say how long a process waits for a core");
    return;
  }
  const int core = sched_getcpu();
  std::array<pid_t, 2> busy{};
  for (pid_t& child : busy) {
    child = fork();
    REQUIRE(child >= 0);
    if (child > 0) continue;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<unsigned>(core), &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) _exit(2);
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(400);
    while (std::chrono::steady_clock::now() < end) {
    }
    _exit(core_wait_s(0) > 0.02 ? 0 : 1);
  }
  for (const pid_t child : busy) {
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
}

TEST_CASE("A process that is gone has waited for no core that the system tells") {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(0);
  REQUIRE(waitpid(child, nullptr, 0) == child);
  CHECK(std::isnan(core_wait_s(child)));
}
