#pragma once

#include <filesystem>
#include <string>

namespace ccp {

/// A folder for temporary files that is gone with its owner.
class ScratchFolder {
 public:
  /// Throws InputError where there is no place for it.
  explicit ScratchFolder(const std::string& name);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace ccp
