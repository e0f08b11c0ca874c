#include "bench/config/field_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

namespace ccp {
namespace {

/// A value that is neither an object, a list nor null.
FieldValue scalar(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_string()) return value.get<std::string>();
  const bool huge = value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX);
  if (value.is_number_integer() && !huge) return value.get<std::int64_t>();
  return value.get<double>();
}

/// The value found, for messages: texts and numbers as they are.
std::string found_text(const Json& value) {
  return value.is_primitive() && !value.is_null() ? fmt::format("{} ({})", json_type_name(value), json_text(value))
                                                  : json_type_name(value);
}

bool is_among(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

[[noreturn]] void refuse_type(const Json& value, const Field& field, const std::string& pointer, const JsonSource& source) {
  const bool parameter = !field.source.empty() && value.is_array();
  source.fail(pointer, fmt::format("'{}' is {}, expected {}{}", field.name, found_text(value), field.expected(),
                                   parameter ? "; a list of values belongs to 'sweep'" : ""));
}

FieldValue checked_scalar(const Json& value, const Field& field, const std::string& pointer, const JsonSource& source) {
  if (value.is_structured() || value.is_null()) refuse_type(value, field, pointer, source);
  FieldValue read = scalar(value);
  if (const auto defect = field.check(read)) source.fail(pointer, *defect);
  return read;
}

/// Each entry of a list is checked, and refused where it is equal to one before.
template <typename Entry>
std::vector<Entry> checked_list(const Json& list, const Field& field, const std::string& pointer, const JsonSource& source) {
  std::vector<Entry> values;
  Checks check(source.mistakes);
  for (std::size_t i = 0; i < list.size(); ++i)
    check([&] {
      const std::string place = child_pointer(pointer, i);
      values.push_back(std::get<Entry>(checked_scalar(list[i], field, place, source)));
      for (std::size_t j = 0; j < i; ++j)
        if (list[j] == list[i]) source.fail(place, fmt::format("'{}' stands twice in the list", json_text(list[i])));
    });
  check.finish();
  return values;
}

[[noreturn]] void refuse_empty(const Field& field, const std::string& pointer, const JsonSource& source) {
  const std::string choices = field.choices.empty() ? "" : " of " + join(field.choices, ", ");
  source.fail(pointer, fmt::format("'{}' is an empty list, expected at least one{}", field.name,
                                   field.type == FieldType::objects ? " entry" : choices));
}

/// Where a field is not used with the object's "kind", which is one of those that there are.
void check_kind(const Json& object, const Field& field, const FieldTable& table, const std::string& place,
                const JsonSource& source) {
  const Json given = field.kinds.empty() ? Json() : object.value("kind", Json());
  const std::string kind = given.is_string() ? given.get<std::string>() : "";
  if (kind.empty() || !is_among(kind, table.find("kind")->choices) || is_among(kind, field.kinds)) return;
  source.fail(place, fmt::format("the kind '{}' does not use '{}', expected one of {}", kind, field.name,
                                 join(table.names_of_kind(kind), ", ")));
}

/// "when the kind is this one, these keys are refused", for each kind that does not use all of them.
void add_kinds(Json& schema, const FieldTable& table) {
  const Field* kind = table.find("kind");
  for (const std::string& name : kind == nullptr ? std::vector<std::string>() : kind->choices) {
    Json refused = Json::object();
    for (const Field& field : table.fields())
      if (!field.kinds.empty() && !is_among(name, field.kinds)) refused[field.name] = false;
    if (!refused.empty())
      schema["allOf"].push_back(
          {{"if", {{"properties", {{"kind", {{"const", name}}}}}, {"required", Json::array({"kind"})}}},
           {"then", {{"properties", refused}}}});
  }
}

void add_range(Json& schema, const Range& range) {
  if (std::isfinite(range.min)) schema[range.min_open ? "exclusiveMinimum" : "minimum"] = range.min;
  if (std::isfinite(range.max)) schema[range.max_open ? "exclusiveMaximum" : "maximum"] = range.max;
}

const Json any_text = {{"type", "string"}, {"minLength", 1}};

Json type_schema(const Field& field) {
  const Json inside = {{"$ref", "#/$defs/" + field.section}}, known = {{"enum", field.choices}};
  const Json others = field.open ? any_text : Json{{"type", "string"}, {"pattern", field.also_pattern}};
  const bool more = field.open || field.also != nullptr;
  const Json names = field.choices.empty() ? any_text : more ? Json{{"anyOf", Json::array({known, others})}} : known;
  switch (field.type) {
    case FieldType::flag: return {{"type", "boolean"}};
    case FieldType::integer: return {{"type", "integer"}};
    case FieldType::real: return {{"type", "number"}};
    case FieldType::text:
      return field.form == nullptr ? any_text : Json{{"type", "string"}, {"pattern", field.form->pattern}};
    case FieldType::choice: return names;
    case FieldType::integers: {
      Json one = {{"type", "integer"}};
      add_range(one, field.range);
      return {{"type", "array"}, {"uniqueItems", true}, {"items", one}};
    }
    case FieldType::choices: {
      const Json several = {{"type", "array"}, {"minItems", 1}, {"uniqueItems", true}, {"items", names}};
      return {{"oneOf", Json::array({names, several})}};
    }
    case FieldType::object: return field.section.empty() ? Json{{"type", "object"}} : inside;
    case FieldType::objects: return {{"type", "array"}, {"minItems", 1}, {"items", inside}};
    case FieldType::bound: return {{"oneOf", Json::array({Json{{"type", "number"}}, inside})}};
  }
  return {};
}

}  // namespace

