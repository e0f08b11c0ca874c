#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "bench/config/config_json.hpp"
#include "bench/record/csv.hpp"

/// summary.csv on disk, whose checksum is in the manifest.json beside it.
namespace ccp {

/// Writes it piece by piece, and then its checksum into the manifest, if there is one. Until then the manifest has none: a
/// process that is killed in between leaves no summary that looks damaged. Throws InputError when that cannot be done.
void write_summary_file(const std::filesystem::path& folder,
                        const std::function<void(const std::function<void(std::string_view)>& put)>& write);

/// A manifest with the checksum of the summary that is there.
std::string with_summary_checksum(const std::string& manifest, const std::filesystem::path& folder);

/// Takes the summary off the list of the manifest: whoever moves or writes it may be killed before that is done.
void take_off_manifest(const std::filesystem::path& folder);

/// Whether the run of a manifest has ended. Otherwise it goes on, or was killed: what it has not come to is not
/// missing.
bool has_ended(const Json& manifest);

/// The part of a manifest that decides which cells it is about; null where the text is no manifest.
Json manifest_identity(const std::string& manifest);

/// Whether the manifest lists the summary.
bool lists_summary(const std::filesystem::path& folder);

/// Throws InputError where it cannot be read, or is missing or damaged by what the manifest says.
CsvTable read_summary_file(const std::filesystem::path& folder);

/// The hashes of the cells in the table.
std::set<std::string> hashes_of(const CsvTable& summary);

/// The missing or damaged file, one line; empty where all is as written, or neither there nor listed.
std::string damage_of_summary(const std::filesystem::path& folder);

}  // namespace ccp
