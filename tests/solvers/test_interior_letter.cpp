#include <Eigen/LU>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "support/recorder.hpp"
#include "support/run_solver.hpp"
#include "support/small_problems.hpp"

/// Interior points against Algorithm 1 of Mangoni's thesis, in dense matrices and unscaled variables, which the code avoids.
using namespace ccp;
using namespace ccp::testing;

namespace {

/// Bodies with unilateral rows and joints, all of them with b ≠ 0, and large enough for (4.23) to leave the ones.
ContactProblem stops_and_joints() {
  const ContactProblem problem = random_problem(95, {4, 0, 0, 6, 3});
  ProblemBuilder builder("stops and joints");
  for (Index i = 0; i < 6; ++i) builder.unilateral();
  for (Index i = 0; i < 3; ++i) builder.bilateral();
  const GlobalForm& form = problem.global();
  return builder.global(form.H, Vector(50.0 * form.k), form.D, Vector(20.0 * Uniform(96).vector(9))).build();
}

/// Mangoni's thesis, sec. 4.11 with (4.23): H v + c = Cᵀγ + Dᵀλ, C v = b_γ, y = D v − b_λ. As eq. (4.51) and Mehrotra 1992
/// the corrector has σ μ, where (4.25d) prints σ μ_p.
struct ThesisInteriorPoint {
  DenseMatrix H, C, D;
  Vector c, b_gamma, b_lambda, v, gamma, lambda, y, dv, dgamma, dlambda, dy;
  bool split, of_step = false;
  int extra_solves = 0, kept = 0;

  ThesisInteriorPoint(const ContactProblem& problem, Index unilateral, bool two_lengths, const Vector& start = {})
      : split(two_lengths) {
    const GlobalForm& form = problem.global();
    H = form.H;
    c = -form.k;
    D = DenseMatrix(form.D).leftCols(unilateral).transpose();
    C = DenseMatrix(form.D).rightCols(form.D.cols() - unilateral).transpose();
    b_lambda = -form.b.head(unilateral);
    b_gamma = -form.b.tail(C.rows());
    v.setOnes(H.rows()), gamma.setOnes(C.rows()), lambda.setOnes(unilateral), y.setOnes(unilateral);
    if (start.size() > 0) {
      v = start;
      y = (D * v - b_lambda).cwiseAbs();  // (4.15c), but for the sign; it is raised to one after the affine step
    }
    solve(-y.cwiseProduct(lambda));
    lambda = (lambda + dlambda).cwiseAbs().cwiseMax(1.0);
    y = (y + dy).cwiseAbs().cwiseMax(1.0);
  }

  /// (4.10), whose last row has the given right-hand side.
  void solve(const Vector& complementarity) {
    const Index n = v.size(), g = gamma.size(), l = lambda.size();
    DenseMatrix A = DenseMatrix::Zero(n + g + 2 * l, n + g + 2 * l);
    A.block(0, 0, n, n) = H;
    A.block(0, n, n, g) = -C.transpose();
    A.block(0, n + g, n, l) = -D.transpose();
    A.block(n, 0, g, n) = C;
    A.block(n + g, 0, l, n) = D;
    A.block(n + g, n + g + l, l, l) = -DenseMatrix::Identity(l, l);
    A.block(n + g + l, n + g, l, l) = y.asDiagonal();
    A.block(n + g + l, n + g + l, l, l) = lambda.asDiagonal();
    Vector rhs(n + g + 2 * l);
    rhs << -(H * v + c - C.transpose() * gamma - D.transpose() * lambda), -(C * v - b_gamma), -(D * v - b_lambda - y),
        complementarity;
    const Vector x = A.fullPivLu().solve(rhs);
    dv = x.head(n), dgamma = x.segment(n, g), dlambda = x.segment(n + g, l), dy = x.tail(l);
  }

  /// (4.11), or (4.12) where one length is wanted.
  static double length(const Vector& x, const Vector& dx, double eta, bool of_step = false) {
    double longest = 1e300;
    for (Index i = 0; i < x.size(); ++i)
      if (dx[i] < 0.0) longest = std::min(longest, -x[i] / dx[i]);
    return of_step ? eta * std::min(1.0, longest) : std::min(1.0, eta * longest);
  }

