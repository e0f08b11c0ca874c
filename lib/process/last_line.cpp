#include "process/last_line.hpp"

namespace ccp {

std::string last_line(std::string_view printed) {
  constexpr std::size_t longest = 300;
  const auto end = printed.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return {};
  printed = printed.substr(0, end + 1);
  const auto before = printed.find_last_of('\n');
  if (before != std::string_view::npos) printed.remove_prefix(before + 1);
  return std::string(printed.substr(0, longest));
}

}  // namespace ccp
