#include "bench/config/external_paths.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "bench/config/config.hpp"
#include "core/error.hpp"
#include "peers/external/external_name.hpp"
#include "peers/external/external_solver.hpp"

namespace ccp {
namespace {

namespace fs = std::filesystem;

/// Makes paths absolute in a value, whose JSON pointer tells what it is, and in all inside of it. Keys of a sweep are
/// pointers themselves.
void make_absolute(Json& value, const std::string& pointer, const fs::path& folder) {
  if (value.is_structured()) {
    for (auto& item : value.items())
      if (item.key() != "parameters")
        make_absolute(item.value(), value.is_array() ? pointer : pointer + "/" + item.key(), folder);
    return;
  }
  if (!value.is_string()) return;
  const std::string text = value.get<std::string>();
  if (pointer.ends_with("/solver") && is_external_name(text)) value = absolute_external(text, folder.string());
  if (pointer.ends_with("/sequence/state") || (pointer.ends_with("/fclib") && names_own_folder(text)))
    value = fs::absolute(folder / text).lexically_normal().string();
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

void make_paths_absolute(Json& document, const std::string& file) {
  for (const char* part : {"problems", "solvers", "sweep"})
    if (document.contains(part)) make_absolute(document[part], "", fs::path(file).parent_path());
}

}  // namespace ccp
