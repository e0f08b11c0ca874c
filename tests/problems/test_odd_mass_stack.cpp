#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "problem/judge/judge.hpp"
#include "problems/registry.hpp"
#include "problems/scenes/odd_mass_stack.hpp"

using namespace ccp;

namespace {

using Settings = std::vector<std::pair<std::string, FieldValue>>;

ContactProblem build(const Settings& settings, std::uint64_t seed = 1) {
  const auto scene = make_scene("odd_mass_stack");
  for (const auto& [name, value] : settings) scene->parameters().set(name, value);
  return scene->build(seed);
}

/// Masses as the parameters say, from the floor up, the lone sphere last.
std::vector<double> masses(const OddMassStack::Parameters& p) {
  std::vector<double> list;
  for (int i = 1; i <= p.spheres; ++i) list.push_back(i == p.heavy_index ? p.heavy_mass : p.mass);
  if (p.lone_mass > 0.0) list.push_back(p.lone_mass);
  return list;
}

/// Each contact of the column carries the weight above it, times h (TEST 1.A).
Vector weights_above(const OddMassStack::Parameters& p) {
  const std::vector<double> mass = masses(p);
  Vector impulse = Vector::Zero(static_cast<Index>(3 * mass.size()));
  double above = 0.0;
  for (int i = p.spheres; i >= 1; --i) {
    above += mass[static_cast<std::size_t>(i - 1)];
    impulse[3 * (i - 1)] = p.time_step * p.gravity * above;
  }
  if (p.lone_mass > 0.0) impulse[3 * p.spheres] = p.time_step * p.gravity * p.lone_mass;
  return impulse;
}

/// TEST 1.B, when the pull exceeds the weight of the heavy sphere and of all above it: those leave together with the
/// velocity V = h g ((lift − 1) M − m_above)/(M + m_above); a contact above the heavy sphere accelerates the mass over it to
/// V against gravity, a contact below the gap carries the weight up to the gap, the contact at the gap nothing.
struct Lifted {
  double velocity = 0.0;
  Vector impulse;
};
Lifted lifted_solution(const OddMassStack::Parameters& p) {
  const double above_heavy = p.mass * (p.spheres - p.heavy_index);
  const double g_h = p.gravity * p.time_step;
  Lifted solution;
  solution.velocity = g_h * ((p.lift_factor - 1.0) * p.heavy_mass - above_heavy) / (p.heavy_mass + above_heavy);
  solution.impulse = Vector::Zero(3 * (p.spheres + (p.lone_mass > 0.0 ? 1 : 0)));
  for (int i = 1; i <= p.spheres; ++i) {
    if (i < p.heavy_index) solution.impulse[3 * (i - 1)] = g_h * p.mass * (p.heavy_index - i);
    if (i > p.heavy_index) solution.impulse[3 * (i - 1)] = (solution.velocity + g_h) * p.mass * (p.spheres - i + 1);
  }
  if (p.lone_mass > 0.0) solution.impulse[3 * p.spheres] = g_h * p.lone_mass;
  return solution;
}

/// Every measure that vanishes at a solution, relative to its own scale.
void check_solution(const ContactProblem& problem, const Vector& impulse, const Vector& velocity) {
  for (const Model model : {Model::ccp, Model::ncp}) {
    CAPTURE(model_name(model));
    Judge judge(problem, model);
    const Point point{&impulse, &velocity};
    const double energy = std::abs(judge.evaluate(Measure::objective, point));
    const double momentum = problem.global().k.cwiseAbs().maxCoeff();
    CHECK(judge.initial_residual() > 0.01);
    CHECK(judge.evaluate(Measure::velocity_residual, point) <= 1e-12 * judge.initial_residual());
    CHECK(judge.evaluate(Measure::relative_residual, point) <= 1e-12);
    CHECK(judge.evaluate(Measure::natural_map, point) <= 1e-12);
    CHECK(judge.evaluate(Measure::penetration_velocity, point) <= 1e-12);
    CHECK(judge.evaluate(Measure::cone_violation, point) == 0.0);
    CHECK(judge.evaluate(Measure::complementarity, point) <= 1e-12 * energy);
    CHECK(judge.evaluate(Measure::momentum_residual, point) <= 1e-12 * momentum);
    CHECK(judge.evaluate(Measure::apgd_residual, point) <= 1e-12);
    CHECK(judge.evaluate(Measure::contact_residual, point) <= 1e-12);
    CHECK(judge.evaluate(Measure::merit, point) <= 1e-12);
    CHECK(judge.evaluate(Measure::rounding_floor, point) < 1e-12);
  }
}

void check_resting(const OddMassStack::Parameters& p, const Settings& settings) {
  const ContactProblem problem = build(settings);
  const GlobalForm& form = problem.global();
  const Vector impulse = weights_above(p);
  REQUIRE(impulse.size() == problem.rows());
  const Vector momentum = form.k + form.D * impulse;  // H v
  CHECK(momentum.cwiseAbs().maxCoeff() <= 1e-14 * impulse.cwiseAbs().maxCoeff());
  check_solution(problem, impulse, Vector::Zero(problem.dofs()));
}

}  // namespace

