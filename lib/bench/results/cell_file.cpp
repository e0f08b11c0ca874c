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
constexpr const char* checksum_key = "checksum";

/// Traces and steps, whose damage would go unseen; not logs.
bool has_checksum(const std::string& name) {
  return name == "steps.csv" || (name.rfind("trace.", 0) == 0 && fs::path(name).extension() == ".csv");
}

/// The checksum as it stands in the text.
std::string checksum_member(const std::string& digits) { return fmt::format("\"{}\": \"{}\"", checksum_key, digits); }

constexpr const char* mended_by_run = "runs the cell again";

/// The files that cell.json lists. Throws as read_cell() does.
FileIndex cell_index(const fs::path& folder) {
  return {folder / cell_name, mended_by_run, checksums_in(try_parse_json(read_cell(folder)))};
}

}  // namespace

void write_cell(const fs::path& folder, const Cell& cell, const CellRecord& record) {
  std::map<std::string, std::string> checksums;
  for (const auto& entry : fs::directory_iterator(folder))
    if (const std::string name = entry.path().filename().string(); has_checksum(name))
      checksums[name] = checksum_of(read_result(entry.path()));
  Json json = try_parse_json(record_to_json(cell, record));
  if (!checksums.empty()) json[checksums_key] = checksums;
  write_file_atomically(folder / cell_name, with_checksum(std::move(json)));
}

std::string with_checksum(Json cell) {
  cell[checksum_key] = "";
  cell[checksum_key] = checksum_of(dump_json(cell, 2) + "\n");
  return dump_json(cell, 2) + "\n";
}

bool is_as_written(const std::string& cell) {
  const Json json = try_parse_json(cell);
  const auto digits = json.is_object() ? json.find(checksum_key) : json.end();
  if (digits == json.end() || !digits->is_string()) return false;
  const std::string member = checksum_member(digits->get<std::string>());
  std::string text = cell;
  if (const std::size_t place = text.rfind(member); place != std::string::npos)
    text.replace(place, member.size(), checksum_member(""));
  return checksum_of(text) == digits->get<std::string>();
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
