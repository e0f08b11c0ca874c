#include "solution.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <chrono>
#include <limits>
#include <mutex>
#include <optional>
#include <sstream>
#include <utility>

#include "bench/config/catalog.hpp"
#include "bench/config/config_tables.hpp"
#include "bench/config/external_paths.hpp"
#include "bench/record/cell_record.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "core/text.hpp"
#include "peers/external/external_name.hpp"
#include "peers/peer_solver.hpp"
#include "problems/registry.hpp"

namespace ccp::python {
namespace {

const Catalog& python_catalog() {
  static const Catalog standard = standard_catalog(scene_registry());
  return standard;
}

/// Other programs are started by one thread at a time.
std::mutex peers_in_turn;

/// Asks Python for signals twenty times a second: to take the GIL at every iterate could take longer than the iterate.
class Interruption {
 public:
  bool asked() {
    const auto now = Clock::now();
    if (now < next_) return raised_.has_value();
    next_ = now + std::chrono::milliseconds(50);
    const py::gil_scoped_acquire python;
    if (PyErr_CheckSignals() != 0) raised_.emplace();
    return raised_.has_value();
  }
  void raise() const {
    if (raised_) throw py::error_already_set(*raised_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(50);
  std::optional<py::error_already_set> raised_;
};

template <typename Value>
Value known(const std::string& what, const std::string& name, const std::optional<Value>& found,
            const std::vector<std::string>& names) {
  if (!found) throw InputError(fmt::format("unknown {} '{}'{}", what, name, suggestion(name, names)));
  return *found;
}

Model model_of(const std::string& name) { return known("model", name, model_from_name(name), model_names()); }

void check_number(const char* name, double value, const Range& range) {
  if (!range.contains(value)) throw InputError(fmt::format("{} is {:g}, expected {}", name, value, range.text()));
}

Options options_of(const std::string& model, const std::string& measure, double tolerance, bool native_stop,
                   int max_iterations, double time_limit, int threads, const std::vector<std::string>& traced,
                   bool judge_iterates) {
  Options options;
  options.model = model_of(model);
  const Measure stop = known("measure", measure, measure_from_name(measure), stoppable_measures());
  if (!measure_info(stop).stoppable)
    throw InputError(fmt::format("no run can stop by '{}'{}", measure, suggestion(measure, stoppable_measures())));
  check_number("tolerance", tolerance, Range::positive());
  check_number("max_iterations", max_iterations, Range::non_negative());
  check_number("time_limit", time_limit, Range::positive());
  check_number("threads", threads, Range::closed(1, 1024));
  options.stop = {stop, tolerance, native_stop, max_iterations, time_limit};
  options.threads = threads;
  for (const std::string& name : traced)
    options.traced.push_back(known("measure", name, measure_from_name(name), measure_names()));
  options.judge_iterates = judge_iterates;
  if (!judge_iterates && !traced.empty()) throw InputError("measures: a run whose iterates are not judged has no trace");
  return options;
}

/// text: "admm", or with settings, as on a command line: "admm:rho=0.5,preconditioner=diagonal".
std::unique_ptr<Solver> make_python_solver(const std::string& text, const py::dict& settings) {
  const auto [name, given] = split_settings(text);
  auto solver = solver_named(name, python_catalog());
  std::istringstream list(given);
  for (std::string setting; std::getline(list, setting, ',');) {
    const std::size_t sign = setting.find('=');
    if (sign == std::string::npos || sign == 0)
      throw InputError(fmt::format("'{}' in '{}' is no assignment, expected NAME=VALUE", setting, text));
    solver->settings().set_from_text(setting.substr(0, sign), setting.substr(sign + 1));
  }
  set_fields(solver->settings(), settings);
  return solver;
}

py::dict settings_of(const Solver& solver) {
  py::dict values;
  for (const auto& [name, value] : solver.settings().values()) values[py::str(name)] = python_value(value);
  return values;
}

/// start: of the impulse in the user's terms, or of an earlier solution, whose velocity and multiplier count too.
std::unique_ptr<Solution> solve_from(const std::shared_ptr<Problem>& problem, const Solver& solver, const Options& options,
                                     const py::object& start) {
  WarmStart first;
  if (py::isinstance<Solution>(start)) {
    const Result& result = start.cast<const Solution&>().result;
    first = {result.impulse, result.velocity, result.carried, result.multiplier};
  } else if (!start.is_none()) {
    first.impulse = vector_of(start, "start");
  }
  return solve(problem, solver, options, first);
}

py::dict measures_dict(const Measures& values) {
  py::dict measures;
  for (const Measure measure : all_measures())
    measures[py::str(std::string(measure_info(measure).name))] = values[measure_index(measure)];
  return measures;
}

/// impulse: in the user's terms. velocity: the v (n) that a method carries itself, or empty.
Measures judged(Problem& problem, Model model, Vector impulse, const Vector& velocity) {
  return problem.alone([&](const ContactProblem& contacts) {
    impulse = contacts.own_impulse(std::move(impulse));
    return problem.judge(model).evaluate(all_measures(), {&impulse, velocity.size() > 0 ? &velocity : nullptr});
  });
}

/// velocity: the v (n, m/s) that a method carries itself, or None.
py::dict judge_point(Problem& problem, const py::object& impulse, const py::object& velocity, const std::string& model) {
  const ContactProblem& contacts = problem.contact_problem();
  const Vector own = velocity.is_none() ? Vector() : vector_of(velocity, "velocity", contacts.dofs());
  return measures_dict(judged(problem, model_of(model), vector_of(impulse, "impulse", contacts.rows()), own));
}

/// Made when asked for.
py::dict measures_of(const Solution& solution) {
  const Result& result = solution.result;
  if (result.status == Status::unsupported || result.impulse.size() == 0) return measures_dict(result.measures);
  return measures_dict(judged(*solution.problem, solution.model, result.impulse, result.velocity));
}

py::dict counters_of(const Solution& solution) {
  py::dict counters;
  for (const auto& [name, meaning, counter] : traced_counters) counters[name] = solution.result.counters.*counter;
  return counters;
}

/// (names, numbers by rows)
py::tuple trace_of(Solution& solution) {
  const Trace& trace = solution.trace;
  std::vector<std::string> names;
  for (const TraceColumn& column : trace.columns()) names.push_back(column.name);
  const auto columns = static_cast<py::ssize_t>(names.size());
  const auto rows = columns > 0 ? static_cast<py::ssize_t>(trace.numbers().size()) / columns : 0;
  return py::make_tuple(names, view(trace.numbers().data(), {rows, columns}, py::cast(&solution)));
}

Result unsupported_result(Index rows, std::string reason) {
  Result result;
  result.status = Status::unsupported;
  result.reason = std::move(reason);
  result.impulse = Vector::Constant(rows, std::numeric_limits<double>::quiet_NaN());
  result.measures.fill(std::numeric_limits<double>::quiet_NaN());
  return result;
}

}  // namespace

void Trace::begin(const std::vector<Measure>& measures, const std::vector<NativeColumn>& native) {
  columns_ = trace_columns(measures, native);
}

void Trace::row(const TraceRow& row) {
  for (const TraceColumn& column : columns_) numbers_.push_back(column.value(row));
}

std::unique_ptr<Solution> solve(const std::shared_ptr<Problem>& problem, const Solver& solver, const Options& options,
                                const WarmStart& start) {
  auto solution = std::make_unique<Solution>(problem, options.model);
  Interruption interruption;
  problem->alone([&](const ContactProblem& contacts) {
    std::unique_lock<std::mutex> turn(peers_in_turn, std::defer_lock);
    if (as_peer(solver) != nullptr) turn.lock();
    if (auto reason = solver.supports(contacts, options.model)) {
      solution->result = unsupported_result(contacts.rows(), std::move(*reason));
      return;
    }
    if (!options.judge_iterates && !solver.native(options.model))
      throw InputError(fmt::format("judge_iterates: {} solves {} in a loop that the judge ends, expected True",
                                   solver.info().name, model_name(options.model)));
    Judge& judge = problem->judge(options.model);
    const TimeSpent spent(solution->wall_s);
    RunMonitor monitor(judge, options.stop, options.threads);
    if (options.judge_iterates)
      monitor.set_trace(&solution->trace, options.traced);
    else
      monitor.judge_end_alone();
    monitor.measure_end_by({});
    monitor.interrupt_when([&] { return interruption.asked(); });
    solution->result = solver.solve(contacts, options.model, start, monitor);
  });
  interruption.raise();
  return solution;
}

void bind_solution(py::module_& module) {
  py::class_<Options>(module, "Options").def(py::init(&options_of));
  py::class_<Solver>(module, "Solver")
      .def(py::init(&make_python_solver))
      .def_property_readonly("settings", settings_of)
      .def_property_readonly("title", [](const Solver& solver) { return solver.info().title; });
  const auto number = [](auto member) { return [member](const Solution& solution) { return solution.result.*member; }; };
  py::class_<Solution>(module, "Solution")
      .def_property_readonly("status", [](const Solution& one) { return std::string(status_name(one.result.status)); })
      .def_property_readonly("model", [](const Solution& one) { return std::string(model_name(one.model)); })
      .def_property_readonly("reason", number(&Result::reason))
      .def_property_readonly("notes", number(&Result::notes))
      .def_property_readonly("iterations", number(&Result::iterations))
      .def_property_readonly("native_converged", number(&Result::native_converged))
      .def_property_readonly("setup_s", number(&Result::setup_s))
      .def_property_readonly("solve_s", number(&Result::solve_s))
      .def_readonly("wall_s", &Solution::wall_s)
      .def_property_readonly("measures", measures_of)
      .def_property_readonly("counters", counters_of)
      .def_property_readonly("trace", trace_of)
      .def_property_readonly("impulse", [](const Solution& one) {
        return view(one.result.impulse.data(), {one.result.impulse.size()}, py::cast(&one));
      });
  module.def("solve", solve_from);
  module.def("judge", judge_point);
  module.def("solvers", [] { return python_catalog().solver_names; });
  module.def("scenes", scene_names);
}

}  // namespace ccp::python