FieldValue read_any(const Json& value, const std::string& pointer, const JsonSource& source) {
  if (value.is_structured() || value.is_null())
    source.fail(pointer, fmt::format("is {}, expected a number, a text, true or false", json_type_name(value)));
  return scalar(value);
}

void read_field(const Json& value, const Field& field, const std::string& pointer, const JsonSource& source) {
  switch (field.type) {
    case FieldType::integers:
      if (!value.is_array()) refuse_type(value, field, pointer, source);
      return field.take(checked_list<std::int64_t>(value, field, pointer, source));
    case FieldType::choices:
      if (!value.is_array())
        return field.take(std::vector{std::get<std::string>(checked_scalar(value, field, pointer, source))});
      if (value.empty()) refuse_empty(field, pointer, source);
      return field.take(checked_list<std::string>(value, field, pointer, source));
    case FieldType::objects:
      if (!value.is_array()) refuse_type(value, field, pointer, source);
      if (value.empty()) refuse_empty(field, pointer, source);
      return;
    case FieldType::object:
      if (field.inside) return read_fields(value, field.inside(), pointer, source);
      if (!value.is_object()) refuse_type(value, field, pointer, source);
      return;
    case FieldType::bound:
      if (value.is_object()) return read_fields(value, field.inside(), pointer, source);
      break;
    default: break;
  }
  field.take(checked_scalar(value, field, pointer, source));
}

void read_fields(const Json& object, const FieldTable& table, const std::string& pointer, const JsonSource& source,
                 const std::set<std::string>& left) {
  const std::vector<std::string> known = table.names();
  if (!object.is_object())
    source.fail(pointer, fmt::format("is {}, expected an object with {}", found_text(object), join(known, ", ")));
  Checks check(source.mistakes);
  std::set<std::string> misspelt;
  for (const auto& item : object.items()) {
    const Field* field = table.find(item.key());
    const std::string near = field == nullptr ? nearest_name(item.key(), known) : "",
                      place = child_pointer(pointer, item.key());
    misspelt.insert(near);
    check([&] {
      if (field == nullptr)
        source.fail(place, table.unknown(item.key()) + (near.empty() && table.find("parameters") != nullptr
                                                            ? "; settings of a solver or scene belong to 'parameters'"
                                                            : ""));
      check_kind(object, *field, table, place, source);
      if (left.count(field->name) == 0) read_field(item.value(), *field, place, source);
    });
  }
  for (const Field& field : table.fields())
    if (field.required && !object.contains(field.name) && misspelt.count(field.name) == 0)
      check([&] {
        source.fail(pointer, fmt::format("the key '{}' is missing, expected {} ({})", field.name,
                                         field.choices.empty() ? field.expected() : "a text", field.meaning));
      });
  check.finish();
}

Json field_schema(const Field& field) {
  Json schema = type_schema(field);
  if (field.type != FieldType::integers) add_range(schema, field.range);
  if (!field.source.empty()) schema["default"] = field_json(field.default_value);
  schema["description"] = field.meaning + (field.unit.empty() ? "" : ", " + field.unit) +
                          (field.source.empty() ? "" : " (" + field.source + ")");
  return schema;
}

Json fields_schema(const FieldTable& table) {
  Json schema = {{"type", "object"}, {"additionalProperties", false}, {"properties", Json::object()}};
  for (const Field& field : table.fields()) {
    schema["properties"][field.name] = field_schema(field);
    if (field.required) schema["required"].push_back(field.name);
  }
  add_kinds(schema, table);
  return schema;
}

}  // namespace ccp
