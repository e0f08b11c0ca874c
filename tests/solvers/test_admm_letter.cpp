#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "cones/product_cone.hpp"
#include "problems/registry.hpp"
#include "solvers/splitting/admm_system.hpp"
#include "support/recorder.hpp"
#include "support/run_solver.hpp"
#include "support/small_problems.hpp"

/// ADMM and FADMM against the algorithms as printed, in dense matrices and in the scaled variables, which the code avoids.
using namespace ccp;
using namespace ccp::testing;

namespace {

using SettingList = std::vector<std::pair<std::string, FieldValue>>;

/// What the reference reads of the settings.
struct PrintedRule {
  double rho = 0.1, power = 1.0, dead_band = 2.0;
  bool normalized = false, adaptive = true;
  int first = 5, interval = 5;
  double scale_power = 0.0;  ///< S_i = N_i to this power
  bool by_normal = false;    ///< N_i is N_nn of a block, else its mean
};

/// The problem with D S, S C S, S b in the place of D, C, b (Tasora 2021, eqs. 45 and 46).
struct ScaledProblem {
  DenseMatrix H, D, C;
  Vector k, b, S, bilateral;
  const ConstraintSet& set;

  ScaledProblem(const ContactProblem& problem, const PrintedRule& rule) : set(problem.constraints()) {
    const GlobalForm& form = problem.global();
    H = form.H, D = form.D, C = form.C, k = form.k, b = form.b;
    const DenseMatrix N = D.transpose() * H.fullPivLu().solve(D) + C;
    S.resize(b.size()), bilateral.setZero(b.size());
    for (Index i = 0; i < set.count(); ++i) {
      const Index first = set.offset(i), rows = set.rows(i);
      const double number = rule.by_normal ? N(first, first) : N.diagonal().segment(first, rows).mean();
      S.segment(first, rows).setConstant(std::pow(number, rule.scale_power));
      if (set.kind(i) == ConstraintKind::bilateral) bilateral.segment(first, rows).setOnes();
    }
    D = D * S.asDiagonal();
    C = S.asDiagonal() * C * S.asDiagonal();
    b = S.cwiseProduct(b);
  }

