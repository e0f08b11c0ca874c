#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/status.hpp"
#include "core/stopwatch.hpp"
#include "core/types.hpp"

namespace ccp {

/// Work a solver has done, counted by itself; a unit each: one sparse factorisation, one solve with it, one product with the
/// Delassus operator (a sweep over all its rows counts as one), one projection of a whole vector (a sweep likewise). The
/// times (s) are those inside the linear solvers; they differ from run to run.
struct Counters {
  std::int64_t factorizations = 0;
  std::int64_t back_solves = 0;
  std::int64_t products = 0;
  std::int64_t projections = 0;
  double analysis_s = 0.0, factorization_s = 0.0, back_solve_s = 0.0;
  std::int64_t analyses = 0;  ///< symbolic analyses of a pattern
};

/// One native column of a solver's trace: its own residual or parameter, beside the common measures.
struct NativeColumn {
  std::string name;
  std::string unit;
  std::string meaning;
};

/// A method that keeps its iterates in a form of its own, from which impulses are made only when somebody looks at them.
class ImpulseSource {
 public:
  virtual ~ImpulseSource() = default;
  /// γ of the present iterate, m; good until the next one.
  virtual const Vector& impulse() = 0;
};

/// The impulse of an iterate, m: ready, or still to be made. The monitor of a run looks off the clock; a method that looks
/// at the iterates of another one pays for it.
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

/// What a solver shows of one iterate. Iterate 0 is the start point.
struct Iterate {
  ShownImpulse impulse;               ///< γ, m: the iterate that satisfies the set, by which it is judged
  const Vector* velocity = nullptr;   ///< v, n, where the solver carries its own
  const std::vector<double>& native;  ///< one value per native column of info(), in that order
  bool native_converged = false;      ///< the method's own criterion holds
};

/// What is left of the limits of a run.
struct Remaining {
  double seconds = std::numeric_limits<double>::infinity();  ///< of solver clock
  int iterations = std::numeric_limits<int>::max();
};

/// The only observer of a solver: owns the clock, the trace and the stop rule. A solver's loop reads
///
///     while (monitor.go_on({gamma, nullptr, native, converged})) { ...one iteration... }
///
/// and must not stop for another reason except that it cannot go on (stall, breakdown), which it says in its Outcome.
/// Observing changes nothing: iterates are bit-identical with and without a trace.
class Monitor {
 public:
  virtual ~Monitor() = default;

  /// Takes one iterate: stops the clock, evaluates the measures, writes the trace row, and says whether to go on.
  virtual bool go_on(const Iterate& iterate) = 0;
  /// True when the last go_on said no because that iterate met the stop measure: it is the one to hand back, whatever a
  /// method thinks is its best.
  virtual bool solved() const { return false; }

  virtual Counters& counters() = 0;
  /// Threads a solver may use; results must not depend on it.
  virtual int threads() const = 0;
  /// A remark that belongs to the result, such as which linear system `auto` chose. Equal remarks are kept once.
  virtual void note(const std::string& text) = 0;

  /// Number of the outer iteration, or of the phase, that a method made of others is in: a column of the trace.
  virtual void set_outer(int) {}

  /// For methods that run in another process: stops the clock and adds so many seconds, measured there. A monitor without a
  /// clock has nothing to do.
  virtual void advance_clock(double) {}
  virtual Remaining remaining() const { return {}; }
};

}  // namespace ccp
