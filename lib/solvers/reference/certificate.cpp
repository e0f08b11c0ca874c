#include "solvers/reference/certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ccp {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double slack = 2.0;  ///< for the rounding of the measures that follow from the velocity residual

/// The bounds (K.2–K.5) that a velocity residual δ sets to the other measures.
struct Consequences {
  double penetration = 0.0, complementarity = 0.0, natural_map = 0.0, cone = 0.0;
};

Consequences consequences(const Judge& judge, const Vector& impulse, double delta, double tolerance) {
  const ConstraintSet& constraints = judge.problem().constraints();
  const Vector& u = judge.local_velocity();
  Consequences bounds;
  double friction = 0.0, steps = 0.0, largest = 0.0;
  for (Index i = 0; i < constraints.count(); ++i) {
    const Index offset = constraints.offset(i), rows = constraints.rows(i);
    const MomentFriction& moments = constraints.moments(i);
    const double mu = constraints.friction(i) + moments.rolling + moments.spinning;
    const double rho = judge.step(i), gamma = impulse.segment(offset, rows).norm();
    const double corrected = (1.0 + mu) * u.segment(offset, rows).norm();  // at least ‖û_i‖
    bounds.complementarity += delta * (gamma + rho * (corrected + delta));
    friction = std::max(friction, mu);
    steps += std::max(1.0, rho * rho);
    largest = std::max(largest, gamma);
  }
  const double scale = std::max({judge.free_velocity().norm(), impulse.norm(), u.norm()});
  // Where μ is large the residual shrinks by √(1 + μ²) and says little about penetration, which is then bounded by itself.
  const double wide = std::hypot(1.0, friction) * delta;
  const double own = 5.0 * std::max(delta, tolerance * judge.initial_velocity());
  bounds.penetration = slack * std::min(wide, own);
  bounds.complementarity *= slack;
  bounds.natural_map = slack * delta * std::sqrt(steps) / (scale > 0.0 ? scale : 1.0) + 4.0 * epsilon;
  bounds.cone = 8.0 * epsilon * largest;
  return bounds;
}

}  // namespace

Certificate certify(Judge& judge, const Vector& impulse, const CertificateRule& rule) {
  static const std::vector<Measure> wanted = {
      Measure::velocity_residual,    Measure::relative_residual, Measure::natural_map,   Measure::cone_violation,
      Measure::penetration_velocity, Measure::complementarity,   Measure::rounding_floor};
  const Measures measures = judge.evaluate(wanted, {&impulse, nullptr});
  const auto value = [&](Measure measure) { return measures[measure_index(measure)]; };

  Certificate c;
  c.velocity_residual = value(Measure::velocity_residual);
  c.relative_residual = value(Measure::relative_residual);
  const double floor = value(Measure::rounding_floor);
  c.rounding_floor = std::isfinite(floor) ? floor : 0.0;
  const double by_tolerance = rule.tolerance * judge.initial_residual(), by_floor = rule.floor_multiple * c.rounding_floor;
  c.at_floor = c.velocity_residual > by_tolerance && by_floor > by_tolerance;
  const double scale = judge.initial_residual() > 0.0 ? judge.initial_residual() : 1.0;
  c.accuracy = std::max(rule.tolerance, meaningful_floors * c.rounding_floor / scale);

  const double delta = std::max(by_tolerance, by_floor);
  const Consequences bounds = consequences(judge, impulse, delta, rule.tolerance);
  const std::pair<Measure, double> checks[] = {{Measure::velocity_residual, delta},
                                               {Measure::cone_violation, bounds.cone},
                                               {Measure::penetration_velocity, bounds.penetration},
                                               {Measure::complementarity, bounds.complementarity},
                                               {Measure::natural_map, bounds.natural_map}};
  c.holds = c.accuracy <= std::max(rule.coarsest, rule.tolerance);
  if (!c.holds) {
    c.measure = measure_info(Measure::rounding_floor).name;
    c.value = c.accuracy;
    c.bound = rule.coarsest;
    return c;
  }
  for (const auto& [measure, bound] : checks) {
    c.measure = measure_info(measure).name;
    c.value = value(measure);
    c.bound = bound;
    c.holds = c.value <= bound;  // false for NaN
    if (!c.holds) return c;
  }
  return c;
}

std::string Certificate::text(const CertificateRule& rule) const {
  if (measure == measure_info(Measure::rounding_floor).name)
    return fmt::format("ten rounding floors are a relative residual of {:.1e} > {:.0e}, so that rounding hides the solution",
                       value, bound);
  const std::string floor = fmt::format("{} times the rounding floor {:.2e} m/s", rule.floor_multiple, rounding_floor);
  if (holds && at_floor)
    return fmt::format("velocity residual {:.2e} m/s <= {}, so that the relative residual is at most {:.1e}",
                       velocity_residual, floor, accuracy);
  if (holds && accuracy > rule.tolerance)
    return fmt::format("relative residual {:.2e} <= {:.0e}, with rounding at most {:.1e}", relative_residual, rule.tolerance,
                       accuracy);
  if (holds) return fmt::format("relative residual {:.2e} <= {:.0e}", relative_residual, rule.tolerance);
  if (measure == measure_info(Measure::velocity_residual).name)
    return fmt::format("relative residual {:.2e} > {:.0e}, and velocity residual {:.2e} m/s > {}", relative_residual,
                       rule.tolerance, velocity_residual, floor);
  return fmt::format("{} {:.2e} > {:.2e}, the bound that follows from that of the velocity residual", measure, value, bound);
}

}  // namespace ccp
