#pragma once

#include <type_traits>
#include <utility>

#include "problem/share_sums.hpp"
#include "solvers/solver.hpp"

namespace ccp {

/// The frame of a method: its settings, and a session `Run` made from settings, problem, model and monitor; of a problem
/// whose contacts have moments a session `WideRun`.
template <typename Settings, typename Run, typename WideRun = Run>
class Method : public Solver {
 protected:
  explicit Method(SolverInfo info, const Settings& defaults = {}) : settings_(defaults), info_(std::move(info)) {}

  Settings settings_;

 private:
  const SolverInfo& do_info() const override { return info_; }
  std::unique_ptr<Session> do_prepare(const ContactProblem& problem, Model model, Monitor& monitor) const override {
    if constexpr (!std::is_same_v<Run, WideRun>)
      if (some_moments(problem)) return std::make_unique<WideRun>(settings_, problem, model, monitor);
    return std::make_unique<Run>(settings_, problem, model, monitor);
  }

  /// Of any rank, so that all do the same operations whatever their number.
  static bool some_moments(const ContactProblem& problem) {
    const UncountedTraffic uncounted(problem.share());
    const ConstraintSet& set = problem.constraints();
    const auto of_block = [&](Index i) { return has_moments(set.kind(i)) ? 1.0 : 0.0; };
    return largest_of_blocks(problem.share(), set, of_block) > 0.0;
  }

  SolverInfo info_;
};

}  // namespace ccp
