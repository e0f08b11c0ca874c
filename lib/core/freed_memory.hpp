#pragma once

#include <cstddef>

namespace ccp {

/// Gives memory that was freed back to the system, also what lies between arrays in use; nothing where the C library does
/// not do that.
void return_freed_memory();

/// From here on arrays of 128 KiB and more go back to the system as soon as they are freed, whatever was freed before.
void return_large_arrays();

/// The array will not be read again: gives back the pages that lie wholly within it. It is freed as before.
void discard(void* data, std::size_t bytes);

}  // namespace ccp
