#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "solvers/solver.hpp"

namespace ccp {

/// Sweeps of nonlinear Gauss–Seidel (ncp) or projected Gauss–Seidel (ccp) as a phase of another method. The monitor of that
/// method sees every sweep and may end the run at any of them.
class SweepRunner {
 public:
  struct Limits {
    double residual;  ///< m/s
    int sweeps;
  };
  struct Result {
    Vector impulse;
    double residual = 0.0;  ///< as evaluated, m/s
    bool stopped = false;   ///< the monitor said stop
    bool solved = false;    ///< because the stop measure holds
  };

  SweepRunner(const ContactProblem& problem, Model model, Monitor& monitor);

  /// Evaluates residual(γ) every tenth sweep. native: the values of the method's columns, read at every sweep.
  Result run(const Vector& start, const Vector& shift, const Limits& limits,
             const std::function<double(const Vector&)>& residual, const std::vector<double>& native, Monitor& monitor);

 private:
  std::unique_ptr<Solver> solver_;
  std::unique_ptr<Session> session_;
};

}  // namespace ccp
