#include "problem/judge/balance.hpp"

#include <cmath>

namespace ccp {
namespace {

constexpr double moves = 1e-6;  // m/s or rad/s

double moving_bodies(const BlockPartition& bodies, const Vector& v) {
  if (bodies.empty()) return std::numeric_limits<double>::quiet_NaN();
  int count = 0;
  for (Index b = 0; b < bodies.count(); ++b)
    if (v.segment(bodies.offset(b), bodies.size(b)).cwiseAbs().maxCoeff() > moves) ++count;
  return count;
}

}  // namespace

Balance balance_of(const ContactProblem& problem, const Vector& impulse) {
  if (!problem.given_global() || !problem.symmetric_mass()) return {};
  const GlobalForm& form = problem.global();
  Vector free(form.k.size()), v, u;
  problem.mass().solve(form.k, free);
  const double load = form.k.dot(free);
  if (!(load > 0.0)) return {};
  problem.local_velocity(problem.own_impulse(impulse), v, u);
  return {1.0 - form.k.dot(v) / load, std::sqrt(v.dot(form.H * v) / load), moving_bodies(problem.mass().blocks(), v)};
}

}  // namespace ccp
