#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ccp {

/// Value of one field: flag, whole number, real number, text or name of a choice, and lists of these.
using FieldValue =
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<std::string>>;

/// Allowed range of a number; an open end excludes the bound itself.
struct Range {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool min_open = false;
  bool max_open = false;

  static Range positive() { return {0.0, std::numeric_limits<double>::infinity(), true, false}; }
  static Range non_negative() { return {0.0, std::numeric_limits<double>::infinity(), false, false}; }
  static Range at_least(double low) { return {low, std::numeric_limits<double>::infinity(), false, false}; }
  static Range closed(double low, double high) { return {low, high, false, false}; }
  /// low < x <= high
  static Range open_closed(double low, double high) { return {low, high, true, false}; }

  bool contains(double value) const;
  /// "[0, 1)", "> 0", ">= 0"; empty when everything is allowed.
  std::string text() const;
};

enum class FieldType {
  flag,
  integer,
  real,
  choice,
  text,      ///< not empty, without control characters
  integers,  ///< a list without repetition
  choices,   ///< one text or a list of texts, without repetition
  object,    ///< with fields of its own, or with keys that its reader knows
  objects,   ///< a list of objects
  bound      ///< a number or an object
};

/// The texts that a field accepts.
struct TextForm {
  std::string name;
  std::string pattern;  ///< a regular expression of JSON Schema
  /// What a text should be instead; nothing for one that has the form.
  std::function<std::optional<std::string>(const std::string&)> expected;
};

class FieldTable;

/// One row of a table: everything that is known about one parameter, declared once. JSON reading, validation, `list`, and
/// the schema all come from it.
struct Field {
  std::string name;
  FieldType type = FieldType::real;
  std::string meaning;
  std::string unit{};                  ///< "" when dimensionless
  std::string source{};                ///< paper and equation or section, or "ours"; "" for the keys of a config
  Range range{};                       ///< numbers only
  std::vector<std::string> choices{};  ///< choices only
  FieldValue default_value{};

  std::function<FieldValue()> get{};
  std::function<void(const FieldValue&)> store{};  ///< of a value of this very type

  bool has_default = true;
  bool required = false;
  bool open = false;                           ///< a choice that has more than these, which its reader knows
  bool (*also)(const std::string&) = nullptr;  ///< of a choice: what it takes beside these
  std::string also_pattern{};                  ///< the same as a regular expression of JSON Schema
  std::string noun{};                          ///< what the choices are, for messages: "solver"; may be empty
  const TextForm* form = nullptr;              ///< of a text
  std::string section{};                       ///< the name of the fields of an object
  std::function<FieldTable()> inside{};        ///< these fields; none where its reader knows the keys
  std::vector<std::string> kinds{};            ///< values of the field "kind" with which it is used; empty: all

  /// "number", "choice", …
  std::string type_name() const;
  /// "a whole number", "one of none, diagonal", …
  std::string expected() const;
  /// What is wrong with giving a value to the field, or to a list of it one entry; nothing when it can be set. A whole
  /// number is accepted where a real one is expected.
  std::optional<std::string> check(const FieldValue& value) const;
  /// Stores a value that was checked.
  void take(const FieldValue& value) const;
};

/// Names of an enum, for a field.
template <typename Enum>
using Names = std::vector<std::pair<std::string, Enum>>;

/// Names whose order is that of the enum.
template <typename Enum>
Names<Enum> in_order(const std::vector<std::string>& names) {
  Names<Enum> list;
  for (std::size_t i = 0; i < names.size(); ++i) list.emplace_back(names[i], static_cast<Enum>(i));
  return list;
}

/// The fields of one struct, bound to one instance of it. The instance must outlive the table. "{}" in a meaning stands for
/// the default.
class FieldTable {
 public:
  /// entry: what messages call a field.
  explicit FieldTable(std::string entry = "parameter") : entry_(std::move(entry)) {}

  FieldTable& add(std::string name, double* member, Range range, std::string unit, std::string meaning,
                  std::string source = "");
  FieldTable& add(std::string name, int* member, Range range, std::string meaning, std::string source = "");
  FieldTable& add(std::string name, std::uint64_t* member, Range range, std::string meaning);
  FieldTable& add(std::string name, std::optional<int>* member, Range range, std::string meaning);
  FieldTable& add(std::string name, std::vector<int>* member, Range range, std::string meaning);
  FieldTable& add(std::string name, bool* member, std::string meaning, std::string source = "");
  FieldTable& add(std::string name, std::optional<bool>* member, std::string meaning);
  FieldTable& add(std::string name, std::string* member, std::string meaning, const TextForm* form = nullptr);
  template <typename Enum>
  FieldTable& add(std::string name, Enum* member, Names<Enum> names, std::string meaning, std::string source = "");
  template <typename Enum>
  FieldTable& add(std::string name, std::optional<Enum>* member, Names<Enum> names, std::string meaning);
  template <typename Enum>
  FieldTable& add(std::string name, std::vector<Enum>* member, Names<Enum> names, std::string meaning);
  FieldTable& add_choice(std::string name, std::string* member, std::vector<std::string> names, std::string meaning);
  FieldTable& add_choices(std::string name, std::vector<std::string>* member, std::vector<std::string> names,
                          std::string meaning);
  FieldTable& add(Field field);
  /// An object, or objects. inside: none for keys that the reader of the object knows.
  FieldTable& add(std::string name, FieldType type, std::string section, std::string meaning,
                  std::function<FieldTable()> inside = {});

