#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

/// The scripts in Python that some commands start.
namespace ccp::cli {

/// A file of scripts/: where CCPBENCH_SCRIPTS says, else installed beside this program, else in the source tree. Throws
/// InputError when there is none.
std::filesystem::path find_script(const std::string& name);

/// Exit code of `python3 -B SCRIPT ARGUMENTS…`, which shares our terminal. input, output: its standard input and output;
/// null: ours. Any exit code but 0 and 2 becomes exit_internal_error. Throws InputError when python3 is missing or cannot be
/// started.
int run_script(const std::string& name, const std::vector<std::string>& arguments, std::FILE* input = nullptr,
               std::FILE* output = nullptr);

}  // namespace ccp::cli
