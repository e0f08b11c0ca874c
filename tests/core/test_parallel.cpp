#include <algorithm>
#include <catch2/catch.hpp>
#include <mutex>
#include <utility>
#include <vector>

#include "core/parallel.hpp"

using namespace ccp;

TEST_CASE("parallel_ranges covers each index exactly once", "[core]") {
  std::vector<Index> counts{100, 101, 997, 4096};
  for (Index count = 0; count <= 40; ++count) counts.push_back(count);
  for (const Index count : counts) {
    for (const int threads : {-1, 0, 1, 2, 3, 4, 7, 8}) {
      std::vector<int> visits(static_cast<std::size_t>(count), 0);
      std::mutex guard;
      std::vector<std::pair<Index, Index>> ranges;
      parallel_ranges(
          threads, count,
          [&](Index begin, Index end) {
            for (Index i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
            const std::lock_guard lock(guard);
            ranges.emplace_back(begin, end);
          },
          1);
      CAPTURE(count, threads);
      CHECK(visits == std::vector<int>(visits.size(), 1));
      CHECK(ranges.size() <= static_cast<std::size_t>(std::max(threads, 1)));
      for (const auto& [begin, end] : ranges) CHECK((begin >= 0 && begin <= end && end <= count));
    }
  }
}

TEST_CASE("parallel_ranges splits evenly when there is enough to do", "[core]") {
  std::mutex guard;
  std::vector<Index> lengths;
  parallel_ranges(
      3, 100,
      [&](Index begin, Index end) {
        const std::lock_guard lock(guard);
        lengths.push_back(end - begin);
      },
      33);
  REQUIRE(lengths.size() == 3);
  for (const Index length : lengths) CHECK((length == 33 || length == 34));
}

TEST_CASE("parallel_ranges wakes no thread for a small count", "[core]") {
  int calls = 0;
  parallel_ranges(8, 511, [&](Index, Index) { ++calls; });
  CHECK(calls == 1);
}
