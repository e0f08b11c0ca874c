#include <catch2/catch.hpp>
#include <cmath>

#include "core/error.hpp"
#include "problem/judge/judge.hpp"
#include "problem/motion.hpp"
#include "problems/registry.hpp"
#include "support/build_scene.hpp"
#include "support/run_solver.hpp"
#include "tests/problems/same_bytes.hpp"

using namespace ccp;
using ccp::testing::run;
using ccp::testing::RunSpec;

namespace {

struct State {
  double gap, along, up, spin;
  double slip() const { return along - spin; }  // radius 1 m
};

/// What the problem holds: gap from b, velocities from k, which has the weight's h·m·g taken off along z.
State state_of(const ContactProblem& problem, double h) {
  const GlobalForm& form = problem.global();
  return {form.b[0] * h, form.k[0], form.k[2] + h * 9.81, form.k[4] / 0.4};
}

State at(const char* time, const char* h, const char* model) {
  return state_of(build_scene("sliding_sphere", {{"time", time}, {"time_step", h}, {"stepping", model}}), std::stod(h));
}

}  // namespace

TEST_CASE("the sphere falls freely, then slides, then rolls") {
  for (const char* model : {"ccp", "ncp"}) {
    CAPTURE(model);
    const State start = at("0", "0.01", model);
    CHECK(start.gap == Approx(0.1));
    CHECK(start.along == 5.0);
    const State falling = at("0.1", "0.01", model);
    CHECK(falling.up == Approx(-0.981));
    CHECK(falling.gap == Approx(0.1 - 9.81 * 1e-4 * 55));  // Σ_1^10 k h² g
    const State sliding = at("0.3", "0.01", model);
    CHECK(sliding.slip() > 1.0);
    // Friction μ m g alone between 0.3 s and 0.4 s; the artefact's change of height adds little to the normal force.
    CHECK(sliding.along - at("0.4", "0.01", model).along == Approx(0.2 * 9.81 * 0.1).epsilon(0.1));
    for (const State& later : {sliding, at("0.6", "0.01", model), at("1", "0.01", model)})
      CHECK(later.along + 0.4 * later.spin == Approx(5.0));  // angular momentum about the line of contact
    const State rolling = at("1", "0.01", model);
    CHECK(std::abs(rolling.slip()) < 1e-12);
    CHECK(rolling.along == Approx(25.0 / 7.0));
    CHECK(std::abs(rolling.gap) < 1e-12);
  }
}

TEST_CASE("a sliding sphere hovers at h μ|u_T| under ccp and stays on the plane under ncp") {
  for (const char* h : {"0.01", "0.005", "0.0025"}) {
    CAPTURE(h);
    const State convex = at("0.3", h, "ccp"), coulomb = at("0.3", h, "ncp");
    CHECK(convex.gap == Approx(std::stod(h) * 0.2 * convex.slip()).epsilon(1e-12));
    CHECK(convex.gap > 0.2 * std::stod(h));
    CHECK(std::abs(coulomb.gap) < 1e-15);
  }
}

TEST_CASE("the steps of the scene solve the problems it yields") {
  for (const char* model : {"ccp", "ncp"})
    for (const int step : {0, 13, 14, 15, 30, 70, 75, 100}) {
      CAPTURE(model, step);
      const auto text = [](int n) { return std::to_string(0.01 * n); };
      const ContactProblem problem = build_scene("sliding_sphere", {{"time", text(step).c_str()}, {"stepping", model}});
      const State before = state_of(problem, 0.01), after = at(text(step + 1).c_str(), "0.01", model);
      // Impulses from the change of velocity; the friction turns the sphere, too.
      const Vector3 change(after.along - before.along, 0.0, after.up - before.up + 0.01 * 9.81);
      CHECK(after.spin - before.spin == Approx(-2.5 * change[0]).margin(1e-13));
      const Vector impulse = Eigen::MatrixXd(problem.global().D).topRows(3).transpose() * change;
      Judge judge(problem, model == std::string("ccp") ? Model::ccp : Model::ncp);
      CHECK(judge.evaluate(Measure::velocity_residual, {&impulse, nullptr}) < 1e-12);
    }
}

TEST_CASE("the sphere may go the other way, without friction, or not at all") {
  const auto build = [](const char* name, const char* value) {
    return build_scene("sliding_sphere", {{"time", "2"}, {name, value}});
  };
  CHECK(state_of(build("speed", "-5"), 0.01).along == Approx(-25.0 / 7.0));
  CHECK(state_of(build("friction", "0"), 0.01).along == Approx(5.0));
  CHECK(state_of(build("friction", "0"), 0.01).gap == Approx(0.0).margin(1e-14));
  CHECK(state_of(build("speed", "0"), 0.01).along == 0.0);
  CHECK(same_bytes(build("height", "0.2"), build("height", "0.2")));
  CHECK_THROWS_WITH(build("time_step", "1e-9"), Catch::Contains("expected at most 1e+07 steps"));
}

TEST_CASE("the sphere moves on as its own steps do, whoever solves them, and says how fast it goes and how high") {
  for (const char* model : {"ccp", "ncp"}) {
    CAPTURE(model);
    const auto scene = make_scene("sliding_sphere");
    for (const auto& [name, value] : {std::pair{"time", "0.3"}, {"stepping", model}})
      scene->parameters().set_from_text(name, value);
    const auto motion = scene->motion(1);
    RunSpec spec;
    spec.solver = "reference";
    spec.model = model == std::string("ccp") ? Model::ccp : Model::ncp;
    spec.stop = {Measure::relative_residual, 1e-13, true, 1000, 10.0};
    for (int step = 0; step < 10; ++step) {
      const ContactProblem problem = motion->problem().problem;
      const Vector impulse = run(problem, spec).impulse;
      motion->advance(end_velocity(problem, impulse), impulse);
    }
    const State expected = at("0.4", "0.01", model);
    for (const MotionFact& fact : motion->facts()) {
      if (fact.name == "along") CHECK(fact.value == Approx(expected.along).epsilon(1e-11));
      if (fact.name == "hover") CHECK(fact.value == Approx(expected.gap).margin(1e-12));
    }
    CHECK(motion->facts().back().name == "hover");
  }
}
