#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/status.hpp"
#include "core/stopwatch.hpp"
#include "core/types.hpp"

namespace ccp {

/// The work of a solver, counted by the solver itself. One unit is a sparse factorisation, a solve with it, a product with
/// the Delassus operator (or a sweep over all its rows), or the projection of a whole vector (or a sweep). The times (s) are
/// spent inside the linear solvers; they differ from run to run.
struct Counters {
  std::int64_t factorizations = 0;
  std::int64_t back_solves = 0;
  std::int64_t products = 0;
  std::int64_t projections = 0;
  double analysis_s = 0.0, factorization_s = 0.0, back_solve_s = 0.0;
  std::int64_t analyses = 0;  ///< symbolic analyses of a pattern
  /// Floating-point operations: of factorisations and back-solves, until Solver::solve adds those of products and
  /// projections (solvers/flops.hpp). NaN where a linear solver does not say how many.
  double flops = 0.0;
};

/// One native column of a solver's trace: its own residual or parameter, beside the common measures.
struct NativeColumn {
  std::string name;
  std::string unit;
  std::string meaning;
};

/// A method that keeps its iterates in its own form and makes impulses of them only when asked.
class ImpulseSource {
 public:
  virtual ~ImpulseSource() = default;
  /// γ of the present iterate, m; valid until the next one.
  virtual const Vector& impulse() = 0;
};

/// The impulse of an iterate, m: ready, or made when asked for. The monitor of a run asks off the clock; a method that asks
/// for the iterates of another method pays for it.
class ShownImpulse {
 public:
  ShownImpulse(const Vector& impulse) : ready_(&impulse) {}
  ShownImpulse(const Vector&&) = delete;
  ShownImpulse(ImpulseSource& source) : source_(&source) {}
  const Vector& operator()() const { return source_ != nullptr ? source_->impulse() : *ready_; }

 private:
  const Vector* ready_ = nullptr;
  ImpulseSource* source_ = nullptr;
};

/// An iterate as a solver shows it. Iterate 0 is the start point.
struct Iterate {
  ShownImpulse impulse;               ///< γ, m: the iterate that satisfies the set, by which it is judged
  const Vector* velocity = nullptr;   ///< v, n, where the solver carries its own
  const std::vector<double>& native;  ///< one value per native column of info(), in that order
  bool native_converged = false;      ///< the method's own criterion holds
};

/// The iterations and time left until the limits of a run.
struct Remaining {
  double seconds = std::numeric_limits<double>::infinity();  ///< of solver clock
  int iterations = std::numeric_limits<int>::max();
};

/// The only observer of a solver: owns the clock, the trace and the stop rule. A solver's loop reads
///
///     while (monitor.go_on({gamma, nullptr, native, converged})) { ...one iteration... }
///
/// and stops for one other reason only: it cannot go on (stall, breakdown), which it says in its Outcome. Observing changes
/// nothing: iterates are bit-identical with and without a trace.
class Monitor {
 public:
  virtual ~Monitor() = default;

  /// Takes one iterate: stops the clock, evaluates the measures, writes the trace row, and says whether to go on.
  virtual bool go_on(const Iterate& iterate) = 0;
  /// True when the last go_on said no because that iterate met the stop measure. The method hands back that iterate, even
  /// where it takes another for its best.
  virtual bool solved() const = 0;

  virtual Counters& counters() = 0;
  /// Threads a solver may use; results must not depend on it.
  virtual int threads() const = 0;
  /// A remark for the reader of the result, such as which linear system `auto` chose. Equal remarks are kept once. `text` is
  /// called off the clock: on few contacts writing a sentence takes as long as solving.
  virtual void note(const std::function<std::string()>& text) = 0;

  /// The outer iteration, or the phase, of a method made of others: a column of the trace.
  virtual void set_outer(int number) = 0;

  /// For methods that run in another process: stops the clock and adds so many seconds, measured there.
  virtual void advance_clock(double seconds) = 0;
  virtual Remaining remaining() const = 0;
};

}  // namespace ccp
