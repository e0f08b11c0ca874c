#pragma once

#include <cstddef>

namespace ccp {

/// Brings into memory, for this process, what a run is likely to touch: the program and the libraries of C and C++, all data
/// and heap but mappings of 8 MB or more, and `heap_bytes` of room beyond. A process that was just forked has none of it
/// mapped and copies every page it writes to; on a problem of a few hundred contacts that takes longer than the solution.
/// Does nothing where the system cannot (Linux before 5.14).
void make_pages_resident(std::size_t heap_bytes);

/// From now on freed memory stays with this process. Each step of a sequence asks for blocks as large as the step before
/// did; given back to the system, they come again as pages that the kernel has to clear and map, which took a fifth of the
/// time of 125 elastic cubes with 4000 contacts.
void keep_freed_memory();

}  // namespace ccp
