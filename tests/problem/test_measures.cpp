#include <catch2/catch.hpp>
#include <cmath>

#include "problem/judge/judge.hpp"
#include "support/small_problems.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

struct Case {
  std::string name;
  ContactProblem problem;
  Model model;
  Vector solution;
  Vector local_velocity;
};

/// One mass of 2 kg on the floor, worked by hand: u = γ/2 + r.
std::vector<Case> hand_worked() {
  const double m = 2.0;
  std::vector<Case> cases;
  for (const Model model : {Model::ccp, Model::ncp}) {
    cases.push_back({"open", point_mass(m, {1.0, 0.5, -0.5}, 0.4), model, Vector3::Zero(), Vector3(1.0, 0.5, -0.5)});
    cases.push_back({"stick", point_mass(m, {-1.0, 0.1, -0.2}, 0.4), model, Vector3(2.0, -0.2, 0.4), Vector3::Zero()});
    cases.push_back(
        {"frictionless", point_mass(m, {-1.0, 3.0, 0.0}, 0.0), model, Vector3(2.0, 0.0, 0.0), Vector3(0.0, 3.0, 0.0)});
    cases.push_back(
        {"huge friction", point_mass(m, {-1.0, 300.0, 0.0}, 1e8), model, Vector3(2.0, -600.0, 0.0), Vector3::Zero()});
    cases.push_back({"redundant", redundant_point_mass(m, {-1.0, 0.1, 0.0}, 0.4, 2), model,
                     (Vector(6) << 0.5, -0.15, 0.0, 1.5, -0.05, 0.0).finished(), Vector::Zero(6)});
  }
  // Slip under r = (−1, 2, 0). Coulomb: the normal impulse stops the fall, friction μ times that. Convex: the projection of
  // −m r.
  cases.push_back(
      {"slip", point_mass(m, {-1.0, 2.0, 0.0}, 0.4), Model::ncp, Vector3(2.0, -0.8, 0.0), Vector3(0.0, 1.6, 0.0)});
  const double normal = m * (1.0 + 0.8) / 1.16;
  cases.push_back({"slip", point_mass(m, {-1.0, 2.0, 0.0}, 0.4), Model::ccp, Vector3(normal, -0.4 * normal, 0.0),
                   Vector3(normal / m - 1.0, 2.0 - 0.4 * normal / m, 0.0)});
  return cases;
}

double measure(Judge& judge, Measure which, const Vector& gamma) { return judge.evaluate(which, {&gamma, nullptr}); }

}  // namespace

TEST_CASE("all residuals vanish on hand-worked solutions, in both forms") {
  for (const Case& c : hand_worked()) {
    for (const bool local : {false, true}) {
      CAPTURE(c.name, model_name(c.model), local);
      Judge judge(local ? as_local(c.problem) : c.problem, c.model);
      const Vector v =
          c.problem.mass().block_diagonal() && c.name != "redundant" ? c.local_velocity : Vector(Vector3::Zero());
      const Measures all = judge.evaluate(all_measures(), {&c.solution, local ? nullptr : &v});
      const double scale = std::max(1.0, c.solution.norm());
      for (const Measure which :
           {Measure::velocity_residual, Measure::relative_residual, Measure::natural_map, Measure::contact_residual,
            Measure::merit, Measure::penetration_velocity, Measure::cone_violation, Measure::complementarity})
        CHECK(all[measure_index(which)] <= 1e-12 * scale);
      CHECK(all[measure_index(Measure::apgd_residual)] <= 1e-8 * scale);  // 1e-6 in its step costs six digits
      if (!local) CHECK(all[measure_index(Measure::momentum_residual)] <= 1e-12 * scale);
      if (local) CHECK(std::isnan(all[measure_index(Measure::momentum_residual)]));
      CHECK((judge.local_velocity() - c.local_velocity).cwiseAbs().maxCoeff() <= 1e-13 * scale);
      CHECK(std::isnan(all[measure_index(Measure::distance)]));
    }
  }
}

