#include "bench/results/merge.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/config/config_json.hpp"
#include "bench/results/cell_file.hpp"
#include "bench/results/folder_lock.hpp"
#include "bench/results/result_table.hpp"
#include "bench/results/summary_file.hpp"
#include "core/error.hpp"
#include "io/file.hpp"

namespace ccp {
namespace {

namespace fs = std::filesystem;

/// Throws InputError where a folder's manifest is about other cells than `first`.
void check_same_config(const fs::path& folder, const fs::path& first) {
  const fs::path file = folder / "manifest.json";
  const Json identity = manifest_identity(read_result(file));
  if (identity.is_null()) throw InputError(file.string(), "", "is no manifest of a run");
  const auto changes = json_changes(manifest_identity(read_result(first / "manifest.json")), identity);
  if (!changes.empty())
    throw InputError(file.string(), "",
                     fmt::format("is not of the same cells as {}: {}", first.string(), changes.front().text()));
  if (const std::string writer = writer_of(folder); !writer.empty())
    throw InputError(folder.string(), "", "is being written to by " + writer);
}

/// cell.json comes last, so that a cell that is copied in part is none.
void copy_cell(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::remove(to / "cell.json", error);
  fs::remove_all(to, error);
  if (!error) fs::create_directories(to, error);
  for (const auto& entry : fs::directory_iterator(from, error))
    if (!error && entry.path().filename() != "cell.json") fs::copy(entry.path(), to / entry.path().filename(), error);
  if (!error) fs::copy(from / "cell.json", to / ".cell.json", error);
  if (!error) fs::rename(to / ".cell.json", to / "cell.json", error);
  if (error) throw InputError(to.string(), "", fmt::format("cannot be written ({})", error.message()));
}

bool holds_a_cell(const std::string& folder) {
  std::error_code none;  // of a run that was stopped before its first cell
  const fs::directory_iterator cells(fs::path(folder) / "cells", none);
  return std::any_of(fs::begin(cells), fs::end(cells),
                     [](const fs::directory_entry& cell) { return fs::exists(cell.path() / "cell.json"); });
}

void copy_cells(const fs::path& from, const fs::path& out, Merge& merge) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(from / "cells", none)) {
    if (!fs::exists(entry.path() / "cell.json")) continue;  // not finished
    const fs::path to = out / "cells" / entry.path().filename();
    if (fs::exists(to / "cell.json") && damage_of_cell(to).empty()) {
      ++merge.there;
    } else if (std::string damage = damage_of_cell(entry.path()); !damage.empty()) {
      merge.left_out.push_back(std::move(damage));
    } else {
      copy_cell(entry.path(), to);
      ++merge.copied;
    }
  }
}

/// Adds what a manifest says of its machine, which other times than the first may be of, and its warnings.
void add_machine(Json& json, const Json& other) {
  const auto add_new = [](Json& list, const Json& value) {
    if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
  };
  Json& warnings = json["warnings"];
  for (const Json& warning : other.value("warnings", Json::array())) add_new(warnings, warning);
  Json machines = json.value("machines", Json::array({json["environment"]}));
  add_new(machines, other.value("environment", Json()));
  for (const Json& machine : other.value("machines", Json::array())) add_new(machines, machine);
  if (machines.size() < 2) return;
  add_new(warnings, "the times were taken on different machines");
  json["machines"] = std::move(machines);
}

}  // namespace

Merge merge_results(const std::vector<std::string>& folders, const fs::path& out, const Catalog& catalog,
                    const std::string& fclib_dir) {
  const fs::path manifest = out / "manifest.json";
  const bool is_new = !fs::exists(manifest);
  for (const std::string& folder : folders) check_same_config(folder, is_new ? fs::path(folders.front()) : out);
  if (std::none_of(folders.begin(), folders.end(), holds_a_cell))
    throw InputError(folders.front(), "", "holds no finished cell, nor do the others");
  make_folder(out / "cells");
  const FolderLock lock(out);
  Merge merge;
  for (const std::string& folder : folders) copy_cells(folder, out, merge);
  if (merge.copied + merge.there == 0) throw InputError(merge.left_out.front());
  Json json = try_parse_json(read_result(is_new ? fs::path(folders.front()) / "manifest.json" : manifest));
  for (const std::string& folder : folders)
    add_machine(json, try_parse_json(read_result(fs::path(folder) / "manifest.json")));
  write_file_atomically(manifest, dump_json(json, 2) + "\n");
  take_off_manifest(out);  // until the table of all cells is written
  const ResultTable results(out, catalog, fclib_dir);
  if (!results.note().empty()) throw InputError(out.string(), "", results.note());
  merge.missing = results.missing();
  Json statuses = Json::object();
  for (const ResultRow& row : results.rows()) {
    Json& count = statuses[std::string(status_name(row.status))];
    count = count.is_null() ? 1 : count.get<int>() + 1;
  }
  json["cells"].update({{"selected", results.rows().size()}, {"reused", results.rows().size()}, {"statuses", statuses}});
  json["complete"] = merge.missing == 0;
  json["interrupted"] = merge.missing > 0;
  json["options"]["shard"] = "1/1";
  json["options"]["only"] = Json::array();
  write_file_atomically(manifest, with_summary_checksum(dump_json(json, 2) + "\n", out));
  return merge;
}

}  // namespace ccp