  Vector theta(double rho) const { return bilateral * 1e-9 + (Vector::Ones(b.size()) - bilateral) * rho; }
  /// Π of the scaled set: S⁻¹ Π(S x).
  Vector project(const Vector& x) const {
    Vector image = S.cwiseProduct(x);
    project_product(set, image);
    return image.cwiseQuotient(S);
  }
  /// γ of (36) for Θz − y on the right.
  Vector solve(const Vector& Theta, const Vector& z, const Vector& y) const {
    const Index n = k.size(), m = b.size();
    DenseMatrix A(n + m, n + m);
    A << H, D, D.transpose(), -C - DenseMatrix(Theta.asDiagonal());
    Vector rhs(n + m);
    rhs << k, -b + Theta.cwiseProduct(z) - y;
    return -A.fullPivLu().solve(rhs).tail(m);
  }
};

/// STEPADJUSTPOLICY of sec. 5.2.
double adjusted(const PrintedRule& rule, int iteration, double rho, const Vector& primal, const Vector& dual,
                const Vector& z, const Vector& gamma, const Vector& y) {
  if (!rule.adaptive || iteration < rule.first || (iteration - rule.first) % rule.interval != 0) return rho;
  double eta = max_norm(primal) / max_norm(dual);
  if (rule.normalized) eta = max_norm(primal) / std::max(max_norm(z), max_norm(gamma)) / (max_norm(dual) / max_norm(y));
  eta = std::clamp(std::pow(eta, rule.power), 1.0 / 50.0, 50.0);
  return eta >= 1.0 / rule.dead_band && eta <= rule.dead_band ? rho : rho * eta;
}

struct PrintedIterates {
  std::vector<Vector> z, gamma;
  std::vector<double> rho;
};

/// Algorithm 1.
PrintedIterates printed_admm(const ContactProblem& problem, const PrintedRule& rule, int count) {
  const ScaledProblem p(problem, rule);
  Vector z = Vector::Zero(p.b.size()), y = z;
  double rho = rule.rho;
  PrintedIterates all;
  for (int k = 1; k <= count; ++k) {
    const Vector theta = p.theta(rho);
    const Vector gamma = p.solve(theta, z, y);
    const Vector next = p.project(gamma + y.cwiseQuotient(theta));
    y = y + theta.cwiseProduct(gamma - next);
    const Vector primal = gamma - next, dual = theta.cwiseProduct(next - z);
    z = next;
    all.z.push_back(p.S.cwiseProduct(z)), all.gamma.push_back(p.S.cwiseProduct(gamma)), all.rho.push_back(rho);
    rho = adjusted(rule, k, rho, primal, dual, z, gamma, y);
  }
  return all;
}

/// Algorithm 3 with the extrapolation and the restart of Goldstein et al. 2014, Algorithm 8, and a fixed ρ.
PrintedIterates printed_fadmm(const ContactProblem& problem, const PrintedRule& rule, int count) {
  const ScaledProblem p(problem, rule);
  const Vector theta = p.theta(rule.rho);
  Vector gamma = Vector::Zero(p.b.size()), y = gamma, gamma_hat = gamma, y_hat = y;
  double alpha = 1.0, c = std::numeric_limits<double>::infinity();
  PrintedIterates all;
  for (int k = 1; k <= count; ++k) {
    const Vector z = p.project(gamma_hat + y_hat.cwiseQuotient(theta));
    const Vector gamma_next = p.solve(theta, z, y_hat);
    const Vector y_next = y_hat + theta.cwiseProduct(gamma_next - z);
    const double combined = (y_next - y_hat).cwiseQuotient(theta).dot(y_next - y_hat) +
                            (gamma_next - gamma_hat).cwiseProduct(theta).dot(gamma_next - gamma_hat);
    if (combined < 0.999 * c) {
      const double next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * alpha * alpha));
      gamma_hat = gamma_next + (alpha - 1.0) / next * (gamma_next - gamma);
      y_hat = y_next + (alpha - 1.0) / next * (y_next - y);
      alpha = next;
      c = combined;
    } else {
      alpha = 1.0;
      gamma_hat = gamma;
      y_hat = y;
      c = c / 0.999;
    }
    gamma = gamma_next;
    y = y_next;
    // On joints the code shows γ: z is a step behind there, and nothing keeps the two apart.
    const Vector shown = p.bilateral.cwiseProduct(gamma) + z - p.bilateral.cwiseProduct(z);
    all.z.push_back(p.S.cwiseProduct(shown)), all.gamma.push_back(p.S.cwiseProduct(gamma)), all.rho.push_back(rule.rho);
  }
  return all;
}

std::vector<ContactProblem> splitting_problems() {
  RandomShape mixed{6, 3, 2, 2, 2};
  mixed.compliance = true;
  return {random_problem(91, {4, 5}), random_problem(92, mixed)};
}

/// The shown impulses of a method, with the ρ of each, against the reference.
void compare(const std::string& name, const SettingList& settings, const ContactProblem& problem,
             const std::vector<Vector>& expected, const std::vector<double>& rho) {
  Recorder recorder(static_cast<int>(expected.size()));
  const RunSpec spec{name, Model::ccp, {}, settings};
  const auto solver = configured(spec);
  solver->prepare(problem, Model::ccp, recorder)->run({}, Vector::Zero(problem.rows()), recorder);
  std::size_t column = 0;
  while (solver->info().native.at(column).name != "rho") ++column;
  REQUIRE(recorder.impulses.size() == expected.size() + 1);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    CAPTURE(name, problem.name(), k);
    CHECK((recorder.impulses[k + 1] - expected[k]).norm() <= 1e-7 * expected[k].norm());
    CHECK(recorder.native[k + 1][column] == Approx(rho[k]).epsilon(1e-6));
  }
}

