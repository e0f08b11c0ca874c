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
    double progress = 0.0;  ///< factor of the smallest residual while the sweeps double, from 100 on; 0: no such limit
  };
  struct Result {
    Vector impulse;
    double residual = 0.0;   ///< as evaluated, m/s
    bool stopped = false;    ///< the monitor said stop
    bool solved = false;     ///< because the stop measure holds
    bool stagnated = false;  ///< Limits::progress was not made
  };

  SweepRunner(const ContactProblem& problem, Model model, Monitor& monitor);

  /// Evaluates residual(γ) every tenth sweep. native: the values of the method's columns, read at every sweep.
  Result run(const Vector& start, const Vector& shift, const Limits& limits,
             const std::function<double(const Vector&)>& residual, const std::vector<double>& native, Monitor& monitor);

 private:
  std::unique_ptr<Solver> solver_;
  std::unique_ptr<Session> session_;
};

/// The same for ncp by sweeps of projected Gauss–Seidel on the convex problem. Its s(u) of De Saxcé, eq. B.1, is that of
/// some sweeps before. Nonlinear sweeps, whose s is that of the moment, may go round and round where these converge.
class LaggedSweepRunner {
 public:
  /// Throws std::logic_error where N is not symmetric.
  LaggedSweepRunner(const ContactProblem& problem, int sweeps_per_shift, Monitor& monitor);

  SweepRunner::Result run(const Vector& start, const Vector& shift, const SweepRunner::Limits& limits,
                          const std::function<double(const Vector&)>& residual, const std::vector<double>& native,
                          Monitor& monitor);

 private:
  ContactProblem problem_;
  int sweeps_per_shift_;
  std::unique_ptr<Solver> solver_;
  std::unique_ptr<Session> session_;
  Vector frozen_, u_, scratch_;
};

}  // namespace ccp
