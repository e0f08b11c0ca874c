#include "core/error.hpp"

#include <algorithm>
#include <utility>

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
    : std::runtime_error(one_line(file, place, expectation)), place_(place) {}

InputErrors::InputErrors(std::vector<std::string> lines)
    : InputError(lines.size() > 1 ? lines.front() + " (and " + std::to_string(lines.size() - 1) + " more)" : lines.front()),
      lines_(std::move(lines)) {}

std::vector<std::string> lines_of_error(const InputError& error) {
  const auto* several = dynamic_cast<const InputErrors*>(&error);
  return several != nullptr ? several->lines() : std::vector<std::string>{error.what()};
}

}  // namespace ccp