TEST_CASE("a perturbation of the impulse shows in every residual") {
  for (const Case& c : hand_worked()) {
    CAPTURE(c.name, model_name(c.model));
    Judge judge(c.problem, c.model);
    Vector inside = c.solution;
    inside[0] += 0.1;  // along the axis: stays in the cone
    for (const Measure which : {Measure::velocity_residual, Measure::relative_residual, Measure::natural_map,
                                Measure::contact_residual, Measure::merit, Measure::apgd_residual, Measure::complementarity})
      if (which != Measure::complementarity || c.name == "open") {
        CAPTURE(measure_info(which).name);
        CHECK(measure(judge, which, inside) > 1e-9);
      }
    Vector outside = c.solution;
    outside[0] = -0.5;
    CHECK(measure(judge, Measure::cone_violation, outside) >= 0.5);
    const Vector v = Vector3(0.25, 0.0, 0.0) + c.local_velocity.head<3>();
    CHECK(judge.evaluate(Measure::momentum_residual, {&c.solution, &v}) > 0.1);
  }
}

TEST_CASE("values worked by hand away from a solution") {
  // m = 2, r = (−1, 2, 0), μ = 0.4, γ = (1, 0, 0): u = (−0.5, 2, 0), N = I/2, ρ = 2.
  const ContactProblem problem = point_mass(2.0, {-1.0, 2.0, 0.0}, 0.4);
  const Vector gamma = Vector3(1.0, 0.0, 0.0);
  Judge convex(problem, Model::ccp), coulomb(problem, Model::ncp);
  // ccp: γ − ρ u = (2, −4, 0) -> t = 4 > 0.8: γ_n = (2 + 1.6)/1.16, γ_t = 0.4 γ_n.
  const double n = 3.6 / 1.16;
  CHECK(measure(convex, Measure::velocity_residual, gamma) == Approx(std::hypot(1.0 - n, 0.4 * n) / 2.0));
  // ncp: û = (−0.5 + 0.8, 2, 0): γ − ρ û = (0.4, −4, 0) -> γ_n = (0.4 + 1.6)/1.16.
  const double c = 2.0 / 1.16;
  CHECK(measure(coulomb, Measure::velocity_residual, gamma) == Approx(std::hypot(1.0 - c, 0.4 * c) / 2.0));
  // Natural map, ρ = 1: ccp (1.5, −2, 0) -> (2.3/1.16)(1, −0.4); scale max(|r| = √5, 1, |u|).
  const double w = 2.3 / 1.16;
  CHECK(measure(convex, Measure::natural_map, gamma) == Approx(std::hypot(1.0 - w, 0.4 * w) / std::sqrt(5.0)));
  // ncp: û_n = 0.3: (0.7, −2, 0) -> (1.5/1.16)(1, −0.4).
  const double z = 1.5 / 1.16;
  CHECK(measure(coulomb, Measure::natural_map, gamma) == Approx(std::hypot(1.0 - z, 0.4 * z) / std::sqrt(5.0)));
  CHECK(measure(convex, Measure::objective, gamma) == Approx(0.5 * 0.5 - 1.0));
  CHECK(measure(convex, Measure::penetration_velocity, gamma) == Approx(0.5));
  CHECK(measure(convex, Measure::complementarity, gamma) == Approx(0.5));
  CHECK(measure(coulomb, Measure::complementarity, gamma) == Approx(0.3));
  CHECK(measure(convex, Measure::cone_violation, gamma) == 0.0);
  // Strict: γ − u = (1.5, −2, 0) -> (1.5, −0.6, 0).
  CHECK(measure(coulomb, Measure::contact_residual, gamma) == Approx(std::hypot(0.5, 0.6)));
  CHECK(measure(convex, Measure::contact_residual, gamma) == Approx(std::hypot(1.0 - w, 0.4 * w)));
  // Koziara: C = γ − Π(γ − û), N⁻¹ = 2 I on both sides.
  CHECK(measure(coulomb, Measure::merit, gamma) == Approx(((1.0 - z) * (1.0 - z) + 0.16 * z * z) / 5.0));
  CHECK(measure(convex, Measure::rounding_floor, gamma) == Approx(std::numeric_limits<double>::epsilon() * 2.0));
  convex.set_reference(Vector3(0.0, 1.0, 0.0));
  CHECK(measure(convex, Measure::distance, gamma) == Approx(1.0));
  // Mazhar eq. 25 with g_d = 1e-6: γ − g u stays inside the cone? (1 + 5e-7, −2e-6, 0): inside, so |g u|/(3 g) = |u|/3.
  CHECK(measure(convex, Measure::apgd_residual, gamma) == Approx(std::hypot(0.5, 2.0) / 3.0).epsilon(1e-6));
  // relative: at γ = 0, u = r.
  const Vector zero = Vector3::Zero();
  CHECK(measure(convex, Measure::relative_residual, zero) == Approx(1.0));
  CHECK(measure(convex, Measure::relative_residual, gamma) ==
        Approx(measure(convex, Measure::velocity_residual, gamma) / convex.initial_residual()));
}

