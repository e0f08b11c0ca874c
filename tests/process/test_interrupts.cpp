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

TEST_CASE("What the outer of two guards noted stays noted, and nothing between two inner ones ends the process") {
  const int signal = GENERATE(SIGINT, SIGTERM);
  struct sigaction before {
  }, after{};
  ::sigaction(signal, nullptr, &before);
  {
    const InterruptGuard outer;
    { const InterruptGuard inner; }
    std::raise(signal);
    const InterruptGuard inner;
    CHECK((outer.interrupted() && inner.interrupted()));
  }
  ::sigaction(signal, nullptr, &after);
  CHECK(after.sa_handler == before.sa_handler);
  const InterruptGuard next;
  CHECK_FALSE(next.interrupted());
}
