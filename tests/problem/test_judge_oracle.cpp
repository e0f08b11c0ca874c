#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <iostream>
#include <limits>
#include <map>

#include "cones/product_cone.hpp"
#include "core/error.hpp"
#include "problem/judge/judge.hpp"
#include "support/oracle.hpp"
#include "support/wild_problems.hpp"

/// The judge against the oracle on wild problems. Of the measures, `merit` is left to test_oracle.cpp: with an N_ii that is
/// singular up to rounding its pseudo-inverse is not determined.
using namespace ccp;
using namespace ccp::testing;

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// Zero; impulses of all sizes inside, on and outside the cones; impulses that stop a block against the rest of the world,
/// exactly and perturbed by 1e-k.
std::vector<Vector> wild_points(const ContactProblem& problem, const Oracle& exact, Uniform& uniform) {
  const ConstraintSet& set = problem.constraints();
  const Vector steps = exact.steps(), r = exact.evaluate(Vector::Zero(set.rows())).u;
  std::vector<Vector> points{Vector::Zero(set.rows())};
  for (int trial = 0; trial < 2; ++trial) {
    points.push_back(decades(uniform, 20.0) * uniform.vector(set.rows()));
    points.push_back(points.back());
    project_product(set, points.back());
  }
  Vector stops(set.rows());
  for (Index i = 0; i < set.count(); ++i)
    stops.segment(set.offset(i), set.rows(i)) = -steps[i] * r.segment(set.offset(i), set.rows(i));
  project_product(set, stops);
  points.push_back(stops);
  for (const int digits : {2, 6, 10, 14}) {
    points.push_back(stops);
    for (double& entry : points.back()) entry *= 1.0 + std::pow(10.0, -digits) * uniform();
  }
  return points;
}

/// What ten rounding floors allow a measure to be off by. δ: ten floors, m/s; a defect in a step s of size 1 or g is off by
/// s δ and by the rounding of γ, in the norm over m rows by √m times that; the disk of the strict projection by μ times it.
std::map<Measure, double> allowed(const ContactProblem& problem, const OracleMeasures& exact, double initial,
                                  const Vector& gamma, const Vector& exact_steps, double floor, double floor_at_zero) {
  constexpr double step = 1e-6;
  const ConstraintSet& set = problem.constraints();
  const double delta = 10.0 * floor, impulse = gamma.norm(), m = static_cast<double>(set.rows());
  const double defect = std::sqrt(m) * (delta + 10.0 * epsilon * impulse);
  const double least_step = exact_steps.minCoeff();
  double friction = 0.0, weight = 0.0;  // û_n takes μ times the error of u_T
  for (Index i = 0; i < set.count(); ++i)
    weight += (1.0 + set.friction(i)) * gamma.segment(set.offset(i), set.rows(i)).lpNorm<1>();
  for (const double mu : set.frictions()) friction = std::max(friction, mu);
  // The oracle subtracts what it projects from γ, in 34 digits.
  const double residual = delta + 4.0 * epsilon * exact[Measure::velocity_residual] + 1e-32 * impulse / least_step;
  std::map<Measure, double> most{{Measure::velocity_residual, residual},
                                 {Measure::penetration_velocity, delta},
                                 {Measure::own_penetration_velocity, delta},
                                 {Measure::lift_velocity, delta},
                                 {Measure::cone_violation, 10.0 * epsilon * impulse}};
  if (initial > 10.0 * floor_at_zero)
    most[Measure::relative_residual] = (residual + 10.0 * floor_at_zero * exact[Measure::relative_residual]) / initial;
  most[Measure::complementarity] = delta * weight + 10.0 * epsilon * gamma.cwiseAbs().dot(exact.corrected.cwiseAbs());
  most[Measure::apgd_residual] = std::sqrt(m) * (step * delta + 10.0 * epsilon * impulse) / (m * step);
  most[Measure::contact_residual] = (1.0 + friction) * defect;
  const double scale = std::max({impulse, exact.u.norm()});
  if (scale > 0.0) most[Measure::natural_map] = defect / scale + 10.0 * epsilon;
  return most;
}

struct Count {
  int points = 0, wrong = 0;
  double worst = 0.0;
  std::uint64_t seed = 0;
};

}  // namespace

TEST_CASE("the judge is right to ten rounding floors, and its floor near the true error") {
  std::map<Measure, Count> counts;
  std::vector<double> pessimism;
  int points = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Uniform uniform(seed + 1000000);
    try {
      const ContactProblem problem = wild_problem(seed);
      for (const Model model : {Model::ccp, Model::ncp}) {
        Judge judge(problem, model);
        const Oracle exact(problem, model);
        const Vector zero = Vector::Zero(problem.rows());
        const double initial = exact.evaluate(zero)[Measure::velocity_residual];
        const double floor_at_zero = judge.evaluate(Measure::rounding_floor, {&zero, nullptr});
        for (const Vector& gamma : wild_points(problem, exact, uniform)) {
          ++points;
          const Measures judged = judge.evaluate(all_measures(), {&gamma, nullptr});
          const OracleMeasures values = exact.evaluate(gamma);
          const double floor = judged[measure_index(Measure::rounding_floor)];
          const double error =
              std::abs(judged[measure_index(Measure::velocity_residual)] - values[Measure::velocity_residual]);
          if (error > 0.0) pessimism.push_back(floor / error);
          for (const auto& [which, most] : allowed(problem, values, initial, gamma, exact.steps(), floor, floor_at_zero)) {
            const double off = std::abs(judged[measure_index(which)] - values[which]);
            Count& count = counts[which];
            ++count.points;
            if (off <= most) continue;
            ++count.wrong;
            if (!(off / most <= count.worst)) count.worst = off / most, count.seed = seed;
          }
        }
      }
    } catch (const InputError&) {  // H is not positive definite in rounding
    }
  }
  REQUIRE(points > 4000);
  for (const auto& [which, count] : counts) {
    CAPTURE(measure_info(which).name, count.points, count.worst, count.seed);
    CHECK(count.wrong == 0);
  }
  std::nth_element(pessimism.begin(), pessimism.begin() + std::ssize(pessimism) / 2, pessimism.end());
  CHECK(pessimism[pessimism.size() / 2] <= 100.0);
}