TEST_CASE("the objective is that of the projected impulse") {
  const ContactProblem problem = point_mass(2.0, {-1.0, 0.0, 0.0}, 0.5);
  Judge judge(problem, Model::ccp);
  const Vector outside = Vector3(1.0, 5.0, 0.0);  // projects to 2.8 (1, 0.5, 0)
  const double n = (1.0 + 2.5) / 1.25;
  CHECK(measure(judge, Measure::objective, outside) == Approx(0.25 * n * n * 1.25 - n));
}

TEST_CASE("velocity_residual does not depend on units of mass") {
  const Vector3 r(-1.0, 2.0, 0.5);
  const Vector gamma = Vector3(0.7, 0.1, -0.2);
  for (const Model model : {Model::ccp, Model::ncp}) {
    Judge light(point_mass(1.0, r, 0.3), model), heavy(point_mass(1000.0, r, 0.3), model);
    CHECK(measure(heavy, Measure::velocity_residual, 1000.0 * gamma) ==
          Approx(measure(light, Measure::velocity_residual, gamma)));
  }
}

TEST_CASE("a solved start has relative residual zero and an empty problem is solved") {
  Judge open(point_mass(2.0, {1.0, 0.0, 0.0}, 0.4), Model::ncp);
  const Vector zero = Vector3::Zero();
  CHECK(measure(open, Measure::relative_residual, zero) == 0.0);
  ProblemBuilder builder("empty");
  builder.global(diagonal(Vector3::Ones()), Vector3::Ones(), SparseMatrix(3, 0), Vector(0));
  const ContactProblem problem = builder.build();
  for (const Model model : {Model::ccp, Model::ncp}) {
    Judge judge(problem, model);
    const Vector none(0);
    const Measures all = judge.evaluate(all_measures(), {&none, nullptr});
    for (const Measure which : all_measures())
      if (which != Measure::momentum_residual && which != Measure::distance) CHECK(all[measure_index(which)] == 0.0);
  }
}

TEST_CASE("a defect in the null space of N_ii shows in merit") {
  // A unilateral row that no body answers to: u = b = −1 whatever γ is.
  ProblemBuilder builder;
  builder.global(diagonal(Vector::Ones(1)), Vector::Zero(1), SparseMatrix(1, 1), Vector::Constant(1, -1.0));
  Judge judge(builder.unilateral().build(), Model::ccp);
  const Vector gamma = Vector::Constant(1, 2.0);
  CHECK(measure(judge, Measure::merit, gamma) == Approx(1.0));
  CHECK(measure(judge, Measure::velocity_residual, gamma) == Approx(1.0));
}

TEST_CASE("contact_residual is over the contacts, joints not among them") {
  // A contact and two joints, each with a defect of its own.
  ProblemBuilder builder("jointed");
  const Index n = 5;
  builder.global(diagonal(Vector::Ones(n)), (Vector(n) << -1.0, 0.0, 0.0, 3.0, 4.0).finished(),
                 sparse(DenseMatrix::Identity(n, n)), Vector::Zero(n));
  const ContactProblem problem = builder.contact(0.4).bilateral().bilateral().build();
  Judge judge(problem, Model::ncp);
  const Vector solved = (Vector(n) << 1.0, 0.0, 0.0, -3.0, -4.0).finished();
  CHECK(measure(judge, Measure::contact_residual, solved) <= 1e-15);
  const Vector joints = (Vector(n) << 1.0, 0.0, 0.0, 0.0, 0.0).finished();
  CHECK(measure(judge, Measure::contact_residual, joints) == Approx(5.0));  // ‖(3, 4)‖ over one contact
}

