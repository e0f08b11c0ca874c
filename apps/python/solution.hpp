#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/results/trace_csv.hpp"
#include "problem.hpp"
#include "solvers/solver.hpp"

namespace ccp::python {

/// Of one run: the model, when it ends, and which measures its trace has beside the stop measure.
struct Options {
  Model model = Model::ncp;
  StopRule stop;
  int threads = 1;
  std::vector<Measure> traced;
  bool judge_iterates = true;  ///< false: the returned point alone, and no trace
};

/// A trace in memory: one row of numbers an iterate.
class Trace final : public TraceSink {
 public:
  void begin(const std::vector<Measure>& measures, const std::vector<NativeColumn>& native) override;
  void row(const TraceRow& row) override;

  const std::vector<TraceColumn>& columns() const { return columns_; }
  const std::vector<double>& numbers() const { return numbers_; }

 private:
  std::vector<TraceColumn> columns_;
  std::vector<double> numbers_;
};

struct Solution {
  std::shared_ptr<Problem> problem;
  Model model;
  Result result;
  double wall_s = 0.0;  ///< in the library: set-up, iterations, and judging them
  Trace trace{};
};

/// Solves without the GIL, and looks for Ctrl-C now and then: throws what Python's handler of the signal raised.
std::unique_ptr<Solution> solve(const std::shared_ptr<Problem>& problem, const Solver& solver, const Options& options,
                                const WarmStart& start);

void bind_solution(py::module_& module);
void bind_motion(py::module_& module);

}  // namespace ccp::python
