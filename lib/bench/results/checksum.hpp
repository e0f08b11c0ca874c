#pragma once

#include <map>
#include <string>

#include "bench/config/config_json.hpp"
#include "core/error.hpp"

/// Checksums of result files, by which damage is found that nobody would see otherwise: the first 16 hex digits of the
/// SHA-256.
namespace ccp {

/// Where a cell.json or manifest.json has them.
inline constexpr const char* checksums_key = "files";

std::string checksum_of(const std::string& bytes);

/// Those of a cell.json or manifest.json, by name; empty for those of earlier programs.
std::map<std::string, std::string> checksums_in(const Json& json);

/// What to throw for a damaged file. mended: what a run of the config does about it, "runs the cell again".
InputError damaged_file(const std::string& path, const std::string& mended);

}  // namespace ccp
