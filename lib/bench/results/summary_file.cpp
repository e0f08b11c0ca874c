#include "bench/results/summary_file.hpp"

#include <optional>

#include "bench/results/checksum.hpp"
#include "io/file.hpp"

namespace ccp {
namespace {

namespace fs = std::filesystem;

constexpr const char* summary_name = "summary.csv";
constexpr const char* manifest_name = "manifest.json";

/// The manifest with these checksums; as it is where it is none.
std::string with_checksums(const std::string& manifest, const Json& files) {
  Json json = try_parse_json(manifest);
  if (!json.is_object()) return manifest;
  json.erase(checksums_key);
  if (!files.is_null()) json[checksums_key] = files;
  return dump_json(json, 2) + "\n";
}

/// What the manifest lists. It is read before what it lists: who writes both meanwhile takes the checksum away before the
/// summary changes.
FileIndex manifest_index(const fs::path& folder) {
  return {folder / manifest_name, "writes it again",
          checksums_in(try_parse_json(read_file(folder / manifest_name).value_or("")))};
}

}  // namespace

std::string with_summary_checksum(const std::string& manifest, const fs::path& folder) {
  return with_checksums(manifest, Json::object({{summary_name, checksum_of(read_result(folder / summary_name))}}));
}

void take_off_manifest(const fs::path& folder) {
  const auto manifest = read_file(folder / manifest_name);
  if (manifest && !checksums_in(try_parse_json(*manifest)).empty())
    write_file_atomically(folder / manifest_name, with_checksums(*manifest, nullptr));
}

void write_summary_file(const fs::path& folder,
                        const std::function<void(const std::function<void(std::string_view)>& put)>& write) {
  const auto manifest = read_file(folder / manifest_name);
  take_off_manifest(folder);
  write_file_in_pieces(folder / summary_name, write);
  if (manifest) write_file_atomically(folder / manifest_name, with_summary_checksum(*manifest, folder));
}

bool has_ended(const Json& manifest) {
  return !manifest.is_object() || !manifest.contains("start") || (manifest.contains("end") && !manifest["end"].is_null());
}

Json manifest_identity(const std::string& manifest) {
  const Json json = try_parse_json(manifest);
  if (!json.is_object() || !json.contains("config") || !json["config"].is_object()) return nullptr;
  Json identity = json["config"];
  for (const char* words : {"name", "title", "description", "claims", "plots", "sizes"}) identity.erase(words);
  const auto add = [&](const char* part, const char* key) {
    if (json.contains(part) && json[part].is_object() && json[part].contains(key)) identity[key] = json[part][key];
  };
  add("options", "threads");
  add("program", "solver_version");
  return identity;
}

bool lists_summary(const fs::path& folder) { return manifest_index(folder).checksums.count(summary_name) > 0; }

CsvTable read_summary_file(const fs::path& folder) {
  if (const auto text = manifest_index(folder).find(summary_name)) return parse_csv(*text, folder / summary_name);
  return parse_csv(read_result(folder / summary_name), folder / summary_name);
}

std::set<std::string> hashes_of(const CsvTable& summary) {
  std::set<std::string> hashes;
  if (const int column = summary.column("hash"); column >= 0)
    for (const auto& row : summary.rows) hashes.insert(row[static_cast<std::size_t>(column)]);
  return hashes;
}

std::string damage_of_summary(const fs::path& folder) {
  try {
    if (const auto text = manifest_index(folder).find(summary_name)) parse_csv(*text, folder / summary_name);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace ccp
