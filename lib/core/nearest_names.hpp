#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ccp {

/// The `count` candidates with the smallest edit distances to name, the nearest first.
std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& candidates, std::size_t count);

}  // namespace ccp
