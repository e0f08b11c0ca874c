#include "problem/perturbation.hpp"

#include <fmt/format.h>

#include <random>

#include "core/error.hpp"
#include "problem/block_scale.hpp"
#include "problem/conversion.hpp"
#include "problem/problem_builder.hpp"

namespace ccp {
namespace {

/// Added to the seed for the noise of b, so that it differs from that of r.
constexpr std::uint64_t other_stream = 1'000'000'007;

/// Uniform in [−1, 1): the mapping is ours because those of the standard library differ between implementations.
Vector uniform_vector(Index size, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  Vector z(size);
  for (double& entry : z) entry = static_cast<double>(engine() >> 11) * 0x1p-52 - 1.0;
  return z;
}

ConstraintSet with_friction_factor(const ConstraintSet& constraints, double factor) {
  ConstraintSet scaled;
  for (Index i = 0; i < constraints.count(); ++i) {
    const MomentFriction& moments = constraints.moments(i);
    scaled.add(constraints.kind(i), factor * constraints.friction(i),
               {factor * moments.rolling, factor * moments.spinning, moments.length});
  }
  return scaled;
}

/// z scaled so that its response N z (without compliance) has the wanted norm.
Vector impulse_noise(const ContactProblem& problem, const Perturbation& perturbation) {
  Vector z = uniform_vector(problem.rows(), perturbation.seed), response;
  if (problem.given_global()) {
    const GlobalForm& form = problem.global();
    Vector velocity = form.D * z;
    problem.mass().solve(velocity, velocity);
    response = form.D.transpose() * velocity;
  } else {
    response = problem.local().N * z;
  }
  const double size = response.norm();
  z *= size > 0.0 ? perturbation.noise * problem.free_velocity().norm() / size : 0.0;
  return z;
}

/// c tr(N_ii)/rows(i) of each row, m.
Vector added_compliance(const ContactProblem& problem, double c) {
  const ConstraintSet& set = problem.constraints();
  const Vector means = block_means(set, delassus_diagonal(problem));
  Vector added(problem.rows());
  for (Index i = 0; i < set.count(); ++i) added.segment(set.offset(i), set.rows(i)).setConstant(c * means[i]);
  return added;
}

}  // namespace

ContactProblem perturbed(const ContactProblem& problem, const Perturbation& perturbation) {
  if (perturbation == Perturbation{.seed = perturbation.seed}) return problem;
  if (problem.impulse_shift().size() > 0) throw InputError("a problem with cohesion cannot be perturbed");
  if (perturbation.b_noise > 0.0 && !problem.given_global())
    throw InputError("b_noise needs a problem in global form: in local form b is not known");
  const Vector z = impulse_noise(problem, perturbation);
  const bool softer = perturbation.compliance > 0.0;
  ProblemBuilder builder(fmt::format("{}, noise {:g}, friction × {:g}, seed {}{}", problem.name(), perturbation.noise,
                                     perturbation.friction_factor, perturbation.seed,
                                     softer ? fmt::format(", compliance {:g}", perturbation.compliance) : ""));
  if (problem.given_global()) {
    const GlobalForm& form = problem.global();
    const Vector change = perturbation.b_noise * uniform_vector(problem.rows(), perturbation.seed + other_stream);
    builder.global(form.H, form.k + form.D * z, form.D, form.b + change.cwiseProduct(form.b));
    if (form.C.nonZeros() > 0) builder.compliance(form.C);
    if (problem.subsystems() != nullptr) builder.subsystems(*problem.subsystems());
  } else {
    const SparseMatrix& N = problem.local().N;
    builder.local(N, problem.local().r + N * z);
  }
  builder.constraints(with_friction_factor(problem.constraints(), perturbation.friction_factor));
  const ContactProblem rigid = builder.build();
  return softer ? softened(rigid, added_compliance(problem, perturbation.compliance)) : rigid;
}

ContactProblem softened(const ContactProblem& problem, const Vector& compliance) {
  SparseMatrix C(problem.rows(), problem.rows());
  C.reserve(Eigen::VectorXi::Constant(problem.rows(), 1));
  for (Index row = 0; row < problem.rows(); ++row) C.insert(row, row) = compliance[row];
  ProblemBuilder builder(problem.name());
  if (problem.given_global()) {
    const GlobalForm& form = problem.global();
    builder.global(form.H, form.k, form.D, form.b).compliance(form.C.nonZeros() > 0 ? SparseMatrix(form.C + C) : C);
    if (problem.subsystems() != nullptr) builder.subsystems(*problem.subsystems());
  } else {
    builder.local(problem.local().N + C, problem.local().r);
  }
  return builder.constraints(problem.constraints()).build();
}

}  // namespace ccp
