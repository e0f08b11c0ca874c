#include "views/listing.hpp"

#include <cmath>

#include "bench/config/config_json.hpp"
#include "core/status.hpp"
#include "core/text.hpp"
#include "linalg/linear_solver.hpp"
#include "peers/peer_solver.hpp"
#include "problems/registry.hpp"
#include "terminal/arguments.hpp"

namespace ccp::cli {
namespace {

const char* type_name(FieldType type) {
  switch (type) {
    case FieldType::flag: return "flag";
    case FieldType::integer: return "integer";
    case FieldType::real: return "number";
    case FieldType::choice: return "choice";
  }
  return "";
}

const char* type_name(KeyType type) {
  switch (type) {
    case KeyType::text: return "text";
    case KeyType::name: return "name";
    case KeyType::flag: return "flag";
    case KeyType::number: return "number";
    case KeyType::integer: return "integer";
    case KeyType::integers: return "integers";
    case KeyType::choice: return "choice";
    case KeyType::choices: return "choices";
    case KeyType::object: return "object";
    case KeyType::objects: return "objects";
    case KeyType::bound: return "number or object";
    case KeyType::table: return "table";
  }
  return "";
}

Json range_json(const Range& range) {
  return {{"min", json_number(range.min)},
          {"max", json_number(range.max)},
          {"min_excluded", range.min_open},
          {"max_excluded", range.max_open}};
}

/// "one of none, diagonal", "> 0".
std::string allowed(const std::vector<std::string>& choices, const Range& range) {
  return choices.empty() ? range.text() : "one of " + join(choices, ", ");
}

Listing fields_listing(const FieldTable& table) {
  Listing listing{Records({{"name", "name"},
                           {"type", "type"},
                           {"default", "default", true},
                           {"allowed", "allowed"},
                           {"unit", "unit"},
                           {"meaning", "meaning"},
                           {"source", "source"}}),
                  Json::array()};
  for (const Field& field : table.fields()) {
    const Json value = field_json(field.default_value);
    listing.table.row({field.name, type_name(field.type), Datum(value, field_text(field.default_value)),
                       allowed(field.choices, field.range), field.unit, field.meaning, field.source});
    Json one = {{"name", field.name}, {"type", type_name(field.type)}, {"default", value}};
    if (field.type == FieldType::choice)
      one["choices"] = field.choices;
    else if (field.type != FieldType::flag)
      one["range"] = range_json(field.range);
    one["unit"] = field.unit;
    one["meaning"] = field.meaning;
    one["source"] = field.source;
    listing.json.push_back(std::move(one));
  }
  return listing;
}

Json columns_json(const std::vector<NativeColumn>& columns) {
  Json list = Json::array();
  for (const NativeColumn& column : columns)
    list.push_back({{"name", column.name}, {"unit", column.unit}, {"meaning", column.meaning}});
  return list;
}

Json native_models(const SolverInfo& info) {
  Json list = Json::array();
  for (const Model model : info.models) list.push_back(model_name(model));
  return list;
}

Json solver_json(const Solver& solver) {
  const SolverInfo& info = solver.info();
  Json json = {{"name", info.name},
               {"title", info.title},
               {"source", info.reference},
               {"native_models", native_models(info)},
               {"school", school_of(solver)}};
  if (const PeerSolver* peer = as_peer(solver)) {
    json["takes"] = peer->takes();
    json["version"] = peer->version();
  }
  json["settings"] = fields_listing(solver.settings()).json;
  json["trace_columns"] = columns_json(info.native);
  return json;
}

Json scene_json(Scene& scene) {
  return {{"name", scene.info().name},
          {"title", scene.info().title},
          {"source", scene.info().reference},
          {"moves", scene.motion(0) != nullptr},
          {"parameters", fields_listing(scene.parameters()).json}};
}

Json key_json(const Key& key) {
  Json json = {
      {"name", key.name}, {"type", type_name(key.type)}, {"required", key.required}, {"default", key.default_value}};
  if (!key.choices.empty()) json["choices"] = key.choices;
  if (!key.range.text().empty()) json["range"] = range_json(key.range);
  if (!key.shape.empty()) json["shape"] = key.shape;
  json["unit"] = key.unit;
  json["meaning"] = key.meaning;
  return json;
}

/// "preconditioner=diagonal, rho=0.5": what is not the default.
std::string changed_settings_of(const SolverSpec& spec) {
  const auto solver = catalog().make_solver(spec.solver);
  std::vector<std::string> changed;
  for (const auto& [name, value] : spec.parameters) {
    const Field* field = solver->settings().find(name);
    if (field != nullptr && field_text(field->default_value) != field_text(value))
      changed.push_back(name + "=" + field_text(value));
  }
  return join(changed, ", ");
}

}  // namespace

Listing solvers_listing() {
  Listing listing{
      Records(
          {{"name", "name"}, {"title", "method"}, {"native_models", "models"}, {"school", "school"}, {"source", "source"}}),
      Json::array()};
  for (const std::string& name : catalog().solver_names) {
    const auto solver = catalog().make_solver(name);
    const SolverInfo& info = solver->info();
    std::vector<std::string> models;
    for (const Model model : info.models) models.emplace_back(model_name(model));
    listing.table.row({info.name, info.title, join(models, ", "), std::string(school_of(*solver)), info.reference});
    listing.json.push_back(solver_json(*solver));
  }
  return listing;
}

Listing solver_listing(const std::string& name) {
  const auto solver = catalog().make_solver(name);
  return {fields_listing(solver->settings()).table, solver_json(*solver)};
}

Listing scenes_listing() {
  Listing listing{Records({{"name", "name"}, {"title", "scene"}, {"moves", "moves"}, {"source", "source"}}), Json::array()};
  for (const std::string& name : scene_names()) {
    const auto scene = make_scene(name);
    listing.json.push_back(scene_json(*scene));
    listing.table.row({name, scene->info().title, listing.json.back()["moves"], scene->info().reference});
  }
  return listing;
}

Listing scene_listing(const std::string& name) {
  const auto scene = make_scene(name);
  return {fields_listing(scene->parameters()).table, scene_json(*scene)};
}

Listing measures_listing(const std::vector<std::string>& names) {
  Records table({{"name", "name"}, {"unit", "unit"}, {"stops", "stops"}, {"definition", "definition"}});
  for (const std::string& name : names) {
    const MeasureInfo& info = measure_info(*measure_from_name(name));
    table.row({info.name, info.unit, Json(info.stoppable), info.definition});
  }
  return {table, table.json()};
}

Listing statuses_listing(const std::vector<std::string>& names) {
  Records table({{"name", "name"}, {"meaning", "meaning"}});
  for (const std::string& name : names) table.row({name, status_meaning(*status_from_name(name))});
  return {table, table.json()};
}

Listing linear_solvers_listing(const std::vector<std::string>& names, const std::vector<std::string>& kinds) {
  Records table({{"name", "name"}, {"matrices", "matrices"}});
  for (std::size_t i = 0; i < names.size(); ++i) table.row({names[i], kinds[i]});
  return {table, table.json()};
}

Listing configs_listing(const std::vector<Config>& configs) {
  Records table({{"name", "name"}, {"file", "file"}, {"title", "title"}});
  for (const Config& config : configs) table.row({config.name, config.file, config.title});
  return {table, table.json()};
}

Listing config_listing(const Config& config) {
  Records table({{"label", "label"}, {"solver", "solver"}, {"settings", "settings"}});
  for (const auto& solver : config.variants.front().solvers)
    table.row({solver->label, solver->solver, changed_settings_of(*solver)});
  Json json = Json::parse(config.resolved);
  json["file"] = config.file;
  return {table, json};
}

Listing shapes_listing(const std::vector<Shape>& shapes) {
  Listing listing{Records({{"part", "part"},
                           {"key", "key"},
                           {"type", "type"},
                           {"required", "required"},
                           {"default", "default"},
                           {"allowed", "allowed"},
                           {"unit", "unit"},
                           {"meaning", "meaning"}}),
                  Json::array()};
  for (const Shape& shape : shapes) {
    Json keys = Json::array();
    for (const Key& key : shape.keys) {
      const bool none = key.default_value.is_null();
      listing.table.row({shape.name, key.name, type_name(key.type), Json(key.required),
                         none ? Datum(Json(), "") : Datum(key.default_value, json_text(key.default_value)),
                         allowed(key.choices, key.range), key.unit, key.meaning});
      keys.push_back(key_json(key));
    }
    listing.json.push_back({{"name", shape.name}, {"meaning", shape.meaning}, {"keys", keys}});
  }
  return listing;
}

}  // namespace ccp::cli
