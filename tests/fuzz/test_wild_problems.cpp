#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <map>
#include <optional>

#include "core/error.hpp"
#include "support/oracle.hpp"
#include "support/run_solver.hpp"
#include "support/sanitized.hpp"
#include "support/wild_problems.hpp"

/// Every solver of the registry on random problems, both models. CCPBENCH_FUZZ_SECONDS says for how long (10),
/// CCPBENCH_FUZZ_SEED which problem is the first (1): what fails names its seed.
using namespace ccp;
using namespace ccp::testing;

namespace {

constexpr double tolerance = 1e-8, time_limit = 0.02;
/// CPU seconds beyond the time limit. Under sanitizers a run of `pgs_lee` took 1.3 on a busy machine.
constexpr double patience = sanitized ? 20.0 : 1.0;
constexpr int max_iterations = 200, shown_of_a_kind = 3;
constexpr unsigned hang = 60;

double from_environment(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtod(text, nullptr) : otherwise;
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Why `solved` is false in exact arithmetic, or "". The residual, the penetration and the complementarity may be off by ten
/// floors; the last two by ten tolerances in the scale of (D.15).
std::string false_verdict(const ContactProblem& problem, Model model, const Result& result) {
  const Oracle exact(problem, model);
  const OracleMeasures values = exact.evaluate(result.impulse), start = exact.evaluate(Vector::Zero(problem.rows()));
  const double initial = start[Measure::velocity_residual];
  const double moving = std::max(initial, start[Measure::penetration_velocity]), speed = moving > 0.0 ? moving : 1.0;
  const double slack = 10.0 * result.measures[measure_index(Measure::rounding_floor)];
  const double bound = 10.0 * tolerance * speed + slack;
  double work = 0.0;
  for (Index i = 0; i < problem.constraints().count(); ++i)
    work += result.impulse.segment(problem.constraints().offset(i), problem.constraints().rows(i)).norm() +
            exact.steps()[i] *
                (values.corrected.segment(problem.constraints().offset(i), problem.constraints().rows(i)).norm() + bound);
  const auto says = [](const char* what, double value, double most) {
    return std::string(what) + " " + std::to_string(value / most) + " times what is allowed";
  };
  const double residual = values[Measure::velocity_residual], most = tolerance * (initial > 0.0 ? initial : 1.0) + slack;
  if (!(residual <= most)) return says("false solved: residual", residual, most);
  if (!(values[Measure::penetration_velocity] <= bound))
    return says("false solved: penetration", values[Measure::penetration_velocity], bound);
  if (!(values[Measure::complementarity] <= bound * work))
    return says("false solved: complementarity", values[Measure::complementarity], bound * work);
  return "";
}

std::string fault_of(const ContactProblem& problem, const std::string& name, Model model) {
  const double before = processor_seconds();
  const StopRule stop{Measure::relative_residual, tolerance, false, max_iterations, time_limit};
  const Result result = run(problem, {name, model, stop});
  const double took = processor_seconds() - before;
  if (took > time_limit + patience) return "late: " + std::to_string(took) + " s";
  if (!result.impulse.allFinite() || result.impulse.size() != problem.rows())
    return "impulse: not finite, " + std::string(status_name(result.status));
  if (result.iterations > max_iterations) return "iterations: " + std::to_string(result.iterations);
  const double value = result.measures[measure_index(Measure::relative_residual)];
  if (result.status == Status::solved && !(value <= tolerance)) return "status: solved at " + std::to_string(value);
  const double floors = meaningful_floors * result.measures[measure_index(Measure::rounding_floor)];
  if (result.status == Status::solved && value > 0.0 &&
      !(floors * value <= tolerance * result.measures[measure_index(Measure::velocity_residual)] * (1.0 + 1e-12)))
    return "status: solved though rounding does not allow to say so";
  return result.status == Status::solved ? false_verdict(problem, model, result) : "";
}

}  // namespace

TEST_CASE("no solver errs on wild problems", "[slow]") {
  std::signal(SIGALRM, [](int) { std::abort(); });  // Catch names the problem then
  const double seconds = from_environment("CCPBENCH_FUZZ_SECONDS", 10.0);
  const auto first = static_cast<std::uint64_t>(from_environment("CCPBENCH_FUZZ_SEED", 1.0));
  const auto start = std::chrono::steady_clock::now();
  std::map<std::string, int> faults;
  int problems = 0, solves = 0, refused = 0;
  for (std::uint64_t seed = first; std::chrono::steady_clock::now() - start < std::chrono::duration<double>(seconds);
       ++seed) {
    std::optional<ContactProblem> problem;
    try {
      problem = wild_problem(seed);
    } catch (const InputError&) {  // H is not positive definite in rounding
      ++refused;
      continue;
    }
    ++problems;
    for (const std::string& name : solver_names())
      for (const Model model : {Model::ccp, Model::ncp}) {
        if (make_solver(name)->supports(*problem, model)) continue;
        CAPTURE(seed, name, model_name(model));
        ::alarm(hang);
        std::string fault;
        try {
          fault = fault_of(*problem, name, model);
        } catch (const std::exception& error) {
          fault = std::string("exception: ") + error.what();
        }
        ::alarm(0);
        ++solves;
        if (fault.empty()) continue;
        const std::string kind = name + ", " + fault.substr(0, fault.find(fault.starts_with("false") ? " " : ":"));
        if (++faults[kind] <= shown_of_a_kind)
          std::cout << "CCPBENCH_FUZZ_SEED=" << seed << " " << name << " " << model_name(model) << ": " << fault << "\n";
      }
  }
  std::cout << problems << " problems, " << refused << " refused, " << solves << " solves from seed " << first << "\n";
  for (const auto& [kind, count] : faults) FAIL_CHECK(kind << ": " << count);
  CHECK(problems > 0);
}