  /// ‖r‖₂/n of C v − b_γ, D v − b_λ − y and H v + c − Cᵀγ − Dᵀλ.
  double bilateral() const { return (C * v - b_gamma).norm() / static_cast<double>(gamma.size()); }
  double contacts() const { return (D * v - b_lambda - y).norm() / static_cast<double>(y.size()); }
  double momentum() const {
    return (H * v + c - C.transpose() * gamma - D.transpose() * lambda).norm() / static_cast<double>(v.size());
  }

  /// Gondzio 1996, sec. 3.2: the products of a step that is longer by a tenth are projected on [0.1, 10] σμ, what they lack
  /// to that is added to the right-hand side, and the direction is kept where the step to the boundary grows by a hundredth.
  void centre(Vector rhs, double wanted, int correctors) {
    const auto to_boundary = [&] { return std::min(length(y, dy, 1.0), length(lambda, dlambda, 1.0)); };
    for (double reached = to_boundary(); correctors > 0 && reached < 1.0; --correctors) {
      const Vector kept_v = dv, kept_gamma = dgamma, kept_lambda = dlambda, kept_y = dy;
      const double wish = std::min(1.0, reached + 0.1);
      const Vector product = (y + wish * dy).cwiseProduct(lambda + wish * dlambda);
      for (Index i = 0; i < product.size(); ++i)
        rhs[i] += std::max(-10.0 * wanted, std::clamp(product[i], 0.1 * wanted, 10.0 * wanted) - product[i]);
      solve(rhs);
      ++extra_solves;
      if (to_boundary() < reached + 0.01) {
        dv = kept_v, dgamma = kept_gamma, dlambda = kept_lambda, dy = kept_y;
        return;
      }
      reached = to_boundary();
      ++kept;
    }
  }

  void iterate(double eta, int correctors = 0) {
    const auto count = static_cast<double>(lambda.size());
    const double mu = y.dot(lambda) / count;
    solve(-y.cwiseProduct(lambda));
    const Vector y_p = y + length(y, dy, 1.0) * dy, lambda_p = lambda + length(lambda, dlambda, 1.0) * dlambda;
    const double sigma = std::pow(y_p.dot(lambda_p) / count / mu, 3.0);
    const Vector rhs = Vector::Constant(y.size(), sigma * mu) - y.cwiseProduct(lambda) - dy.cwiseProduct(dlambda);
    solve(rhs);
    centre(rhs, sigma * mu, correctors);
    double primal = length(y, dy, eta, of_step), dual = length(lambda, dlambda, eta, of_step);
    if (!split) primal = dual = std::min(primal, dual);
    v += primal * dv, y += primal * dy;
    gamma += dual * dgamma, lambda += dual * dlambda;
  }

  Vector impulse() const {
    Vector all(lambda.size() + gamma.size());
    all << lambda, gamma;
    return all;
  }
};

RunSpec thesis_spec(const std::string& solver, const std::string& lengths, const std::string& eta_of = "surface",
                    const std::string& criterion = "absolute") {
  RunSpec spec{solver};
  spec.settings = {{"starting_point", std::string("ones")},
                   {"step_lengths", lengths},
                   {"eta_policy", std::string("fixed")},
                   {"eta", 0.95},
                   {"eta_of", eta_of},
                   {"criterion", criterion}};
  return spec;
}

}  // namespace

TEST_CASE("ipm: the iterates are those of Algorithm 1 of the thesis, with one step length and with two") {
  const ContactProblem problem = stops_and_joints();
  for (const std::string solver : {"ipm_qp", "ipm_cone"})
    for (const std::string lengths : {"equal", "split_always"}) {
      Recorder recorder(8);
      configured(thesis_spec(solver, lengths))
          ->prepare(problem, Model::ccp, recorder)
          ->run({}, Vector::Zero(problem.rows()), recorder);
      REQUIRE(recorder.impulses.size() == 9);
      ThesisInteriorPoint thesis(problem, 6, lengths == "split_always");
      for (std::size_t k = 0; k < 9; ++k) {
        CAPTURE(solver, lengths, k);
        CHECK((recorder.impulses[k] - thesis.impulse()).norm() <= 1e-7 * thesis.impulse().norm());
        CHECK(recorder.native[k][3] == Approx(thesis.y.dot(thesis.lambda) / 6.0).epsilon(1e-6).margin(1e-12));
        thesis.iterate(0.95);
      }
    }
}

