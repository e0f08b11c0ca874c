#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/config/plan.hpp"
#include "views/study.hpp"

namespace ccp::cli {

/// Labels of solver entries, and settings beside those of the entry that is tuned.
using TunedEntries = std::vector<std::pair<std::string, Json>>;

/// A config in which one solver stands with several settings, in the place of all others.
class TunedConfig {
 public:
  /// solver: the label of one in the config, or the name of a solver, which then is the only one of that name there or
  /// stands with its defaults. Throws InputError for another, and for a sweep over more than the problems.
  TunedConfig(const Config& base, const std::string& solver, PlanOptions plan);

  const std::string& solver() const { return named_; }
  /// The settings of the solver, whose defaults are those of the config.
  const FieldTable& settings() const { return solver_->settings(); }

  /// The config as it would stand in a folder, of which it names dumps. beside: labels or patterns of other solvers of the
  /// config, which follow. metric: what its figure shows; empty: it has none, and traces the stop measure alone.
  StudyConfig with(const TunedEntries& entries, const std::string& name, const std::filesystem::path& folder,
                   const std::vector<std::string>& beside = {}, const std::string& metric = "") const;

  /// The solver with its settings of the config, stopped after one iteration: what a run counts, and whether there is work.
  StudyConfig probe(const std::filesystem::path& folder) const;

 private:
  StudyConfig finished(Json document, const std::string& name, const std::filesystem::path& folder) const;
  void find_entry(const Config& base);
  void add_beside(const std::vector<std::string>& beside, Json& solvers) const;

  std::string file_, named_;
  PlanOptions plan_;
  Json document_, entry_;
  std::vector<std::string> labels_;  ///< of the solvers of the config
  std::unique_ptr<Solver> solver_;
};

}  // namespace ccp::cli
