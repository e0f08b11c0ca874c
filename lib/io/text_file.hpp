#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace ccp {

/// The bytes of a file; nothing when it cannot be read or is a folder.
std::optional<std::string> read_file(const std::filesystem::path& path);

}  // namespace ccp