TEST_CASE(
    "ipm: eta is a part of the way to the surface or of the step, with the thesis' residuals in columns of their own") {
  const ContactProblem problem = stops_and_joints();
  for (const std::string lengths : {"equal", "split_always"})
    for (const std::string eta_of : {"surface", "step"})
      for (const std::string criterion : {"absolute", "carried", "relative"}) {
        Recorder recorder(8);
        configured(thesis_spec("ipm_qp", lengths, eta_of, criterion))
            ->prepare(problem, Model::ccp, recorder)
            ->run({}, Vector::Zero(problem.rows()), recorder);
        ThesisInteriorPoint thesis(problem, 6, lengths == "split_always");
        thesis.of_step = eta_of == "step";
        for (std::size_t k = 0; k < 9; ++k) {
          CAPTURE(lengths, eta_of, criterion, k);
          CHECK((recorder.impulses[k] - thesis.impulse()).norm() <= 1e-7 * thesis.impulse().norm());
          const std::vector<double>& native = recorder.native[k];
          CHECK(native[7] == Approx(thesis.bilateral()).epsilon(1e-5).margin(1e-11));
          CHECK(native[8] == Approx(thesis.contacts()).epsilon(1e-5).margin(1e-11));
          CHECK(native[9] == Approx(thesis.momentum()).epsilon(1e-5).margin(1e-10));
          if (criterion != "relative") CHECK(native[1] == native[8]);
          thesis.iterate(0.95);
        }
      }
}

TEST_CASE("ipm: carried residuals fall with every step, others end at their rounding") {
  const ContactProblem problem = stops_and_joints();
  const auto last = [&](const std::string& criterion) {
    Recorder recorder(30);
    configured(thesis_spec("ipm_qp", "equal", "step", criterion))
        ->prepare(problem, Model::ccp, recorder)
        ->run({}, Vector::Zero(problem.rows()), recorder);
    std::vector<double> of_contacts, of_momentum;
    for (const auto& native : recorder.native) of_contacts.push_back(native[8]), of_momentum.push_back(native[9]);
    // No row is beyond the step: 1 − α of what was there.
    for (std::size_t k = 1; criterion == "carried" && k < of_contacts.size(); ++k) {
      CHECK(of_contacts[k] == Approx((1.0 - recorder.native[k][4]) * of_contacts[k - 1]).margin(1e-300));
      CHECK(of_momentum[k] == Approx((1.0 - recorder.native[k][5]) * of_momentum[k - 1]).margin(1e-300));
    }
    return std::pair(of_contacts.back(), of_momentum.back());
  };
  CHECK(last("carried").first < 1e-20);
  CHECK(last("carried").second < 1e-20);
  CHECK(last("absolute").first > 1e-18);
  CHECK(last("absolute").second > 1e-18);
}

TEST_CASE("ipm: centrality correctors are Gondzio's where cones are half-lines") {
  const ContactProblem problem = stops_and_joints();
  for (const std::string solver : {"ipm_qp", "ipm_cone"})
    for (const std::int64_t correctors : {1, 3}) {
      RunSpec spec = thesis_spec(solver, "equal");
      spec.settings.push_back({"correctors", correctors});
      Recorder recorder(8);
      configured(spec)->prepare(problem, Model::ccp, recorder)->run({}, Vector::Zero(problem.rows()), recorder);
      ThesisInteriorPoint dense(problem, 6, false);
      for (std::size_t k = 0; k < recorder.impulses.size(); ++k) {
        CAPTURE(solver, correctors, k);
        CHECK((recorder.impulses[k] - dense.impulse()).norm() <= 1e-7 * dense.impulse().norm());
        dense.iterate(0.95, static_cast<int>(correctors));
      }
      // The problem has iterations that keep a corrector, and iterations that drop one.
      CHECK(dense.kept > 0);
      CHECK(dense.kept < dense.extra_solves);
    }
}

