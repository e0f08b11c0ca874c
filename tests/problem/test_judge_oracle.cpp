#include <Eigen/Eigenvalues>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "cones/product_cone.hpp"
#include "core/error.hpp"
#include "problem/judge/judge.hpp"
#include "support/oracle.hpp"
#include "support/wild_problems.hpp"

/// The judge against the oracle on wild problems: at random points, and at exact solutions and near them.
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

/// Exact solutions and the same perturbed by 1e-k: what a solver that converges hands over.
std::vector<Vector> points_near(const ContactProblem& problem, const Vector& solution, Uniform& uniform) {
  std::vector<Vector> points{solution};
  for (const int digits : {1, 5, 9, 13, 16}) {
    points.push_back(solution);
    for (double& entry : points.back()) entry *= 1.0 + std::pow(10.0, -digits) * uniform();
    points.push_back(points.back());
    project_product(problem.constraints(), points.back());
  }
  return points;
}

/// Whether the pseudo-inverses of all N_ii are determined in double precision: no eigenvalue that rounding could make.
bool inverts_surely(const Oracle& exact, const ConstraintSet& set) {
  for (Index i = 0; i < set.count(); ++i) {
    const DenseMatrix block = exact.diagonal_block(i);
    const Vector values = Eigen::SelfAdjointEigenSolver<DenseMatrix>(0.5 * (block + block.transpose())).eigenvalues();
    for (const double value : values)
      if (value != 0.0 && value < 1e-6 * values.maxCoeff()) return false;
  }
  return true;
}

/// The judge and the oracle of one problem, with a random v and a random u* to judge against.
class Pair {
 public:
  Pair(const ContactProblem& problem, Model model, Uniform& uniform)
      : problem_(problem), judge_(problem, model), exact_(problem, model), reference_(uniform.vector(problem.rows())) {
    const Vector zero = Vector::Zero(problem.rows());
    start_ = exact_.evaluate(zero);
    floor_at_zero_ = judge_.evaluate(Measure::rounding_floor, {&zero, nullptr});
    merit_floor_at_zero_ = judge_.floor(Measure::merit, zero);
    if (problem.given_global()) velocity_ = decades(uniform, 10.0) * uniform.vector(problem.dofs());
    reference_ *= start_.u.norm();
    judge_.set_reference(reference_);
    merit_is_known_ =
        inverts_surely(exact_, problem.constraints()) && start_.u.norm() > 1e7 * std::sqrt(problem.rows()) * floor_at_zero_;
  }

  const Oracle& exact() const { return exact_; }

  void judge(const Vector& gamma) {
    const Vector* own = velocity_.size() > 0 ? &velocity_ : nullptr;
    gamma_ = gamma;
    projected_ = gamma;
    project_product(problem_.constraints(), projected_);
    floor_of_projected_ = judge_.evaluate(Measure::rounding_floor, {&projected_, nullptr});
    velocity_of_projected_ = judge_.local_velocity();
    judged_ = judge_.evaluate(all_measures(), {&gamma_, own});
    for (const Measure measure : all_measures()) floors_[measure_index(measure)] = judge_.floor(measure, gamma_);
    values_ = exact_.evaluate(gamma_, own, &reference_);
  }

  double floor() const { return judged(Measure::rounding_floor); }
  double judged(Measure measure) const { return judged_[measure_index(measure)]; }
  double off(Measure measure) const {
    if (measure == Measure::merit) return std::abs(std::sqrt(judged(measure)) - std::sqrt(values_[measure]));
    return std::abs(judged(measure) - values_[measure]);
  }

  /// Within ten floors of zero in every stoppable measure, and consistent (D.15) where the floor is below a tolerance.
  bool takes_for_solution() {
    constexpr double tolerance = 1e-8;
    for (const Measure measure : all_measures()) {
      const double floors = 10.0 * floors_[measure_index(measure)];
      if (std::isnan(floors)) continue;
      if (!(judged(measure) <= floors)) return false;
      if (floors <= tolerance && !judge_.consistent(measure, tolerance, gamma_)) return false;
    }
    return true;
  }

  /// What ten rounding floors allow a measure to be off by; of `merit` its root.
  std::map<Measure, double> allowed() const;

