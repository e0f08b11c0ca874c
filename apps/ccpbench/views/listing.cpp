#include "views/listing.hpp"

#include <cmath>

#include "bench/config/config_json.hpp"
#include "core/text.hpp"
#include "peers/peer_solver.hpp"
#include "problems/registry.hpp"
#include "terminal/arguments.hpp"
#include "views/user_solvers.hpp"

namespace ccp::cli {
namespace {

Json range_json(const Range& range) {
  return {{"min", json_number(range.min)},
          {"max", json_number(range.max)},
          {"min_excluded", range.min_open},
          {"max_excluded", range.max_open}};
}

/// "one of none, diagonal", "> 0".
std::string allowed(const Field& field) {
  return field.choices.empty() ? field.range.text() : "one of " + join(field.choices, ", ");
}

Datum default_of(const Field& field) {
  return field.has_default ? Datum(field_json(field.default_value), field_text(field.default_value)) : Datum(Json(), "");
}

Json field_listing(const Field& field) {
  const bool key = field.source.empty();
  Json one = {{"name", field.name}, {"type", field.type_name()}};
  if (key) one["required"] = field.required;
  one["default"] = field.has_default ? field_json(field.default_value) : Json();
  if (!field.choices.empty()) one["choices"] = field.choices;
  if (!field.range.text().empty() || field.type == FieldType::real || field.type == FieldType::integer)
    one["range"] = range_json(field.range);
  if (!field.section.empty()) one["shape"] = field.section;
  one["unit"] = field.unit;
  one["meaning"] = field.meaning;
  if (!key) one["source"] = field.source;
  return one;
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
    listing.table.row(
        {field.name, field.type_name(), default_of(field), allowed(field), field.unit, field.meaning, field.source});
    listing.json.push_back(field_listing(field));
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
               {"inexact", info.inexact},
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
    const std::string takes = join(models, ", ") + (info.inexact ? " (inexact)" : "");
    listing.table.row({info.name, info.title, takes, std::string(school_of(*solver)), info.reference});
    listing.json.push_back(solver_json(*solver));
  }
  return listing;
}

Listing solver_listing(const std::string& name) {
  const auto solver = solver_named(name);
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

Listing configs_listing(const std::vector<Config>& configs) {
  Records table({{"name", "name"}, {"file", "file"}, {"title", "title"}});
  for (const Config& config : configs) table.row({config.name, config.file, config.title});
  return {table, table.json()};
}

Listing config_listing(const Config& config) {
  Records table({{"label", "label"}, {"solver", "solver"}, {"settings", "settings"}});
  for (const auto& solver : config.variants.front().solvers)
    table.row({solver->label, solver->solver,
               changed_values(catalog().make_solver(solver->solver)->settings(), solver->parameters)});
  Json json = Json::parse(config.resolved);
  json["file"] = config.file;
  return {table, json};
}

Listing sections_listing(const std::vector<ConfigSection>& sections) {
  Listing listing{Records({{"part", "part"},
                           {"key", "key"},
                           {"type", "type"},
                           {"required", "required"},
                           {"default", "default"},
                           {"allowed", "allowed"},
                           {"unit", "unit"},
                           {"meaning", "meaning"}}),
                  Json::array()};
  for (const ConfigSection& section : sections) {
    Json keys = Json::array();
    for (const Field& field : section.fields.fields()) {
      listing.table.row({section.name, field.name, field.type_name(), Json(field.required), default_of(field),
                         allowed(field), field.unit, field.meaning});
      keys.push_back(field_listing(field));
    }
    listing.json.push_back({{"name", section.name}, {"meaning", section.meaning}, {"keys", keys}});
  }
  return listing;
}

}  // namespace ccp::cli
