#include "bench/analysis/cell_inputs.hpp"

#include <algorithm>
#include <tuple>

#include "bench/config/config_json.hpp"
#include "bench/results/cell_file.hpp"
#include "core/error.hpp"
#include "io/file.hpp"

namespace ccp {
namespace {

namespace fs = std::filesystem;

/// {"problem", "solver", "stop"} of a cell.json, without names and what came out.
Json inputs_of(const fs::path& folder) {
  const fs::path file = folder / "cell.json";
  const Json cell = parse_json(read_cell(folder), file.string());
  try {
    const Json& given = cell.at("problem");
    Json problem = Json::object(), solver = Json::object();
    for (const char* key : {"scene", "parameters", "seed", "perturb", "sequence"})
      if (given.contains(key)) problem[key] = given[key];
    if (given.contains("file")) problem["sha256"] = given.at("sha256");  // of a scene it depends on parameters it lacks
    if (problem.contains("sequence") && problem["sequence"].contains("state")) problem["sequence"]["state"].erase("file");
    for (const char* key : {"name", "parameters", "start"})
      if (cell.at("solver").contains(key)) solver[key] = cell["solver"][key];
    return {{"problem", problem}, {"solver", solver}, {"stop", cell.at("stop")}};
  } catch (const nlohmann::json::exception&) {
    throw InputError(file.string(), "", "is not the result of a cell");
  }
}

/// "/solver/parameters/rho" as "rho".
std::string last_token(const std::string& pointer) { return pointer.substr(pointer.rfind('/') + 1); }

std::string first_token(const std::string& pointer) { return pointer.substr(1, pointer.find('/', 1) - 1); }

}  // namespace

InputTable::InputTable(const ResultTable& results) {
  for (const ResultRow& row : results.rows())
    cells_[row.id()] = dump_json(inputs_of(results.folder() / "cells" / row.hash));
}

// Cells share their problems and solvers: each is written once.
void InputTable::write(const fs::path& folder) const {
  std::map<std::string, std::size_t> number;
  std::string parts, cells;
  for (const auto& [id, text] : cells_) {
    const Json inputs = try_parse_json(text);
    Json places = Json::array();
    for (const auto& [kind, value] : inputs.items()) {
      const auto [place, fresh] = number.try_emplace(dump_json({{kind, value}}), number.size());
      if (fresh) parts += (parts.empty() ? " " : ",\n ") + place->first;
      places.push_back(place->second);
    }
    cells += (cells.empty() ? " " : ",\n ") + dump_json(Json(id)) + ": " + dump_json(places);
  }
  write_file_atomically(folder / inputs_name,
                        "{\"schema\": 1,\n\"parts\": [\n" + parts + "\n],\n\"cells\": {\n" + cells + "\n}}\n");
}

InputTable InputTable::read(const fs::path& folder) {
  const fs::path file = folder / inputs_name;
  InputTable table;
  if (!fs::exists(file)) return table;
  const Json json = parse_json(read_file(file).value_or(""), file.string());
  try {
    for (const auto& [id, places] : json.at("cells").items()) {
      Json inputs = Json::object();
      for (const Json& place : places) inputs.update(json.at("parts").at(place.get<std::size_t>()));
      table.cells_[id] = dump_json(inputs);
    }
  } catch (const nlohmann::json::exception&) {
    throw InputError(file.string(), "", "holds no inputs of a baseline");
  }
  return table;
}

std::vector<InputChange> InputTable::changes_to(const InputTable& now) const {
  std::vector<InputChange> changes;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> place;
  for (const auto& [id, text] : cells_) {
    const auto other = now.cells_.find(id);
    if (other == now.cells_.end() || other->second == text) continue;
    for (const JsonChange& change : json_changes(try_parse_json(text), try_parse_json(other->second))) {
      if (change.before.empty() || change.after.empty()) continue;
      const auto [found, fresh] = place.try_emplace({change.pointer, change.before, change.after}, changes.size());
      if (fresh)
        changes.push_back({last_token(change.pointer), first_token(change.pointer), change.before, change.after, {}});
      changes[found->second].cells.push_back(id);
    }
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const InputChange& a, const InputChange& b) { return a.cells.size() > b.cells.size(); });
  return changes;
}

}  // namespace ccp
