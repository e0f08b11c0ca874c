#include "peers/adapter_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "core/stopwatch.hpp"
#include "peers/greeting.hpp"
#include "peers/peer_solver.hpp"
#include "process/core_wait.hpp"
#include "process/orphans.hpp"

namespace ccp {
namespace {

constexpr double start_up_limit_s = 300.0;  // the other program, its libraries, and reading the problem
constexpr double last_words_limit_s = 5.0;  // of one that took no more
constexpr double clock_tick_s = 1e-9;       // what a clock that counts whole ticks may lose
constexpr double transfer_slack_s = 0.1;    // an iterate on its way when the time limit is reached still counts
constexpr double clock_slack_s = 1e-3;      // by which clocks of two processes may differ
constexpr double slow_transfer_s = 2e-3;    // of an iterate, by an interpreter on a busy machine
constexpr double doubtful_s = 0.25;         // waited without being told why
constexpr std::size_t common_columns = 2;   // the error and the iterations

bool send(ChildProgram& adapter, const auto* data, std::size_t count) {
  return adapter.send(data, count * sizeof(*data), std::chrono::duration<double>(start_up_limit_s)) ==
         ChildProgram::Transfer::done;
}

bool send(ChildProgram& adapter, const Vector& x) { return send(adapter, x.data(), static_cast<std::size_t>(x.size())); }

bool send(ChildProgram& adapter, const SparseMatrix& matrix) {
  const Eigen::SparseMatrix<double, Eigen::RowMajor> rows = matrix;
  const auto entries = static_cast<std::size_t>(rows.nonZeros());
  return send(adapter, rows.outerIndexPtr(), static_cast<std::size_t>(rows.rows()) + 1) &&
         send(adapter, rows.innerIndexPtr(), entries) && send(adapter, rows.valuePtr(), entries);
}

/// Entries of the blocks of W without their padding.
std::int64_t entries_of(const BlockMatrix& W, const ConstraintSet& set) {
  std::int64_t count = 0;
  for (Index i = 0; i < W.rows(); ++i)
    for (int k = W.row_start[uz(i)]; k < W.row_start[uz(i + 1)]; ++k) count += set.rows(i) * set.rows(W.column[uz(k)]);
  return count;
}

/// All entries of the blocks, zeros included, by rows.
bool send(ChildProgram& adapter, const BlockMatrix& W, const ConstraintSet& set) {
  std::vector<std::int32_t> row_start = {0}, column;
  std::vector<double> value;
  for (Index i = 0; i < W.rows(); ++i)
    for (Index row = 0; row < set.rows(i); ++row) {
      for (int k = W.row_start[uz(i)]; k < W.row_start[uz(i + 1)]; ++k)
        for (Index c = 0; c < set.rows(W.column[uz(k)]); ++c) {
          column.push_back(static_cast<std::int32_t>(set.offset(W.column[uz(k)]) + c));
          value.push_back(W.block[uz(k)](row, c));
        }
      row_start.push_back(static_cast<std::int32_t>(column.size()));
    }
  return send(adapter, row_start.data(), row_start.size()) && send(adapter, column.data(), column.size()) &&
         send(adapter, value.data(), value.size());
}

bool send(ChildProgram& adapter, const ConstraintSet& set) {
  std::vector<std::int32_t> kinds, rows;
  for (Index i = 0; i < set.count(); ++i) {
    kinds.push_back(static_cast<std::int32_t>(set.kind(i)) + CCPBENCH_CONTACT);
    rows.push_back(static_cast<std::int32_t>(set.rows(i)));
  }
  return send(adapter, kinds.data(), kinds.size()) && send(adapter, rows.data(), rows.size()) &&
         send(adapter, set.frictions().data(), set.frictions().size());
}

/// " with an error of 1e-9 by its own measure", where it has told one.
std::string own_error(double error) {
  return std::isfinite(error) ? fmt::format(", with an error of {:.2g} by its own measure", error) : "";
}

}  // namespace

AdapterSession::AdapterSession(AdapterTask task, const ContactProblem& problem, Model model, Monitor& monitor)
    : task_(std::move(task)),
      problem_(problem),
      model_(model),
      blocks_(problem.constraints().narrow()),
      native_(task_.columns) {
  if (task_.local) problem_.local();
  monitor.advance_clock(0.0);  // what follows is handing over
  if (task_.local) W_ = block_matrix(blocks_, problem.local().N);
}

Outcome AdapterSession::run(const WarmStart& start, const Vector& shift, Monitor& monitor) {
  monitor.advance_clock(0.0);
  impulse_ = start.impulse.size() > 0 ? start.impulse : Vector::Zero(problem_.rows());
  outcome_ = {};
  shown_ = 0;
  if (show(monitor, false)) converse(shift, monitor);
  outcome_.impulse = impulse_;
  return std::move(outcome_);
}

bool AdapterSession::show(Monitor& monitor, bool converged) {
  ++shown_;
  return monitor.go_on({impulse_, nullptr, native_.values(), converged});
}

bool AdapterSession::send_problem(ChildProgram& adapter, const Vector& shift, int threads) const {
  const ConstraintSet& set = problem_.constraints();
  ccpbench_request request{};
  std::copy_n(CCPBENCH_MAGIC, sizeof request.magic, request.magic);
  request.byte_order = CCPBENCH_BYTE_ORDER;
  request.version = CCPBENCH_PROTOCOL;
  request.constraints = set.count();
  request.rows = problem_.rows();
  request.entries_N = task_.local ? entries_of(W_, blocks_) : -1;
  if (task_.global) {
    request.dofs = problem_.dofs();
    request.entries_H = problem_.global().H.nonZeros();
    request.entries_D = problem_.global().D.nonZeros();
    request.entries_C = problem_.global().C.nonZeros();
  }
  request.settings = std::ssize(task_.settings);
  request.max_iterations = iterations_allowed_;
  request.threads = threads;
  request.model = model_ == Model::ccp ? CCPBENCH_CCP : CCPBENCH_NCP;
  if (!send(adapter, &request, 1) || !send(adapter, set)) return false;
  if (task_.local && !(send(adapter, W_, blocks_) && send(adapter, problem_.local().r + shift))) return false;
  if (task_.global) {
    const GlobalForm& form = problem_.global();
    if (!(send(adapter, form.H) && send(adapter, form.D) && send(adapter, form.C) && send(adapter, form.k) &&
          send(adapter, form.b + shift)))
      return false;
  }
  const Vector start = task_.takes_start ? impulse_ : Vector::Zero(problem_.rows());
  return send(adapter, start) && send(adapter, task_.settings.data(), task_.settings.size());
}

void AdapterSession::give_up(Status status, std::string reason) {
  outcome_.given_up = status;
  outcome_.reason = std::move(reason);
}

void AdapterSession::died(ChildProgram& adapter, Monitor& monitor) {
  const int signal = adapter.exit().signal;
  give_up(signal != 0 ? Status::crashed : Status::failed,
          fmt::format("the process of {} died: {}", task_.program, adapter.exit_text()));
  if (signal == SIGINT) show(monitor, false);  // Ctrl-C reaches both: the monitor hears of it here
}

bool AdapterSession::greeted(ChildProgram& adapter, Monitor& monitor) {
  const Greeting greeting = read_greeting(adapter, task_.program, start_up_limit_s);
  if (!greeting.defect.empty()) {
    if (greeting.died) return died(adapter, monitor), false;
    return give_up(Status::failed, greeting.defect), false;
  }
  if (task_.description.empty() || greeting.description == task_.description) return true;
  give_up(Status::failed, fmt::format("{} describes itself otherwise than when it was asked", task_.program));
  return false;
}

bool AdapterSession::read(ChildProgram& adapter, Monitor& monitor, ccpbench_frame& frame, double longest_s) {
  const std::chrono::duration<double> longest(longest_s);
  auto reading = adapter.receive(&frame, sizeof frame, longest);
  if (reading == ChildProgram::Transfer::done) {
    const std::size_t numbers = static_cast<std::size_t>(problem_.rows()) + native_.values().size() - common_columns;
    const bool iterate = frame.kind == CCPBENCH_ITERATE || frame.kind == CCPBENCH_END;
    const bool known = iterate || frame.kind == CCPBENCH_READY || frame.kind == CCPBENCH_FAILURE;
    const auto expected = static_cast<std::int64_t>(iterate ? numbers * sizeof(double) : 0);
    const bool fits = frame.kind == CCPBENCH_FAILURE ? frame.bytes >= 0 && frame.bytes <= 4096 : frame.bytes == expected;
    if (known && iterate && !fits)
      return give_up(Status::failed, fmt::format("{} sent {} bytes as an iterate, expected {}: {} numbers", task_.program,
                                                 frame.bytes, expected, numbers)),
             false;
    if (!known || !fits || !(frame.seconds >= 0.0))
      return give_up(Status::failed, fmt::format("{} sent what is no answer of the protocol", task_.program)), false;
    payload_.resize(static_cast<std::size_t>(frame.bytes));
    reading = adapter.receive(payload_.data(), payload_.size(), std::chrono::duration<double>(start_up_limit_s));
  }
  if (reading == ChildProgram::Transfer::closed) died(adapter, monitor);
  if (reading == ChildProgram::Transfer::timed_out) timed_out_ = true;
  return reading == ChildProgram::Transfer::done;
}

void AdapterSession::converse(const Vector& shift, Monitor& monitor) {
  const bool own = task_.description.empty();
  if (!own) adopt_orphans();
  std::string mark;
  {
    ChildProgram adapter(task_.command, monitor.threads(), own ? Answers::on_input : Answers::on_output);
    mark = adapter.mark();
    converse_with(adapter, shift, monitor);
    if (!own) adapter.pass_on_printed();
  }
  if (own) return;
  if (const int left = kill_marked_children(mark); left > 0)
    monitor.note([&] { return fmt::format("{}{}, which were killed", note_of_left_behind, left); });
  const double ran_s = waited_s_ - queued_s_;
  if (ran_s - spent_s_ > doubtful_s + slow_transfer_s * shown_ && spent_s_ < 0.5 * ran_s)
    monitor.note(
        [&] { return fmt::format("{}{:.2g} s of the {:.2g} s that passed in it", note_of_slow_clock, spent_s_, ran_s); });
}

void AdapterSession::converse_with(ChildProgram& adapter, const Vector& shift, Monitor& monitor) {
  ccpbench_frame frame;
  timed_out_ = false;
  spent_s_ = waited_s_ = queued_s_ = 0.0;
  iterations_allowed_ = monitor.remaining().iterations;
  if (!greeted(adapter, monitor)) return;
  // An adapter that fails before it has read all may have said why: that is there to be read.
  const double patience_s = send_problem(adapter, shift, monitor.threads()) ? start_up_limit_s : last_words_limit_s;
  if (!read(adapter, monitor, frame, patience_s)) {
    if (timed_out_) give_up(Status::failed, fmt::format("{} did not get ready", task_.program));
    return;
  }
  const bool whole_runs = frame.kind == CCPBENCH_READY && frame.info == 1;
  if (whole_runs) monitor.note([] { return std::string(note_of_restarts); });
  const double before_s = core_wait_s(0) + adapter.core_wait_s();
  iterate(adapter, frame, whole_runs, monitor);
  const double queued_s = core_wait_s(0) + adapter.core_wait_s() - before_s;
  if (std::isfinite(queued_s)) queued_s_ = queued_s;
}

void AdapterSession::iterate(ChildProgram& adapter, ccpbench_frame& frame, bool whole_runs, Monitor& monitor) {
  const double allowed_s = monitor.remaining().seconds;
  while (take(frame, monitor)) {
    const char go_on = 1;
    Stopwatch watch;
    watch.start();
    if (!send(adapter, &go_on, 1)) return died(adapter, monitor);
    const double left = monitor.remaining().seconds;
    double longest_s = left + (whole_runs ? spent_s_ : 0.0) + transfer_slack_s;
    if (!task_.description.empty())  // whatever its clock says
      longest_s = std::min(longest_s, std::max(0.0, 2.0 * allowed_s + slow_transfer_s * shown_ - waited_s_));
    const bool came = read(adapter, monitor, frame, longest_s);
    waited_s_ += watch.seconds();
    if (!came) {
      if (timed_out_) {
        monitor.advance_clock(left + clock_tick_s);
        show(monitor, false);
        outcome_.reason =
            fmt::format("stopped inside {} at the time limit; the last iterate that was shown stands", task_.program);
      }
      return;
    }
  }
}

bool AdapterSession::clock_is_possible(const ccpbench_frame& frame) {
  if (task_.description.empty() || (frame.seconds >= spent_s_ && frame.seconds <= waited_s_ + clock_slack_s)) return true;
  give_up(Status::failed, fmt::format("the clock of {} shows {:.3g} s after {:.3g} s, while {:.3g} s have passed",
                                      task_.program, frame.seconds, spent_s_, waited_s_));
  return false;
}

bool AdapterSession::take(const ccpbench_frame& frame, Monitor& monitor) {
  if (frame.kind == CCPBENCH_READY) return true;
  if (frame.kind == CCPBENCH_FAILURE) {
    give_up(frame.info == 1 ? Status::out_of_memory : Status::failed, std::string(payload_.begin(), payload_.end()));
    return false;
  }
  if (!clock_is_possible(frame)) return false;
  const auto* numbers = reinterpret_cast<const double*>(payload_.data());
  const Eigen::Map<const Vector> reaction(numbers, problem_.rows());
  monitor.advance_clock(std::max(0.0, frame.seconds - spent_s_));
  spent_s_ = std::max(spent_s_, frame.seconds);
  const bool at_end = frame.kind == CCPBENCH_END;
  // The end mostly repeats the last iterate.
  const bool news = !at_end || shown_ <= 1 || reaction != impulse_;
  impulse_ = reaction;
  native_.values_of[0] = frame.error;
  native_.values_of[1] = static_cast<double>(frame.iterations);
  for (std::size_t i = common_columns; i < native_.values_of.size(); ++i)
    native_.values_of[i] = numbers[uz(problem_.rows()) + i - common_columns];
  const bool converged = at_end ? frame.info == 0 : frame.info == 1 || frame.error <= task_.tolerance;
  if ((news || converged) && !show(monitor, converged)) return false;
  if (at_end) finish(frame);
  return !at_end;
}

void AdapterSession::finish(const ccpbench_frame& frame) {
  outcome_.own_answer = frame.info == 0;
  if (outcome_.own_answer)
    return give_up(Status::stalled, fmt::format("{} calls it converged{}", task_.program, own_error(frame.error)));
  const bool out_of_iterations = frame.iterations >= iterations_allowed_;
  const std::string counted =
      frame.iterations > 0 ? fmt::format(" after {} iteration{}", frame.iterations, frame.iterations == 1 ? "" : "s") : "";
  give_up(out_of_iterations ? Status::iteration_limit : Status::stalled,
          fmt::format("{} gave up{} (it returned {}){}", task_.program, counted, frame.info, own_error(frame.error)));
}

}  // namespace ccp
