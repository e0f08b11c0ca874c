#include <cmath>

#include "bench/config/config.hpp"
#include "bench/config/config_keys.hpp"

namespace ccp {
namespace {

void add_range(Json& schema, const Range& range) {
  if (std::isfinite(range.min)) schema[range.min_open ? "exclusiveMinimum" : "minimum"] = range.min;
  if (std::isfinite(range.max)) schema[range.max_open ? "exclusiveMaximum" : "maximum"] = range.max;
}

Json field_schema(const Field& field) {
  Json schema;
  switch (field.type) {
    case FieldType::flag: schema["type"] = "boolean"; break;
    case FieldType::integer: schema["type"] = "integer"; break;
    case FieldType::real: schema["type"] = "number"; break;
    case FieldType::choice: schema["enum"] = field.choices; break;
  }
  add_range(schema, field.range);
  schema["default"] = field_json(field.default_value);
  schema["description"] = field.meaning + (field.unit.empty() ? "" : ", " + field.unit) + " (" + field.source + ")";
  return schema;
}

Json reference(const std::string& shape) { return {{"$ref", "#/$defs/" + shape}}; }

Json key_schema(const Key& key) {
  Json schema;
  switch (key.type) {
    case KeyType::text: schema = {{"type", "string"}, {"minLength", 1}}; break;
    case KeyType::name: schema = {{"type", "string"}, {"pattern", "^[A-Za-z0-9_-]{1,100}$"}}; break;
    case KeyType::flag: schema["type"] = "boolean"; break;
    case KeyType::number: schema["type"] = "number"; break;
    case KeyType::integer: schema["type"] = "integer"; break;
    case KeyType::integers: {
      Json one = {{"type", "integer"}};
      add_range(one, key.range);
      schema = {{"type", "array"}, {"uniqueItems", true}, {"items", one}};
      break;
    }
    case KeyType::choice:
      if (key.open)
        schema["anyOf"] = Json::array({Json{{"enum", key.choices}}, Json{{"type", "string"}, {"minLength", 1}}});
      else
        schema["enum"] = key.choices;
      break;
    case KeyType::choices: {
      const Json one = key.open ? Json{{"type", "string"}, {"minLength", 1}} : Json{{"enum", key.choices}};
      const Json several = {{"type", "array"}, {"minItems", 1}, {"uniqueItems", true}, {"items", one}};
      schema["oneOf"] = Json::array({one, several});
      break;
    }
    case KeyType::object: schema = reference(key.shape); break;
    case KeyType::objects: schema = {{"type", "array"}, {"minItems", 1}, {"items", reference(key.shape)}}; break;
    case KeyType::bound: schema["oneOf"] = Json::array({Json{{"type", "number"}}, reference(key.shape)}); break;
    case KeyType::table: schema["type"] = "object"; break;
  }
  if (key.type != KeyType::integers) add_range(schema, key.range);
  schema["description"] = key.meaning + (key.unit.empty() ? "" : ", " + key.unit);
  return schema;
}

Json shape_schema(const Shape& shape) {
  Json schema = {{"type", "object"}, {"description", shape.meaning}, {"additionalProperties", false}};
  Json properties = Json::object(), required = Json::array();
  for (const Key& key : shape.keys) {
    properties[key.name] = key_schema(key);
    if (key.required) required.push_back(key.name);
  }
  schema["properties"] = std::move(properties);
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

/// "when `selector` is `name`, `parameters` is this table".
Json parameters_rule(const std::string& selector, const std::string& name, const FieldTable& table) {
  Json properties = Json::object();
  for (const Field& field : table.fields()) properties[field.name] = field_schema(field);
  const Json parameters = {{"type", "object"}, {"additionalProperties", false}, {"properties", properties}};
  return {{"if", {{"properties", {{selector, {{"const", name}}}}}, {"required", Json::array({selector})}}},
          {"then", {{"properties", {{"parameters", parameters}}}}}};
}

}  // namespace

std::string config_schema(const Catalog& catalog) {
  const ConfigKeys keys(catalog);
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "ccpbench config"}};
  schema.update(shape_schema(keys.shape("config")));
  Json& definitions = schema["$defs"];
  for (const Shape& shape : keys.shapes())
    if (shape.name != "config") definitions[shape.name] = shape_schema(shape);

  Json scene_rules = Json::array(), solver_rules = Json::array();
  for (const std::string& name : catalog.scenes.names)
    scene_rules.push_back(parameters_rule("scene", name, catalog.scenes.make(name)->parameters()));
  for (const std::string& name : catalog.solver_names)
    solver_rules.push_back(parameters_rule("solver", name, catalog.make_solver(name)->settings()));
  if (!solver_rules.empty()) definitions["driver"]["allOf"] = solver_rules;
  if (!scene_rules.empty()) definitions["problem"]["allOf"] = std::move(scene_rules);
  if (!solver_rules.empty()) definitions["solver"]["allOf"] = std::move(solver_rules);
  definitions["problem"]["oneOf"] =
      Json::array({Json{{"required", Json::array({"scene"})}}, Json{{"required", Json::array({"fclib"})}}});

  Json one_bound = Json::array();
  for (const std::string& relation : claim_relations) one_bound.push_back({{"required", Json::array({relation})}});
  definitions["claim"]["oneOf"] = std::move(one_bound);
  return dump_json(schema, 2) + "\n";
}

}  // namespace ccp
