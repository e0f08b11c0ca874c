#pragma once

#include <cstddef>

namespace ccp {

/// Numbers that a worker writes and this process reads. NaN until they are written.
class SharedNumbers {
 public:
  /// Throws std::bad_alloc without memory to share.
  explicit SharedNumbers(std::size_t count);
  ~SharedNumbers();
  SharedNumbers(const SharedNumbers&) = delete;
  SharedNumbers& operator=(const SharedNumbers&) = delete;
  double& operator[](std::size_t i) { return numbers_[i]; }

 private:
  std::size_t bytes_;
  double* numbers_;
};

}  // namespace ccp
