#include "problem/judge/measure.hpp"

namespace ccp {
namespace {

constexpr std::array<MeasureInfo, measure_count> table{{
    {Measure::velocity_residual, "velocity_residual", "m/s",
     "max_i |γ_i − Π_Ki(γ_i − ρ_i û_i)| / ρ_i with ρ_i = rows(i)/tr(N_ii); the yardstick for all comparisons", true},
    {Measure::relative_residual, "relative_residual", "", "velocity_residual over its value at γ = 0", true},
    {Measure::natural_map, "natural_map", "", "|γ − Π_K(γ − û)|₂ / max(|r|₂, |γ|₂, |u|₂): Siconos' error", true},
    {Measure::objective, "objective", "J", "½γᵀNγ + rᵀγ at the projection of γ on K", false},
    {Measure::penetration_velocity, "penetration_velocity", "m/s",
     "max_i max(0, −u_n,i): violation of unilateral constraints", false},
    {Measure::cone_violation, "cone_violation", "N·s", "max_i dist(γ_i, K_i)", false},
    {Measure::complementarity, "complementarity", "J", "Σ_i |γ_iᵀû_i|", false},
    {Measure::momentum_residual, "momentum_residual", "kg·m/s", "|Hv − k − Dγ|∞ where the solver carries its own v", false},
    {Measure::apgd_residual, "apgd_residual", "", "|γ − Π_K(γ − g_d û)|₂ / (m g_d), g_d = 1e-6 (Mazhar 2015, eq. 25)", true},
    {Measure::contact_residual, "contact_residual", "",
     "|Jv − z|₂ / contacts, z = Jv − γ + T(γ − u), T strict for ncp, Π_K for ccp (Lee, sec. VII)", true},
    {Measure::merit, "merit", "", "Σ⟨N_ii⁻¹C_i, C_i⟩ / Σ⟨N_ii⁻¹r_i, r_i⟩, C = γ − Π_K(γ − û) (Koziara 2017, eq. 40)", true},
    {Measure::distance, "distance", "m/s", "|u − u*|∞ to the reference solution, where one is known", false},
    {Measure::rounding_floor, "rounding_floor", "m/s",
     "rounding error of velocity_residual (D.2): residuals below ten times it mean nothing", false},
    {Measure::lift_velocity, "lift_velocity", "m/s",
     "max u_n,i over contacts with γ_n,i > 0: 0 at solutions of ncp, the largest μ|u_T| of a sliding contact at those of "
     "ccp",
     false},
    {Measure::own_penetration_velocity, "own_penetration_velocity", "m/s",
     "penetration_velocity of the velocity v that a solver hands over, or of γ where it carries none", false},
    {Measure::creep_velocity, "creep_velocity", "m/s",
     "max |u_T − (C γ)_T| over contacts with γ inside their cone: what should stick moves so fast on a soft contact", false},
    {Measure::given_map, "given_map", "",
     "natural_map in the units of the problem as given: moments in N·m·s, rates in rad/s (Siconos' error with rolling "
     "friction); natural_map itself where no contact has moments",
     true},
    {Measure::regularised_residual, "regularised_residual", "",
     "relative_residual of the law that a method solves, with N + R: R is the compliance that sap and MuJoCo's methods add; "
     "relative_residual itself of methods that state none",
     true},
}};

}  // namespace

const MeasureInfo& measure_info(Measure measure) { return table[measure_index(measure)]; }

const std::vector<Measure>& all_measures() {
  static const std::vector<Measure> all = [] {
    std::vector<Measure> list;
    for (const MeasureInfo& info : table) list.push_back(info.measure);
    return list;
  }();
  return all;
}

std::vector<std::string> measure_names() {
  std::vector<std::string> names;
  for (const MeasureInfo& info : table) names.emplace_back(info.name);
  return names;
}

std::optional<Measure> measure_from_name(std::string_view name) {
  for (const MeasureInfo& info : table)
    if (info.name == name) return info.measure;
  return std::nullopt;
}

}  // namespace ccp
