#include <catch2/catch.hpp>

#include "bench/run/remaining_time.hpp"

using namespace ccp;

TEST_CASE("The time left comes from the cells that have run") {
  RemainingTime time;
  for (int i = 0; i < 4; ++i) time.add("fast", "p", 100.0);
  for (int i = 0; i < 2; ++i) time.add("slow", "p", 100.0);
  time.built("p", 0.0);
  CHECK_FALSE(time.left_s(1, 0.0));
  time.started(0, "fast", 100.0, 0.0);
  CHECK_FALSE(time.left_s(1, 1.0));
  time.finished(0, 2.0);
  CHECK(*time.left_s(1, 2.0) == Approx(10.0));  // three fast ones of 2 s, and two slow ones of whom nothing else is known

  time.started(4, "slow", 100.0, 2.0);
  CHECK(*time.left_s(1, 2.0) == Approx(10.0));
  CHECK(*time.left_s(1, 3.0) == Approx(9.0));    // a second of the running one has passed
  CHECK(*time.left_s(1, 12.0) == Approx(16.0));  // it is 8 s late, so it may well take another 8 s
  time.finished(4, 20.0);
  CHECK(*time.left_s(1, 22.0) == Approx(26.0));  // the other slow one counts 20 s now
  CHECK(*time.left_s(2, 22.0) == Approx(20.0));  // and cannot be shared between two
}

TEST_CASE("A running cell is not expected to go on beyond its wall limit") {
  RemainingTime time;
  time.add("a", "p", 10.0);
  time.add("a", "p", 10.0);
  time.built("p", 0.0);
  time.started(0, "a", 10.0, 0.0);
  time.finished(0, 1.0);
  time.started(1, "a", 10.0, 1.0);
  CHECK(*time.left_s(1, 10.0) == Approx(1.0));
  CHECK(*time.left_s(1, 11.0) == Approx(0.0));
  time.finished(1, 10.0);
  CHECK(*time.left_s(1, 11.0) == 0.0);
}

TEST_CASE("Cells that never ran say nothing of the others, and problems take time to build") {
  RemainingTime time;
  time.add("a", "broken", 10.0);
  time.add("a", "second", 10.0);
  time.add("a", "third", 10.0);
  time.built("broken", 3.0);
  time.skipped("a");
  CHECK_FALSE(time.left_s(1, 0.0));
  time.built("second", 5.0);
  time.started(1, "a", 10.0, 8.0);
  time.finished(1, 2.0);
  CHECK(*time.left_s(1, 10.0) == Approx(4.0 + 2.0));
}
