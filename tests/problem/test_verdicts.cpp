#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "cones/product_cone.hpp"
#include "problem/judge/judge.hpp"
#include "support/elastic_bars.hpp"
#include "support/small_problems.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

using Quad = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

/// H and D of some kind; contacts alone, k = 0.
struct Matrices {
  std::string name;
  SparseMatrix H, D;
};

/// A size between 10^−digits and 10^digits.
double any_size(Uniform& uniform, double digits) { return std::pow(10.0, uniform(-digits, digits)); }

/// Contacts between neighbours of random bodies of `size` degrees of freedom, and of the first body with the ground.
SparseMatrix random_contacts(Uniform& uniform, Index bodies, Index size) {
  DenseMatrix D = DenseMatrix::Zero(bodies * size, 6 * bodies);
  for (Index i = 0; i < 2 * bodies; ++i) {
    D.block(i / 2 * size, 3 * i, size, 3) = uniform.matrix(size, 3);
    if (i > 1) D.block((i / 2 - 1) * size, 3 * i, size, 3) = uniform.matrix(size, 3);
  }
  return sparse(D);
}

/// Masses of 1e-6 to 1e6 kg.
Matrices rigid(std::uint64_t seed) {
  Uniform uniform(seed);
  const Index bodies = 5;
  DenseMatrix H = DenseMatrix::Zero(6 * bodies, 6 * bodies);
  for (Index b = 0; b < bodies; ++b) {
    const DenseMatrix root = uniform.matrix(6, 6);
    H.block(6 * b, 6 * b, 6, 6) = any_size(uniform, 6.0) * (root * root.transpose() + 0.1 * DenseMatrix::Identity(6, 6));
  }
  return {"block-diagonal", sparse(H), random_contacts(uniform, bodies, 6)};
}

/// Five diagonals, scaled from both sides by 1e-3 to 1e3, so that masses differ by up to 1e12.
Matrices banded(std::uint64_t seed) {
  Uniform uniform(seed);
  const Index size = 30;
  DenseMatrix H = DenseMatrix::Zero(size, size);
  for (Index i = 0; i < size; ++i) {
    H(i, i) = 4.05;
    for (const Index off : {1, 2})
      if (i + off < size) H(i, i + off) = H(i + off, i) = uniform(-1.0, 1.0);
  }
  for (Index i = 0; i < size; ++i) {
    const double scale = any_size(uniform, 3.0);
    H.row(i) *= scale;
    H.col(i) *= scale;
  }
  return {"banded", sparse(H), random_contacts(uniform, size / 3, 3)};
}

/// Three bars of moduli up to that of steel and densities up to 1e12 apart.
Matrices elastic(std::uint64_t seed) {
  Uniform uniform(seed);
  const ElasticStack stack(BarShape{{3, 1, 1}, 1e9 * any_size(uniform, 2.3), 1e3, any_size(uniform, 6.0), 3});
  return {"elastic", stack.H, stack.D};
}

/// A problem with a known solution: every contact is open, sticks or slides, at speeds near 1 m/s and with impulses that
/// make such speeds.
struct Known {
  Quad N;
  Vector step;  ///< ρ_i by N
  ContactProblem problem;
  Vector solution;
};

Vector3 contact_impulse(Uniform& uniform, int state, double mu, const Vector2& direction) {
  const double normal = uniform(0.5, 1.5);
  if (state == 0) return Vector3::Zero();
  const Vector2 tangent = (state == 1 ? uniform(0.0, 0.7) : 1.0) * mu * normal * direction;
  return {normal, tangent[0], tangent[1]};
}

Vector3 contact_velocity(Uniform& uniform, int state, double mu, const Vector2& direction, Model model) {
  if (state == 1) return Vector3::Zero();
  const double speed = uniform(0.5, 1.5);
  const double normal = state == 0 ? mu * speed + uniform(0.5, 1.5) : model == Model::ccp ? mu * speed : 0.0;
  return {normal, -speed * direction[0], -speed * direction[1]};
}