TEST_CASE("the stack of TEST 1.A has the sizes and the mass matrix of 21 free spheres") {
  const ContactProblem problem = build({});
  CHECK(problem.name() == "odd_mass_stack");
  CHECK(problem.given_global());
  CHECK(problem.dofs() == 126);
  CHECK(problem.rows() == 63);
  CHECK(problem.constraints().count(ConstraintKind::contact) == 21);
  for (Index i = 0; i < 21; ++i) CHECK(problem.constraints().friction(i) == 0.4);

  const GlobalForm& form = problem.global();
  CHECK(form.C.nonZeros() == 0);
  CHECK(form.b == Vector::Zero(63));
  REQUIRE(form.H.nonZeros() == 126);
  const std::vector<double> mass = masses({});
  CHECK(mass[9] == 10000.0);
  for (Index body = 0; body < 21; ++body)
    for (Index dof = 0; dof < 6; ++dof) {
      const double m = mass[static_cast<std::size_t>(body)];
      CHECK(form.H.coeff(6 * body + dof, 6 * body + dof) == Approx(dof < 3 ? m : 0.4 * m * 0.25).epsilon(1e-15));
      CHECK(form.k[6 * body + dof] == Approx(dof == 2 ? -0.01 * 9.8 * m : 0.0).epsilon(1e-15));
    }
  CHECK(problem.has_factored());
}

TEST_CASE("a gap may close before a contact of the stack carries") {
  const ContactProblem apart = build({{"gap", 1e-4}, {"time_step", 0.02}}), touching = build({{"time_step", 0.02}});
  for (Index i = 0; i < 21; ++i) CHECK(apart.global().b.segment<3>(3 * i) == Vector3(1e-4 / 0.02, 0.0, 0.0));
  CHECK(DenseMatrix(apart.global().D) == DenseMatrix(touching.global().D));
  CHECK(apart.global().k == touching.global().k);
  CHECK_THROWS_AS(build({{"gap", -1e-4}}), InputError);
}

TEST_CASE("the Jacobian gives the relative velocity of the two touching points") {
  const ContactProblem problem = build({{"spheres", std::int64_t{3}}, {"heavy_index", std::int64_t{2}}, {"radius", 0.3}});
  const SparseMatrix& D = problem.global().D;
  Vector v(problem.dofs());
  for (Index i = 0; i < v.size(); ++i) v[i] = static_cast<double>((7 * i) % 11) - 5.0;
  const Vector u = D.transpose() * v;

  const auto surface_velocity = [&](Index body, double arm) {  // of the point at height arm over the centre
    const Vector3 linear = v.segment<3>(6 * body), angular = v.segment<3>(6 * body + 3);
    return Vector3(linear[0] + angular[1] * arm, linear[1] - angular[0] * arm, linear[2]);
  };
  for (Index body = 0; body < 4; ++body) {
    CAPTURE(body);
    const bool on_floor = body == 0 || body == 3;
    const Vector3 lower = on_floor ? Vector3::Zero().eval() : surface_velocity(body - 1, 0.3);
    const Vector3 relative = surface_velocity(body, -0.3) - lower;
    CHECK(u[3 * body] == Approx(relative[2]).margin(1e-14));
    CHECK(u[3 * body + 1] == Approx(relative[0]).margin(1e-14));
    CHECK(u[3 * body + 2] == Approx(relative[1]).margin(1e-14));
  }
}

