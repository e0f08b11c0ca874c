#pragma once

#include <sys/mman.h>

#include <cerrno>
#include <memory>
#include <new>
#include <system_error>
#include <type_traits>

namespace ccp {

/// A value in memory that this process shares with the workers it forks later.
template <typename Value>
class SharedValue {
  static_assert(std::is_trivially_destructible_v<Value>);

 public:
  /// Throws std::system_error without memory to share.
  SharedValue() {
    void* place = ::mmap(nullptr, sizeof(Value), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    value_.reset(new (place) Value);
  }
  Value& operator*() const { return *value_; }
  Value* operator->() const { return value_.get(); }

 private:
  struct Unmap {
    void operator()(Value* place) const { ::munmap(place, sizeof(Value)); }
  };
  std::unique_ptr<Value, Unmap> value_;
};

}  // namespace ccp