 private:
  void allow_given_map(std::map<Measure, double>& most) const;
  void allow_energies(std::map<Measure, double>& most) const;
  void allow_own_velocity(std::map<Measure, double>& most) const;
  /// Relative error of the defect that `merit` weighs; the anisotropy of the weight makes it 1e3 times as large.
  double rounding_of_oracle() const {
    const double defect = values_[Measure::natural_map] * std::max({gamma_.norm(), values_.u.norm(), start_.u.norm()});
    return defect > 0.0 ? 1e-29 * gamma_.norm() / defect : 0.0;
  }

  ContactProblem problem_;
  Judge judge_;
  Oracle exact_;
  Vector reference_, velocity_, gamma_, projected_, velocity_of_projected_;
  OracleMeasures start_, values_;
  Measures judged_{}, floors_{};
  double floor_at_zero_ = 0.0, merit_floor_at_zero_ = 0.0, floor_of_projected_ = 0.0;
  bool merit_is_known_ = false;
};

/// δ: ten floors of velocity_residual, m/s. The oracle subtracts what it projects from γ, in 34 digits.
std::map<Measure, double> Pair::allowed() const {
  constexpr double step = 1e-6, digits = 1e-32;
  const ConstraintSet& set = problem_.constraints();
  const double delta = 10.0 * floor(), impulse = gamma_.norm(), rows = static_cast<double>(set.rows());
  const double initial = start_[Measure::velocity_residual], least_step = exact_.steps().minCoeff();
  double weight = 0.0;  // û_n takes μ times the error of u_T
  for (Index i = 0; i < set.count(); ++i)
    weight += (1.0 + set.friction(i) + set.moments(i).rolling + set.moments(i).spinning) *
              gamma_.segment(set.offset(i), set.rows(i)).lpNorm<1>();
  const double residual = delta + 4.0 * epsilon * values_[Measure::velocity_residual] + digits * impulse / least_step;
  std::map<Measure, double> most{{Measure::velocity_residual, residual},
                                 {Measure::penetration_velocity, delta},
                                 {Measure::lift_velocity, delta},
                                 {Measure::creep_velocity, 2.0 * delta},
                                 {Measure::distance, delta},
                                 {Measure::cone_violation, 10.0 * epsilon * impulse}};
  if (initial > 10.0 * floor_at_zero_)
    most[Measure::regularised_residual] = most[Measure::relative_residual] =
        (residual + 10.0 * floor_at_zero_ * values_[Measure::relative_residual]) / initial;
  most[Measure::complementarity] = delta * weight + 10.0 * epsilon * gamma_.cwiseAbs().dot(values_.corrected.cwiseAbs());
  const auto with_step = [&](Measure measure, double scale) {
    return 10.0 * floors_[measure_index(measure)] + 10.0 * epsilon * values_[measure] + digits * impulse / scale;
  };
  most[Measure::apgd_residual] = with_step(Measure::apgd_residual, rows * step);
  most[Measure::contact_residual] = with_step(Measure::contact_residual, 1.0);
  if (const double scale = std::max(impulse, values_.u.norm()); scale > 0.0)
    most[Measure::natural_map] =
        with_step(Measure::natural_map, scale) + std::sqrt(rows) * (delta / scale) * values_[Measure::natural_map];
  allow_given_map(most);
  allow_energies(most);
  allow_own_velocity(most);
  return most;
}

/// As natural_map, with its vectors in the units given.
void Pair::allow_given_map(std::map<Measure, double>& most) const {
  const Vector lengths = problem_.row_lengths();
  const bool moments = lengths.size() > 0;
  const double impulse = (moments ? Vector(gamma_.cwiseProduct(lengths)) : gamma_).norm();
  const double scale = std::max(impulse, (moments ? Vector(values_.u.cwiseQuotient(lengths)) : values_.u).norm());
  if (!(scale > 0.0)) return;
  const double floors = floors_[measure_index(Measure::given_map)], value = values_[Measure::given_map];
  const double unit = moments ? lengths.cwiseMax(lengths.cwiseInverse()).maxCoeff() : 1.0;
  most[Measure::given_map] = 10.0 * floors + 10.0 * epsilon * value + 1e-32 * impulse / scale +
                             std::sqrt(problem_.rows()) * (10.0 * unit * floor() / scale) * value;
}

