#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "bench/config/config_json.hpp"
#include "bench/config/plan.hpp"
#include "bench/record/cell_record.hpp"

/// cell.json on disk, which has a checksum of its text, taken with an empty one in its place ("checksum": ""), and lists
/// each trace and steps file beside it with its own, as bench/results/checksum.hpp says. It is written last, in one piece,
/// so that a result is whole or none.
namespace ccp {

/// Writes cell.json of a cell whose other files are complete. Throws InputError when that cannot be done.
void write_cell(const std::filesystem::path& folder, const Cell& cell, const CellRecord& record);

/// The text of a cell.json with its checksum.
std::string with_checksum(Json cell);

/// Whether the text of a cell.json has the checksum that it gives.
bool is_as_written(const std::string& cell);

/// The text of cell.json. Throws InputError where it is missing or damaged.
std::string read_cell(const std::filesystem::path& folder);

/// The text of a file beside it; nothing where the cell has none. Throws InputError where it is missing or damaged.
std::optional<std::string> find_beside_cell(const std::filesystem::path& folder, const std::string& name);

/// The same of a file that the cell must have. Throws InputError where it has none.
std::string read_beside_cell(const std::filesystem::path& folder, const std::string& name);

/// Throws InputError where cell.json is missing or damaged, or a file that it lists is missing. Reads none of these.
void check_cell(const std::filesystem::path& folder);

/// What is damaged or missing in the folder of a cell, one line; empty where all is as it was written, or where there is no
/// cell.json.
std::string damage_of_cell(const std::filesystem::path& folder);

}  // namespace ccp
