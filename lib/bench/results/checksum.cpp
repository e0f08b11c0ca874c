#include "bench/results/checksum.hpp"

#include "core/sha256.hpp"

namespace ccp {

std::string checksum_of(const std::string& bytes) { return sha256_hex(bytes).substr(0, 16); }

std::map<std::string, std::string> checksums_in(const Json& json) {
  std::map<std::string, std::string> checksums;
  if (!json.is_object() || !json.contains(checksums_key) || !json[checksums_key].is_object()) return checksums;
  for (const auto& [name, checksum] : json[checksums_key].items())
    if (checksum.is_string()) checksums[name] = checksum.get<std::string>();
  return checksums;
}

InputError damaged_file(const std::string& path, const std::string& mended) {
  return InputError(path, "",
                    "is damaged: its checksum is not that of when it was written; `ccpbench run` of the config " + mended);
}

}  // namespace ccp
