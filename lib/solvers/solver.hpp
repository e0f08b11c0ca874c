#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/fields.hpp"
#include "core/status.hpp"
#include "problem/contact_problem.hpp"
#include "problem/judge/measure.hpp"
#include "problem/model.hpp"
#include "solvers/monitor.hpp"
#include "solvers/run_monitor.hpp"

namespace ccp {

/// The description of a method in `list solvers`.
struct SolverInfo {
  std::string name;                  ///< as in a config
  std::string title;                 ///< one line
  std::string reference;             ///< paper and algorithm
  std::vector<Model> models;         ///< models solved natively; a ccp method serves ncp through the De Saxcé loop
  std::vector<NativeColumn> native;  ///< native columns of the trace
  bool unsymmetric_mass = false;     ///< takes problems whose H is not symmetric (A.6)
  bool inexact = false;              ///< where it comes to rest need not solve the model; the measures say how far it is
  bool moments = false;              ///< takes contacts with rolling or spinning friction (A.7)
};

/// The start point of a run. Empty vectors: zero.
struct WarmStart {
  Vector impulse;        ///< γ⁰, m, N·s
  Vector velocity;       ///< v⁰, n, m/s, where known (problems given in global form)
  double carried = 0.0;  ///< what an earlier run adapted: ρ of ADMM, the step of a gradient method; 0: nothing
  Vector multiplier{};   ///< y⁰, m, m/s, of a method that keeps one
};

/// The result of a method.
struct Outcome {
  Vector impulse;                  ///< γ, m: the point to be judged
  Vector velocity;                 ///< its own v, n, or empty
  double carried = 0.0;            ///< what a later run may go on with: ρ or a step
  std::optional<Status> given_up;  ///< set when the method itself could not go on: stalled, failed
  std::string reason;              ///< why
  Vector multiplier{};             ///< its y, m, m/s, where its next run takes one; or empty
  bool own_answer = false;         ///< it has given up because its own criterion holds
};

/// A method bound to one problem, with its operators formed, its norms estimated and its first factorisation done.
class Session {
 public:
  virtual ~Session() = default;

  /// Iterates from `start` until the monitor says stop. shift: m, m/s, added to the free velocity r (and to b). It is zero
  /// for the plain problem; the De Saxcé loop puts its correction and the frozen antisymmetric part into it (B.1).
  virtual Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) = 0;

  /// The compliance R that the method adds to that of the problem by a law of its own, m, >= 0, m/(s·N·s), for the measure
  /// regularised_residual; empty where it solves the problem as it is.
  virtual Vector added_compliance() const { return {}; }
};

/// The full record of one solve, filled on every exit path.
struct Result {
  Status status = Status::failed;
  std::string reason;    ///< more about the status, may be empty
  Vector impulse;        ///< γ, m, in the terms of the problem as given
  Vector velocity;       ///< the solver's own v, or empty
  double carried = 0.0;  ///< Outcome::carried
  Vector multiplier;     ///< Outcome::multiplier
  bool native_converged = false;
  int iterations = 0;  ///< iterates shown after the start point
  Counters counters;
  double setup_s = 0.0;           ///< forming operators the problem did not have yet, analysis, first factorisation
  double solve_s = 0.0;           ///< iterations, without judging
  Measures measures{};            ///< all measures of the returned point; NaN of an interrupted run
  Crossings crossings;            ///< of the stop measure
  std::optional<Status> verdict;  ///< why the run was told to stop; nothing when the method stopped by itself
  std::vector<std::string> notes;
  std::optional<RankFacts> ranks;  ///< of a run on several
  std::optional<Balance> balance;  ///< where ranks have judged the point
};

/// Fills measures, status, reason and crossings of `result`, which has the last two of the run, with what the judge of the
/// monitor says of the returned point. Solver::solve() calls it, and ranks that judge by themselves.
void judge_end(const Outcome& outcome, RunMonitor& monitor, Result& result);

/// A method with its settings. Public functions check and time; the private virtual ones work. No solver prints.
class Solver {
 public:
  virtual ~Solver() = default;
  Solver() = default;
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  const SolverInfo& info() const { return do_info(); }
  /// The settings table, bound to this instance.
  FieldTable& settings() { return fields_; }
  const FieldTable& settings() const { return fields_; }

  /// True when the method solves the model itself, not through the De Saxcé loop.
  bool native(Model model) const;

  /// Why the method cannot take the problem, in one line; nothing when it can. An unsymmetric H needs
  /// SolverInfo::unsymmetric_mass, contacts with moments SolverInfo::moments.
  std::optional<std::string> supports(const ContactProblem& problem, Model model) const;

  /// Solves. The monitor's judge must be of the same problem and model. A cold start has empty vectors in `start`. Throws
  /// InputError when start vectors have the wrong size or are not finite; std::logic_error when supports() says no.
  Result solve(const ContactProblem& problem, Model model, const WarmStart& start, RunMonitor& monitor) const;

  /// Set-up alone, for nested methods.
  std::unique_ptr<Session> prepare(const ContactProblem& problem, Model model, Monitor& monitor) const;

 protected:
  FieldTable fields_;  ///< filled by the constructor of the method

 private:
  virtual const SolverInfo& do_info() const = 0;
  virtual std::optional<std::string> do_supports(const ContactProblem&, Model) const { return std::nullopt; }
  virtual std::unique_ptr<Session> do_prepare(const ContactProblem& problem, Model model, Monitor& monitor) const = 0;
};

}  // namespace ccp
