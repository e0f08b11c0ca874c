#include "bench/run/step_counter.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <new>
#include <system_error>

namespace ccp {

static_assert(std::atomic<std::int64_t>::is_always_lock_free);

StepCounter::StepCounter() {
  void* place = ::mmap(nullptr, sizeof(Steps), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  steps_.reset(new (place) Steps);
}

void StepCounter::Unmap::operator()(Steps* place) const { ::munmap(place, sizeof(Steps)); }

void StepCounter::set(std::int64_t done) {
  if (!steps_->began.exchange(true)) steps_->before.store(done, std::memory_order_relaxed);
  steps_->done.store(done, std::memory_order_relaxed);
}

}  // namespace ccp
