#include "views/solve_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.hpp"
#include "terminal/table.hpp"

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
  constexpr std::pair<ConstraintKind, const char*> kinds[] = {
      {ConstraintKind::contact, "3D contact"},
      {ConstraintKind::contact2d, "2D contact"},
      {ConstraintKind::torsion, "3D contact with spinning friction"},
      {ConstraintKind::rolling, "3D contact with rolling friction"},
      {ConstraintKind::rolling_torsion, "3D contact with rolling and spinning friction"},
      {ConstraintKind::rolling2d, "2D contact with rolling friction"},
      {ConstraintKind::unilateral, "unilateral row"},
      {ConstraintKind::bilateral, "bilateral row"}};
  std::vector<std::string> parts;
  for (const auto& [kind, name] : kinds)
    if (constraints.count(kind) > 0) parts.push_back(counted(static_cast<std::size_t>(constraints.count(kind)), name));
  return parts.empty() ? "none" : join(parts, ", ");
}

/// Form, sizes, nonzeros and friction of a problem.
void add_problem_facts(Table& table, const ContactProblem& problem) {
  const ConstraintSet& constraints = problem.constraints();
  table.fact("constraints", constraints_text(constraints));
  if (constraints.contacts() > 0) table.fact("friction", friction_range(constraints));
  if (problem.given_global()) {
    const GlobalForm& form = problem.global();
    table.fact("form", "global (H, D, k, b)");
    table.fact("size", fmt::format("{} degrees of freedom, {} rows", problem.dofs(), problem.rows()));
    std::string nonzeros = fmt::format("H {}, D {}", form.H.nonZeros(), form.D.nonZeros());
    if (form.C.nonZeros() > 0) nonzeros += fmt::format(", C {}", form.C.nonZeros());
    table.fact("nonzeros", nonzeros);
    if (!problem.symmetric_mass())
      table.fact("asymmetry",
                 fmt::format("|H_ij − H_ji| is up to {} of √(H_ii H_jj)", short_number(problem.mass_asymmetry())));
    return;
  }
  table.fact("form", "local (N, r)");
  table.fact("size", fmt::format("{} rows", problem.rows()));
  table.fact("nonzeros", fmt::format("N {}", problem.local().N.nonZeros()));
  table.fact("asymmetry", problem.symmetry_defect() == 0.0
                              ? std::string("none")
                              : fmt::format("max|N − Nᵀ| is {} of max|N|", short_number(problem.symmetry_defect())));
}

std::string changed_settings(const FieldTable& table) {
  std::vector<std::string> changed;
  for (const Field& field : table.fields()) {
    const std::string now = field_text(field.get()), before = field_text(field.default_value);
    if (now != before) changed.push_back(fmt::format("{} = {} (default {})", field.name, now, before));
  }
  return changed.empty() ? "all at their defaults" : join(changed, ", ");
}

std::string model_text(const Solver& solver, Model model) {
  const bool looped = model == Model::ncp && !solver.native(Model::ncp) && solver.native(Model::ccp);
  return fmt::format("{}{}", model_name(model), looped ? ", through the De Saxcé fixed point" : "");
}

/// The status and the facts on one line, what the status means on the next.
void print_status(Status status, const std::string& facts) {
  print_line("");
  print_line(Style::out().paint(status_tone(status), status_name(status)) + (facts.empty() ? "" : "  " + facts));
  print_line("  " + Style::out().dim(status_meaning(status)));
}

Tone measure_tone(Measure measure, const StopRule& stop, double value) {
  if (measure != stop.measure) return std::isnan(value) ? Tone::dim : Tone::plain;
  return value <= stop.tolerance ? Tone::good : Tone::warning;
}

Table measures_table(const StopRule& stop, const Measures& measures) {
  Table table({{""}, {"", true}, {""}, {"", false, Fit::shorten}});
  for (const Measure measure : all_measures()) {
    const MeasureInfo& info = measure_info(measure);
    const double value = measures[measure_index(measure)];
    if (std::isnan(value)) continue;
    table.row({Entry(std::string(info.name), measure == stop.measure ? Tone::bold : Tone::plain),
               Entry(measure_number(measure, value), measure_tone(measure, stop, value)),
               Entry(std::string(info.unit), Tone::dim), Entry(std::string(info.definition), Tone::dim)});
  }
  return table;
}