TEST_CASE("TEST 1.A: every contact carries the weight above it and nothing moves") { check_resting({}, {}); }

TEST_CASE("the resting solution holds for other columns") {
  SECTION("one sphere") {
    OddMassStack::Parameters p;
    p.spheres = 1;
    p.heavy_index = 0;
    check_resting(p, {{"spheres", std::int64_t{1}}, {"heavy_index", std::int64_t{0}}});
  }
  SECTION("one sphere, the heavy one, and no other") {
    OddMassStack::Parameters p;
    p.spheres = p.heavy_index = 1;
    p.lone_mass = 0.0;
    check_resting(p, {{"spheres", std::int64_t{1}}, {"heavy_index", std::int64_t{1}}, {"lone_mass", 0.0}});
    CHECK(build({{"spheres", std::int64_t{1}}, {"heavy_index", std::int64_t{1}}, {"lone_mass", 0.0}}).rows() == 3);
  }
  SECTION("no lone sphere") {
    OddMassStack::Parameters p;
    p.lone_mass = 0.0;
    check_resting(p, {{"lone_mass", 0.0}});
  }
  SECTION("no heavy sphere") {
    OddMassStack::Parameters p;
    p.heavy_index = 0;
    check_resting(p, {{"heavy_index", std::int64_t{0}}});
  }
  SECTION("frictionless, other masses, step and gravity") {
    OddMassStack::Parameters p;
    p.mass = 2.0;
    p.heavy_mass = 500.0;
    p.gravity = 1.6;
    p.time_step = 0.1;
    check_resting(p, {{"mass", 2.0}, {"heavy_mass", 500.0}, {"gravity", 1.6}, {"time_step", 0.1}, {"friction", 0.0}});
  }
}

TEST_CASE("TEST 1.B: the contact under the heavy sphere opens") {
  OddMassStack::Parameters p;
  p.lift_factor = 2.0;
  const ContactProblem problem = build({{"lift_factor", 2.0}});
  const Lifted exact = lifted_solution(p);
  CHECK(exact.velocity == Approx(0.01 * 9.8 * 9900.0 / 10100.0).epsilon(1e-15));
  REQUIRE(exact.impulse.size() == problem.rows());
  CHECK(exact.impulse[3 * 9] == 0.0);

  Vector velocity = Vector::Zero(problem.dofs());
  for (int i = p.heavy_index; i <= p.spheres; ++i) velocity[6 * (i - 1) + 2] = exact.velocity;
  check_solution(problem, exact.impulse, velocity);

  Judge judge(problem, Model::ccp);
  judge.evaluate(Measure::velocity_residual, {&exact.impulse, nullptr});
  for (Index row = 0; row < problem.rows(); ++row) {
    CAPTURE(row);
    CHECK(judge.local_velocity()[row] == Approx(row == 3 * 9 ? exact.velocity : 0.0).margin(1e-14));
  }
}

TEST_CASE("lifting the lowest and the highest sphere opens their lower contacts") {
  for (const int index : {1, 4}) {
    CAPTURE(index);
    OddMassStack::Parameters p;
    p.spheres = 4;
    p.heavy_index = index;
    p.lift_factor = 1.5;
    const ContactProblem problem =
        build({{"spheres", std::int64_t{4}}, {"heavy_index", std::int64_t{index}}, {"lift_factor", 1.5}});
    const Lifted exact = lifted_solution(p);
    CHECK(exact.velocity > 0.0);
    Vector velocity = Vector::Zero(problem.dofs());
    for (int i = index; i <= 4; ++i) velocity[6 * (i - 1) + 2] = exact.velocity;
    check_solution(problem, exact.impulse, velocity);
  }
}

