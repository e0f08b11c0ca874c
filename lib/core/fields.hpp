#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ccp {

/// Value of one setting or scene parameter: flag, whole number, real number, name of a choice.
using FieldValue = std::variant<bool, std::int64_t, double, std::string>;

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

enum class FieldType { flag, integer, real, choice };

/// One row of a settings table: everything that is known about one parameter, declared once. JSON reading, validation,
/// `list`, and the schema all come from it.
struct Field {
  std::string name;
  FieldType type = FieldType::real;
  std::string meaning;
  std::string unit;                  ///< "" when dimensionless
  std::string source;                ///< paper and equation or section, or "ours"
  Range range;                       ///< numbers only
  std::vector<std::string> choices;  ///< choices only
  FieldValue default_value;

  std::function<FieldValue()> get;
  std::function<void(const FieldValue&)> store;  ///< unchecked; FieldTable::set checks first
};

/// The fields of one settings struct, bound to one instance of it. The instance must outlive the table.
class FieldTable {
 public:
  FieldTable& add(std::string name, double* member, Range range, std::string unit, std::string meaning, std::string source);
  FieldTable& add(std::string name, int* member, Range range, std::string meaning, std::string source);
  FieldTable& add(std::string name, bool* member, std::string meaning, std::string source);
  template <typename Enum>
  FieldTable& add(std::string name, Enum* member, std::vector<std::pair<std::string, Enum>> names, std::string meaning,
                  std::string source);

  const std::vector<Field>& fields() const { return fields_; }
  const Field* find(const std::string& name) const;
  std::vector<std::string> names() const;

  /// What is wrong with giving `value` to `name` (unknown name with the nearest valid one, wrong type, out of range);
  /// nothing when it can be set. A whole number is accepted where a real one is expected.
  std::optional<std::string> check(const std::string& name, const FieldValue& value) const;

  /// Checks and stores. Throws InputError(check(...)) without a file or place.
  void set(const std::string& name, const FieldValue& value);

  /// Reads "true", "5", "1e-3" or a choice from text by the type of the field, then set(). For --set NAME=VALUE.
  void set_from_text(const std::string& name, const std::string& text);

  /// Current values, in table order.
  std::vector<std::pair<std::string, FieldValue>> values() const;

 private:
  std::vector<Field> fields_;
};

/// Text of a value as it would stand in a config ("true", "5", "0.1", "balanced").
std::string field_text(const FieldValue& value);

template <typename Enum>
FieldTable& FieldTable::add(std::string name, Enum* member, std::vector<std::pair<std::string, Enum>> names,
                            std::string meaning, std::string source) {
  Field field;
  field.name = std::move(name);
  field.type = FieldType::choice;
  field.meaning = std::move(meaning);
  field.source = std::move(source);
  for (const auto& entry : names) field.choices.push_back(entry.first);
  field.get = [member, names]() -> FieldValue {
    for (const auto& entry : names)
      if (entry.second == *member) return entry.first;
    return std::string();
  };
  field.store = [member, names](const FieldValue& value) {
    for (const auto& entry : names)
      if (entry.first == std::get<std::string>(value)) *member = entry.second;
  };
  field.default_value = field.get();
  fields_.push_back(std::move(field));
  return *this;
}

}  // namespace ccp
