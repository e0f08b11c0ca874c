#include "bench/run/resident_pages.hpp"

#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "core/resident_heap.hpp"

namespace ccp {
#if defined(__SANITIZE_ADDRESS__)

// Its memory takes longer to populate than many a test to run.
void make_pages_resident(std::size_t) {}
void keep_freed_memory() {}

#else
namespace {

/// For example problems of their own, work space of BLAS, the stack of a thread.
constexpr std::size_t large_data = 8U << 20U;
/// Blocks of the heap that were free before a process was copied are taken first, and the first write copies their pages.
constexpr std::size_t large_heap = 64U << 20U;

struct Mapping {
  std::uintptr_t begin = 0, end = 0;
  bool writable = false;
  std::string file;  ///< empty for memory without one
  bool heap = false;

  bool holds(std::uintptr_t address) const { return begin <= address && address < end; }
};

/// The readable private mappings of this process, but those the kernel serves itself.
std::vector<Mapping> readable_mappings() {
  std::vector<Mapping> mappings;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    char rights[5] = "";
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, rights) != 3 || rights[0] != 'r' || rights[3] != 'p')
      continue;
    if (line.find("[v") != std::string::npos) continue;
    const auto file = line.find('/');
    mappings.push_back({begin, end, rights[1] == 'w', file == std::string::npos ? "" : line.substr(file),
                        line.find("[heap]") != std::string::npos});
  }
  return mappings;
}

/// The program, and the libraries of C and C++, which every method calls.
std::vector<std::string> code_of_every_method(const std::vector<Mapping>& mappings) {
  const auto address = [](auto* function) { return reinterpret_cast<std::uintptr_t>(function); };
  std::vector<std::string> files;
  for (const std::uintptr_t place : {address(&make_pages_resident), address(static_cast<double (*)(double)>(&::exp)),
                                     address(&std::malloc), address(static_cast<void* (*)(std::size_t)>(&::operator new))})
    for (const Mapping& mapping : mappings)
      if (mapping.holds(place)) files.push_back(mapping.file);
  return files;
}

}  // namespace

void make_pages_resident(std::size_t heap_bytes) {
  const std::vector<Mapping> mappings = readable_mappings();
  const std::vector<std::string> code = code_of_every_method(mappings);
  for (const Mapping& mapping : mappings) {
    const std::size_t size = mapping.end - mapping.begin;
    const std::size_t large = mapping.heap ? large_heap : large_data;
    if (mapping.writable ? size >= large : std::find(code.begin(), code.end(), mapping.file) == code.end()) continue;
    ::madvise(reinterpret_cast<void*>(mapping.begin), size, mapping.writable ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
  }
  extend_heap(heap_bytes);
}

void keep_freed_memory() {
  ::mallopt(M_MMAP_MAX, 0);  // a block that is mapped by itself is unmapped when it is freed
  ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

#endif

}  // namespace ccp
