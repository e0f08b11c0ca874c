#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/run/runner.hpp"
#include "bench/runs.hpp"
#include "core/error.hpp"
#include "problems/registry.hpp"
#include "support/temporary_folder.hpp"

/// Runs of scenes that move.
namespace ccp::testing {

inline const Catalog& moving_scenes() {
  static const Catalog catalog = standard_catalog(scene_registry());
  return catalog;
}

/// Eight balls for twelve steps, moved by ipm_qp; `changes` are put in place at JSON pointers.
inline std::string sequence_config(const std::vector<std::pair<std::string, nlohmann::json>>& changes = {}) {
  nlohmann::json config = nlohmann::json::parse(R"({"name": "x",
    "problems": [{"scene": "ball_box", "parameters": {"spheres": 8},
                  "sequence": {"steps": 12, "driver": {"solver": "ipm_qp"}}}],
    "solvers": [{"solver": "apgd"}, {"solver": "apgd", "label": "warm", "start": {"from": "previous"}}]})");
  for (const auto& [pointer, value] : changes) config[nlohmann::json::json_pointer(pointer)] = value;
  return config.dump();
}

inline std::string sequence_error(const std::string& text, const std::string& file = "c.json") {
  try {
    parse_config(text, file, moving_scenes());
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

inline Plan sequence_plan(const std::string& text) { return make_plan(parse_config(text, "c.json", moving_scenes())); }

struct SequenceOutcome {
  Plan plan;
  Listener listener;
  std::filesystem::path folder;

  const CellRecord& record(const std::string& label) const { return listener.reports_.at(label); }
  CsvTable steps(const std::string& label) const {
    for (const Cell& cell : plan.cells)
      if (cell.label == label) return read_csv(folder / "cells" / cell.hash / "steps.csv");
    throw std::logic_error("no cell " + label);
  }
};

inline SequenceOutcome run_sequences(const std::string& text, const TemporaryFolder& folder, RunOptions options = {}) {
  options.out = folder.path().string();
  const Config config = parse_config(text, "c.json", moving_scenes());
  SequenceOutcome outcome{make_plan(config, {"", options.threads}), {}, folder / "x"};
  run_config(config, outcome.plan, moving_scenes(), options, outcome.listener);
  return outcome;
}

}  // namespace ccp::testing