const SettingList unscaled{}, diagonal_scaling{{"preconditioner", std::string("diagonal")}};
const SettingList inverse_scaling{{"preconditioner", std::string("inverse_diagonal")}};

SettingList joined(SettingList a, const SettingList& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

TEST_CASE("admm: the iterates are those of Algorithm 1 as printed, scaled or not") {
  const std::pair<SettingList, double> scalings[] = {{unscaled, 0.0}, {diagonal_scaling, -0.5}, {inverse_scaling, 0.5}};
  for (const ContactProblem& problem : splitting_problems())
    for (const auto& [settings, power] : scalings) {
      PrintedRule rule;
      rule.scale_power = power;
      PrintedIterates all = printed_admm(problem, rule, 23);
      CHECK(all.rho.back() != all.rho.front());
      compare("admm", settings, problem, all.z, all.rho);
      compare("admm", joined(settings, {{"hands_out", std::string("gamma")}}), problem, all.gamma, all.rho);

      rule.adaptive = false;
      all = printed_admm(problem, rule, 12);
      compare("admm", joined(settings, {{"step_policy", std::string("fixed")}}), problem, all.z, all.rho);
    }
}

TEST_CASE("admm: eq. 43, the root, the phase and N_nn are what the settings say") {
  for (const ContactProblem& problem : splitting_problems()) {
    PrintedRule rule;
    rule.scale_power = -0.5;
    rule.by_normal = true;
    rule.normalized = true;
    rule.power = 0.5;
    rule.first = 2;
    rule.interval = 4;
    const PrintedIterates all = printed_admm(problem, rule, 15);
    CHECK(all.rho[1] == all.rho[0]);
    CHECK(all.rho[2] != all.rho[1]);
    compare("admm",
            {{"preconditioner", std::string("diagonal")},
             {"block_number", std::string("normal")},
             {"step_policy", std::string("balanced_normalized")},
             {"balance_exponent", 0.5},
             {"first_update", std::int64_t{2}},
             {"update_interval", std::int64_t{4}}},
            problem, all.z, all.rho);
  }
}

TEST_CASE("admm_chrono: S = N^(1/2), eq. 43 with its root after iterations 1, 6, 11, within a band of 1.5, and γ") {
  for (const ContactProblem& problem : splitting_problems()) {
    PrintedRule rule;
    rule.scale_power = 0.5;
    rule.normalized = true;
    rule.power = 0.5;
    rule.first = 1;
    rule.dead_band = 1.5;
    const PrintedIterates all = printed_admm(problem, rule, 15);
    CHECK(all.rho.back() != all.rho.front());
    compare("admm_chrono", {}, problem, all.gamma, all.rho);
  }
}

TEST_CASE("admm_pinocchio: the iterates of pinocchio's ADMM in its own variables, and the ρ of its spectral rule") {
  const ContactProblem problem = random_problem(91, {4, 5});
  const ConstraintSet& set = problem.constraints();
  const DenseMatrix G = problem.local().N, unit = DenseMatrix::Identity(G.rows(), G.cols());
  const Vector& g = problem.free_velocity();
  const double L = Eigen::SelfAdjointEigenSolver<DenseMatrix>(G).eigenvalues().maxCoeff(), eta = 1e-6 * L;
  constexpr std::size_t count = 40;
  Recorder recorder(count);
  configured({"admm_pinocchio", Model::ncp, {}, {{"preconditioner", std::string("none")}}})
      ->prepare(problem, Model::ncp, recorder)
      ->run({}, Vector::Zero(g.size()), recorder);
  const std::size_t column = 2;  // rho
  double rho = recorder.native[1][column];
  CHECK(rho == Approx(0.5 * std::sqrt(L * eta) * std::pow(1e6, 0.2)).epsilon(0.01));

  const auto shift = [&](const Vector& z) {
    Vector s(z.size());
    de_saxce_shift(set, z, s);
    return s;
  };
  const auto project = [&](Vector x) {
    project_product(set, x);
    return x;
  };
  const Vector first = g + shift(g);
  Vector x = Vector::Zero(g.size()), y = x, z = first + project(-first);  // on the dual cones
  int changes = 0;
  for (std::size_t k = 1; k <= count; ++k) {
    CAPTURE(k);
    REQUIRE(recorder.native[k][column] == Approx(rho).epsilon(1e-6));
    const Vector x_last = x, y_last = y;
    x = -(G + (eta + rho) * unit).llt().solve(g + shift(z) - rho * y - eta * x - z);
    y = project(x - z / rho);
    z -= rho * (x - y);
    CHECK((recorder.impulses[k] - y).norm() <= 1e-6 * (1.0 + y.norm()));
    const double primal = max_norm(x - y), dual = max_norm(rho * (y - y_last) + eta * (x - x_last));
    if (primal > 10.0 * dual || dual > 10.0 * primal) {
      rho *= std::pow(1e6, primal > dual ? 0.05 : -0.05);
      ++changes;
    }
  }
  CHECK(changes > 0);
}

TEST_CASE("fadmm: the iterates are those of Algorithm 3, extrapolated, with the step 0.05 that it is printed with") {
  for (const ContactProblem& problem : splitting_problems())
    for (const double power : {0.0, -0.5}) {
      PrintedRule rule;
      rule.rho = 0.05;
      rule.scale_power = power;
      const PrintedIterates all = printed_fadmm(problem, rule, 30);
      const SettingList settings = power == 0.0 ? unscaled : diagonal_scaling;
      compare("fadmm", settings, problem, all.z, all.rho);
      compare("fadmm", joined(settings, {{"hands_out", std::string("gamma")}}), problem, all.gamma, all.rho);
    }
}

TEST_CASE("the three linear systems of ADMM solve (36), each as a dense solve does") {
  RandomShape shape{5, 4, 2, 2, 3};
  for (const bool compliance : {false, true})
    for (const bool coupled : {false, true}) {
      shape.compliance = compliance;
      shape.coupled_mass = coupled;
      const ContactProblem problem = random_problem(93, shape);
      const ScaledProblem dense(problem, {});
      const Vector theta = dense.theta(0.3), g = Uniform(94).vector(problem.rows());
      const Vector expected = dense.solve(theta, Vector::Zero(g.size()), -g);
      for (const LinearForm form : {LinearForm::saddle, LinearForm::schur, LinearForm::normal}) {
        Recorder monitor(0);
        const auto system = make_admm_system(problem, form, "auto", 1, monitor);
        REQUIRE(system->factorize(theta, monitor));
        Vector gamma = Vector::Zero(g.size()), v(dense.k.size());
        REQUIRE(system->solve(g, gamma, v, monitor));
        CAPTURE(linear_form_name(form), compliance, coupled);
        CHECK((gamma - expected).norm() <= 1e-9 * expected.norm());
        if (!system->has_velocity()) continue;
        const Vector momentum = dense.H * v - dense.k - dense.D * expected;
        CHECK(momentum.norm() <= 1e-9 * dense.k.norm());
      }
    }
}

TEST_CASE("the scaled residuals are those of the scaled problem, and the plain ones without a preconditioner") {
  const ContactProblem problem = splitting_problems()[0];
  for (const char* name : {"admm", "fadmm"})
    for (const SettingList& settings : {unscaled, diagonal_scaling}) {
      RunSpec spec{name, Model::ccp, {}, settings};
      spec.stop.max_iterations = 7;
      spec.stop.tolerance = 0.0;
      MemoryTrace trace;
      run(problem, spec, &trace);
      const Vector diagonal = problem.local().N.diagonal();
      std::vector<double> means;
      for (Index i = 0; i < problem.constraints().count(); ++i) means.push_back(diagonal.segment<3>(3 * i).mean());
      const auto [least, most] = std::minmax_element(means.begin(), means.end());
      for (std::size_t row = 1; row < trace.rows.size(); ++row) {
        const double primal = trace.native(row, "primal_residual"), scaled = trace.native(row, "scaled_primal_residual");
        const double dual = trace.native(row, "dual_residual"), scaled_dual = trace.native(row, "scaled_dual_residual");
        CAPTURE(name, row);
        REQUIRE(primal > 0.0);
        if (settings.empty()) {
          CHECK(scaled == primal);
          CHECK(scaled_dual == dual);
          continue;
        }
        CHECK(scaled >= 0.999999 * std::sqrt(*least) * primal);
        CHECK(scaled <= 1.000001 * std::sqrt(*most) * primal);
        CHECK(scaled_dual >= 0.999999 * dual / std::sqrt(*most));
        CHECK(scaled_dual <= 1.000001 * dual / std::sqrt(*least));
        CHECK(scaled != primal);
        CHECK(scaled_dual != dual);
      }
    }
}

TEST_CASE("γ belongs to its v, z need not") {
  const ContactProblem problem = splitting_problems()[0];
  for (const char* name : {"admm", "fadmm"}) {
    RunSpec spec{name, Model::ccp, {}, {{"hands_out", std::string("gamma")}}};
    spec.stop.max_iterations = 8;
    spec.stop.tolerance = 0.0;
    const Result gamma = run(problem, spec);
    CHECK(gamma.measures[measure_index(Measure::momentum_residual)] <= 1e-12);
    CHECK(gamma.measures[measure_index(Measure::cone_violation)] > 1e-6);
    spec.settings = {};
    const Result z = run(problem, spec);
    CHECK(z.measures[measure_index(Measure::momentum_residual)] > 1e-6);
    CHECK(z.measures[measure_index(Measure::cone_violation)] == 0.0);
    // The velocity is the same, so is what it penetrates.
    CHECK(z.measures[measure_index(Measure::own_penetration_velocity)] ==
          Approx(gamma.measures[measure_index(Measure::penetration_velocity)]));
  }
}

TEST_CASE("a fixed step takes none from another run") {
  const ContactProblem problem = splitting_problems()[0];
  RunSpec spec{"admm", Model::ccp, {}, {{"step_policy", std::string("fixed")}}};
  spec.start.carried = 1e-9;
  CHECK(run(problem, spec).carried == 0.1);
}

TEST_CASE("TEST 1.B: with eq. 43 and the root P-ADMM is ahead of ADMM and of P-SPG-FB, by the counts of Tasora 2021") {
  const auto scene = make_scene("odd_mass_stack");
  scene->parameters().set("lift_factor", 2.0);
  const ContactProblem problem = scene->build(0);
  const auto count = [&](const std::string& name, const SettingList& settings, double tolerance) {
    RunSpec spec{name, Model::ccp, {}, settings};
    spec.stop.tolerance = tolerance;
    spec.stop.max_iterations = 2000;
    const Result result = run(problem, spec);
    CHECK(result.status == Status::solved);
    return result.iterations;
  };
  const SettingList root{{"step_policy", std::string("balanced_normalized")}, {"balance_exponent", 0.5}};
  const int rough = count("admm", joined(root, diagonal_scaling), 1e-5),
            fine = count("admm", joined(root, diagonal_scaling), 1e-8);
  CHECK(rough < count("admm", root, 1e-5));    // measured 98 and 123
  CHECK(fine < count("admm", root, 1e-8));     // measured 169 and 214
  CHECK(rough < count("p_spg_fb", {}, 1e-5));  // measured 106
  CHECK(rough == Approx(98).margin(10));
  CHECK(fine == Approx(169).margin(17));
}
