#include "io/csv.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ccp {

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted += '"';
}

std::string csv_number(double value) { return std::isnan(value) ? "nan" : fmt::format("{:.17g}", value); }

}  // namespace ccp
