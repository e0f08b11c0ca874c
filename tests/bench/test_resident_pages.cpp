#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <vector>

#include "bench/run/resident_pages.hpp"

using namespace ccp;

namespace {

long page_faults() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

/// What `count` gives in a process just forked, but 100 at most. −1 where the process failed.
template <typename Count>
int faults_of_a_fork(const Count& count) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(static_cast<int>(std::min<long>(count(), 100)));  // an exit status has 8 bits
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

/// Page faults of writing to a block.
long faults_of_writing(void* memory, std::size_t bytes) {
  const long before = page_faults();
  auto* block = static_cast<volatile char*>(memory);
  for (std::size_t i = 0; i < bytes; i += 512) block[i] = 1;
  return page_faults() - before;
}

/// Page faults of writing to a megabyte from the heap, in a process just forked whose pages were made resident. −1 where the
/// process failed.
int faults_of_a_megabyte() {
  return faults_of_a_fork([] {
    constexpr std::size_t bytes = 1U << 20U;
    make_pages_resident(4 * bytes);
    return faults_of_writing(std::malloc(bytes), bytes);
  });
}

/// Page faults of writing to a quarter of the blocks that were free in a heap of 16 MB before the process was forked. −1
/// where the process failed.
int faults_of_inherited_blocks() {
  constexpr std::size_t bytes = 64U << 10U;  // too small to be mapped by itself
  std::vector<void*> blocks(256);
  for (void*& block : blocks) faults_of_writing(block = std::malloc(bytes), bytes);
  void* last = blocks.back();  // what is free before it stays in the heap
  blocks.pop_back();
  for (void* block : blocks) std::free(block);
  const int faults = faults_of_a_fork([] {
    make_pages_resident(16 * bytes);
    long sum = 0;
    for (int k = 0; k < 64; ++k) sum += faults_of_writing(std::malloc(bytes), bytes);
    return sum;
  });
  std::free(last);
  return faults;
}

/// Page faults of writing to a large block for the second time, after the first one was freed, in a process just forked. −1
/// where the process failed.
int faults_of_large_blocks(bool kept) {
  return faults_of_a_fork([kept] {
    constexpr std::size_t bytes = 256U << 20U;  // 128 faults where pages are huge
    if (kept) keep_freed_memory();
    long faults = 0;
    for (int time = 0; time < 2; ++time) {
      void* block = std::malloc(bytes);
      faults = faults_of_writing(block, bytes);
      std::free(block);
    }
    return faults;
  });
}

bool can_populate() {
  void* page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool can = page != MAP_FAILED && ::madvise(page, 4096, MADV_POPULATE_WRITE) == 0;
  if (page != MAP_FAILED) ::munmap(page, 4096);
  return can;
}

}  // namespace

TEST_CASE("what a forked process is likely to touch is brought into memory", "[bench]") {
#if defined(__SANITIZE_ADDRESS__)
  WARN("the heap of the address sanitizer has settings of its own");
#else
  if (!can_populate()) {
    WARN("this system cannot populate mappings");
    return;
  }
  const int faults = faults_of_a_megabyte();  // 256 where every page is a fault
  CHECK(faults >= 0);
  CHECK(faults <= 20);
  const int inherited = faults_of_inherited_blocks();  // 1024 where every page is copied by itself
  CHECK(inherited >= 0);
  CHECK(inherited <= 20);
#endif
}

TEST_CASE("large blocks that are freed and asked for again cost no page faults once they are kept", "[bench]") {
#if defined(__SANITIZE_ADDRESS__)
  WARN("the heap of the address sanitizer has settings of its own");
#else
  CHECK(faults_of_large_blocks(false) == 100);  // or more
  const int faults = faults_of_large_blocks(true);
  CHECK(faults >= 0);
  CHECK(faults <= 20);
#endif
}