/// The root of `merit` is a norm, so that its error is at most that of the defect; a pseudo-inverse of condition 1e6 is
/// known to nine digits.
void Pair::allow_energies(std::map<Measure, double>& most) const {
  if (problem_.symmetric_mass())
    most[Measure::objective] =
        5.0 * (floor_of_projected_ + floor_at_zero_) * projected_.lpNorm<1>() +
        10.0 * epsilon * projected_.cwiseAbs().dot(velocity_of_projected_.cwiseAbs() + start_.u.cwiseAbs());
  if (merit_is_known_)
    most[Measure::merit] =
        10.0 * std::sqrt(floors_[measure_index(Measure::merit)]) +
        (1e-8 + 10.0 * std::sqrt(merit_floor_at_zero_) + rounding_of_oracle()) * std::sqrt(values_[Measure::merit]);
}

/// Own velocities: rounding of the sums that make them, term by term.
void Pair::allow_own_velocity(std::map<Measure, double>& most) const {
  if (velocity_.size() == 0) {
    most[Measure::own_penetration_velocity] = most[Measure::penetration_velocity];
    return;
  }
  const GlobalForm& form = problem_.global();
  const Vector v = velocity_.cwiseAbs(), impulse = gamma_.cwiseAbs();
  const Vector velocities = form.D.cwiseAbs().transpose() * v + form.C.cwiseAbs() * impulse + form.b.cwiseAbs();
  const Vector momenta = form.H.cwiseAbs() * v + form.D.cwiseAbs() * impulse + form.k.cwiseAbs();
  most[Measure::own_penetration_velocity] = 10.0 * epsilon * velocities.maxCoeff();
  most[Measure::momentum_residual] = 10.0 * epsilon * momenta.maxCoeff();
}

struct Count {
  int points = 0, wrong = 0;
  double worst = 0.0;
  std::uint64_t seed = 0;
};
using Counts = std::map<Measure, Count>;

void count_errors(const Pair& pair, std::uint64_t seed, Counts& counts) {
  for (const auto& [which, most] : pair.allowed()) {
    Count& count = counts[which];
    ++count.points;
    if (pair.off(which) <= most) continue;
    ++count.wrong;
    if (const double worst = pair.off(which) / most; !(worst <= count.worst)) count.worst = worst, count.seed = seed;
  }
}

void check(const Counts& counts) {
  for (const Measure which : all_measures()) {
    if (which == Measure::rounding_floor) continue;
    REQUIRE(counts.contains(which));
    const Count& count = counts.at(which);
    CAPTURE(measure_info(which).name, count.points, count.worst, count.seed);
    CHECK(count.points > 1000);
    CHECK(count.wrong == 0);
  }
}

}  // namespace

TEST_CASE("the judge is right to ten rounding floors, and its floor near the true error") {
  const bool moments = GENERATE(false, true);
  Counts counts;
  std::vector<double> pessimism;
  for (std::uint64_t seed = 1; seed <= (moments ? 120 : 400); ++seed) {
    Uniform uniform(seed + 1000000);
    try {
      const ContactProblem problem = wild_problem(seed, moments);
      for (const Model model : {Model::ccp, Model::ncp}) {
        Pair pair(problem, model, uniform);
        for (const Vector& gamma : wild_points(problem, pair.exact(), uniform)) {
          pair.judge(gamma);
          count_errors(pair, seed, counts);
          if (const double error = pair.off(Measure::velocity_residual); error > 0.0)
            pessimism.push_back(pair.floor() / error);
        }
      }
    } catch (const InputError&) {  // H is not positive definite in rounding
    }
  }
  check(counts);
  std::nth_element(pessimism.begin(), pessimism.begin() + std::ssize(pessimism) / 2, pessimism.end());
  CHECK(pessimism[pessimism.size() / 2] <= 100.0);
}

TEST_CASE("the judge is right at exact solutions and near them, and takes them for solutions") {
  const bool moments = GENERATE(false, true);
  Counts counts;
  int solutions = 0;
  std::string wrong;
  for (std::uint64_t seed = 1; seed <= (moments ? 120 : 400); ++seed)
    for (const Model model : {Model::ccp, Model::ncp}) {
      Uniform uniform(seed + 2000000);
      try {
        const Solved solved = solved_wild_problem(seed, model, moments);
        Pair pair(solved.problem, model, uniform);
        for (const Vector& gamma : points_near(solved.problem, solved.impulse, uniform)) {
          pair.judge(gamma);
          count_errors(pair, seed, counts);
          if (gamma != solved.impulse) continue;
          ++solutions;
          if (!pair.takes_for_solution()) wrong += " " + std::to_string(seed);
        }
      } catch (const InputError&) {  // H is not positive definite in rounding
      }
    }
  check(counts);
  CHECK(solutions > (moments ? 150 : 500));
  CHECK(wrong == "");
}
