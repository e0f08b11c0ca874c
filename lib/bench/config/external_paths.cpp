#include "bench/config/external_paths.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "core/error.hpp"
#include "peers/external/external_name.hpp"
#include "peers/external/external_solver.hpp"

namespace ccp {
namespace {

void make_name_absolute(Json& name, const std::string& folder) {
  if (name.is_string() && is_external_name(name.get<std::string>()))
    name = absolute_external(name.get<std::string>(), folder);
}

void make_entry_absolute(Json& entry, const std::string& folder) {
  if (names_external(entry)) make_name_absolute(entry["solver"], folder);
}

/// Of the lists of a sweep, whole entries among them.
void make_swept_absolute(Json& sweep, const std::string& folder) {
  for (const auto& [pointer, list] : sweep.items()) {
    if (pointer == "zip" && list.is_object()) make_swept_absolute(list, folder);
    for (std::size_t i = 0; list.is_array() && i < list.size(); ++i) {
      if (pointer.ends_with("/solver")) make_name_absolute(list[i], folder);
      make_entry_absolute(list[i], folder);
    }
  }
}

}  // namespace

std::string located_solver(const std::string& name, bool may_be_gone, const std::string& pointer, const JsonSource& source) {
  if (!is_external_name(name)) return name;
  std::string located;
  try {
    located = absolute_external(name, std::filesystem::path(source.file).parent_path().string());
  } catch (const InputError& error) {
    source.fail(pointer, error.message());
  }
  std::error_code unreadable;
  for (const std::string& file : external_files(located))
    if (!may_be_gone && !std::filesystem::is_regular_file(file, unreadable))
      source.fail(pointer, fmt::format("there is no file '{}', expected that of the solver", file));
  return located;
}

std::unique_ptr<Solver> solver_named(const std::string& name, const Catalog& catalog) {
  if (!is_external_name(name)) return catalog.make_solver(name);
  const std::string located = located_solver(name, false, "", {});
  const ExternalAnswer& answer = ask_external_solver(located);
  if (!answer.description) throw InputError(answer.defect);
  return catalog.make_solver(located);
}

bool names_external(const Json& entry) {
  return entry.is_object() && entry.contains("solver") && entry["solver"].is_string() &&
         is_external_name(entry["solver"].get<std::string>());
}

void make_solvers_absolute(Json& document, const std::string& file) {
  const std::string folder = std::filesystem::path(file).parent_path().string();
  for (Json& solver : document["solvers"]) make_entry_absolute(solver, folder);
  for (Json& problem : document["problems"])
    if (problem.contains("sequence") && problem["sequence"].contains("driver"))
      make_entry_absolute(problem["sequence"]["driver"], folder);
  if (document.contains("sweep")) make_swept_absolute(document["sweep"], folder);
}

}  // namespace ccp
