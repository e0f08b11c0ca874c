#include "solvers/flops.hpp"

#include <limits>

namespace ccp {

double product_flops(const ContactProblem& problem) {
  if (!problem.given_global()) return 2.0 * static_cast<double>(problem.local().N.nonZeros());
  const GlobalForm& form = problem.global();
  const MassMatrix& mass = problem.mass();
  const double sides = 4.0 * static_cast<double>(form.D.nonZeros()) + 2.0 * static_cast<double>(form.C.nonZeros());
  if (!mass.block_diagonal())
    return sides + (mass.groups().empty() ? 4.0 : 2.0) * static_cast<double>(mass.factor_nonzeros());
  double inverses = 0.0;
  for (Index body = 0; body < mass.blocks().count(); ++body) {
    const auto size = static_cast<double>(mass.blocks().size(body));
    inverses += 2.0 * size * size;
  }
  return sides + inverses;
}

double projection_flops(const ContactProblem& problem) {
  constexpr double of_contact = 14.0;
  const Index contacts = problem.constraints().contacts();
  return of_contact * static_cast<double>(contacts) + static_cast<double>(problem.constraints().count() - contacts);
}

double total_flops(const Counters& counters, const ContactProblem& problem) {
  const bool counted = counters.products + counters.projections + counters.factorizations + counters.back_solves > 0;
  if (!counted) return std::numeric_limits<double>::quiet_NaN();
  double flops = counters.flops;
  if (counters.products > 0) flops += static_cast<double>(counters.products) * product_flops(problem);
  if (counters.projections > 0) flops += static_cast<double>(counters.projections) * projection_flops(problem);
  return flops;
}

}  // namespace ccp