TEST_CASE("the penetration of a method's own velocity is that of its v, and that of its impulse without one") {
  // u of v is Dᵀv + C γ + b, whatever γ makes of v.
  ProblemBuilder builder("soft");
  builder.global(diagonal(Vector3::Constant(2.0)), Vector3(-2.0, 0.0, 0.0), sparse(DenseMatrix::Identity(3, 3)),
                 Vector3(0.125, 0.0, 0.0));
  Judge judge(builder.contact(0.4).compliance(sparse(0.25 * DenseMatrix::Identity(3, 3))).build(), Model::ccp);
  const Vector gamma = Vector3(1.0, 0.0, 0.0), sinking = Vector3(-3.0, 5.0, 5.0), rising = Vector3(0.5, 0.0, 0.0);
  CHECK(measure(judge, Measure::own_penetration_velocity, gamma) == measure(judge, Measure::penetration_velocity, gamma));
  CHECK(measure(judge, Measure::penetration_velocity, gamma) == Approx(1.0 - 0.5 - 0.25 - 0.125));
  CHECK(judge.evaluate(Measure::own_penetration_velocity, {&gamma, &sinking}) == Approx(3.0 - 0.25 - 0.125));
  CHECK(judge.evaluate(Measure::own_penetration_velocity, {&gamma, &rising}) == 0.0);
}

TEST_CASE("a contact inside its cone creeps by the velocity that its own compliance does not take up") {
  ProblemBuilder builder("soft");
  builder.global(diagonal(Vector3::Constant(2.0)), Vector3(-2.0, 1.0, 0.0), sparse(DenseMatrix::Identity(3, 3)),
                 Vector3::Zero());
  Judge judge(builder.contact(0.4).compliance(sparse(0.25 * DenseMatrix::Identity(3, 3))).build(), Model::ncp);
  const Vector sticks = Vector3(2.0, -0.5, 0.0), slips = Vector3(2.0, -0.8, 0.0), open = Vector3::Zero();
  CHECK(measure(judge, Measure::creep_velocity, sticks) == Approx(0.25));  // (1 − 0.5)/2, without the 0.125 of C
  CHECK(measure(judge, Measure::creep_velocity, slips) == 0.0);
  CHECK(measure(judge, Measure::creep_velocity, open) == 0.0);
  const Vector bad = Vector3(2.0, std::nan(""), 0.0);
  CHECK(std::isnan(measure(judge, Measure::creep_velocity, bad)));
}

TEST_CASE("the residual of the law of a method is that of N + R, and sees a wrong R") {
  // Two contacts share the load of a mass in the ratio of their stiffnesses: (γ_n,1 + γ_n,2)/2 − 1 + R_n,i γ_n,i = 0.
  const Vector R = (Vector(6) << 0.25, 0.25, 0.25, 0.5, 0.25, 0.25).finished();
  const Vector gamma = (Vector(6) << 1.0, -0.08, 0.0, 0.5, -0.08, 0.0).finished();
  const ContactProblem problem = redundant_point_mass(2.0, {-1.0, 0.1, 0.0}, 0.4, 2);
  for (const ContactProblem& form : {problem, as_local(problem)})
    for (const Model model : {Model::ccp, Model::ncp}) {
      CAPTURE(form.given_global(), model_name(model));
      Judge judge(form, model);
      const double rigid = measure(judge, Measure::relative_residual, gamma);
      CHECK(measure(judge, Measure::regularised_residual, gamma) == rigid);
      judge.set_added_compliance(R);
      CHECK(measure(judge, Measure::regularised_residual, gamma) <= 1e-15);
      CHECK(judge.floor(Measure::regularised_residual, gamma) <= 1e-15);
      CHECK(judge.consistent(Measure::regularised_residual, 1e-12, gamma));
      CHECK(measure(judge, Measure::relative_residual, gamma) == rigid);
      // 1.01 R: inside the cones û = 0.01 R γ is the residual, of the first contact the larger, with μ ‖u_T‖ under ncp.
      const bool shifted = model == Model::ncp;
      judge.set_added_compliance(1.01 * R);
      CHECK(measure(judge, Measure::regularised_residual, gamma) ==
            Approx(std::hypot(0.0025 + (shifted ? 0.4 * 0.0002 : 0.0), 0.0002) / std::hypot(shifted ? 0.96 : 1.0, 0.1)));
      CHECK_FALSE(judge.consistent(Measure::regularised_residual, 1e-6, -gamma));
      judge.set_added_compliance({});
      CHECK(measure(judge, Measure::regularised_residual, gamma) == rigid);
    }
}

