#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "problem/judge/balance.hpp"
#include "problem/judge/judge.hpp"
#include "solvers/monitor.hpp"

namespace ccp {

/// When a run ends. Solved means: the stop measure of the measured iterate is at or below the tolerance, its penetration and
/// complementarity are consistent with that (D.15), and the tolerance is at least ten floors of the measure (D.2).
struct StopRule {
  Measure measure = Measure::relative_residual;
  double tolerance = 1e-8;
  bool native = false;  ///< stop on the method's own criterion instead (the papers' behaviour)
  int max_iterations = 1000;
  double time_limit_s = 60.0;  ///< solver clock: set-up and iterations, without judging
  /// Iterates 0, judge_every, 2 judge_every … are judged and have a row of the trace; so is the one at which a limit or
  /// the method's own criterion ends the run.
  int judge_every = 1;
};

/// One row of a trace.
struct TraceRow {
  int iteration = 0;
  int outer = 0;           ///< outer iteration of a nested method, 0 otherwise
  double elapsed_s = 0.0;  ///< solver clock since the start of set-up
  Counters counters;
  Measures measures{};
  const std::vector<double>* native = nullptr;
  bool native_converged = false;
};

/// The destination of trace rows (a CSV file, memory).
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  /// Called once before the first row. measures: the columns that are evaluated in every row.
  virtual void begin(const std::vector<Measure>& measures, const std::vector<NativeColumn>& native) = 0;
  virtual void row(const TraceRow& row) = 0;
};

/// Decades 1e-2 … 1e-12 at which first times and iterations are kept.
constexpr int first_decade = 2, last_decade = 12;
struct Crossing {
  int iteration = -1;  ///< first iteration at or below; -1: never
  double elapsed_s = std::numeric_limits<double>::quiet_NaN();
};
/// crossings[d − first_decade] belongs to 10^−d of the stop measure.
using Crossings = std::array<Crossing, last_decade - first_decade + 1>;

/// The end of an earlier run of the same method on the same problem, for a run that only measures time.
struct Replay {
  int iterations = 0;             ///< index of its last iterate
  std::optional<Status> verdict;  ///< why the monitor stopped it there; nothing when it stopped by itself
  Crossings crossings;            ///< of its stop measure
};

/// What a run on several ranks (lib/distributed) says of them. Messages, bytes and reductions are those on the solver clock.
struct RankFacts {
  int ranks = 0;
  std::int64_t messages = 0, bytes_sent = 0;   ///< between ranks, for impulses: of all ranks
  std::int64_t exchanges = 0, reductions = 0;  ///< in which all ranks take part
  std::int64_t cut_contacts = 0;               ///< contacts whose bodies belong to two ranks
  double imbalance = 1.0;                      ///< most contacts of a rank over their mean
  double memory_mb = 0.0;                      ///< largest resident size of a rank, MiB
};

/// What the ranks say of the returned point where they judge it.
struct EndJudgement {
  Status status = Status::failed;
  std::string reason;
  Measures measures{};
  Balance balance;
};

/// The Monitor of one run; a second Solver::solve with the same object throws std::logic_error.
class RunMonitor final : public Monitor {
 public:
  /// trace_measures: evaluated and written every iteration when a sink is set (the stop measure is added by itself).
  RunMonitor(Judge& judge, StopRule stop, int threads = 1);
  void set_trace(TraceSink* sink, std::vector<Measure> trace_measures);

  /// Makes the run a replay: it judges nothing, times the iterates, and stops where the earlier run stopped, for the same
  /// reason. Judging between iterations evicts caches; the times of a replay are free of that. Not for methods that use
  /// results of the judge (the De Saxcé loop). begin() throws std::logic_error when there is also a trace.
  void replay(const Replay& earlier);
  /// Judges the returned point alone: the run ends on the method's own criterion. For simulators: on few contacts judging
  /// the iterates takes as long as solving. Not for the De Saxcé loop. begin() throws std::logic_error when there is a
  /// trace.
  void judge_end_alone() { end_alone_ = true; }
  /// Called for every iterate of a replay, off the clock. The times include the cost of what it evicts from the caches.
  void during_replay(std::function<void()> work) { during_replay_ = std::move(work); }

