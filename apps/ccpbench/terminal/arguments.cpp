#include "terminal/arguments.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"
#include "problems/registry.hpp"
#include "terminal/command_line.hpp"
#include "terminal/terminal.hpp"

namespace ccp::cli {

void set_fields(FieldTable& table, const std::vector<std::string>& assignments, const std::string& option) {
  std::vector<InputError> mistakes;
  for (const std::string& assignment : assignments) {
    const std::size_t sign = assignment.find('=');
    if (sign == std::string::npos || sign == 0) {
      mistakes.emplace_back("", option, fmt::format("'{}' is no assignment, expected NAME=VALUE", assignment));
      continue;
    }
    try {
      table.set_from_text(assignment.substr(0, sign), assignment.substr(sign + 1));
    } catch (const InputError& error) {
      mistakes.emplace_back("", option, error.what());
    }
  }
  if (!mistakes.empty()) throw InputErrors(std::move(mistakes));
}

std::string changed_values(const FieldTable& fields, const Parameters& values, const std::string& equals) {
  std::vector<std::string> changed;
  for (const auto& [name, value] : values)
    if (const Field* field = fields.find(name); field != nullptr && field_text(field->default_value) != field_text(value))
      changed.push_back(name + equals + field_text(value));
  return join(changed, ", ");
}

Shard parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto part = [&text](std::size_t begin, std::size_t end) {
    int value = 0;
    const char* first = text.data() + begin;
    const char* last = text.data() + end;
    const auto [rest, error] = std::from_chars(first, last, value);
    return error == std::errc() && rest == last && first != last ? value : 0;
  };
  const Shard shard = slash == std::string::npos ? Shard{0, 0} : Shard{part(0, slash), part(slash + 1, text.size())};
  if (shard.index < 1 || shard.count < shard.index)
    throw InputError("", "--shard", fmt::format("'{}', expected K/N with 1 <= K <= N", text));
  return shard;
}

double parse_duration(const std::string& text, const std::string& option) {
  double seconds = 0.0;
  const char* place = text.c_str();
  for (const auto& [unit, length] : {std::pair('h', 3600), std::pair('m', 60), std::pair('s', 1)}) {
    int value = 0;
    const auto [rest, error] = std::from_chars(place, text.c_str() + text.size(), value);
    if (error != std::errc() || value < 0 || *rest != unit) continue;
    seconds += static_cast<double>(value) * length;
    place = rest + 1;
  }
  if (*place != '\0' || seconds == 0.0)
    throw InputError("", option, fmt::format("is '{}', expected a time such as 90s, 10m, 2h or 1h30m", text));
  return seconds;
}

double parse_time(const std::string& text, const std::string& option) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  for (const auto& [unit, factor] :
       {std::pair("s", 1.0), std::pair("ms", 1e-3), std::pair("us", 1e-6), std::pair("µs", 1e-6)})
    if (end != text.c_str() && std::string(end) == unit && value > 0.0 && std::isfinite(value)) return value * factor;
  throw InputError("", option, fmt::format("'{}' is no time, expected one such as 500us, 1ms or 2s", text));
}

double parse_seconds(const std::string& text, const std::string& option) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() && *end == '\0' && value > 0.0 && std::isfinite(value)) return value;
  try {
    return std::string_view(end).find_first_of("hm") == 0 && end[1] != 's' ? parse_duration(text, option)
                                                                           : parse_time(text, option);
  } catch (const InputError&) {
    throw InputError("", option, fmt::format("'{}' is no time, expected one such as 500us, 1ms, 60 (seconds) or 10m", text));
  }
}

int for_each_file(const std::vector<std::string>& files, const std::function<void(const std::string&)>& action) {
  int code = exit_done;
  for (const std::string& file : files) {
    try {
      action(file);
    } catch (const InputError& error) {
      report_error(error);
      code = exit_bad_input;
    }
  }
  return code;
}

const Catalog& catalog() {
  static const Catalog standard = standard_catalog(scene_registry());
  return standard;
}

}  // namespace ccp::cli
