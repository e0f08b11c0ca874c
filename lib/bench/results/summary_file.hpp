#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "bench/record/csv.hpp"

/// summary.csv on disk, whose checksum is in the manifest.json beside it.
namespace ccp {

/// Writes it piece by piece, and then its checksum into the manifest, if there is one. Until then the manifest has none: a
/// process that is killed in between leaves no summary that looks damaged. Throws InputError when that cannot be done.
void write_summary_file(const std::filesystem::path& folder,
                        const std::function<void(const std::function<void(std::string_view)>& put)>& write);

/// A manifest with the checksum of the summary that is there.
std::string with_summary_checksum(const std::string& manifest, const std::filesystem::path& folder);

/// Throws InputError where it cannot be read, or has another checksum than the manifest says.
CsvTable read_summary_file(const std::filesystem::path& folder);

/// What is damaged, one line; empty where it is as it was written, or not there.
std::string damage_of_summary(const std::filesystem::path& folder);

}  // namespace ccp