TEST_CASE("ipm: the absolute criterion is the thesis' in the units of the problem, the relative one is not") {
  // A thousand times heavier bodies: impulses and the momentum residual grow with them.
  const ContactProblem light = stops_and_joints();
  const GlobalForm& form = light.global();
  ProblemBuilder builder("heavy");
  builder.global(SparseMatrix(1e9 * form.H), 1e9 * form.k, form.D, form.b).constraints(light.constraints());
  const ContactProblem heavy = builder.build();
  const auto native_at = [](const ContactProblem& problem, const char* criterion) {
    RunSpec spec{"ipm_qp", Model::ccp, {}, {{"criterion", std::string(criterion)}}};
    spec.stop.tolerance = 0.0;
    spec.stop.max_iterations = 30;
    MemoryTrace trace;
    run(problem, spec, &trace);
    // Columns: bilateral, cone, momentum residual and complementarity.
    for (std::size_t row = 1; row < trace.rows.size(); ++row) {
      const std::vector<double>& native = trace.rows[row].native;
      if (native[0] < 1e-10 && native[1] < 1e-10 && native[2] < 1e-10 && native[3] < 1e-9) return static_cast<int>(row);
    }
    return 1000;
  };
  CHECK(native_at(light, "absolute") < 1000);
  CHECK(native_at(heavy, "absolute") > native_at(light, "absolute"));
}

TEST_CASE("ipm: a start from velocities alone takes them, and the rest of an affine start from ones") {
  const ContactProblem problem = stops_and_joints();
  RunSpec spec = thesis_spec("ipm_qp", "equal");
  spec.settings.emplace_back("warm_start", std::string("velocities"));
  // Impulses of the start play no part, not even as the first point that is judged.
  const auto first_two = [&](const WarmStart& start) {
    Recorder recorder(2);
    configured(spec)->prepare(problem, Model::ccp, recorder)->run(start, Vector::Zero(problem.rows()), recorder);
    return std::pair(recorder.impulses.at(0), recorder.impulses.at(1));
  };
  const Vector zero = Vector::Zero(problem.rows()), some = Uniform(97).vector(problem.rows());
  std::vector<Vector> found;
  for (const double size : {1.0, 5.0}) {
    const Vector velocity = size * Uniform(98).vector(problem.dofs());
    ThesisInteriorPoint thesis(problem, 6, false, velocity);
    const Vector begin = thesis.impulse();
    thesis.iterate(0.95);
    const auto [first, second] = first_two({zero, velocity, 0.0});
    found.push_back(second);
    CAPTURE(size);
    CHECK((first - begin).norm() <= 1e-7 * begin.norm());
    CHECK((second - thesis.impulse()).norm() <= 1e-7 * thesis.impulse().norm());
    CHECK(first_two({some, velocity, 0.0}) == std::pair(first, second));
  }
  CHECK((found[0] - found[1]).norm() > 1e-3 * found[0].norm());
}

TEST_CASE("ipm: choices that do not exist are refused") {
  const auto solver = make_solver("ipm_cone");
  using Catch::Matchers::Contains;
  CHECK_THAT(*solver->settings().check("criterion", std::string("abs")), Contains("absolute"));
  CHECK_THAT(*solver->settings().check("criterion", std::string("carry")), Contains("carried"));
  CHECK_THAT(*solver->settings().check("eta_of", std::string("steps")), Contains("surface"));
  CHECK_THAT(*solver->settings().check("starting_point", std::string("one")), Contains("ones"));
  CHECK_THAT(*solver->settings().check("step_lengths", std::string("split_alway")), Contains("split_always"));
  CHECK_THAT(*solver->settings().check("warm_start", std::string("velocity")), Contains("velocities"));
  CHECK_THAT(*solver->settings().check("correctors", std::int64_t{11}), Contains("10"));
}
