#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/run/runner.hpp"

namespace ccp::testing {

/// Remembers what it heard of a run.
class Listener final : public RunProgress {
 public:
  void planned(const Config&, std::size_t selected, std::size_t reused) override { reused_ = reused, selected_ = selected; }
  void started(const Cell& cell, const RunCounts&) override { started_.push_back(cell.label); }
  void finished(const Cell& cell, const CellRecord& record, const RunCounts& counts) override {
    reports_[cell.label] = by_id_[cell.id()] = record;
    last_ = counts;
  }

  void note(const std::string& text) override { notes_.push_back(text); }

  std::size_t selected_ = 0, reused_ = 0;
  std::vector<std::string> started_, notes_;
  std::map<std::string, CellRecord> reports_, by_id_;
  RunCounts last_;
};

/// A config `x` of the scene `pebbles` and these solvers of the fake catalogue; rest: more members, from a comma on.
inline std::string solvers_config(const std::vector<std::string>& solvers, const std::string& rest = "") {
  std::string list;
  for (const std::string& solver : solvers)
    list += (list.empty() ? "{\"solver\": \"" : ", {\"solver\": \"") + solver + "\"}";
  return R"({"name": "x", "problems": [{"scene": "pebbles"}], "solvers": [)" + list + "]" + rest + "}";
}

}  // namespace ccp::testing
