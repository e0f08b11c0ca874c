#include "bench/resident_pages.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

namespace ccp {
namespace {

constexpr std::uintptr_t largest_mapping = 8U << 20U;

struct Mapping {
  std::uintptr_t begin, end;
  bool writable;
};

/// The readable mappings of this process, but those the kernel serves itself.
std::vector<Mapping> readable_mappings() {
  std::vector<Mapping> mappings;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    char rights[5] = "";
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, rights) != 3 || rights[0] != 'r' || rights[3] != 'p')
      continue;
    if (line.find("[v") == std::string::npos) mappings.push_back({begin, end, rights[1] == 'w'});
  }
  return mappings;
}

/// Has `bytes` of the heap in memory after they are given back to it.
void extend_heap(std::size_t bytes) {
  const int limit = static_cast<int>(std::min<std::size_t>(2 * bytes, std::numeric_limits<int>::max()));
  ::mallopt(M_MMAP_THRESHOLD, limit);  // so that this block, and others of a run, come from the heap
  ::mallopt(M_TRIM_THRESHOLD, limit);
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  void* block = std::malloc(bytes);
  const auto first = (reinterpret_cast<std::uintptr_t>(block) + page - 1) / page * page;
  const auto last = (reinterpret_cast<std::uintptr_t>(block) + bytes) / page * page;
  if (block != nullptr && last > first) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_WRITE);
  std::free(block);
}

}  // namespace

void make_pages_resident(std::size_t heap_bytes) {
  for (const Mapping& mapping : readable_mappings())
    if (mapping.end - mapping.begin <= largest_mapping)
      ::madvise(reinterpret_cast<void*>(mapping.begin), mapping.end - mapping.begin,
                mapping.writable ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
  extend_heap(heap_bytes);
}

}  // namespace ccp
