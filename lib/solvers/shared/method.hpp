#pragma once

#include <utility>

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
    if (problem.constraints().has_moments()) return std::make_unique<WideRun>(settings_, problem, model, monitor);
    return std::make_unique<Run>(settings_, problem, model, monitor);
  }

  SolverInfo info_;
};

}  // namespace ccp
