#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "core/stopwatch.hpp"

using namespace ccp;

namespace {

constexpr double nap_s = 0.02;

void nap() { std::this_thread::sleep_for(std::chrono::duration<double>(nap_s)); }

}  // namespace

TEST_CASE("a stopwatch starts stopped at zero", "[core]") {
  const Stopwatch watch;
  CHECK_FALSE(watch.running());
  nap();
  CHECK(watch.seconds() == 0.0);
}

TEST_CASE("a stopwatch counts only while it runs", "[core]") {
  Stopwatch watch;
  watch.start();
  nap();
  CHECK(watch.seconds() >= nap_s);
  watch.stop();
  const double first = watch.seconds();
  nap();
  CHECK(watch.seconds() == first);
  watch.stop();
  CHECK(watch.seconds() == first);
  watch.start();
  nap();
  watch.start();  // must not restart the interval in progress
  watch.stop();
  CHECK(watch.seconds() >= first + nap_s);
}

TEST_CASE("a pause stops a running stopwatch and starts it again", "[core]") {
  Stopwatch watch;
  watch.start();
  {
    const Stopwatch::Pause pause(watch);
    CHECK_FALSE(watch.running());
    const double before = watch.seconds();
    nap();
    CHECK(watch.seconds() == before);
    {
      const Stopwatch::Pause inner(watch);
      CHECK_FALSE(watch.running());
    }
    CHECK_FALSE(watch.running());
  }
  CHECK(watch.running());
}

TEST_CASE("a pause leaves a stopped stopwatch stopped", "[core]") {
  Stopwatch watch;
  { const Stopwatch::Pause pause(watch); }
  CHECK_FALSE(watch.running());
  CHECK(watch.seconds() == 0.0);
}

TEST_CASE("time spent is added to a total at the end of its scope", "[core]") {
  double total = 1.0;
  {
    const TimeSpent timed(total);
    nap();
    CHECK(total == 1.0);
  }
  CHECK(total >= 1.0 + nap_s);
}
