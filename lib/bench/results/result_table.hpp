#pragma once

#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "bench/config/catalog.hpp"
#include "bench/config/config.hpp"
#include "bench/record/csv.hpp"
#include "bench/record/metrics.hpp"
#include "core/status.hpp"

/// Reads what a run has written, for the commands that judge results.
namespace ccp {

/// The cost of an accuracy that a run does not come to.
constexpr double never = std::numeric_limits<double>::infinity();

/// One row of summary.csv.
struct ResultRow {
  std::size_t index = 0;  ///< in summary.csv
  std::string problem, problem_base, label, label_base, hash;
  Model model = Model::ccp;
  Status status = Status::failed;
  bool peer = false;                  ///< of another program, which counts none of our operations
  bool reference = false;             ///< of the solver `reference`
  bool restarts = false;              ///< its iterations are whole runs (counts_restarts)
  std::vector<std::size_t> variants;  ///< combinations of the sweep it belongs to, as indices of Config::variants

  std::string id() const;  ///< "problem/model/label"
};

/// The config that a result folder was run with, size and settings applied. Throws InputError where it is no result folder.
Config config_of_results(const std::filesystem::path& folder, const Catalog& catalog);

/// Whether cells may lack files that their cell.json lists: copies without traces.
enum class MissingTraces { refused, taken };

/// The results of one config.
class ResultTable {
 public:
  /// First writes summary.csv again when it lacks cells of the folder, as after copying the folders of shards together;
  /// note() says when that cannot be done. `fclib_dir` as in PlanOptions. Throws InputError when manifest.json or
  /// summary.csv are missing or not those of a run, and as check_cells(), unless missing traces are taken.
  ResultTable(const std::filesystem::path& folder, const Catalog& catalog, const std::string& fclib_dir = "",
              MissingTraces traces = MissingTraces::refused);

  /// Throws InputError where the cell.json of a row is missing or damaged, or lists a file that is missing. A cell that a
  /// run has not come to yet lacks nothing.
  void check_cells() const;

  const std::filesystem::path& folder() const { return folder_; }
  /// As it was run; its changes are those of the manifest.
  const Config& config() const { return config_; }
  const std::vector<ResultRow>& rows() const { return rows_; }
  /// Cells of the config that rows() lacks, because they were not run or not finished; 0 where the manifest does not say.
  std::size_t missing() const { return planned_ > rows_.size() ? planned_ - rows_.size() : 0; }
  /// One line on cells of the folder that are not in rows(); empty: none are known.
  const std::string& note() const { return note_; }

  /// One of claim_metrics(), with its decade where it takes one, or a fact of a scene by its name. +infinity for a decade
  /// that was never reached and for the residual of a run that diverged; NaN where there is no value (the cell failed or has
  /// no such column).
  double metric(const ResultRow& row, const std::string& name, double at) const;
  /// Whether a cell ended by what its run was to stop on: the tolerance, or with `native` the method's own criterion, be it
  /// where rounding allows no verdict.
  bool converged(const ResultRow& row) const;
  /// Why a cell ended as it did; empty where it does not say.
  std::string reason(const ResultRow& row) const;
  /// trace.csv of a cell. Throws InputError when it cannot be read.
  const CsvTable& trace(const ResultRow& row) const;
  /// Not where a cell was killed before its first iterate, or where missing traces are taken.
  bool has_trace(const ResultRow& row) const;
  /// Whether a cell has run the steps of a sequence, which have no common trace.
  bool has_steps(const ResultRow& row) const;
  /// steps.csv of such a cell, likewise.
  const CsvTable& steps(const ResultRow& row) const;

 private:
  const CsvTable& table_of(const ResultRow& row, const std::string& file) const;
  double column_metric(const ResultRow& row, const std::string& name) const;
  double decade_metric(const ResultRow& row, const Metric& metric, double at) const;
  double derived_metric(const ResultRow& row, const std::string& name) const;
  /// Of a column of the trace: its value at the end, or from the first iteration on the largest, or how many are larger than
  /// the one before.
  double traced_metric(const ResultRow& row, const Metric& metric) const;
  /// How far the objective is above that of the solver `reference` on the same problem.
  double objective_gap(const ResultRow& row) const;

  std::filesystem::path folder_;
  Config config_;
  std::string note_;
  CsvTable summary_;
  std::vector<ResultRow> rows_;
  std::size_t planned_ = 0;
  bool lists_cells_ = false;                        ///< the run has ended, and its manifest lists the summary
  mutable std::map<std::string, CsvTable> tables_;  ///< by hash and file
};

}  // namespace ccp
