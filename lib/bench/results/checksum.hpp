#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "bench/config/config_json.hpp"
#include "core/error.hpp"

/// The rule by which the files of results are whole: what an index lists (cell.json, manifest.json) is there, with the
/// checksum that it gives. All else is damage, which every reader names and `ccpbench run` mends. A checksum is the first 16
/// hex digits of the SHA-256.
namespace ccp {

/// The list of files of a cell.json or manifest.json, with their checksums.
inline constexpr const char* checksums_key = "files";

std::string checksum_of(const std::string& bytes);

/// Those of a cell.json or manifest.json, by name.
std::map<std::string, std::string> checksums_in(const Json& json);

/// The index of the files in a folder.
struct FileIndex {
  std::filesystem::path path;                    ///< of cell.json or manifest.json
  std::string mended;                            ///< what a run of the config does about damage: "runs the cell again"
  std::map<std::string, std::string> checksums;  ///< by name

  std::filesystem::path place_of(const std::string& name) const { return path.parent_path() / name; }
  /// The error for a file that is listed and missing, or has another checksum.
  InputError missing(const std::string& name) const;
  InputError damaged(const std::string& name) const;
  /// The bytes of a file; nothing where it is neither listed nor there. Throws InputError where it is missing or damaged.
  std::optional<std::string> find(const std::string& name) const;
};

/// The error for a file whose checksum differs. mended: as in FileIndex.
InputError damaged_file(const std::string& path, const std::string& mended);

/// The error for a missing file. listed: why it should be, "cell.json lists it".
InputError missing_file(const std::string& path, const std::string& listed, const std::string& mended);

}  // namespace ccp
