#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <utility>

#include "bench/run/driver.hpp"
#include "core/error.hpp"
#include "problem/contact_match.hpp"
#include "problem/motion.hpp"
#include "problems/registry.hpp"
#include "solution.hpp"

namespace ccp::python {
namespace {

/// The problem of a step. The lists are those of MotionProblem.
struct Step {
  MotionProblem given;
  std::shared_ptr<Problem> problem;
};

/// A scene in time, with the end of the step before, from which the next one starts. One thread at a time.
class Moving {
 public:
  Moving(const std::string& name, std::uint64_t seed, const py::dict& parameters) : scene_(make_scene(name)) {
    set_fields(scene_->parameters(), parameters);
    const py::gil_scoped_release released;
    motion_ = scene_->motion(seed);
    if (!motion_) throw InputError("scene '" + name + "' does not move");
  }

  const Motion& motion() const { return *motion_; }

  std::unique_ptr<Step> step() const {
    const py::gil_scoped_release released;
    MotionProblem given = motion_->problem();
    auto problem = std::make_shared<Problem>(given.problem);
    return std::make_unique<Step>(std::move(given), std::move(problem));
  }

  std::unique_ptr<Solution> solve(const Step& step, const Solver& solver, const Options& options) const {
    if (step.given.problem.rows() == 0)
      return std::make_unique<Solution>(step.problem, options.model, result_without_rows(last_));
    const WarmStart start = last_ ? start_of_step(*motion_, step.given, *last_, StartMatch::contacts) : WarmStart{};
    return python::solve(step.problem, solver, options, start);
  }

  /// solution: null where the impulse is the user's own.
  void advance(const Step& step, const py::object& impulse, const Solution* solution) {
    const Vector given = vector_of(impulse, "impulse", step.given.problem.rows());
    step.problem->alone([&](const ContactProblem& contacts) { motion_->advance(end_velocity(contacts, given), given); });
    last_ = solution != nullptr ? step_end(step.given, given, solution->result.carried, solution->result.multiplier)
                                : step_end(step.given, given, 0.0);
  }

 private:
  std::unique_ptr<Scene> scene_;
  std::unique_ptr<Motion> motion_;
  std::optional<StepEnd> last_;
};

py::array keys_of(const Step& step) {
  std::vector<double> keys;
  for (const ContactKey& key : step.given.keys)
    for (const int number : {key.body_a, key.body_b, key.kind, key.feature_a, key.feature_b}) keys.push_back(number);
  const auto rows = static_cast<py::ssize_t>(step.given.keys.size());
  return py::array_t<int, py::array::forcecast>::ensure(owned(std::move(keys), {rows, 5}));
}

/// Rows of three are vectors: the normal, then both tangents.
py::array frames_of(const Step& step) {
  std::vector<double> rows;
  for (const Matrix3& frame : step.given.frames) rows.insert(rows.end(), frame.data(), frame.data() + frame.size());
  const auto count = static_cast<py::ssize_t>(step.given.frames.size());
  return owned(std::move(rows), {count, 3, 3});
}

py::array points_of(const Step& step) {
  std::vector<double> rows;
  for (const Vector3& point : step.given.points) rows.insert(rows.end(), point.data(), point.data() + 3);
  const auto count = static_cast<py::ssize_t>(step.given.points.size());
  return owned(std::move(rows), {count, 3});
}

py::array gaps_of(const Step& step) {
  const auto count = static_cast<py::ssize_t>(step.given.gaps.size());
  return owned(std::vector<double>(step.given.gaps), {count});
}

py::dict facts_of_moving(const Moving& moving) {
  py::dict facts;
  for (const MotionFact& fact : moving.motion().facts()) facts[py::str(fact.name)] = fact.value;
  return facts;
}

}  // namespace

void bind_motion(py::module_& module) {
  py::class_<Step>(module, "Step")
      .def_readonly("problem", &Step::problem)
      .def_property_readonly("keys", keys_of)
      .def_property_readonly("frames", frames_of)
      .def_property_readonly("gaps", gaps_of)
      .def_property_readonly("points", points_of);
  py::class_<Moving>(module, "Motion")
      .def(py::init<const std::string&, std::uint64_t, const py::dict&>())
      .def_property_readonly("index", [](const Moving& moving) { return moving.motion().step(); })
      .def_property_readonly("time_step", [](const Moving& moving) { return moving.motion().time_step(); })
      .def_property_readonly("velocity", [](const Moving& moving) { return owned(moving.motion().velocity()); })
      .def_property_readonly("facts", facts_of_moving)
      .def("step", &Moving::step)
      .def("solve", &Moving::solve)
      .def("advance", &Moving::advance);
}

}  // namespace ccp::python