  /// Of the field added last.
  FieldTable& required();
  FieldTable& without_default();
  FieldTable& open();
  FieldTable& also(bool (*accepts)(const std::string&), std::string pattern);
  FieldTable& of(std::string noun);
  FieldTable& of_kinds(std::vector<std::string> kinds);

  /// Of a table whose fields are not known: set() takes any name and value.
  void take_any() { takes_any_ = true; }
  bool takes_any() const { return takes_any_; }

  const std::vector<Field>& fields() const { return fields_; }
  const Field* find(const std::string& name) const;
  std::vector<std::string> names() const;
  /// Of those that are used with this value of the field "kind".
  std::vector<std::string> names_of_kind(const std::string& kind) const;
  /// "unknown parameter 'rh' (did you mean 'rho'?)"
  std::string unknown(const std::string& name) const;
  const std::string& entry() const { return entry_; }

  /// What is wrong with giving `value` to `name` (unknown name with the nearest valid one, wrong type, out of range);
  /// nothing when it can be set.
  std::optional<std::string> check(const std::string& name, const FieldValue& value) const;

  /// Checks and stores. Throws InputError(check(...)) without a file or place.
  void set(const std::string& name, const FieldValue& value);

  /// Reads "true", "5", "1e-3" or a choice from text by the type of the field, then set(). For --set NAME=VALUE.
  void set_from_text(const std::string& name, const std::string& text);

  /// Current values, in table order.
  std::vector<std::pair<std::string, FieldValue>> values() const;

 private:
  std::string entry_;
  std::vector<Field> fields_;
  bool takes_any_ = false;
};

/// Text of a value as it would stand in a config ("true", "5", "0.1", "balanced").
std::string field_text(const FieldValue& value);

template <typename Enum>
std::string name_in(const Names<Enum>& names, const Enum& value) {
  const auto found = std::find_if(names.begin(), names.end(), [&](const auto& entry) { return entry.second == value; });
  return found == names.end() ? std::string() : found->first;
}

template <typename Enum>
Enum value_in(const Names<Enum>& names, const std::string& name) {
  return std::find_if(names.begin(), names.end(), [&](const auto& entry) { return entry.first == name; })->second;
}

template <typename Enum>
std::vector<std::string> names_in(const Names<Enum>& names) {
  std::vector<std::string> list;
  for (const auto& entry : names) list.push_back(entry.first);
  return list;
}

template <typename Enum>
FieldTable& FieldTable::add(std::string name, Enum* member, Names<Enum> names, std::string meaning, std::string source) {
  Field field{std::move(name), FieldType::choice, std::move(meaning), "", std::move(source), {}, names_in(names)};
  field.get = [member, names] { return FieldValue(name_in(names, *member)); };
  field.store = [member, names](const FieldValue& value) { *member = value_in(names, std::get<std::string>(value)); };
  return add(std::move(field));
}

template <typename Enum>
FieldTable& FieldTable::add(std::string name, std::optional<Enum>* member, Names<Enum> names, std::string meaning) {
  Field field{std::move(name), FieldType::choice, std::move(meaning), "", "", {}, names_in(names)};
  field.get = [member, names] { return FieldValue(*member ? name_in(names, **member) : std::string()); };
  field.store = [member, names](const FieldValue& value) { *member = value_in(names, std::get<std::string>(value)); };
  return add(std::move(field));
}

template <typename Enum>
FieldTable& FieldTable::add(std::string name, std::vector<Enum>* member, Names<Enum> names, std::string meaning) {
  Field field{std::move(name), FieldType::choices, std::move(meaning), "", "", {}, names_in(names)};
  field.get = [member, names] {
    std::vector<std::string> list;
    for (const Enum& value : *member) list.push_back(name_in(names, value));
    return FieldValue(list);
  };
  field.store = [member, names](const FieldValue& value) {
    member->clear();
    for (const std::string& one : std::get<std::vector<std::string>>(value)) member->push_back(value_in(names, one));
  };
  return add(std::move(field));
}

}  // namespace ccp
