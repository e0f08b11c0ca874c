#include "bench/config/config.hpp"
#include "bench/config/config_tables.hpp"
#include "bench/config/field_reader.hpp"

namespace ccp {
namespace {

/// "when `selector` is `name`, `parameters` is this table".
Json parameters_rule(const std::string& selector, const std::string& name, const FieldTable& table) {
  return {{"if", {{"properties", {{selector, {{"const", name}}}}}, {"required", Json::array({selector})}}},
          {"then", {{"properties", {{"parameters", fields_schema(table)}}}}}};
}

/// Exactly one of these keys.
Json one_of(const std::vector<std::string>& keys) {
  Json list = Json::array();
  for (const std::string& key : keys) list.push_back({{"required", Json::array({key})}});
  return list;
}

}  // namespace

std::string config_schema(const Catalog& catalog) {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "ccpbench config"}};
  Json definitions;
  for (const ConfigSection& section : config_sections(catalog)) {
    Json one = fields_schema(section.fields);
    one["description"] = section.meaning;
    if (section.name == "config")
      schema.update(one);
    else
      definitions[section.name] = one;
  }
  for (const std::string& name : catalog.scenes.names)
    definitions["problem"]["allOf"].push_back(parameters_rule("scene", name, catalog.scenes.make(name)->parameters()));
  for (const std::string& name : catalog.solver_names)
    definitions["solver"]["allOf"].push_back(parameters_rule("solver", name, catalog.make_solver(name)->settings()));
  if (definitions["solver"].contains("allOf")) definitions["driver"]["allOf"] = definitions["solver"]["allOf"];
  definitions["problem"]["oneOf"] = one_of({"scene", "fclib"});
  definitions["claim"]["oneOf"] = one_of(claim_relations);
  schema["$defs"] = definitions;
  return dump_json(schema, 2) + "\n";
}

}  // namespace ccp
