#pragma once

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>

namespace ccp {

/// Room a timed run of a method or a peer finds in memory, bytes. With 4 MB proximal_newton took a third longer on 570
/// contacts. Adapters in Python have the same number (peers/adapters/service.py).
constexpr std::size_t resident_heap = std::size_t{16} << 20U;

/// Has `bytes` of the heap in memory after they are given back to it.
inline void extend_heap(std::size_t bytes) {
  constexpr int populate_write = 23;  // MADV_POPULATE_WRITE of Linux 5.14
  const int limit = static_cast<int>(std::min<std::size_t>(2 * bytes, std::numeric_limits<int>::max()));
  ::mallopt(M_MMAP_THRESHOLD, limit);  // so that this block, and others of a run, come from the heap
  ::mallopt(M_TRIM_THRESHOLD, limit);
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  void* block = std::malloc(bytes);
  const auto first = (reinterpret_cast<std::uintptr_t>(block) + page - 1) / page * page;
  const auto last = (reinterpret_cast<std::uintptr_t>(block) + bytes) / page * page;
  if (block != nullptr && last > first) ::madvise(reinterpret_cast<void*>(first), last - first, populate_write);
  std::free(block);
}

}  // namespace ccp