Table work_table(const Result& result) {
  Table table = name_table();
  const Counters& c = result.counters;
  const std::pair<std::int64_t, const char*> counts[] = {{c.factorizations, "factorization"},
                                                         {c.back_solves, "back-solve"},
                                                         {c.products, "Delassus product"},
                                                         {c.projections, "projection"}};
  std::vector<std::string> parts;
  for (const auto& [count, name] : counts)
    if (count > 0) parts.push_back(counted(static_cast<std::size_t>(count), name));
  if (!parts.empty()) table.fact("work", join(parts, ", "));
  table.fact("time", fmt::format("{} set-up, {} iterations", duration(result.setup_s), duration(result.solve_s)));
  return table;
}

void add_conversions(Table& table, const ContactProblem& problem) {
  std::vector<std::string> parts;
  for (const Conversion& conversion : problem.conversions())
    parts.push_back(fmt::format("{} {}", conversion.name, duration(conversion.seconds)));
  if (!parts.empty()) table.fact("conversions", join(parts, ", "));
}

/// "1e-4 after 31 (0.8 ms), …": when the stop measure first met each second decade.
std::string crossings_text(const Crossings& crossings) {
  std::vector<std::string> parts;
  for (int decade = first_decade; decade <= last_decade; decade += 2) {
    const Crossing& crossing = crossings[static_cast<std::size_t>(decade - first_decade)];
    if (crossing.iteration < 0) break;
    parts.push_back(fmt::format("1e-{} after {} ({})", decade, crossing.iteration, duration(crossing.elapsed_s)));
  }
  return join(parts, ", ");
}

}  // namespace

void print_problem(const NamedProblem& named) {
  print_line(Style::out().bold(printable(named.title)));
  Table problem = name_table();
  if (!named.info.title.empty()) problem.fact("title", printable_text(named.info.title));
  add_problem_facts(problem, named.problem);
  if (named.file)
    for (const std::string& remark : named.file->remarks) problem.fact("remark", printable(remark));
  print(problem.text(Style::out(), stdout_width()));
}

void print_solve_heading(const NamedProblem& named, const Solver& solver, Model model, const StopRule& stop, int threads) {
  print_problem(named);
  Table method = name_table();
  method.fact("method", solver.info().title);
  method.fact("model", model_text(solver, model));
  method.fact("settings", changed_settings(solver.settings()));
  method.fact("stop", fmt::format("{} ≤ {}{}, at most {} iterations, {}", measure_info(stop.measure).name,
                                  format_double(stop.tolerance), stop.native ? ", judged when the solver itself stops" : "",
                                  stop.max_iterations, duration(stop.time_limit_s)));
  if (threads > 1) method.fact("threads", fmt::format("{}", threads));
  print_section(solver.info().name, method);
}

void print_solve_result(const ContactProblem& problem, const StopRule& stop, const Result& result) {
  const std::string total = duration(result.setup_s + result.solve_s);
  print_status(result.status,
               fmt::format("{}, {}", counted(static_cast<std::size_t>(result.iterations), "iteration"), total));
  if (!result.reason.empty()) print_line("  " + printable(result.reason));
  print_section("Measures of the result", measures_table(stop, result.measures));
  Table work = work_table(result);
  add_conversions(work, problem);
  const std::string crossings = crossings_text(result.crossings);
  if (!crossings.empty()) work.fact("accuracy", crossings);
  work.fact("native", fmt::format("the solver's own criterion {}", result.native_converged ? "holds" : "does not hold"));
  if (result.ranks)
    work.fact(
        "ranks",
        fmt::format("{}: {} exchanges with {} messages, {:.3g} MB, {} sums, {} contacts between ranks, at most {:.0f} MiB",
                    result.ranks->ranks, result.ranks->exchanges, result.ranks->messages,
                    1e-6 * static_cast<double>(result.ranks->bytes_sent), result.ranks->reductions,
                    result.ranks->cut_contacts, result.ranks->memory_mb));
  for (const std::string& note : result.notes) work.fact("note", printable(note));
  print_section("How", work);
}

void print_solve_unsupported(const std::string& reason) { print_status(Status::unsupported, printable(reason)); }

}  // namespace ccp::cli
