#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "bench/config/config_keys.hpp"
#include "bench/config/mistakes.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

namespace ccp {
namespace {

/// What the names of a choice are names of; empty for one whose key says no more.
std::string kind_of(const Key& key) {
  if (key.name == "models") return "model";
  if (key.name == "metrics") return "metric";
  if (key.name == "trace") return "measure";
  const std::vector<std::string> kinds = {"solver", "scene", "model", "measure", "metric"};
  return std::find(kinds.begin(), kinds.end(), key.name) != kinds.end() ? key.name : "";
}

std::string unknown_choice(const std::string& name, const Key& key) {
  const std::string kind = kind_of(key), shown = json_text(name);
  if (!kind.empty()) return fmt::format("unknown {} '{}'{}", kind, shown, suggestion(name, key.choices));
  const std::string near = nearest_name(name, key.choices);
  return fmt::format("'{}' is '{}', expected one of {}{}", key.name, shown, join(key.choices, ", "),
                     near.empty() ? "" : "; did you mean '" + near + "'?");
}

/// What is there, for messages: texts and numbers as they are.
std::string found_text(const Json& value) {
  if (value.is_string() || value.is_number() || value.is_boolean())
    return fmt::format("{} ({})", json_type_name(value), json_text(value));
  return json_type_name(value);
}

std::string type_text(const Key& key) {
  switch (key.type) {
    case KeyType::text:
    case KeyType::name:
    case KeyType::choice: return "a text";
    case KeyType::flag: return "true or false";
    case KeyType::number: return "a number";
    case KeyType::integer: return "a whole number";
    case KeyType::integers: return "a list of whole numbers";
    case KeyType::choices: return "a text or a list of texts";
    case KeyType::objects: return "a list of objects";
    case KeyType::bound: return "a number or an object";
    case KeyType::object:
    case KeyType::table: break;
  }
  return "an object";
}

/// A text of the config that has to be one of `choices`; unknown ones get the nearest.
void check_choice(const Json& value, const Key& key, const std::string& pointer, const JsonSource& source) {
  if (!value.is_string())
    source.fail(pointer, fmt::format("'{}' is {}, expected a text{}{}", key.name, json_type_name(value),
                                     key.choices.empty() ? "" : ": ", join(key.choices, ", ")));
  const auto name = value.get<std::string>();
  if (!key.open && std::find(key.choices.begin(), key.choices.end(), name) == key.choices.end())
    source.fail(pointer, unknown_choice(name, key));
}

using EntryCheck = void (*)(const Json& value, const Key& key, const std::string& pointer, const JsonSource& source);

/// Checks each entry of a list, and refuses those that are equal to one before.
void check_entries(const Json& list, const Key& key, const std::string& pointer, const JsonSource& source,
                   EntryCheck check_entry) {
  Checks check(source.mistakes);
  for (std::size_t i = 0; i < list.size(); ++i)
    check([&] {
      const std::string place = child_pointer(pointer, i);
      check_entry(list[i], key, place, source);
      for (std::size_t j = 0; j < i; ++j)
        if (list[j] == list[i]) source.fail(place, fmt::format("'{}' stands twice in the list", json_text(list[i])));
    });
  check.finish();
}

void check_choices(const Json& value, const Key& key, const std::string& pointer, const JsonSource& source) {
  if (!value.is_array()) return check_choice(value, key, pointer, source);
  if (value.empty())
    source.fail(pointer, fmt::format("'{}' is an empty list, expected at least one{}", key.name,
                                     key.choices.empty() ? std::string() : " of " + join(key.choices, ", ")));
  check_entries(value, key, pointer, source, check_choice);
}

void check_number(const Json& value, const Key& key, const std::string& pointer, const JsonSource& source) {
  const bool whole = key.type == KeyType::integer || key.type == KeyType::integers;
  if (whole ? !value.is_number_integer() : !value.is_number())
    source.fail(pointer, fmt::format("'{}' is {} ({}), expected {}", key.name, json_text(value), json_type_name(value),
                                     !whole              ? "a number"
                                     : value.is_number() ? "a whole number in digits alone"
                                                         : "a whole number"));
  const double number = value.get<double>();
  const std::string range = key.range.text();
  if (!std::isfinite(number) || !key.range.contains(number))
    source.fail(pointer, fmt::format("'{}' is {}, expected a value {}{}", key.name, json_text(value), range,
                                     key.unit.empty() ? "" : " " + key.unit));
}

void check_integers(const Json& value, const Key& key, const std::string& pointer, const JsonSource& source) {
  if (!value.is_array())
    source.fail(pointer, fmt::format("'{}' is {}, expected a list of whole numbers", key.name, json_type_name(value)));
  check_entries(value, key, pointer, source, check_number);
}

void check_text(const Json& value, const Key& key, const std::string& pointer, const JsonSource& source) {
  if (!value.is_string()) source.fail(pointer, fmt::format("'{}' is {}, expected a text", key.name, json_type_name(value)));
  const auto text = value.get<std::string>();
  if (text.empty()) source.fail(pointer, fmt::format("'{}' is empty", key.name));
  if (std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }))
    source.fail(pointer, fmt::format("'{}' holds a line break or another control character", key.name));
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  if (key.type == KeyType::name && !std::all_of(text.begin(), text.end(), allowed))
    source.fail(pointer, fmt::format("'{}' is '{}', expected letters, digits, _ and - only", key.name, json_text(value)));
  if (key.type == KeyType::name && text.size() > 100)
    source.fail(pointer, fmt::format("'{}' has {} characters, expected at most 100", key.name, text.size()));
}

}  // namespace

