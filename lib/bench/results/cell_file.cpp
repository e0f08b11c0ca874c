#include "bench/results/cell_file.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "bench/config/config_json.hpp"
#include "bench/record/csv.hpp"
#include "bench/results/checksum.hpp"
#include "bench/results/record_json.hpp"
#include "core/error.hpp"
#include "io/file.hpp"

namespace ccp {
namespace {

namespace fs = std::filesystem;

constexpr const char* cell_name = "cell.json";
constexpr const char* end_of_object = "\n}\n";
const std::string checksum_key = ",\n  \"checksum\": \"";  // the last member, so that it covers all before it

/// Traces and steps, whose damage would go unseen; not logs.
bool has_checksum(const std::string& name) {
  return name == "steps.csv" || (name.rfind("trace.", 0) == 0 && fs::path(name).extension() == ".csv");
}

std::string ending_of(const std::string& body) { return checksum_key + checksum_of(body) + "\"" + end_of_object; }

constexpr const char* mended_by_run = "runs the cell again";

/// What cell.json lists. Throws as read_cell() does.
FileIndex cell_index(const fs::path& folder) {
  return {folder / cell_name, mended_by_run, checksums_in(try_parse_json(read_cell(folder)))};
}

}  // namespace

void write_cell(const fs::path& folder, const Cell& cell, const CellRecord& record) {
  std::map<std::string, std::string> checksums;
  for (const auto& entry : fs::directory_iterator(folder))
    if (const std::string name = entry.path().filename().string(); has_checksum(name))
      checksums[name] = checksum_of(read_result(entry.path()));
  std::string text = record_to_json(cell, record);
  text.erase(text.rfind(end_of_object));
  if (!checksums.empty()) text += fmt::format(",\n  \"{}\": {}", checksums_key, dump_json(Json(checksums)));
  write_file_atomically(folder / cell_name, text + ending_of(text));
}

bool is_as_written(const std::string& cell) {
  const std::size_t end = cell.rfind(checksum_key);
  if (end == std::string::npos) return try_parse_json(cell).is_object();
  return cell.compare(end, std::string::npos, ending_of(cell.substr(0, end))) == 0;
}

std::string read_cell(const fs::path& folder) {
  const fs::path file = folder / cell_name;
  if (!fs::exists(file)) throw missing_file(file.string(), "summary.csv lists the cell", mended_by_run);
  std::string text = read_result(file);
  if (!is_as_written(text)) throw damaged_file(file.string(), mended_by_run);
  return text;
}

std::optional<std::string> find_beside_cell(const fs::path& folder, const std::string& name) {
  const bool listed = fs::exists(folder / cell_name);  // else it is for check_cell() to say what is missing
  return (listed ? cell_index(folder) : FileIndex{folder / cell_name, mended_by_run, {}}).find(name);
}

std::string read_beside_cell(const fs::path& folder, const std::string& name) {
  if (auto text = find_beside_cell(folder, name)) return std::move(*text);
  return read_result(folder / name);
}

void check_cell(const fs::path& folder) {
  const FileIndex index = cell_index(folder);
  for (const auto& [name, checksum] : index.checksums)
    if (!fs::exists(folder / name)) throw index.missing(name);
}

std::string damage_of_cell(const fs::path& folder) {
  if (!fs::exists(folder / cell_name)) return "";
  try {
    const FileIndex index = cell_index(folder);
    for (const auto& [name, checksum] : index.checksums) index.find(name);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace ccp
