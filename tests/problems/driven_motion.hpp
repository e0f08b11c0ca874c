#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/status.hpp"
#include "problems/registry.hpp"
#include "tests/support/run_solver.hpp"

namespace ccp::testing {

/// The motion of a scene with some parameters changed.
inline std::unique_ptr<Motion> scene_in_time(const std::string& scene,
                                             std::initializer_list<std::pair<const char*, const char*>> settings = {},
                                             std::uint64_t seed = 1) {
  const auto made = make_scene(scene);
  for (const auto& [name, value] : settings) made->parameters().set_from_text(name, value);
  return made->motion(seed);
}

inline double fact(const Motion& motion, const std::string& name) {
  for (const MotionFact& known : motion.facts())
    if (known.name == name) return known.value;
  throw std::out_of_range(name);
}

inline bool knows(const Motion& motion, const std::string& name) {
  const std::vector<MotionFact> facts = motion.facts();
  return std::any_of(facts.begin(), facts.end(), [&](const MotionFact& known) { return known.name == name; });
}

/// Who moves a scene, and how exactly.
struct Driver {
  std::string solver = "ipm_qp";
  Model model = Model::ccp;
  double tolerance = 1e-8;  ///< of the relative residual
  int threads = 1;
};

/// What happened on the way.
struct Drive {
  std::vector<int> iterations;  ///< of each step
  std::vector<MotionProblem> problems;
  std::vector<Vector> impulses;
  double deepest_gap = 0.0;  ///< m
  double missed = 0.0;       ///< of motions that know it

  double mean_iterations() const {
    double sum = 0.0;
    for (const int count : iterations) sum += count;
    return sum / static_cast<double>(iterations.size());
  }
};

/// Moves a scene by a number of steps, each of them solved.
inline Drive drive(Motion& motion, int steps, const Driver& driver = {}) {
  StopRule stop;
  stop.measure = Measure::relative_residual;
  stop.tolerance = driver.tolerance;
  stop.max_iterations = 1000;
  Drive done;
  for (int n = 0; n < steps; ++n) {
    done.problems.push_back(motion.problem());
    const ContactProblem& problem = done.problems.back().problem;
    Result result;
    if (problem.rows() > 0) {
      result = run(problem, RunSpec{driver.solver, driver.model, stop, {}, driver.threads});
      INFO(driver.solver << " at step " << n << ": " << status_name(result.status) << ' ' << result.reason);
      REQUIRE(result.measures[measure_index(Measure::relative_residual)] <= driver.tolerance);
    }
    done.iterations.push_back(result.iterations);
    done.impulses.push_back(result.impulse);
    motion.advance(end_velocity(problem, result.impulse), result.impulse);
    done.deepest_gap = std::min(done.deepest_gap, fact(motion, "deepest_gap"));
    if (knows(motion, "missed")) done.missed += fact(motion, "missed");
  }
  return done;
}

}  // namespace ccp::testing
