#include "peers/external/conformance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "peers/external/external_solver.hpp"
#include "problem/judge/judge.hpp"
#include "problem/problem_builder.hpp"
#include "solvers/run_monitor.hpp"

namespace ccp {
namespace {

constexpr double honest_factor = 1e3;  // own criteria are not ours, but this is no matter of taste
constexpr int iterations = 2000;
constexpr double tolerance = 1e-6;

/// A tower: constraint i is between body i and the one below, whose masses grow upwards; all are pushed aside.
ContactProblem tower(const std::vector<ConstraintKind>& kinds, int count, double weight) {
  ProblemBuilder builder("tower");
  ConstraintSet set;
  for (int i = 0; i < count; ++i) set.add(kinds[uz(i) % kinds.size()], 0.3 + 0.05 * (i % 5));
  const Index n = 3 * count;
  std::vector<Triplet> H, D;
  Vector k(n);
  for (int i = 0; i < count; ++i) {
    const double mass = 1.0 + i;
    for (int j = 0; j < 3; ++j) H.emplace_back(3 * i + j, 3 * i + j, mass);
    k.segment<3>(3 * i) = mass * Vector3(-weight, 0.2 + 0.1 * i, 0.1 - 0.05 * i);
    for (Index row = 0; row < set.rows(i); ++row)
      for (int j = 0; j < 3; ++j) {
        const double entry = (j == row ? 1.0 : 0.0) + 0.1 * std::sin(1.0 + i + 2.0 * j + 3.0 * static_cast<double>(row));
        const auto column = static_cast<int>(set.offset(i) + row);
        D.emplace_back(3 * i + j, column, entry);
        if (i > 0) D.emplace_back(3 * (i - 1) + j, column, -entry);
      }
  }
  builder.global(from_triplets(n, n, H), k, from_triplets(n, set.rows(), D), Vector::Zero(set.rows()));
  return builder.constraints(set).build();
}

/// The numbers of a trace.
class Recorder final : public TraceSink {
 public:
  void begin(const std::vector<Measure>&, const std::vector<NativeColumn>&) override {}
  void row(const TraceRow& row) override {
    residuals.push_back(row.measures[measure_index(Measure::relative_residual)]);
    natives.push_back(*row.native);
  }
  std::vector<double> residuals;
  std::vector<std::vector<double>> natives;
};

struct CheckedRun {
  Result result;
  Recorder trace;
};

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  const auto equal = [](double x, double y) { return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), equal);
}

class Conformance {
 public:
  Conformance(const std::string& name, const ExternalDescription& own, double patience_s)
      : name_(name), own_(own), patience_s_(patience_s) {}

  std::vector<SolverCheck> run() {
    for (const Model model : own_.models) {
      solve(model);
      deterministic(model);
      warm_start(model);
      settings(model);
    }
    if (!sound_)
      for (SolverCheck* check : {&finite_, &honest_, &deterministic_, &warm_start_, &settings_, &clock_})
        check->skipped = "no run came to a sound end";
    if (own_.settings.empty()) settings_.skipped = "it declares no settings";
    if (!own_.deterministic) deterministic_.skipped = "it says that its runs differ";
    if (!own_.warm_start) warm_start_.skipped = "it says that it takes no start";
    return {solves_, finite_, honest_, deterministic_, warm_start_, settings_, clock_, alone_};
  }

 private:
  /// With one setting at a value; nothing for the defaults.
  CheckedRun run_on(const ContactProblem& problem, Model model, const Vector& start = {}, const Field* setting = nullptr,
                    const FieldValue& value = {}) {
    ExternalSolver solver(name_);
    if (setting != nullptr) solver.settings().set(setting->name, value);
    StopRule stop;
    stop.tolerance = tolerance;
    stop.max_iterations = iterations;
    stop.time_limit_s = patience_s_;
    Judge judge(problem, model);
    RunMonitor monitor(judge, stop, 1);
    CheckedRun run;
    monitor.set_trace(&run.trace, {Measure::relative_residual});
    run.result = solver.solve(problem, model, {start, {}, 0.0, {}}, monitor);
    look_at(run, setting == nullptr ? "" : fmt::format(", {} = {}", setting->name, field_text(value)));
    return run;
  }

  /// What every run can show.
  void look_at(const CheckedRun& run, const std::string& with) {
    const Result& result = run.result;
    const double residual = result.measures[measure_index(Measure::relative_residual)];
    sound_ = sound_ || breakdown(run).empty();
    const auto say = [&with](SolverCheck& check, const std::string& fault) { add(check, fault + with); };
    if (result.native_converged && !(residual <= honest_factor * tolerance))
      say(honest_, fmt::format("it says that its criterion holds where the relative residual is {:.1e}", residual));
    if (!result.impulse.allFinite()) say(finite_, "it shows numbers that are not finite");
    for (const std::string& note : result.notes) {
      if (note.starts_with(note_of_left_behind)) say(alone_, note);
      if (note.starts_with(note_of_slow_clock)) say(clock_, note);
    }
    if (result.reason.find("the clock of") != std::string::npos) say(clock_, result.reason);
  }

  static void add(SolverCheck& check, const std::string& fault) {
    if (std::find(check.faults.begin(), check.faults.end(), fault) == check.faults.end()) check.faults.push_back(fault);
  }

  /// What keeps a run from being one; empty for a sound end, solved or not.
  std::string breakdown(const CheckedRun& run) const {
    const Result& result = run.result;
    if (result.status == Status::time_limit)
      return fmt::format("it does not end within {:g} s: {}", patience_s_, result.reason);
    const bool broken =
        result.status == Status::failed || result.status == Status::crashed || result.status == Status::out_of_memory;
    return broken ? result.reason : "";
  }