void ConfigKeys::check_object(const Json& value, const std::string& shape_name, const std::string& pointer,
                              const JsonSource& source) const {
  const Shape& expected = shape(shape_name);
  std::vector<std::string> known;
  for (const Key& key : expected.keys) known.push_back(key.name);
  if (!value.is_object())
    source.fail(pointer, fmt::format("is {}, expected an object with {}", found_text(value), join(known, ", ")));
  const bool has_parameters = std::find(known.begin(), known.end(), "parameters") != known.end();
  Checks check(source.mistakes);
  std::set<std::string> misspelt;
  for (const auto& item : value.items()) {
    const std::string& name = item.key();
    const std::string place = child_pointer(pointer, name);
    const auto position = std::find(known.begin(), known.end(), name);
    if (position == known.end()) misspelt.insert(nearest_name(name, known));
    check([&] {
      if (position == known.end())
        source.fail(place, fmt::format("unknown key '{}'{}{}", json_text(name), suggestion(name, known),
                                       has_parameters && nearest_name(name, known).empty()
                                           ? "; settings of a solver or scene belong to 'parameters'"
                                           : ""));
      check_value(item.value(), expected.keys[static_cast<std::size_t>(position - known.begin())], place, source);
    });
  }
  for (const Key& key : expected.keys)
    if (key.required && !value.contains(key.name) && misspelt.count(key.name) == 0)
      check([&] {
        source.fail(pointer,
                    fmt::format("the key '{}' is missing, expected {} ({})", key.name, type_text(key), key.meaning));
      });
  check.finish();
}

bool ConfigKeys::is_sound(const Json& value, const std::string& shape_name) const {
  try {
    check_object(value, shape_name, "", {});
    return true;
  } catch (const InputError&) {
    return false;
  }
}

void ConfigKeys::check_objects(const Json& list, const std::string& shape_name, const std::string& pointer,
                               const JsonSource& source) const {
  Checks check(source.mistakes);
  for (std::size_t i = 0; i < list.size(); ++i)
    check([&] { check_object(list[i], shape_name, child_pointer(pointer, i), source); });
  check.finish();
}

void ConfigKeys::check_value(const Json& value, const Key& key, const std::string& pointer, const JsonSource& source) const {
  switch (key.type) {
    case KeyType::text:
    case KeyType::name: return check_text(value, key, pointer, source);
    case KeyType::flag:
      if (!value.is_boolean())
        source.fail(pointer, fmt::format("'{}' is {}, expected true or false", key.name, json_text(value)));
      return;
    case KeyType::number:
    case KeyType::integer: return check_number(value, key, pointer, source);
    case KeyType::integers: return check_integers(value, key, pointer, source);
    case KeyType::choice: return check_choice(value, key, pointer, source);
    case KeyType::choices: return check_choices(value, key, pointer, source);
    case KeyType::object: return check_object(value, key.shape, pointer, source);
    case KeyType::bound:
      return value.is_object() ? check_object(value, key.shape, pointer, source) : check_number(value, key, pointer, source);
    case KeyType::objects:
      if (!value.is_array())
        source.fail(pointer, fmt::format("'{}' is {}, expected a list of objects", key.name, found_text(value)));
      if (value.empty()) source.fail(pointer, fmt::format("'{}' is an empty list, expected at least one entry", key.name));
      return check_objects(value, key.shape, pointer, source);
    case KeyType::table:
      if (!value.is_object())
        source.fail(pointer, fmt::format("'{}' is {}, expected an object", key.name, found_text(value)));
      if (value.empty() && key.name == "sweep")
        source.fail(pointer, "'sweep' is empty, expected JSON pointers with lists of values");
      return;
  }
}

}  // namespace ccp
