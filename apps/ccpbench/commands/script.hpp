#pragma once

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// The scripts in Python that some commands start.
namespace ccp::cli {

/// A file of scripts/: where CCPBENCH_SCRIPTS says, else installed beside this program, else in the source tree. Throws
/// InputError when there is none.
std::filesystem::path find_script(const std::string& name);

/// Exit code of `python3 -B SCRIPT ARGUMENTS…`, which shares our terminal. input: what stands on its standard input; output:
/// its standard output; nothing: ours. Any exit code but 0, 2 and 3 becomes exit_internal_error. Throws InputError when
/// python3 is missing or cannot be started.
int run_script(const std::string& name, const std::vector<std::string>& arguments,
               const std::optional<std::string>& input = std::nullopt, std::FILE* output = nullptr);

}  // namespace ccp::cli
