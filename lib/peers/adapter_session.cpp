#include "peers/adapter_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>

namespace ccp {
namespace {

constexpr double start_up_limit_s = 300.0;  // the other program, its libraries, and reading the problem
constexpr double last_words_limit_s = 5.0;  // of one that took no more
constexpr double clock_tick_s = 1e-9;       // what a clock that counts whole ticks may lose
constexpr double transfer_slack_s = 0.1;    // an iterate on its way when the time limit is reached still counts

bool send(ChildProgram& adapter, const auto* data, std::size_t count) {
  return adapter.send(data, count * sizeof(*data), std::chrono::duration<double>(start_up_limit_s)) ==
         ChildProgram::Transfer::done;
}

bool send_entries(ChildProgram& adapter, const SparseMatrix& matrix) {
  std::vector<std::int32_t> row, column;
  std::vector<double> value;
  for (int j = 0; j < matrix.outerSize(); ++j)
    for (SparseMatrix::InnerIterator entry(matrix, j); entry; ++entry) {
      row.push_back(static_cast<std::int32_t>(entry.row()));
      column.push_back(static_cast<std::int32_t>(entry.col()));
      value.push_back(entry.value());
    }
  return send(adapter, row.data(), row.size()) && send(adapter, column.data(), column.size()) &&
         send(adapter, value.data(), value.size());
}

/// " with an error of 1e-9 by its own measure", where it has told one.
std::string own_error(double error) {
  return std::isfinite(error) ? fmt::format(", with an error of {:.2g} by its own measure", error) : "";
}

}  // namespace

AdapterSession::AdapterSession(const PeerMethod& method, std::vector<std::string> command, double tolerance,
                               const ContactProblem& problem, Monitor& monitor)
    : program_(*method.program),
      command_(std::move(command)),
      tolerance_(tolerance),
      problem_(problem),
      global_form_(method.global_form && problem.given_global() && problem.global().C.nonZeros() == 0),
      native_(program_) {
  free_velocity_ = global_form_ ? problem.global().b : problem.local().r;
  monitor.advance_clock(0.0);  // what follows is handing over
  if (!global_form_) W_ = block_matrix(problem.constraints(), problem.local().N);
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

bool AdapterSession::send_problem(ChildProgram& adapter, const Vector& shift) const {
  const Vector q = free_velocity_ + shift;
  const ConstraintSet& set = problem_.constraints();
  const std::vector<int> no_blocks(static_cast<std::size_t>(set.count() + 1), 0);
  const std::vector<int>& row_start = global_form_ ? no_blocks : W_.row_start;
  AdapterRequest request{set.count(), static_cast<std::int64_t>(W_.block.size()), iterations_allowed_, tolerance_, 0, 0, 0};
  if (global_form_) {
    request.velocities = problem_.dofs();
    request.mass_entries = problem_.global().H.nonZeros();
    request.jacobian_entries = problem_.global().D.nonZeros();
  }
  const auto size = [](const Vector& x) { return static_cast<std::size_t>(x.size()); };
  const bool sent = send(adapter, &request, 1) && send(adapter, row_start.data(), row_start.size()) &&
                    send(adapter, W_.column.data(), W_.column.size()) && send(adapter, W_.block.data(), W_.block.size()) &&
                    send(adapter, q.data(), size(q)) && send(adapter, set.frictions().data(), set.frictions().size()) &&
                    send(adapter, impulse_.data(), size(impulse_));
  if (!sent || !global_form_) return sent;
  const GlobalForm& form = problem_.global();
  return send_entries(adapter, form.H) && send_entries(adapter, form.D) && send(adapter, form.k.data(), size(form.k));
}

void AdapterSession::give_up(Status status, std::string reason) {
  outcome_.given_up = status;
  outcome_.reason = std::move(reason);
}

void AdapterSession::died(ChildProgram& adapter, Monitor& monitor) {
  const int signal = adapter.exit().signal;
  give_up(signal != 0 ? Status::crashed : Status::failed,
          fmt::format("the process of {} died: {}", program_.name, adapter.exit_text()));
  if (signal == SIGINT) show(monitor, false);  // Ctrl-C reaches both: the monitor hears of it here
}

bool AdapterSession::read(ChildProgram& adapter, Monitor& monitor, AdapterFrame& frame, double longest_s) {
  const std::chrono::duration<double> longest(longest_s);
  auto reading = adapter.receive(&frame, sizeof frame, longest);
  if (reading == ChildProgram::Transfer::done) {
    const auto expected = static_cast<std::int32_t>(problem_.rows() * static_cast<Index>(sizeof(double)));
    const bool iterate = frame.kind == AdapterFrame::iterate || frame.kind == AdapterFrame::end;
    const bool fits = iterate                               ? frame.bytes == expected
                      : frame.kind == AdapterFrame::ready   ? frame.bytes == 0
                      : frame.kind == AdapterFrame::failure ? frame.bytes >= 0 && frame.bytes <= 4096
                                                            : false;
    if (!fits || !(frame.seconds >= 0.0)) {
      give_up(Status::failed, fmt::format("the adapter of {} sent what is no answer", program_.name));
      return false;
    }
    payload_.resize(static_cast<std::size_t>(frame.bytes));
    reading = adapter.receive(payload_.data(), payload_.size(), std::chrono::duration<double>(start_up_limit_s));
  }
  if (reading == ChildProgram::Transfer::closed) died(adapter, monitor);
  if (reading == ChildProgram::Transfer::timed_out) timed_out_ = true;
  return reading == ChildProgram::Transfer::done;
}

void AdapterSession::converse(const Vector& shift, Monitor& monitor) {
  ChildProgram adapter(command_, monitor.threads());
  AdapterFrame frame;
  timed_out_ = false;
  iterations_allowed_ = monitor.remaining().iterations;
  // An adapter that fails before it has read all may have said why: that is there to be read.
  const double patience_s = send_problem(adapter, shift) ? start_up_limit_s : last_words_limit_s;
  if (!read(adapter, monitor, frame, patience_s)) {
    if (timed_out_) give_up(Status::failed, fmt::format("the adapter of {} did not get ready", program_.name));
    return;
  }
  const bool whole_runs = frame.kind == AdapterFrame::ready && frame.info == 1;
  if (whole_runs) monitor.note([] { return std::string(note_of_restarts); });
  spent_s_ = 0.0;
  while (take(frame, monitor)) {
    const char go_on = 1;
    if (!send(adapter, &go_on, 1)) return died(adapter, monitor);
    const double left = monitor.remaining().seconds;
    if (!read(adapter, monitor, frame, left + (whole_runs ? spent_s_ : 0.0) + transfer_slack_s)) {
      if (timed_out_) {
        monitor.advance_clock(left + clock_tick_s);
        show(monitor, false);
        outcome_.reason =
            fmt::format("stopped inside {} at the time limit; the last iterate that was shown stands", program_.name);
      }
      return;
    }
  }
}

bool AdapterSession::take(const AdapterFrame& frame, Monitor& monitor) {
  if (frame.kind == AdapterFrame::ready) return true;
  if (frame.kind == AdapterFrame::failure) {
    give_up(frame.info == 1 ? Status::out_of_memory : Status::failed, std::string(payload_.begin(), payload_.end()));
    return false;
  }
  const Eigen::Map<const Vector> reaction(reinterpret_cast<const double*>(payload_.data()), problem_.rows());
  monitor.advance_clock(std::max(0.0, frame.seconds - spent_s_));
  spent_s_ = std::max(spent_s_, frame.seconds);
  const bool at_end = frame.kind == AdapterFrame::end;
  // The end mostly repeats the last iterate.
  const bool news = !at_end || shown_ <= 1 || reaction != impulse_;
  impulse_ = reaction;
  native_.error = frame.error;
  native_.iterations = static_cast<double>(frame.iterations);
  const bool converged = at_end ? frame.info == 0 : frame.error <= tolerance_;
  if ((news || converged) && !show(monitor, converged)) return false;
  if (at_end) finish(frame);
  return !at_end;
}

void AdapterSession::finish(const AdapterFrame& frame) {
  if (frame.info == 0)
    return give_up(Status::stalled, fmt::format("{} calls it converged{}", program_.name, own_error(frame.error)));
  const bool out_of_iterations = frame.iterations >= iterations_allowed_;
  const std::string counted =
      frame.iterations > 0 ? fmt::format(" after {} iteration{}", frame.iterations, frame.iterations == 1 ? "" : "s") : "";
  give_up(out_of_iterations ? Status::iteration_limit : Status::stalled,
          fmt::format("{} gave up{} (it returned {}){}", program_.name, counted, frame.info, own_error(frame.error)));
}

}  // namespace ccp
