#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/config/plan.hpp"
#include "bench/record/cell_record.hpp"

namespace ccp {

/// The results of one config on disk: manifest.json, summary.csv, cells/<hash>/cell.json and trace.csv. A cell counts as a
/// result when its cell.json is there and whole; it is written last.
class ResultStore {
 public:
  /// Creates out/<name>/cells. Throws InputError when that cannot be done or nothing can be written there.
  ResultStore(const std::string& out, const std::string& name);

  /// For find() alone: creates nothing, and the folder of the config need not exist.
  static ResultStore to_read(const std::filesystem::path& folder) { return ResultStore(folder); }

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path cell_folder(const Cell& cell) const { return folder_ / "cells" / cell.hash; }

  /// The stored result of a cell. Nothing when it is missing, half-written, damaged, of another hash, or ended at a limit
  /// that is higher now.
  std::optional<CellRecord> find(const Cell& cell) const;

  /// Whether find() gives a result that need not be tried again: not one that failed because its files could not be written,
  /// nor one that is damaged.
  bool has_result(const Cell& cell) const;

  /// The missing or damaged files of a cell, one line; empty where it is complete, or has no result.
  std::string damage(const Cell& cell) const;
  /// The same of these cells; a cell without a cell.json lacks it where summary.csv of a run that has ended lists it, unless
  /// its folder is gone: removing it asks for another run of the cell.
  std::vector<std::string> damages(const Plan& plan, const std::vector<std::size_t>& cells) const;

  /// Makes the folder of a cell, empty.
  void prepare(const Cell& cell) const;
  /// Removes the folder of a cell.
  void discard(const Cell& cell) const;
  /// Writes cell.json.
  void store(const Cell& cell, const CellRecord& record) const;

  /// Rebuilds summary.csv from cells/: one row per cell of the plan that has a result, in the order of the plan.
  void write_summary(const Plan& plan) const;
  void write_manifest(const std::string& json) const;

  /// Moves summary.csv, manifest.json and the figures (plots/) of another config, size, version of the solvers or number of
  /// threads than that of `manifest` to earlier/<identity>/, from where they show their cells as before. A sentence that
  /// says so and what differs; empty where there is nothing to move.
  std::string back_up_earlier(const std::string& manifest) const;

 private:
  explicit ResultStore(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// Whether there were any.
  bool move_figures(const std::filesystem::path& place) const;

  std::filesystem::path folder_;
};

}  // namespace ccp
