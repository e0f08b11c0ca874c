#include "views/config_files.hpp"

#include <system_error>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"

namespace ccp::cli {

namespace fs = std::filesystem;

fs::path configs_folder() {
  std::error_code ignored;
  if (fs::is_directory("configs", ignored)) return "configs";
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path installed = (self.parent_path() / CCPBENCH_INSTALLED_CONFIGS).lexically_normal();
  if (self.has_parent_path() && fs::is_directory(installed, ignored)) return installed;
  for (fs::path at = self; at.has_relative_path(); at = at.parent_path())
    if (fs::is_directory(at.parent_path() / "configs", ignored)) return at.parent_path() / "configs";
  return {};
}

std::map<std::string, fs::path> config_files() {
  std::map<std::string, fs::path> files;
  const fs::path folder = configs_folder();
  if (folder.empty()) throw InputError("no folder 'configs' here, beside or above the program");
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".json") files[entry.path().stem().string()] = entry.path();
  return files;
}

std::string config_file(const std::string& given) {
  std::error_code ignored;
  if (given.find_first_of("/.") != std::string::npos) return given;
  if (fs::exists(given, ignored) && !fs::is_directory(given, ignored)) return given;
  if (configs_folder().empty()) return given;
  const auto files = config_files();
  if (const auto found = files.find(given); found != files.end()) return found->second.string();
  std::vector<std::string> names;
  for (const auto& entry : files) names.push_back(entry.first);
  throw InputError(given, "", "is neither a file nor the name of a config" + suggestion(given, names));
}

}  // namespace ccp::cli
