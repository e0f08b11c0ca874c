#include "views/problem_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/text.hpp"

namespace ccp::cli {
namespace {

std::string friction_range(const ConstraintSet& constraints) {
  double low = std::numeric_limits<double>::infinity(), high = 0.0;
  for (Index i = 0; i < constraints.count(); ++i) {
    if (!has_friction(constraints.kind(i))) continue;
    low = std::min(low, constraints.friction(i));
    high = std::max(high, constraints.friction(i));
  }
  if (low == high) return fmt::format("μ = {:.4g}", low);
  return fmt::format("μ from {:.4g} to {:.4g}", low, high);
}

std::string constraints_text(const ConstraintSet& constraints) {
  constexpr std::pair<ConstraintKind, const char*> kinds[] = {{ConstraintKind::contact, "3D contact"},
                                                              {ConstraintKind::contact2d, "2D contact"},
                                                              {ConstraintKind::unilateral, "unilateral row"},
                                                              {ConstraintKind::bilateral, "bilateral row"}};
  std::vector<std::string> parts;
  for (const auto& [kind, name] : kinds)
    if (constraints.count(kind) > 0) parts.push_back(counted(static_cast<std::size_t>(constraints.count(kind)), name));
  return parts.empty() ? "none" : join(parts, ", ");
}

}  // namespace

Table facts_table() { return Table({{""}, {"", false, Fit::wrap}}); }

void add_problem_facts(Table& table, const ContactProblem& problem) {
  const ConstraintSet& constraints = problem.constraints();
  const auto fact = [&table](const char* name, std::string value) { table.row({Entry(name, Tone::dim), std::move(value)}); };
  fact("constraints", constraints_text(constraints));
  if (constraints.contacts() > 0) fact("friction", friction_range(constraints));
  if (problem.given_global()) {
    const GlobalForm& form = problem.global();
    fact("form", "global (H, D, k, b)");
    fact("size", fmt::format("{} degrees of freedom, {} rows", problem.dofs(), problem.rows()));
    std::string nonzeros = fmt::format("H {}, D {}", form.H.nonZeros(), form.D.nonZeros());
    if (form.C.nonZeros() > 0) nonzeros += fmt::format(", C {}", form.C.nonZeros());
    fact("nonzeros", nonzeros);
    return;
  }
  fact("form", "local (N, r)");
  fact("size", fmt::format("{} rows", problem.rows()));
  fact("nonzeros", fmt::format("N {}", problem.local().N.nonZeros()));
  fact("asymmetry", problem.symmetry_defect() == 0.0
                        ? std::string("none")
                        : fmt::format("max|N − Nᵀ| is {} of max|N|", short_number(problem.symmetry_defect())));
}

void print_section(const std::string& title, const Table& table) {
  if (table.empty()) return;
  print_line("");
  print_line(Style::out().bold(title));
  print(table.text(Style::out(), stdout_width()));
}

}  // namespace ccp::cli
