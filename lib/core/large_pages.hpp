#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace ccp {

/// Allocator for arrays that loops read from one end to the other: in pages of 2 MB where the system gives them, because in
/// pages of 4 kB a processor stops fetching ahead at the end of each.
template <typename T>
struct LargePageAllocator {
  using value_type = T;

  LargePageAllocator() = default;
  template <typename U>
  LargePageAllocator(const LargePageAllocator<U>&) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    const std::size_t alignment = bytes < page ? alignof(std::max_align_t) : page;
    void* data = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (data == nullptr) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
    if (bytes >= page) ::madvise(data, bytes, MADV_HUGEPAGE);  // without effect where it is refused
#endif
    return static_cast<T*>(data);
  }
  void deallocate(T* data, std::size_t) { std::free(data); }
  /// Without a value: the pages of an array are there once they are written.
  template <typename U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }
  template <typename U, typename... Values>
  void construct(U* place, Values&&... values) {
    ::new (static_cast<void*>(place)) U(std::forward<Values>(values)...);
  }

  template <typename U>
  bool operator==(const LargePageAllocator<U>&) const {
    return true;
  }

 private:
  static constexpr std::size_t page = std::size_t{1} << 21;
};

}  // namespace ccp