TEST_CASE("the weights of TEST 1.A do not solve TEST 1.B") {
  const ContactProblem problem = build({{"lift_factor", 2.0}});
  const Vector impulse = weights_above({});
  for (const Model model : {Model::ccp, Model::ncp})
    CHECK(Judge(problem, model).evaluate(Measure::relative_residual, {&impulse, nullptr}) > 0.1);
}

TEST_CASE("the same parameters give the same bytes, whatever the seed") {
  const ContactProblem first = build({{"lift_factor", 2.0}}, 1), second = build({{"lift_factor", 2.0}}, 99);
  const auto same = [](const SparseMatrix& a, const SparseMatrix& b) {
    REQUIRE(a.nonZeros() == b.nonZeros());
    return std::equal(a.valuePtr(), a.valuePtr() + a.nonZeros(), b.valuePtr()) &&
           std::equal(a.innerIndexPtr(), a.innerIndexPtr() + a.nonZeros(), b.innerIndexPtr()) &&
           std::equal(a.outerIndexPtr(), a.outerIndexPtr() + a.outerSize() + 1, b.outerIndexPtr());
  };
  CHECK(same(first.global().H, second.global().H));
  CHECK(same(first.global().D, second.global().D));
  CHECK(first.global().k == second.global().k);
  CHECK(first.global().b == second.global().b);
  CHECK(first.constraints() == second.constraints());
}

TEST_CASE("parameters out of range are refused") {
  CHECK_THROWS_WITH(build({{"spheres", std::int64_t{0}}}), Catch::Contains("'spheres' is 0, expected a value in [1, "));
  CHECK_THROWS_WITH(build({{"spheres", 2.5}}), Catch::Contains("a whole number"));
  CHECK_THROWS_WITH(build({{"mass", 0.0}}), Catch::Contains("'mass' is 0"));
  CHECK_THROWS_WITH(build({{"heavy_mass", -1.0}}), Catch::Contains("'heavy_mass' is -1"));
  CHECK_THROWS_WITH(build({{"lone_mass", -1.0}}), Catch::Contains("'lone_mass' is -1"));
  CHECK_THROWS_WITH(build({{"friction", -0.1}}), Catch::Contains("'friction' is -0.1"));
  CHECK_THROWS_WITH(build({{"time_step", 0.0}}), Catch::Contains("'time_step' is 0"));
  CHECK_THROWS_WITH(build({{"radius", 0.0}}), Catch::Contains("'radius' is 0"));
  CHECK_THROWS_WITH(build({{"gravity", -9.8}}), Catch::Contains("'gravity' is -9.8"));
  CHECK_THROWS_WITH(build({{"heavy_index", std::int64_t{-1}}}), Catch::Contains("'heavy_index' is -1"));
  CHECK_THROWS_WITH(build({{"heavy_indx", std::int64_t{1}}}), Catch::Contains("did you mean 'heavy_index'?"));
}

TEST_CASE("parameters that contradict each other are refused by check() and build()") {
  const auto scene = make_scene("odd_mass_stack");
  CHECK_FALSE(scene->check().has_value());
  scene->parameters().set("spheres", std::int64_t{9});
  REQUIRE(scene->check().has_value());
  CHECK_THROWS_WITH(scene->build(1), "'heavy_index' is 10, expected at most 'spheres', which is 9");
  CHECK_THROWS_AS(scene->build(1), InputError);
  scene->parameters().set("heavy_index", std::int64_t{0});
  CHECK_FALSE(scene->check().has_value());
  scene->parameters().set("lift_factor", 2.0);
  CHECK_THROWS_WITH(scene->build(1), Catch::Contains("expected 'heavy_index' >= 1"));
}
