#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "core/large_pages.hpp"

using namespace ccp;

TEST_CASE("arrays of at least one large page begin with a page, smaller ones are as usual", "[core]") {
  using Array = std::vector<double, LargePageAllocator<double>>;
  constexpr std::size_t page = std::size_t{1} << 21;
  for (const std::size_t size : {page / sizeof(double), 3 * page / sizeof(double) + 1}) {
    Array large(size, 3.0);
    CHECK(reinterpret_cast<std::uintptr_t>(large.data()) % page == 0);
    large.back() = 4.0;
    large.push_back(5.0);  // moves
    CHECK(large.size() == size + 1);
    CHECK(large[0] == 3.0);
    CHECK(large[size - 1] == 4.0);
    CHECK(large[size] == 5.0);
    const Array copy = large;
    CHECK(copy == large);
    CHECK(copy.data() != large.data());
  }
  const Array small(7, 1.0);
  CHECK(reinterpret_cast<std::uintptr_t>(small.data()) % alignof(double) == 0);
  CHECK(small == Array(7, 1.0));
}
