#pragma once

#include <filesystem>
#include <string>

#include "bench/config/plan.hpp"
#include "bench/record/cell_record.hpp"

/// cell.json on disk, which has a checksum of itself and of each trace and steps file beside it: the first 16 hex digits of
/// their SHA-256. It is written last, in one piece, so that a result is whole or none.
namespace ccp {

/// Writes cell.json of a cell whose other files are complete. Throws InputError when that cannot be done.
void write_cell(const std::filesystem::path& folder, const Cell& cell, const CellRecord& record);

/// Whether the text of a cell.json is as it was written. That of earlier programs has no checksum, and is.
bool is_as_written(const std::string& cell);

/// The text of cell.json. Throws InputError where it cannot be read or is damaged.
std::string read_cell(const std::filesystem::path& folder);

/// The text of a file beside it. Throws InputError where it cannot be read, or has another checksum than cell.json says.
std::string read_beside_cell(const std::filesystem::path& folder, const std::string& name);

/// What is damaged in the folder of a cell, one line; empty where everything is as it was written, or there is no cell.json.
std::string damage_of_cell(const std::filesystem::path& folder);

}  // namespace ccp
