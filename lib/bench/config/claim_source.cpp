#include "bench/config/claim_source.hpp"

#include <string_view>

namespace ccp {

bool is_ours(const std::string& where) {
  if (where.rfind("ours", 0) != 0) return false;
  const std::string_view rest = std::string_view(where).substr(4);
  return rest.empty() || std::string_view(",:;").find(rest.front()) != std::string_view::npos || rest.substr(0, 2) == " (";
}

bool is_claim_source(const std::string& where) {
  if (is_ours(where)) return true;
  const std::string_view text = where;
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return false;
  const auto says_something = [](std::string_view part) { return part.find_first_not_of(", ") != std::string_view::npos; };
  return says_something(text.substr(0, comma)) && says_something(text.substr(comma));
}

}  // namespace ccp
