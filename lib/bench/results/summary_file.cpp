#include "bench/results/summary_file.hpp"

#include <optional>

#include "bench/config/config_json.hpp"
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

}  // namespace

std::string with_summary_checksum(const std::string& manifest, const fs::path& folder) {
  return with_checksums(manifest, Json::object({{summary_name, checksum_of(read_result(folder / summary_name))}}));
}

void write_summary_file(const fs::path& folder,
                        const std::function<void(const std::function<void(std::string_view)>& put)>& write) {
  const auto manifest = read_file(folder / manifest_name);
  if (manifest && !checksums_in(try_parse_json(*manifest)).empty())
    write_file_atomically(folder / manifest_name, with_checksums(*manifest, nullptr));
  write_file_in_pieces(folder / summary_name, write);
  if (manifest) write_file_atomically(folder / manifest_name, with_summary_checksum(*manifest, folder));
}

CsvTable read_summary_file(const fs::path& folder) {
  const fs::path file = folder / summary_name;
  // The manifest first: who writes both meanwhile takes the checksum away before the summary changes.
  const auto checksums = checksums_in(try_parse_json(read_file(folder / manifest_name).value_or("")));
  const std::string text = read_result(file);
  if (const auto found = checksums.find(summary_name); found != checksums.end() && found->second != checksum_of(text))
    throw damaged_file(file.string(), "writes it again");
  return parse_csv(text, file);
}

std::string damage_of_summary(const fs::path& folder) {
  if (!fs::exists(folder / summary_name)) return "";
  try {
    read_summary_file(folder);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace ccp
