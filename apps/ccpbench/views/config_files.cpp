#include "views/config_files.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <system_error>
#include <vector>

#include "core/error.hpp"
#include "core/nearest_names.hpp"
#include "core/text.hpp"

namespace ccp::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_names = 5;  // of configs that a message lists

}  // namespace

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
  throw InputError(given, "", "is neither a file nor the name of a config" + config_suggestion(given, files));
}

std::string config_suggestion(const std::string& given, const std::map<std::string, fs::path>& files) {
  std::vector<std::string> names;
  for (const auto& entry : files) names.push_back(entry.first);
  if (!nearest_name(given, names).empty() || names.size() <= most_names) return suggestion(given, names);
  return fmt::format(" (the nearest of {}: {}; `ccpbench list configs` lists all)", names.size(),
                     join(nearest_names(given, names, most_names), ", "));
}

}  // namespace ccp::cli
