#include "core/error.hpp"

#include <algorithm>
#include <utility>

#include "core/text.hpp"

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
  return escaped_text(line);
}

constexpr std::size_t most_lines = 20;

/// A message, cut before and after what it says was expected.
std::pair<std::string, std::string> found_and_expected(const std::string& message) {
  const auto between = [&message](const std::string& before, const std::string& after) {
    const auto begin = message.find(before), end = message.rfind(after);
    if (begin == std::string::npos || end == std::string::npos || end < begin + before.size())
      return std::pair(message, std::string());
    return std::pair(message.substr(0, begin), message.substr(begin + before.size(), end - begin - before.size()));
  };
  const std::string expected = "expected ";
  if (message.starts_with(expected)) return {"", message.substr(expected.size())};
  for (const char* sign : {", ", "; ", ": "})
    if (const auto at = message.find(sign + expected); at != std::string::npos)
      return {message.substr(0, at), message.substr(at + 2 + expected.size())};
  if (auto parts = between(" (did you mean ", "?)"); !parts.second.empty()) return parts;
  return between(" (known: ", ")");
}

}  // namespace

InputError::InputError(const std::string& file, const std::string& place, const std::string& expectation)
    : std::runtime_error(one_line(file, place, expectation)),
      file_(escaped_text(file)),
      place_(place),
      message_(expectation) {}

std::string InputError::found() const { return found_and_expected(message_).first; }

std::string InputError::expected() const { return found_and_expected(message_).second; }

InputErrors::InputErrors(std::vector<InputError> mistakes)
    : InputError(mistakes.front().file(), mistakes.front().place(),
                 mistakes.size() > 1 ? mistakes.front().message() + " (and " + std::to_string(mistakes.size() - 1) + " more)"
                                     : mistakes.front().message()),
      mistakes_(std::move(mistakes)) {}

std::vector<InputError> mistakes_of_error(const InputError& error) {
  const auto* several = dynamic_cast<const InputErrors*>(&error);
  return several != nullptr ? several->mistakes() : std::vector<InputError>{error};
}

std::vector<std::string> lines_of_error(const InputError& error) {
  const std::vector<InputError> mistakes = mistakes_of_error(error);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < std::min(mistakes.size(), most_lines); ++i) lines.emplace_back(mistakes[i].what());
  if (mistakes.size() > most_lines)
    lines.emplace_back(
        InputError(error.file(), "", "… and " + std::to_string(mistakes.size() - most_lines) + " more").what());
  return lines;
}

}  // namespace ccp
