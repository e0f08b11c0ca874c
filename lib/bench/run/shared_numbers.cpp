#include "bench/run/shared_numbers.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "bench/record/csv.hpp"

namespace ccp {

SharedNumbers::SharedNumbers(std::size_t count) : bytes_(count * sizeof(double)) {
  void* place = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) throw std::bad_alloc();
  numbers_ = static_cast<double*>(place);
  std::fill(numbers_, numbers_ + count, unknown_number);
}

SharedNumbers::~SharedNumbers() { ::munmap(numbers_, bytes_); }

}  // namespace ccp
