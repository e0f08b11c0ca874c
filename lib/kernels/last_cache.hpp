#pragma once

#include <cstddef>

namespace ccp {

/// Of common processors: what is larger comes from the memory whenever it is read anew.
constexpr std::size_t last_cache_bytes = std::size_t{1} << 24;

}  // namespace ccp