Known known_solution(const Matrices& given, Model model, std::uint64_t seed) {
  Uniform uniform(seed);
  const Quad H = DenseMatrix(given.H).cast<long double>(), D = DenseMatrix(given.D).cast<long double>();
  const Quad N = D.transpose() * H.partialPivLu().solve(D);
  const Index contacts = N.rows() / 3;
  Vector step(contacts), impulse(N.rows()), u(N.rows());
  ProblemBuilder builder(given.name);
  for (Index i = 0; i < contacts; ++i) {
    step[i] = static_cast<double>(3.0L / N.block(3 * i, 3 * i, 3, 3).trace());
    const double mu = uniform(0.1, 1.0), angle = uniform(-3.1, 3.1);
    const auto state = static_cast<int>(uniform(0.0, 3.0));
    const Vector2 direction(std::cos(angle), std::sin(angle));
    impulse.segment<3>(3 * i) = step[i] * contact_impulse(uniform, state, mu, direction);
    u.segment<3>(3 * i) = contact_velocity(uniform, state, mu, direction, model);
    builder.contact(mu);
  }
  const Vector b = (u.cast<long double>() - N * impulse.cast<long double>()).cast<double>();
  builder.global(given.H, Vector::Zero(given.H.rows()), given.D, b);
  return {N, step, builder.build(), impulse};
}

/// Points in the cones: the solution with one contact changed, or all, by little or much.
std::vector<Vector> trial_points(const Known& known, Uniform& uniform) {
  std::vector<Vector> points{Vector::Zero(known.solution.size()), 2.0 * known.solution};
  for (Index i = 0; i < known.step.size(); ++i)
    for (const double size : {1.0, 1e-4}) {
      points.push_back(known.solution);
      points.back()[3 * i] += size * known.step[i];
    }
  for (const double size : {1.0, 1e-3}) {
    points.push_back(known.solution);
    for (Index i = 0; i < known.step.size(); ++i)
      points.back().segment<3>(3 * i) += size * known.step[i] * uniform.point<Vector3>(1.0);
    project_product(known.problem.constraints(), points.back());
  }
  return points;
}

/// Bounds of the measures at a point where the velocity residual is δ, with N and ρ_i of the test: (K.2) to (K.4), what
/// follows from convexity for the objective, and from the eigenvalues of N_ii for the merit.
struct Bounds {
  double natural = 0.0, complementarity = 0.0, penetration = 0.0, merit = 0.0, objective = 0.0;  ///< not above
  double least_merit = 0.0;                                                                      ///< not below
  double residual = 0.0;  ///< of δ, by the natural map
  double work = 0.0;      ///< what a velocity of 1 m/s is in joules here
};

Bounds bounds_of(const Known& known, const Judge& judge, const Vector& gamma, const Vector& corrected, double delta) {
  const ConstraintSet& set = known.problem.constraints();
  Vector natural = gamma - corrected;
  project_product(set, natural);
  natural = gamma - natural;
  Bounds bounds;
  double energy = 0.0;
  for (Index i = 0; i < set.count(); ++i) {
    const double rho = known.step[i], impulse = gamma.segment<3>(3 * i).norm(), speed = corrected.segment<3>(3 * i).norm();
    const double defect = natural.segment<3>(3 * i).norm();
    const Matrix3 block = known.N.block(3 * i, 3 * i, 3, 3).cast<double>();
    const Vector3 eigenvalues = block.selfadjointView<Eigen::Lower>().eigenvalues(),
                  r = judge.free_velocity().segment<3>(3 * i);
    bounds.natural += std::pow(std::max(1.0, rho) * delta, 2);
    bounds.residual = std::max(bounds.residual, std::max(1.0, 1.0 / rho) * (defect + 1e-15 * (impulse + speed)));
    bounds.complementarity += delta * (impulse + rho * (speed + delta));
    bounds.penetration = std::max(bounds.penetration, std::hypot(1.0, set.friction(i)) * delta);
    bounds.objective += delta * (rho * speed + (gamma - known.solution).segment<3>(3 * i).norm());
    bounds.merit += defect * defect / eigenvalues.minCoeff();
    bounds.least_merit += defect * defect / eigenvalues.maxCoeff();
    bounds.work += impulse + rho * speed;
    energy += r.dot(block.llt().solve(r));
  }
  bounds.natural =
      std::sqrt(bounds.natural) / std::max({judge.free_velocity().norm(), gamma.norm(), judge.local_velocity().norm()});
  bounds.merit /= energy;
  bounds.least_merit /= energy;
  return bounds;
}

