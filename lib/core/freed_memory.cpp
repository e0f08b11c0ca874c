#include "core/freed_memory.hpp"

#include <cstdint>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace ccp {

void return_freed_memory() {
#if defined(__GLIBC__)
  ::malloc_trim(0);
#endif
}

void return_large_arrays() {
#if defined(__GLIBC__)
  ::mallopt(M_MMAP_THRESHOLD, 1 << 17);  // otherwise it grows with what is freed, to 32 MB
  ::mallopt(M_MMAP_MAX, 1 << 16);        // which Open MPI may have set to 0
  ::mallopt(M_TRIM_THRESHOLD, 1 << 17);
#endif
}

void discard([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(data), last = (first + bytes) / page * page;
  const std::uintptr_t begin = (first + page - 1) / page * page;
  if (begin < last) ::madvise(reinterpret_cast<void*>(begin), last - begin, MADV_DONTNEED);
#endif
}

}  // namespace ccp
