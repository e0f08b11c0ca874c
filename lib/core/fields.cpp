#include "core/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"

namespace ccp {
namespace {

std::string value_type_name(const FieldValue& value) {
  switch (value.index()) {
    case 0: return "a flag";
    case 1: return "a whole number";
    case 2: return "a number";
    default: return "a text";
  }
}

std::string quoted(const FieldValue& value) {
  const std::string text = field_text(value);
  return std::holds_alternative<std::string>(value) ? "'" + text + "'" : text;
}

/// A number without a fraction, but written as one that may have it: 1e3 or 5.0.
bool is_whole(const FieldValue& value) {
  const auto* real = std::get_if<double>(&value);
  return real != nullptr && std::isfinite(*real) && *real == std::floor(*real);
}

std::optional<std::string> check_number(const Field& field, double value) {
  if (std::isfinite(value) && field.range.contains(value)) return std::nullopt;
  const std::string range = field.range.text();
  const std::string expected = range.empty() ? "a finite number" : "a value " + range;
  return fmt::format("'{}' is {}, expected {}", field.name, format_double(value), expected);
}

template <typename Number>
std::optional<Number> parse_number(const std::string& text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

/// The most specific value a text can stand for; set() then judges it against the field.
FieldValue parse_text(const std::string& text) {
  if (text == "true") return true;
  if (text == "false") return false;
  if (const auto whole = parse_number<std::int64_t>(text)) return *whole;
  if (const auto real = parse_number<double>(text)) return *real;
  return text;
}

}  // namespace

bool Range::contains(double value) const {
  const bool above = min_open ? value > min : value >= min;
  const bool below = max_open ? value < max : value <= max;
  return above && below;
}

std::string Range::text() const {
  const bool low = std::isfinite(min), high = std::isfinite(max);
  if (low && high)
    return fmt::format("in {}{}, {}{}", min_open ? "(" : "[", format_double(min), format_double(max), max_open ? ")" : "]");
  if (low) return fmt::format("{} {}", min_open ? ">" : ">=", format_double(min));
  if (high) return fmt::format("{} {}", max_open ? "<" : "<=", format_double(max));
  return "";
}

FieldTable& FieldTable::add(std::string name, double* member, Range range, std::string unit, std::string meaning,
                            std::string source) {
  Field field{std::move(name),
              FieldType::real,
              std::move(meaning),
              std::move(unit),
              std::move(source),
              range,
              {},
              *member,
              [member]() -> FieldValue { return *member; },
              [member](const FieldValue& value) { *member = std::get<double>(value); }};
  fields_.push_back(std::move(field));
  return *this;
}

FieldTable& FieldTable::add(std::string name, int* member, Range range, std::string meaning, std::string source) {
  Field field{std::move(name),
              FieldType::integer,
              std::move(meaning),
              "",
              std::move(source),
              range,
              {},
              static_cast<std::int64_t>(*member),
              [member]() -> FieldValue { return static_cast<std::int64_t>(*member); },
              [member](const FieldValue& value) { *member = static_cast<int>(std::get<std::int64_t>(value)); }};
  fields_.push_back(std::move(field));
  return *this;
}

FieldTable& FieldTable::add(std::string name, bool* member, std::string meaning, std::string source) {
  Field field{std::move(name),
              FieldType::flag,
              std::move(meaning),
              "",
              std::move(source),
              {},
              {},
              *member,
              [member]() -> FieldValue { return *member; },
              [member](const FieldValue& value) { *member = std::get<bool>(value); }};
  fields_.push_back(std::move(field));
  return *this;
}

const Field* FieldTable::find(const std::string& name) const {
  for (const Field& field : fields_)
    if (field.name == name) return &field;
  return nullptr;
}

std::vector<std::string> FieldTable::names() const {
  std::vector<std::string> list;
  for (const Field& field : fields_) list.push_back(field.name);
  return list;
}

std::optional<std::string> FieldTable::check(const std::string& name, const FieldValue& value) const {
  const Field* field = find(name);
  if (field == nullptr) return fmt::format("unknown parameter '{}'{}", name, suggestion(name, names()));
  const auto wrong_type = [&](const char* expected) {
    return fmt::format("'{}' is {} ({}), expected {}", name, quoted(value), value_type_name(value), expected);
  };
  switch (field->type) {
    case FieldType::flag:
      if (!std::holds_alternative<bool>(value)) return wrong_type("true or false");
      return std::nullopt;
    case FieldType::integer: {
      const auto* whole = std::get_if<std::int64_t>(&value);
      if (whole == nullptr && is_whole(value))
        return fmt::format("'{}' is {}, written with a point or an exponent, expected a whole number in digits alone", name,
                           field_text(value));
      if (whole == nullptr) return wrong_type("a whole number");
      if (*whole < std::numeric_limits<int>::min() || *whole > std::numeric_limits<int>::max()) {
        Range range = field->range;
        range.min = std::max<double>(range.min, std::numeric_limits<int>::min());
        range.max = std::min<double>(range.max, std::numeric_limits<int>::max());
        return fmt::format("'{}' is {}, expected a value {}", name, *whole, range.text());
      }
      return check_number(*field, static_cast<double>(*whole));
    }
    case FieldType::real:
      if (const auto* whole = std::get_if<std::int64_t>(&value)) return check_number(*field, static_cast<double>(*whole));
      if (!std::holds_alternative<double>(value)) return wrong_type("a number");
      return check_number(*field, std::get<double>(value));
    case FieldType::choice: {
      const auto* choice = std::get_if<std::string>(&value);
      if (choice == nullptr) return wrong_type(("one of " + join(field->choices, ", ")).c_str());
      if (std::find(field->choices.begin(), field->choices.end(), *choice) != field->choices.end()) return std::nullopt;
      return fmt::format("'{}' is '{}', expected one of {}", name, *choice, join(field->choices, ", "));
    }
  }
  return std::nullopt;
}

void FieldTable::set(const std::string& name, const FieldValue& value) {
  if (const auto defect = check(name, value)) throw InputError(*defect);
  const Field& field = *find(name);
  const auto* whole = std::get_if<std::int64_t>(&value);
  field.store(field.type == FieldType::real && whole != nullptr ? FieldValue(static_cast<double>(*whole)) : value);
}

void FieldTable::set_from_text(const std::string& name, const std::string& text) {
  const Field* field = find(name);
  const bool is_choice = field != nullptr && field->type == FieldType::choice;
  set(name, is_choice ? FieldValue(text) : parse_text(text));
}

std::vector<std::pair<std::string, FieldValue>> FieldTable::values() const {
  std::vector<std::pair<std::string, FieldValue>> list;
  for (const Field& field : fields_) list.emplace_back(field.name, field.get());
  return list;
}

std::string field_text(const FieldValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&value)) return format_double(*real);
  return std::get<std::string>(value);
}

}  // namespace ccp
