#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/config/catalog.hpp"

namespace ccp {

struct Merge {
  std::size_t copied = 0;             ///< cells
  std::size_t there = 0;              ///< cells that were there already, and stay as they are
  std::size_t missing = 0;            ///< cells of the config that no folder has
  std::vector<std::string> left_out;  ///< what is damaged, a line for each cell
};

/// Copies the cells of folders of results of one config, such as shards from several machines, into `out`, and writes its
/// summary; the manifest is that of the first folder where `out` has none. `fclib_dir` as in PlanOptions. Throws InputError,
/// before anything is copied, where a folder is not of the same config, version of the solvers and number of threads as the
/// first, or is being written to.
Merge merge_results(const std::vector<std::string>& folders, const std::filesystem::path& out, const Catalog& catalog,
                    const std::string& fclib_dir);

}  // namespace ccp
