#pragma once

#include <filesystem>
#include <map>
#include <string>

/// The configs that have a name: those of the folder configs/ here, else of the installation, else of the source tree.
namespace ccp::cli {

/// Empty when there is no such folder.
std::filesystem::path configs_folder();

/// Its config files by name, sorted. Throws InputError when there is no folder.
std::map<std::string, std::filesystem::path> config_files();

/// The file that a user means: "test1a" is a file of that name if there is one, else the config with that name. Whatever has
/// a slash or a dot is a path. Throws InputError with the nearest name for a name that no config has.
std::string config_file(const std::string& given);

/// " (did you mean 'x'?)" for a near name of a config, else the nearest few of `files`.
std::string config_suggestion(const std::string& given, const std::map<std::string, std::filesystem::path>& files);

}  // namespace ccp::cli
