#pragma once

#include <string>

/// Where this build and its sources are. Only the generated file that defines these holds absolute paths: all others compile
/// to the same objects in every tree, so that the compiler cache of one serves the next.
namespace ccp::testing {

extern const char* const source_folder;
extern const char* const program_file;       ///< ccpbench of this build
extern const char* const ranks_file;         ///< ccpbench-ranks of this build, where there is one
extern const char* const adapters_folder;    ///< the adapters of peers, of this build
extern const char* const fake_adapter_file;  ///< a peer that does as it is told

/// Files and folders of the project.
inline std::string config_file(const std::string& name) { return std::string(source_folder) + "/configs/" + name + ".json"; }
inline std::string configs_folder() { return std::string(source_folder) + "/configs"; }
inline std::string baselines_folder() { return std::string(source_folder) + "/results/baselines"; }

}  // namespace ccp::testing
