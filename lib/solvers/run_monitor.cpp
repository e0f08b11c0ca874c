#include "solvers/run_monitor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "problem/share_sums.hpp"

namespace ccp {
namespace {

// A run has diverged when the velocity residual exceeds this multiple of its value at the start and at γ = 0, for so many
// iterates in a row. (ADMM may jump far away once after a warm start with a small ρ, and come back.) Where both are
// rounding, a method with a stop of its own goes on from a solution: the multiple is that of the free velocity then.
constexpr double growth_limit = 1e8;
constexpr int growth_patience = 10;
constexpr double rounding = 1e-10;

/// The largest ‖r_i‖₂, m/s, over all ranks.
double largest_free_speed(const Judge& judge) {
  const ConstraintSet& set = judge.problem().constraints();
  const auto speed = [&](Index i) { return judge.free_velocity().segment(set.offset(i), set.rows(i)).norm(); };
  return largest_of_blocks(judge.problem().share(), set, speed);
}

}  // namespace

RunMonitor::RunMonitor(Judge& judge, StopRule stop, int threads)
    : judge_(judge),
      stop_(stop),
      threads_(threads),
      measures_{stop.measure},
      evaluated_{stop.measure, Measure::velocity_residual} {}

void RunMonitor::set_trace(TraceSink* sink, std::vector<Measure> trace_measures) {
  sink_ = sink;
  measures_ = std::move(trace_measures);
  if (std::find(measures_.begin(), measures_.end(), stop_.measure) == measures_.end()) measures_.push_back(stop_.measure);
  evaluated_ = measures_;
  evaluated_.push_back(Measure::velocity_residual);
}

void RunMonitor::measure_end_by(std::vector<Measure> measures) {
  end_measures_ = std::move(measures);
  end_measures_.push_back(stop_.measure);
}

void RunMonitor::begin(const std::vector<NativeColumn>& native) {
  if (iteration_ >= 0) throw std::logic_error("RunMonitor: one monitor serves one run");
  if (sink_ != nullptr && (replay_ || end_alone_)) throw std::logic_error("RunMonitor: iterates not judged have no trace");
  if (sink_ != nullptr) sink_->begin(measures_, native);
  clock_.start();
}

void RunMonitor::note(const std::function<std::string()>& text) {
  const Stopwatch::Pause off_the_clock(clock_);
  std::string remark = text();
  if (std::find(notes_.begin(), notes_.end(), remark) == notes_.end()) notes_.push_back(std::move(remark));
}

void RunMonitor::advance_clock(double seconds) {
  clock_.stop();
  clock_.add(seconds);
}

Remaining RunMonitor::remaining() const {
  return {std::max(0.0, stop_.time_limit_s - clock_.seconds()), stop_.max_iterations - std::max(iteration_, 0)};
}

void RunMonitor::replay(const Replay& earlier) {
  replay_ = earlier;
  for (std::size_t i = 0; i < crossings_.size(); ++i) crossings_[i].iteration = earlier.crossings[i].iteration;
}

bool RunMonitor::go_on_replaying(double elapsed) {
  if (during_replay_) during_replay_();
  for (Crossing& crossing : crossings_)
    if (crossing.iteration == iteration_) crossing.elapsed_s = elapsed;
  if (iteration_ == replay_->iterations) verdict_ = replay_->verdict;
  // A run that goes on where the earlier one stopped by itself no longer replays it; it ends here.
  if (iteration_ > replay_->iterations) verdict_ = Status::iteration_limit;
  return !verdict_.has_value();
}

bool RunMonitor::go_on(const Iterate& iterate) {
  const Stopwatch::Pause off_the_clock(clock_);
  const Share* share = judge_.problem().share();
  const UncountedTraffic uncounted(share);
  ++iteration_;
  const double elapsed = share != nullptr ? share->of_first(clock_.seconds()) : clock_.seconds();
  last_native_converged_ = iterate.native_converged;
  if (replay_) return go_on_replaying(elapsed);
  if (end_alone_) {
    // The judge decides at the end: false_converged becomes solved there.
    verdict_ = iterate.native_converged ? Status::false_converged : limit_reached(elapsed);
    if (!std::isfinite(iterate.impulse().sum())) verdict_ = Status::diverged;
    return !verdict_.has_value();
  }
  if (passes_over(iterate, elapsed)) return true;
  const Measures values = judge_.evaluate(evaluated_, {&iterate.impulse(), iterate.velocity});
  const double value = values[measure_index(stop_.measure)];
  watch_growth(values[measure_index(Measure::velocity_residual)]);
  note_crossings(value, iterate.impulse(), elapsed);
  if (sink_ != nullptr)
    sink_->row({iteration_, outer_, elapsed, counters_, values, &iterate.native, iterate.native_converged});
  verdict_ = judge_iterate(iterate, value, elapsed);
  return !verdict_.has_value();
}

void RunMonitor::take(const TraceRow& row) {
  iteration_ = row.iteration;
  counters_ = row.counters;
  last_native_converged_ = row.native_converged;
  if (sink_ != nullptr) sink_->row(row);
}

void RunMonitor::watch_growth(double residual) {
  // The velocity residual shows growth. natural_map does not: it is scaled by the iterate and stays bounded.
  if (iteration_ == 0) {
    growth_scale_ = std::max(residual, judge_.initial_velocity());
    const double free_speed = largest_free_speed(judge_);
    if (growth_scale_ <= rounding * free_speed) growth_scale_ = free_speed;
  }
  grown_in_a_row_ = residual > growth_limit * growth_scale_ ? grown_in_a_row_ + 1 : 0;
}

void RunMonitor::note_crossings(double value, const Vector& impulse, double elapsed) {
  for (int decade = first_decade; decade <= last_decade; ++decade) {
    Crossing& crossing = crossings_[uz(decade - first_decade)];
    if (crossing.iteration >= 0) continue;
    if (!within(value, std::pow(10.0, -decade), impulse)) return;
    crossing = {iteration_, elapsed};
  }
}

bool RunMonitor::passes_over(const Iterate& iterate, double elapsed) const {
  return iteration_ % stop_.judge_every != 0 && !(stop_.native && iterate.native_converged) && !limit_reached(elapsed);
}

std::optional<Status> RunMonitor::judge_iterate(const Iterate& iterate, double value, double elapsed) {
  const ContactProblem& problem = judge_.problem();
  if (!std::isfinite(value) || !all_finite(problem.share(), problem.constraints(), iterate.impulse()))
    return Status::diverged;
  if (stop_.native) {
    if (iterate.native_converged)
      return within(value, stop_.tolerance, iterate.impulse()) ? Status::solved : Status::false_converged;
  } else if (within(value, stop_.tolerance, iterate.impulse())) {
    return Status::solved;
  }
  if (grown_in_a_row_ >= growth_patience) return Status::diverged;
  return limit_reached(elapsed);
}

std::optional<Status> RunMonitor::limit_reached(double elapsed) const {
  if (interrupted_ && interrupted_()) return Status::interrupted;
  if (iteration_ >= stop_.max_iterations) return Status::iteration_limit;
  if (elapsed >= stop_.time_limit_s) return Status::time_limit;
  return std::nullopt;
}

}  // namespace ccp