  /// Asked for every iterate, off the clock: where it answers true the run ends there, as `interrupted`.
  void interrupt_when(std::function<bool()> asked) { interrupted_ = std::move(asked); }

  /// Of the returned point only these, and what its status needs, are in Result::measures; all unless called. For callers
  /// that ask a judge for the others when they want them: on few contacts they take a good part of a run.
  void measure_end_by(std::vector<Measure> measures);
  const std::vector<Measure>& end_measures() const { return end_measures_; }

  bool go_on(const Iterate& iterate) override;
  /// For ranks, which judge where they are: takes a row of theirs.
  void take(const TraceRow& row);
  /// What they know at the end: as verdict(), crossings() and ranks() say it.
  void take_end(std::optional<Status> verdict, int iteration, const Crossings& crossings,
                const std::optional<RankFacts>& ranks) {
    verdict_ = verdict;
    iteration_ = iteration;
    crossings_ = crossings;
    ranks_ = ranks;
  }
  const std::optional<RankFacts>& ranks() const { return ranks_; }
  /// The judgement of the returned point, in place of that of judge().
  void take_judgement(EndJudgement judgement) { judgement_ = std::move(judgement); }
  const std::optional<EndJudgement>& judgement() const { return judgement_; }
  /// Whether interrupt_when() says so.
  bool interrupted() const { return interrupted_ && interrupted_(); }
  /// The columns of the trace.
  const std::vector<Measure>& trace_measures() const { return measures_; }
  bool solved() const override { return verdict_ == Status::solved; }
  /// Whether the last point judged, of this stop measure and impulse (m), is within the tolerance and consistent.
  bool within(double value, double tolerance, const Vector& impulse) {
    return value <= tolerance && judge_.consistent(stop_.measure, tolerance, impulse);
  }
  Counters& counters() override { return counters_; }
  int threads() const override { return threads_; }
  void note(const std::function<std::string()>& text) override;
  void advance_clock(double seconds) override;
  Remaining remaining() const override;
  void set_outer(int outer) override { outer_ = outer; }

  /// Solver::solve calls these when the clock starts, set-up ends and the run ends.
  void begin(const std::vector<NativeColumn>& native);
  void end_setup() { setup_s_ = clock_.seconds(); }
  void end() { clock_.stop(); }

  const StopRule& stop_rule() const { return stop_; }
  Judge& judge() { return judge_; }
  /// Why the last go_on said no; nothing while it says yes.
  std::optional<Status> verdict() const { return verdict_; }
  Stopwatch& clock() { return clock_; }
  double setup_s() const { return setup_s_; }
  /// Index of the last iterate shown; −1 before the first.
  int iteration() const { return iteration_; }
  bool last_native_converged() const { return last_native_converged_; }
  const Crossings& crossings() const { return crossings_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  bool go_on_replaying(double elapsed);
  void watch_growth(double residual);
  void note_crossings(double value, const Vector& impulse, double elapsed);
  bool passes_over(const Iterate& iterate, double elapsed) const;
  std::optional<Status> judge_iterate(const Iterate& iterate, double value, double elapsed);
  std::optional<Status> limit_reached(double elapsed) const;

  Judge& judge_;
  StopRule stop_;
  int threads_;
  TraceSink* sink_ = nullptr;
  std::vector<Measure> measures_;   ///< of the trace
  std::vector<Measure> evaluated_;  ///< and what the stop rule needs
  std::vector<Measure> end_measures_ = all_measures();
  Stopwatch clock_;
  Counters counters_;
  Crossings crossings_;
  std::vector<std::string> notes_;
  std::optional<Status> verdict_;
  std::optional<Replay> replay_;
  std::optional<RankFacts> ranks_;
  std::optional<EndJudgement> judgement_;
  std::function<void()> during_replay_;
  std::function<bool()> interrupted_;
  double setup_s_ = 0.0, growth_scale_ = 0.0;
  int iteration_ = -1, outer_ = 0, grown_in_a_row_ = 0;
  bool last_native_converged_ = false, end_alone_ = false;
};

}  // namespace ccp