void check_verdicts(const Known& known, Judge& judge, const Vector& gamma) {
  const double best = judge.evaluate(Measure::objective, {&known.solution, nullptr});
  const Measures measures = judge.evaluate(all_measures(), {&gamma, nullptr});
  const auto value = [&](Measure which) { return measures[measure_index(which)]; };
  const double delta = value(Measure::velocity_residual), floor = value(Measure::rounding_floor);
  Vector corrected = judge.local_velocity(), shift(corrected.size());
  if (judge.model() == Model::ncp) {
    de_saxce_shift(known.problem.constraints(), judge.local_velocity(), shift);
    corrected += shift;
  }
  const Bounds bounds = bounds_of(known, judge, gamma, corrected, delta);
  constexpr double slack = 1.0 + 1e-5;
  CHECK(value(Measure::natural_map) <= slack * bounds.natural + 1e-14);
  CHECK(delta <= slack * bounds.residual);
  CHECK(value(Measure::complementarity) <= slack * bounds.complementarity + 10.0 * floor * bounds.work);
  CHECK(value(Measure::penetration_velocity) <= slack * bounds.penetration + floor);
  CHECK(value(Measure::merit) <= 2.0 * bounds.merit);
  CHECK(value(Measure::merit) >= 0.5 * bounds.least_merit);
  if (judge.model() == Model::ccp)
    CHECK(value(Measure::objective) - best <= slack * bounds.objective + 10.0 * floor * bounds.work);
}

}  // namespace

TEST_CASE("no measure contradicts another, whatever H is") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed)
    for (const Matrices& given : {rigid(seed), banded(seed), elastic(seed)})
      for (const Model model : {Model::ccp, Model::ncp}) {
        CAPTURE(seed, given.name, model_name(model));
        const Known known = known_solution(given, model, seed);
        Judge judge(known.problem, model);
        for (Index i = 0; i < known.step.size(); ++i) CHECK(judge.step(i) == Approx(known.step[i]).epsilon(1e-6));
        const Measures solved = judge.evaluate(all_measures(), {&known.solution, nullptr});
        CHECK(solved[measure_index(Measure::velocity_residual)] <=
              1e-6 * judge.initial_residual() + 10.0 * solved[measure_index(Measure::rounding_floor)]);
        Uniform uniform(seed + 100);
        for (const Vector& gamma : trial_points(known, uniform)) check_verdicts(known, judge, gamma);
      }
}

TEST_CASE("an impulse on a separating contact of an elastic body shows in the velocity residual") {
  // With blocks of H in the place of N_ii it would be 2e-4 m/s on the soft bar and 1e-9 on the stiff one.
  for (const double young : {1e6, 2e11}) {
    CAPTURE(young);
    const ElasticStack stack(BarShape{{12, 3, 3}, young});
    ProblemBuilder builder("flying bar");
    builder.global(stack.H, Vector::Zero(stack.H.rows()), stack.D, Vector::Ones(stack.D.cols()));
    for (Index i = 0; i < stack.contacts; ++i) builder.contact(0.3);
    const ContactProblem problem = builder.build();
    Judge judge(problem, Model::ccp);
    for (const Index i : {Index{0}, stack.contacts / 2}) {
      Vector gamma = Vector::Zero(problem.rows()), response(stack.H.rows());
      double trace = 0.0;
      for (Index c = 3 * i; c < 3 * i + 3; ++c) {
        response = stack.D.col(c);
        problem.mass().solve(response, response);
        trace += stack.D.col(c).dot(response);
      }
      gamma[3 * i] = 1e-2 * 3.0 / trace;
      CHECK(judge.evaluate(Measure::velocity_residual, {&gamma, nullptr}) == Approx(1e-2).epsilon(1e-4));
    }
  }
}

