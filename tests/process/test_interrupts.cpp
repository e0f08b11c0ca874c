#include <catch2/catch.hpp>
#include <csignal>

#include "process/interrupt_guard.hpp"

using namespace ccp;

TEST_CASE("An interrupt that is held back takes effect at the end") {
  const int signal = GENERATE(SIGINT, SIGTERM);
  const InterruptGuard guard;
  {
    const InterruptHold hold;
    std::raise(signal);
    CHECK_FALSE(guard.interrupted());
  }
  CHECK(guard.interrupted());
}
