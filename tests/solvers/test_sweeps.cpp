#include <array>
#include <catch2/catch.hpp>

#include "cones/friction_cone.hpp"
#include "solvers/fixed_point/local_contact.hpp"
#include "solvers/fixed_point/sweep.hpp"
#include "support/bare_monitor.hpp"
#include "support/run_solver.hpp"
#include "support/small_problems.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

/// Projected Gauss–Seidel on the factored operator, contact by contact in their order.
class PlainSweeps {
 public:
  explicit PlainSweeps(const ContactProblem& problem, double lambda = 1.0)
      : lambda_(lambda),
        problem_(problem),
        N_(problem.factored()),
        v_(Vector::Zero(N_.padded_size())),
        gamma_(Vector::Zero(problem.rows())) {}

  void forward() {
    for (Index i = 0; i < problem_.constraints().count(); ++i) relax(i);
  }
  void backward() {
    for (Index i = problem_.constraints().count() - 1; i >= 0; --i) relax(i);
  }
  const Vector& impulse() const { return gamma_; }

 private:
  void relax(Index i) {
    const Vector3 old = gamma_.segment<3>(3 * i);
    const Vector3 u = N_.local_velocity<3>(i, v_.data(), old) + problem_.free_velocity().segment<3>(3 * i);
    const double step = 1.0 / stable_rate(N_.diagonal_block(i));
    Vector3 updated = project_friction_cone(Vector3(old - step * u), problem_.constraints().friction(i));
    if (lambda_ != 1.0) updated = lambda_ * updated + (1.0 - lambda_) * old;
    const Vector3 delta = updated - old;
    if (delta.isZero(0.0)) return;
    gamma_.segment<3>(3 * i) = updated;
    N_.add_impulse<3>(i, delta, v_.data());
  }

  double lambda_;
  const ContactProblem& problem_;
  const FactoredDelassus& N_;
  Vector v_, gamma_;
};

class Patience final : public BareMonitor {
 public:
  explicit Patience(int every = 1) : every_(every) {}
  bool go_on(const Iterate& iterate) override {
    if (calls_ % every_ == 0) impulse = iterate.impulse();
    return ++calls_ < 100;
  }

  Vector impulse;

 private:
  int every_, calls_ = 0;
};

}  // namespace

TEST_CASE("sweeps that change nothing go on from exact velocities and keep the shift") {
  const Vector3 shift(-0.5, 0.25, 0.0);
  for (const double mass : {2.0, 3.0, 5.0}) {
    CAPTURE(mass);
    const ContactProblem problem = point_mass(mass, {-1.0, 0.3, 0.0}, 1.0);
    Patience monitor;
    const Outcome outcome = make_solver("gauss_seidel")->prepare(problem, Model::ccp, monitor)->run({}, shift, monitor);
    Vector scratch, u;
    problem.local_velocity(outcome.impulse, scratch, u);
    CHECK((u + shift).cwiseAbs().maxCoeff() <= 1e-15);
  }
}

TEST_CASE("sweeps have the bits they have when every iterate is looked at where only the last one is, or the fifth") {
  const ContactProblem problem = random_problem(33, {30, 203});
  REQUIRE(problem.factored().contact_pairs());
  const auto last_of = [&](int every) {
    Patience monitor(every);
    const Outcome outcome =
        make_solver("gauss_seidel")->prepare(problem, Model::ccp, monitor)->run({}, Vector::Zero(problem.rows()), monitor);
    return std::pair(outcome.impulse, monitor.impulse);
  };
  const auto [impulse, shown] = last_of(1);
  CHECK(impulse == shown);  // that of the iterate the monitor said no to
  CHECK(last_of(5).first == impulse);
  CHECK(last_of(1000).first == impulse);
}

TEST_CASE("sweeps by groups have the bits of sweeps in the order of the contacts") {
  StopRule stop;
  stop.max_iterations = 6;
  stop.tolerance = 0.0;
  // With so many bodies that groups share none, with so few that all do, and between them; and with compliance.
  RandomShape soft{30, 203};
  soft.compliance = true;
  for (const RandomShape& shape : {RandomShape{150, 403}, RandomShape{30, 203}, RandomShape{6, 67}, soft}) {
    const ContactProblem problem = random_problem(31, shape);
    for (const auto& [order, lambda] :
         {std::pair("forward", 1.0), std::pair("symmetric", 1.0), std::pair("symmetric", 0.7)}) {
      CAPTURE(shape.bodies, order, lambda);
      PlainSweeps plain(problem, lambda);
      for (int sweep = 0; sweep < stop.max_iterations; ++sweep) {
        plain.forward();
        if (order == std::string("symmetric")) plain.backward();
      }
      const Result result =
          run(problem, {"gauss_seidel", Model::ccp, stop, {{"sweep", std::string(order)}, {"lambda", lambda}}});
      REQUIRE(result.iterations == stop.max_iterations);
      CHECK(result.impulse == plain.impulse());
    }
  }
}
