#include <catch2/catch.hpp>
#include <string>

#include "core/event_counter.hpp"
#include "support/skip.hpp"

using namespace ccp;

namespace {

/// Arithmetic that no compiler leaves out.
void work() {
  volatile double sum = 0.0;
  for (int i = 0; i < 1'000'000; ++i) sum = sum + 1e-3 * i;
}

struct Listener final : ClockFollower {
  void go() override { heard += '+'; }
  void halt() override { heard += '-'; }
  std::string heard;
};

}  // namespace

TEST_CASE("what follows a stopwatch goes and halts with it, once each", "[core]") {
  Listener listener;
  Stopwatch watch;
  watch.set_follower(&listener);
  watch.stop();
  CHECK(listener.heard.empty());
  watch.start();
  watch.start();
  CHECK(listener.heard == "+");
  { const Stopwatch::Pause pause(watch); }
  CHECK(listener.heard == "+-+");
  watch.stop();
  watch.stop();
  CHECK(listener.heard == "+-+-");
}

TEST_CASE("an event counter counts while its clock runs", "[core]") {
  EventCounter counter(CountedEvent::task_clock);
  if (!counter.defect().empty()) return ccp::testing::skip("events cannot be counted: " + counter.defect());
  Stopwatch watch;
  watch.set_follower(&counter);
  work();
  CHECK(counter.count() == 0.0);
  watch.start();
  work();
  watch.stop();
  const auto first = counter.count();
  REQUIRE(first);
  CHECK(*first > 0.0);
  work();
  CHECK(counter.count() == first);
  watch.start();
  work();
  watch.stop();
  CHECK(counter.count().value() > *first);
}

TEST_CASE("a machine counts instructions, or says why it does not", "[core]") {
  EventCounter counter(CountedEvent::instructions);
  Stopwatch watch;
  watch.set_follower(&counter);
  watch.start();
  work();
  watch.stop();
  if (counter.defect().empty()) {
    if (const auto count = counter.count()) CHECK(*count > 1e6);  // nothing where another program had the counter
  } else {
    CHECK_FALSE(counter.count());
    CHECK(counter.defect().find("  ") == std::string::npos);
  }
}