TEST_CASE("above 3000 rows merit and rounding floor need no N") {
  const ContactProblem problem = elastic_bars({{2, 1, 1}, 1e6, 1e3, 1.0, 170});
  REQUIRE(problem.rows() > 3000);
  REQUIRE_FALSE(problem.has_factored());
  Judge judge(problem, Model::ccp);
  Vector gamma = Vector::Zero(problem.rows());
  for (Index i = 0; i < 20; ++i) gamma[3 * i] = 0.1;
  const Vector& r = judge.free_velocity();
  const Measures measures = judge.evaluate({Measure::merit, Measure::rounding_floor}, {&gamma, nullptr});
  // The lowest twenty contacts act on the lowest four bars, which are a problem of their own.
  const ContactProblem part = elastic_bars({{2, 1, 1}, 1e6, 1e3, 1.0, 4});
  Vector sums(part.rows());
  part.assembled().multiply_absolute(gamma.head(part.rows()), sums);
  const double least = std::numeric_limits<double>::epsilon() * (sums + r.head(part.rows()).cwiseAbs()).maxCoeff();
  CHECK(measures[measure_index(Measure::rounding_floor)] >= least * (1.0 - 1e-10));
  CHECK(measures[measure_index(Measure::rounding_floor)] <= 4.0 * least);
  Vector natural = gamma - judge.local_velocity();
  project_product(problem.constraints(), natural);
  natural = gamma - natural;
  double spurious = 0.0, energy = 0.0;
  for (Index i = 0; i < problem.constraints().count(); ++i) {
    const Eigen::LLT<Matrix3> block(problem.diagonal_blocks()[static_cast<std::size_t>(i)]);
    spurious += natural.segment<3>(3 * i).dot(block.solve(natural.segment<3>(3 * i)));
    energy += r.segment<3>(3 * i).dot(block.solve(r.segment<3>(3 * i)));
  }
  CHECK(measures[measure_index(Measure::merit)] == Approx(spurious / energy));
}

TEST_CASE("a bound of the floor never allows what the floor does not, and allows what is far above it") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomShape shape{4, 12};
    shape.mu = seed % 2 == 0 ? 0.5 : 30.0;
    shape.coupled_mass = seed % 3 == 0;
    const ContactProblem problem = random_problem(seed, shape);
    Uniform uniform(seed + 100);
    for (const Model model : {Model::ccp, Model::ncp})
      for (const Measure measure : {Measure::velocity_residual, Measure::relative_residual, Measure::natural_map})
        for (const double size : {0.0, 1e-6, 1.0, 1e6}) {
          Judge judge(problem, model);
          Vector gamma = size * uniform.vector(problem.rows());
          project_product(problem.constraints(), gamma);
          judge.evaluate(measure, {&gamma, nullptr});
          const double floor = judge.floor(measure, gamma);
          CAPTURE(seed, size, floor);
          REQUIRE(floor > 0.0);
          for (int call = 0; call < 3; ++call) {
            CHECK_FALSE(judge.floor_within(measure, 10.0, 9.99 * floor, gamma));
            CHECK(judge.floor_within(measure, 10.0, 10.01 * floor, gamma));
            CHECK(judge.floor_within(measure, 10.0, 1e8 * floor, gamma));
          }
        }
  }
}
