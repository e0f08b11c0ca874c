#pragma once

#include <cstddef>

namespace ccp {

/// Brings into memory, for this process, what a run is likely to touch: code and data of the program and its libraries, the
/// heap, and `heap_bytes` of room beyond. A process that was just forked has none of it mapped and copies every page it
/// writes to; on a problem of a few hundred contacts that takes longer than the solution. Mappings of more than 8 MB, such
/// as the problems of a large heap, stay as they are. Does nothing where the system cannot (Linux before 5.14).
void make_pages_resident(std::size_t heap_bytes);

}  // namespace ccp
