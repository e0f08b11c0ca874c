#include "problem/judge/balance.hpp"

#include <cmath>

namespace ccp {

Balance balance_of(const ContactProblem& problem, const Vector& impulse) {
  if (!problem.given_global() || !problem.symmetric_mass()) return {};
  const GlobalForm& form = problem.global();
  Vector free(form.k.size()), v, u;
  problem.mass().solve(form.k, free);
  const double load = form.k.dot(free);
  if (!(load > 0.0)) return {};
  problem.local_velocity(problem.own_impulse(impulse), v, u);
  return {1.0 - form.k.dot(v) / load, std::sqrt(v.dot(form.H * v) / load)};
}

}  // namespace ccp
