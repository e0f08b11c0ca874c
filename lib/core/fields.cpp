#include "core/fields.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <memory>

#include "core/error.hpp"
#include "core/text.hpp"

namespace ccp {
namespace {

std::string value_type_name(const FieldValue& value) {
  constexpr const char* names[] = {"a flag", "a whole number", "a number", "a text"};
  return value.index() < std::size(names) ? names[value.index()] : "a list";
}

/// As messages show it.
std::string shown(const FieldValue& value) {
  const std::string text = cut_text(field_text(value));
  return std::holds_alternative<std::string>(value) ? "'" + text + "'" : text;
}

/// A number without a fraction, but written as one that may have it: 1e3 or 5.0.
bool is_whole(const FieldValue& value) {
  const auto* real = std::get_if<double>(&value);
  return real != nullptr && std::isfinite(*real) && *real == std::floor(*real);
}

/// A whole number beyond 64 bits.
bool is_huge(const FieldValue& value) { return is_whole(value) && std::abs(std::get<double>(value)) >= 9.2e18; }

std::optional<std::string> check_range(const Field& field, const FieldValue& value) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  const double number = whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
  Range range = field.range;
  using Int = std::numeric_limits<int>;
  const bool integer = field.type == FieldType::integer || field.type == FieldType::integers;
  if (integer && (number < Int::min() || number > Int::max())) {
    if (!std::isfinite(range.max)) range.max = Int::max();
    if (!std::isfinite(range.min)) range.min = Int::min();
  }
  if (std::isfinite(number) && range.contains(number)) return std::nullopt;
  const std::string expected = range.text().empty() ? "a finite number" : "a value " + range.text();
  return fmt::format("'{}' is {}, expected {}{}", field.name, shown(value), expected,
                     field.unit.empty() ? "" : " " + field.unit);
}

std::optional<std::string> check_choice(const Field& field, const std::string& name) {
  if (field.open || (field.also != nullptr && field.also(name)) ||
      std::find(field.choices.begin(), field.choices.end(), name) != field.choices.end())
    return std::nullopt;
  const std::string text = cut_text(name);
  if (!field.noun.empty()) return fmt::format("unknown {} '{}'{}", field.noun, text, suggestion(name, field.choices));
  const std::string near = nearest_name(name, field.choices);
  return fmt::format("'{}' is '{}', expected one of {}{}", field.name, text, join(field.choices, ", "),
                     near.empty() ? "" : "; did you mean '" + near + "'?");
}

std::optional<std::string> check_text(const Field& field, const std::string& text) {
  if (text.empty()) return fmt::format("'{}' is empty", field.name);
  if (std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }))
    return fmt::format("'{}' holds a line break or another control character", field.name);
  if (const auto expected = field.form != nullptr ? field.form->expected(text) : std::nullopt)
    return fmt::format("'{}' is {}, expected {}", field.name, shown(text), *expected);
  return std::nullopt;
}

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <typename T>
FieldValue value_of(const T& member) {
  if constexpr (IsOptional<T>::value)
    return member ? value_of(*member) : FieldValue(std::string());
  else if constexpr (std::is_same_v<T, std::vector<int>>)
    return std::vector<std::int64_t>(member.begin(), member.end());
  else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
    return static_cast<std::int64_t>(member);
  else
    return member;
}

