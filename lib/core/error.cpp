#include "core/error.hpp"

#include <algorithm>

namespace ccp {
namespace {

std::string one_line(const std::string& file, const std::string& place, const std::string& expectation) {
  std::string line;
  for (const std::string& part : {file, place, expectation}) {
    if (part.empty()) continue;
    if (!line.empty()) line += ": ";
    line += part;
  }
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

}  // namespace

InputError::InputError(const std::string& file, const std::string& place, const std::string& expectation)
    : std::runtime_error(one_line(file, place, expectation)) {}

}  // namespace ccp
