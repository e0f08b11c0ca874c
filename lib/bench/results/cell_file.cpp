#include "bench/results/cell_file.hpp"

#include <fmt/format.h>

#include <map>

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

InputError damaged(const fs::path& file) { return damaged_file(file.string(), "runs the cell again"); }

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
  return end == std::string::npos || cell.compare(end, std::string::npos, ending_of(cell.substr(0, end))) == 0;
}

std::string read_cell(const fs::path& folder) {
  std::string text = read_result(folder / cell_name);
  if (!is_as_written(text)) throw damaged(folder / cell_name);
  return text;
}

std::string read_beside_cell(const fs::path& folder, const std::string& name) {
  std::string text = read_result(folder / name);
  const auto checksums = checksums_in(try_parse_json(read_file(folder / cell_name).value_or("")));
  if (const auto found = checksums.find(name); found != checksums.end() && found->second != checksum_of(text))
    throw damaged(folder / name);
  return text;
}

std::string damage_of_cell(const fs::path& folder) {
  const auto cell = read_file(folder / cell_name);
  if (!cell) return "";
  try {
    for (const auto& [name, checksum] : checksums_in(try_parse_json(read_cell(folder))))
      if (fs::exists(folder / name)) read_beside_cell(folder, name);  // who has removed traces does not want them again
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace ccp
