#include <Eigen/LU>
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "support/build_scene.hpp"
#include "support/run_solver.hpp"
#include "support/small_problems.hpp"

/// Problems whose H is not symmetric (A.6): who takes them, and that all of those find the same solution.
using namespace ccp;
using namespace ccp::testing;

namespace {

/// One body that spins in a corner of three contacts, whose impulses hold it where it is: γ = −N⁻¹r, inside all cones.
struct Held {
  ContactProblem problem;
  Vector impulse;
};

Held held_body() {
  RandomShape shape{3, 2};
  shape.skew = 2.0;
  shape.mu = 0.8;
  const ContactProblem free = random_problem(61, shape);
  const GlobalForm& form = free.global();
  Vector wanted(free.rows());
  for (Index i = 0; i < free.constraints().count(); ++i)
    wanted.segment<3>(3 * i) << 1.0 + 0.1 * static_cast<double>(i), 0.3, -0.2;
  ProblemBuilder builder("held");
  builder.global(form.H, -(form.D * wanted), form.D, Vector::Zero(free.rows())).constraints(free.constraints());
  return {builder.build(), wanted};
}

Vector velocity_of(const ContactProblem& problem, const Vector& impulse) {
  Vector v, u;
  problem.local_velocity(impulse, v, u);
  return u;
}

}  // namespace

TEST_CASE("the methods that take an unsymmetric H") {
  const ContactProblem problem = held_body().problem;
  std::vector<std::string> able;
  for (const std::string& name : solver_names()) {
    const auto solver = make_solver(name);
    const auto reason = solver->supports(problem, Model::ncp);
    if (solver->info().unsymmetric_mass) able.push_back(name);
    if (!solver->info().unsymmetric_mass && solver->native(Model::ccp))
      CHECK(reason.value_or("") ==
            name + " needs a symmetric H; this one is off by " + reason->substr(reason->rfind(' ') + 1));
  }
  std::sort(able.begin(), able.end());
  CHECK(able == std::vector<std::string>{"admm", "admm_chrono", "admm_pinocchio", "fadmm", "ipm_cone", "ipm_qp",
                                         "nonsmooth_ipm", "nonsmooth_ipm_series", "nsgs", "pgs_lee", "pqn",
                                         "proximal_newton", "reference", "semismooth_newton"});
}

TEST_CASE("a body that the contacts hold: all methods find the impulses on paper") {
  const Held held = held_body();
  const DenseMatrix N(held.problem.local().N);
  REQUIRE((N - N.transpose()).cwiseAbs().maxCoeff() > 1e-2 * N.cwiseAbs().maxCoeff());
  StopRule stop;
  stop.tolerance = 1e-11;
  stop.max_iterations = 50000;
  for (const std::string& name : solver_names())
    for (const Model model : {Model::ccp, Model::ncp}) {
      const RunSpec spec{name, model, stop};
      if (configured(spec)->supports(held.problem, model)) continue;
      CAPTURE(name, model_name(model));
      const Result result = run(held.problem, spec);
      CHECK(result.status == Status::solved);
      CHECK((result.impulse - held.impulse).cwiseAbs().maxCoeff() <= 1e-8);
    }
}

TEST_CASE("all methods find the one velocity of a problem with an unsymmetric H") {
  const ContactProblem problem = build_scene("spinning_contacts", {{"contacts", "5"}, {"spin", "60"}});
  REQUIRE(problem.mass_asymmetry() > 0.1);
  StopRule stop;
  stop.tolerance = 1e-9;
  stop.max_iterations = 100000;
  for (const Model model : {Model::ccp, Model::ncp}) {
    Vector u;
    for (const std::string& name : solver_names()) {
      const RunSpec spec{name, model, stop};
      if (configured(spec)->supports(problem, model)) continue;
      CAPTURE(name, model_name(model));
      const Result result = run(problem, spec);
      CHECK(result.status == Status::solved);
      const Vector own = velocity_of(problem, result.impulse);
      if (u.size() == 0) u = own;
      CHECK((own - u).cwiseAbs().maxCoeff() <= 1e-8);
    }
  }
}

TEST_CASE("the forms of the ADMM system give the same iterates with an unsymmetric H") {
  RandomShape shape{6, 2, 2, 2, 2};
  shape.skew = 2.0;
  shape.compliance = true;
  const ContactProblem problem = random_problem(62, shape);
  StopRule stop;
  stop.tolerance = 0.0;
  stop.max_iterations = 12;
  for (const char* name : {"admm", "fadmm"}) {
    Vector saddle;
    for (const char* form : {"saddle", "normal", "schur"}) {
      CAPTURE(name, form);
      const RunSpec spec{name, Model::ccp, stop, {{"linear_system", std::string(form)}, {"rho_bilateral", 1e-4}}};
      const Vector impulse = run(problem, spec).impulse;
      if (saddle.size() == 0) saddle = impulse;
      CHECK((impulse - saddle).cwiseAbs().maxCoeff() <= 1e-9 * saddle.cwiseAbs().maxCoeff());
    }
  }
}

TEST_CASE("the first ADMM iterate with an unsymmetric H is that of (G.1) by a dense LU") {
  RandomShape shape{4, 4};
  shape.skew = 2.0;
  const ContactProblem problem = random_problem(63, shape);
  const GlobalForm& form = problem.global();
  const Index n = problem.dofs(), m = problem.rows();
  const double rho = 0.3;
  DenseMatrix A(n + m, n + m);
  A << DenseMatrix(form.H), DenseMatrix(form.D), DenseMatrix(form.D.transpose()), -rho * DenseMatrix::Identity(m, m);
  Vector rhs(n + m);
  rhs << form.k, -form.b;
  const Vector solution = A.fullPivLu().solve(rhs);
  StopRule stop;
  stop.tolerance = 0.0;
  stop.max_iterations = 1;
  const Result result = run(problem, {"admm", Model::ccp, stop, {{"rho", rho}, {"hands_out", std::string("gamma")}}});
  CHECK((result.impulse + solution.tail(m)).cwiseAbs().maxCoeff() <= 1e-13 * solution.cwiseAbs().maxCoeff());
  CHECK((result.velocity - solution.head(n)).cwiseAbs().maxCoeff() <= 1e-13 * solution.cwiseAbs().maxCoeff());
}

TEST_CASE("what cannot factorise an unsymmetric system says so") {
  const ContactProblem problem = held_body().problem;
  const auto reason = [&](const char* name, const char* setting, const char* value) {
    return configured({name, Model::ccp, {}, {{setting, std::string(value)}}})->supports(problem, Model::ccp).value_or("");
  };
  CHECK(reason("admm", "linear_solver", "cholmod") ==
        "linear_solver 'cholmod' cannot factorise the saddle system, which is unsymmetric");
  CHECK(reason("ipm_cone", "linear_solver", "eigen_ldlt") ==
        "linear_solver 'eigen_ldlt' cannot factorise the saddle system, which is unsymmetric");
  CHECK(reason("ipm_cone", "linear_system", "normal") ==
        "linear_system = normal needs a symmetric H; saddle takes this one");
  CHECK(reason("proximal_newton", "linear_system", "velocity") ==
        "linear_system = velocity needs a problem in global form with a symmetric, block-diagonal H");
}