template <typename T>
void assign(T& member, const FieldValue& value) {
  if constexpr (IsOptional<T>::value)
    assign(member.emplace(), value);
  else if constexpr (std::is_same_v<T, std::vector<int>>) {
    member.clear();
    for (const std::int64_t one : std::get<std::vector<std::int64_t>>(value)) member.push_back(static_cast<int>(one));
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
    member = static_cast<T>(std::get<std::int64_t>(value));
  else
    member = std::get<T>(value);
}

template <typename T>
Field bound_to(T* member, Field field) {
  field.get = [member] { return value_of(*member); };
  field.store = [member](const FieldValue& value) { assign(*member, value); };
  return field;
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

std::string Field::type_name() const {
  switch (type) {
    case FieldType::flag: return "flag";
    case FieldType::integer: return "integer";
    case FieldType::real: return "number";
    case FieldType::choice: return "choice";
    case FieldType::text: return form != nullptr ? form->name : "text";
    case FieldType::integers: return "integers";
    case FieldType::choices: return "choices";
    case FieldType::object: return section.empty() ? "table" : "object";
    case FieldType::objects: return "objects";
    case FieldType::bound: return "number or object";
  }
  return "";
}

std::string Field::expected() const {
  switch (type) {
    case FieldType::flag: return "true or false";
    case FieldType::integer: return "a whole number";
    case FieldType::real: return "a number";
    case FieldType::choice: return open ? "a text" : "one of " + join(choices, ", ");
    case FieldType::text: return "a text";
    case FieldType::integers: return "a list of whole numbers";
    case FieldType::choices:
      return choices.empty() ? "a text or a list of texts" : "one or several of " + join(choices, ", ");
    case FieldType::object: return "an object";
    case FieldType::objects: return "a list of objects";
    case FieldType::bound: return "a number or an object";
  }
  return "";
}

std::optional<std::string> Field::check(const FieldValue& value) const {
  const auto* text = std::get_if<std::string>(&value);
  const bool whole = std::holds_alternative<std::int64_t>(value);
  switch (type) {
    case FieldType::flag:
      if (std::holds_alternative<bool>(value)) return std::nullopt;
      break;
    case FieldType::integer:
    case FieldType::integers:
      if (whole || is_huge(value)) return check_range(*this, value);
      if (is_whole(value))
        return fmt::format("'{}' is {}, written with a point or an exponent, expected a whole number in digits alone", name,
                           shown(value));
      break;
    case FieldType::real:
    case FieldType::bound:
      if (whole || std::holds_alternative<double>(value)) return check_range(*this, value);
      break;
    case FieldType::choice:
    case FieldType::choices:
      if (text != nullptr) return choices.empty() || open ? check_text(*this, *text) : check_choice(*this, *text);
      break;
    case FieldType::text:
      if (text != nullptr) return check_text(*this, *text);
      break;
    case FieldType::object:
    case FieldType::objects: break;
  }
  return fmt::format("'{}' is {} ({}), expected {}", name, shown(value), value_type_name(value), expected());
}

void Field::take(const FieldValue& value) const {
  const auto* whole = std::get_if<std::int64_t>(&value);
  const bool real = type == FieldType::real || type == FieldType::bound;
  store(real && whole != nullptr ? FieldValue(static_cast<double>(*whole)) : value);
}

FieldTable& FieldTable::add(Field field) {
  if (field.get) field.default_value = field.get();
  const auto empty = [](const auto& value) {
    if constexpr (requires { value.empty(); })
      return value.empty();
    else
      return false;
  };
  field.has_default = field.get && !std::visit(empty, field.default_value);
  if (const auto place = field.meaning.find("{}"); place != std::string::npos) {
    std::string text = field_text(field.default_value);  // as a person writes it: 1e-8, not 1e-08
    if (const auto zero = text.find("e-0"); zero != std::string::npos) text.erase(zero + 2, 1);
    field.meaning.replace(place, 2, text);
  }
  fields_.push_back(std::move(field));
  return *this;
}

FieldTable& FieldTable::add(std::string name, double* member, Range range, std::string unit, std::string meaning,
                            std::string source) {
  return add(
      bound_to(member, {std::move(name), FieldType::real, std::move(meaning), std::move(unit), std::move(source), range}));
}

FieldTable& FieldTable::add(std::string name, int* member, Range range, std::string meaning, std::string source) {
  return add(bound_to(member, {std::move(name), FieldType::integer, std::move(meaning), "", std::move(source), range}));
}

FieldTable& FieldTable::add(std::string name, std::uint64_t* member, Range range, std::string meaning) {
  return add(bound_to(member, {std::move(name), FieldType::integer, std::move(meaning), "", "", range}));
}

FieldTable& FieldTable::add(std::string name, std::optional<int>* member, Range range, std::string meaning) {
  return add(bound_to(member, {std::move(name), FieldType::integer, std::move(meaning), "", "", range}));
}

FieldTable& FieldTable::add(std::string name, std::vector<int>* member, Range range, std::string meaning) {
  return add(bound_to(member, {std::move(name), FieldType::integers, std::move(meaning), "", "", range}));
}

FieldTable& FieldTable::add(std::string name, bool* member, std::string meaning, std::string source) {
  return add(bound_to(member, {std::move(name), FieldType::flag, std::move(meaning), "", std::move(source)}));
}

FieldTable& FieldTable::add(std::string name, std::optional<bool>* member, std::string meaning) {
  return add(bound_to(member, {std::move(name), FieldType::flag, std::move(meaning)}));
}

FieldTable& FieldTable::add(std::string name, std::string* member, std::string meaning, const TextForm* form) {
  add(bound_to(member, {std::move(name), FieldType::text, std::move(meaning)}));
  fields_.back().form = form;
  return *this;
}

FieldTable& FieldTable::add_choice(std::string name, std::string* member, std::vector<std::string> names,
                                   std::string meaning) {
  return add(bound_to(member, {std::move(name), FieldType::choice, std::move(meaning), "", "", {}, std::move(names)}));
}

FieldTable& FieldTable::add_choices(std::string name, std::vector<std::string>* member, std::vector<std::string> names,
                                    std::string meaning) {
  return add(bound_to(member, {std::move(name), FieldType::choices, std::move(meaning), "", "", {}, std::move(names)}));
}

FieldTable& FieldTable::add(std::string name, FieldType type, std::string section, std::string meaning,
                            std::function<FieldTable()> inside) {
  add(Field{std::move(name), type, std::move(meaning)});
  fields_.back().section = std::move(section);
  fields_.back().inside = std::move(inside);
  return *this;
}

FieldTable& FieldTable::required() {
  fields_.back().required = true;
  return without_default();
}

FieldTable& FieldTable::without_default() {
  fields_.back().has_default = false;
  return *this;
}

FieldTable& FieldTable::open() {
  fields_.back().open = true;
  return *this;
}

FieldTable& FieldTable::also(bool (*accepts)(const std::string&), std::string pattern) {
  fields_.back().also = accepts;
  fields_.back().also_pattern = std::move(pattern);
  return *this;
}

FieldTable& FieldTable::of(std::string noun) {
  fields_.back().noun = std::move(noun);
  return *this;
}

FieldTable& FieldTable::of_kinds(std::vector<std::string> kinds) {
  fields_.back().meaning = fmt::format("for {}: {}", join(kinds, ", "), fields_.back().meaning);
  fields_.back().kinds = std::move(kinds);
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

std::vector<std::string> FieldTable::names_of_kind(const std::string& kind) const {
  std::vector<std::string> list;
  for (const Field& field : fields_)
    if (field.kinds.empty() || std::find(field.kinds.begin(), field.kinds.end(), kind) != field.kinds.end())
      list.push_back(field.name);
  return list;
}

std::string FieldTable::unknown(const std::string& name) const {
  return fmt::format("unknown {} '{}'{}", entry_, cut_text(name), suggestion(name, names()));
}

std::optional<std::string> FieldTable::check(const std::string& name, const FieldValue& value) const {
  const Field* field = find(name);
  if (field == nullptr && takes_any_) return std::nullopt;
  return field == nullptr ? unknown(name) : field->check(value);
}

void FieldTable::set(const std::string& name, const FieldValue& value) {
  if (find(name) == nullptr && takes_any_) {
    const auto place = std::make_shared<FieldValue>(value);
    constexpr FieldType types[] = {FieldType::flag, FieldType::integer, FieldType::real, FieldType::text};
    Field field{name, types[std::min(value.index(), std::size(types) - 1)], "of a solver that was not asked", "", "unknown"};
    field.get = [place] { return *place; };
    field.store = [place](const FieldValue& next) { *place = next; };
    add(std::move(field));
    fields_.back().default_value = std::string();  // so that any value shows as one that was given
    return;
  }
  if (const auto defect = check(name, value)) throw InputError(*defect);
  find(name)->take(value);
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
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) return fmt::format("{}", fmt::join(*list, ", "));
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) return join(*list, ", ");
  return std::get<std::string>(value);
}

}  // namespace ccp
