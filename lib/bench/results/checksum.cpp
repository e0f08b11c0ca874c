#include "bench/results/checksum.hpp"

#include <fmt/format.h>

#include "bench/record/csv.hpp"
#include "core/sha256.hpp"
#include "io/file.hpp"

namespace ccp {

std::string checksum_of(const std::string& bytes) { return sha256_hex(bytes).substr(0, 16); }

std::map<std::string, std::string> checksums_in(const Json& json) {
  std::map<std::string, std::string> checksums;
  if (!json.is_object() || !json.contains(checksums_key) || !json[checksums_key].is_object()) return checksums;
  for (const auto& [name, checksum] : json[checksums_key].items())
    if (checksum.is_string()) checksums[name] = checksum.get<std::string>();
  return checksums;
}

InputError FileIndex::missing(const std::string& name) const {
  return missing_file(place_of(name).string(), path.filename().string() + " lists it", mended);
}

InputError FileIndex::damaged(const std::string& name) const { return damaged_file(place_of(name).string(), mended); }

std::optional<std::string> FileIndex::find(const std::string& name) const {
  const auto listed = checksums.find(name);
  if (!std::filesystem::exists(place_of(name))) {
    if (listed != checksums.end()) throw missing(name);
    return std::nullopt;
  }
  std::string text = read_result(place_of(name));
  if (listed != checksums.end() && listed->second != checksum_of(text)) throw damaged(name);
  return text;
}

InputError damaged_file(const std::string& path, const std::string& mended) {
  return {path, "", "is damaged: its checksum is not that of when it was written; `ccpbench run` of the config " + mended};
}

InputError missing_file(const std::string& path, const std::string& listed, const std::string& mended) {
  return {path, "", fmt::format("is missing, though {}; `ccpbench run` of the config {}", listed, mended)};
}

}  // namespace ccp