TEST_CASE("loaded contacts lift off by μ|u_T| under ccp and not at all under ncp") {
  for (const Case& c : hand_worked()) {
    CAPTURE(c.name, model_name(c.model));
    Judge judge(c.problem, c.model);
    const double lift = measure(judge, Measure::lift_velocity, c.solution);
    const bool lifts = c.name == "slip" && c.model == Model::ccp;
    CHECK(lift == Approx(lifts ? 0.4 * c.local_velocity.tail(2).norm() : 0.0).margin(1e-13));
    CHECK((lift > 0.1) == lifts);
  }
  // The largest over loaded contacts alone: r = (1, 0, 0), and an impulse that pushes it further off.
  Judge judge(point_mass(2.0, {1.0, 0.0, 0.0}, 0.4), Model::ncp);
  const Vector none = Vector3::Zero(), push = Vector3(2.0, 0.0, 0.0), bad = Vector3(std::nan(""), 0.0, 0.0);
  CHECK(measure(judge, Measure::lift_velocity, none) == 0.0);
  CHECK(measure(judge, Measure::lift_velocity, push) == Approx(2.0));
  CHECK(std::isnan(measure(judge, Measure::lift_velocity, bad)));
}

TEST_CASE("only measures that vanish at solutions alone may stop a run") {
  for (const Measure which : all_measures())
    CHECK(measure_info(which).stoppable == (which == Measure::velocity_residual || which == Measure::relative_residual ||
                                            which == Measure::natural_map || which == Measure::apgd_residual ||
                                            which == Measure::contact_residual || which == Measure::merit ||
                                            which == Measure::given_map || which == Measure::regularised_residual));
}

TEST_CASE("a NaN is never a small residual") {
  Judge judge(redundant_point_mass(2.0, {-1.0, 0.1, 0.0}, 0.4, 2), Model::ncp);
  Vector gamma = Vector::Ones(6);
  for (const Index i : {0, 1, 5}) {
    Vector bad = gamma;
    bad[i] = std::nan("");
    CHECK(std::isnan(measure(judge, Measure::velocity_residual, bad)));
    CHECK(std::isnan(measure(judge, Measure::natural_map, bad)));
  }
}

TEST_CASE("planar, unilateral and bilateral blocks are judged too") {
  // One dof each: a planar contact sliding (Coulomb), a unilateral stop pressed, a bilateral row.
  DenseMatrix H = DenseMatrix::Identity(4, 4);
  ProblemBuilder builder;
  builder.global(sparse(H), (Vector(4) << -1.0, 2.0, -3.0, 4.0).finished(), sparse(DenseMatrix::Identity(4, 4)),
                 Vector::Zero(4));
  const ContactProblem problem = builder.contact2d(0.5).unilateral().bilateral().build();
  const Vector solution = (Vector(4) << 1.0, -0.5, 3.0, -4.0).finished();
  Judge judge(problem, Model::ncp);
  CHECK(measure(judge, Measure::velocity_residual, solution) <= 1e-15);
  CHECK(measure(judge, Measure::contact_residual, solution) <= 1e-15);
  for (const Index i : {0, 2, 3}) {
    Vector wrong = solution;
    wrong[i] += 0.125;
    CHECK(measure(judge, Measure::velocity_residual, wrong) > 0.05);
    CHECK(measure(judge, Measure::contact_residual, wrong) > 0.01);
  }
}

TEST_CASE("names of measures round trip") {
  for (const Measure which : all_measures()) CHECK(measure_from_name(measure_info(which).name) == which);
  CHECK(measure_names().size() == measure_count);
  CHECK_FALSE(measure_from_name("residual").has_value());
}
