#pragma once

#include <string>
#include <utility>
#include <vector>

#include "solvers/registry.hpp"
#include "solvers/solver.hpp"

namespace ccp::testing {

/// A trace kept in memory.
class MemoryTrace final : public TraceSink {
 public:
  struct Row {
    int iteration, outer;
    Counters counters;
    Measures measures;
    std::vector<double> native;
  };
  void begin(const std::vector<Measure>&, const std::vector<NativeColumn>& native) override { columns = native; }
  void row(const TraceRow& r) override { rows.push_back({r.iteration, r.outer, r.counters, r.measures, *r.native}); }

  double native(std::size_t row, const std::string& name) const {
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (columns[c].name == name) return rows.at(row).native.at(c);
    throw std::out_of_range(name);
  }
  double measure(std::size_t row, Measure which) const { return rows.at(row).measures[measure_index(which)]; }

  std::vector<NativeColumn> columns;
  std::vector<Row> rows;
};

struct RunSpec {
  std::string solver;
  Model model = Model::ccp;
  StopRule stop{};
  std::vector<std::pair<std::string, FieldValue>> settings{};
  int threads = 1;
  WarmStart start{};
};

inline std::unique_ptr<Solver> configured(const RunSpec& spec) {
  auto solver = make_solver(spec.solver);
  for (const auto& [name, value] : spec.settings) solver->settings().set(name, value);
  return solver;
}

inline Result run(const ContactProblem& problem, const Solver& solver, const RunSpec& spec, TraceSink* trace = nullptr,
                  std::vector<Measure> measures = {Measure::velocity_residual}) {
  Judge judge(problem, spec.model);
  RunMonitor monitor(judge, spec.stop, spec.threads);
  if (trace != nullptr) monitor.set_trace(trace, std::move(measures));
  return solver.solve(problem, spec.model, spec.start, monitor);
}

inline Result run(const ContactProblem& problem, const RunSpec& spec, TraceSink* trace = nullptr,
                  std::vector<Measure> measures = {Measure::velocity_residual}) {
  return run(problem, *configured(spec), spec, trace, std::move(measures));
}

}  // namespace ccp::testing