  void solve(Model model) {
    const auto attempt = [&](const std::string& what, const ContactProblem& problem) {
      const CheckedRun run = run_on(problem, model);
      const auto& residuals = run.trace.residuals;
      if (const std::string why = breakdown(run); !why.empty())
        return add(solves_, fmt::format("{}, model {}: {}", what, model_name(model), why));
      if (run.result.status != Status::solved && run.result.impulse.allFinite() &&
          !(residuals.back() < 0.5 * residuals.front()))
        add(solves_, fmt::format("{}, model {}: it ends with a relative residual of {:.1e} and began with {:.1e}", what,
                                 model_name(model), residuals.back(), residuals.front()));
    };
    for (const ConstraintKind kind : own_.constraints)
      attempt("constraints of the kind " + constraint_names()[static_cast<std::size_t>(kind)], tower({kind}, 4, 1.0));
    if (own_.constraints.size() > 1) attempt("constraints of several kinds", tower(own_.constraints, 8, 1.0));
    attempt("one constraint", tower(own_.constraints, 1, 1.0));
    if (own_.constraints.front() != ConstraintKind::bilateral)
      attempt("bodies that separate", tower({own_.constraints.front()}, 3, -1.0));
  }

  void deterministic(Model model) {
    if (!own_.deterministic) return;
    const ContactProblem problem = tower(own_.constraints, 6, 1.0);
    const CheckedRun first = run_on(problem, model), second = run_on(problem, model);
    bool equal = same(first.trace.residuals, second.trace.residuals) &&
                 first.trace.natives.size() == second.trace.natives.size() && first.result.status == second.result.status;
    for (std::size_t i = 0; equal && i < first.trace.natives.size(); ++i)
      equal = same(first.trace.natives[i], second.trace.natives[i]);
    if (!equal) add(deterministic_, fmt::format("two runs of model {} differ", model_name(model)));
  }

  void warm_start(Model model) {
    if (!own_.warm_start) return;
    const ContactProblem problem = tower(own_.constraints, 6, 1.0);
    Vector start = Vector::Zero(problem.rows());
    for (Index i = 0; i < problem.constraints().count(); ++i)
      start[problem.constraints().offset(i)] = 1.0 + 0.1 * static_cast<double>(i);
    const CheckedRun cold = run_on(problem, model), warm = run_on(problem, model, start);
    if (!breakdown(cold).empty() || cold.trace.residuals.size() < 2 || warm.trace.residuals.size() < 2) return;
    if (cold.trace.residuals[1] == warm.trace.residuals[1] && cold.trace.residuals[1] > tolerance)
      add(warm_start_, fmt::format("the first iterate of model {} is the same from another start", model_name(model)));
  }

  void settings(Model model) {
    const ContactProblem problem = tower(own_.constraints, 4, 1.0);
    for (const Field& field : own_.settings)
      for (const FieldValue& value : ends_of(field)) {
        const CheckedRun run = run_on(problem, model, {}, &field, value);
        std::string why = breakdown(run);
        if (why.empty() && !run.result.impulse.allFinite()) why = "it shows numbers that are not finite";
        if (!why.empty()) add(settings_, fmt::format("{} = {}: {}", field.name, field_text(value), why));
      }
  }

  /// The finite ends of what a setting may be, just inside where they are excluded, and all choices.
  static std::vector<FieldValue> ends_of(const Field& field) {
    std::vector<FieldValue> values;
    if (field.type == FieldType::flag) return {true, false};
    for (const std::string& choice : field.choices) values.emplace_back(choice);
    if (field.type == FieldType::choice) return values;
    const bool whole = field.type == FieldType::integer;
    const Range& range = field.range;
    const double width = std::isfinite(range.max - range.min) ? range.max - range.min : 1.0;
    const auto inside = [&](double end, bool excluded, double sign) {
      const double value = excluded ? end + sign * (whole ? 1.0 : 1e-3 * width) : end;
      values.push_back(whole ? FieldValue(static_cast<std::int64_t>(value)) : FieldValue(value));
    };
    if (std::isfinite(range.min)) inside(range.min, range.min_open, 1.0);
    if (std::isfinite(range.max)) inside(range.max, range.max_open, -1.0);
    return values;
  }

  std::string name_;
  const ExternalDescription& own_;
  double patience_s_;
  bool sound_ = false;  ///< a run was no breakdown
  SolverCheck solves_{"solves", "it comes nearer to the solution of each problem that it says it takes", {}};
  SolverCheck finite_{"finite", "all numbers that it shows are finite", {}};
  SolverCheck honest_{"honest", "where it says that it has converged, it is near the solution", {}};
  SolverCheck deterministic_{"deterministic", "two runs show the same bits", {}};
  SolverCheck warm_start_{"warm start", "it begins where it is told to", {}};
  SolverCheck settings_{"settings", "it runs with each setting at each end of its range", {}};
  SolverCheck clock_{"clock", "its clock counts what passes", {}};
  SolverCheck alone_{"alone", "it leaves no processes behind", {}};
};

}  // namespace

std::vector<SolverCheck> check_external_solver(const std::string& name, double patience_s) {
  SolverCheck greets{"greets", "it says what it is, in version 1 of the protocol", {}};
  const ExternalAnswer& answer = ask_external_solver(name, patience_s);
  if (!answer.description) {
    greets.faults.push_back(answer.defect);
    return {greets};
  }
  std::vector<SolverCheck> checks = Conformance(name, *answer.description, patience_s).run();
  checks.insert(checks.begin(), greets);
  return checks;
}

}  // namespace ccp
