#include "bench/record/step_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/record/csv.hpp"
#include "bench/record/numbers.hpp"

namespace ccp {
namespace {

double mean(double sum, std::int64_t count) { return count > 0 ? sum / static_cast<double>(count) : unknown_number; }

void add(Counters& sum, const Counters& more) {
  for (const Number<Counters>& number : numbers<Counters>())
    std::visit([&](auto counter) { sum.*counter += more.*counter; }, number.member);
}

/// A NaN stays.
double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }

void add_measures(Measures& total, const Measures& more) {
  for (const Measure measure : all_measures()) {
    const std::size_t i = measure_index(measure);
    total[i] = measure == Measure::objective ? total[i] + more[i] : larger(total[i], more[i]);
  }
}

void add_crossings(Crossings& total, const Crossings& more) {
  for (std::size_t i = 0; i < total.size(); ++i) {
    if (total[i].iteration < 0) continue;
    if (more[i].iteration < 0)
      total[i] = {};
    else
      total[i] = {total[i].iteration + more[i].iteration, total[i].elapsed_s + more[i].elapsed_s};
  }
}

double value_of(const std::vector<MotionFact>& facts, const std::string& name) {
  const auto found = std::find_if(facts.begin(), facts.end(), [&](const MotionFact& fact) { return fact.name == name; });
  return found == facts.end() ? unknown_number : found->value;
}

/// Set-up and solve, s.
double time_of(const StepRow& row) { return row.setup_s + row.solve_s; }

/// What a step moves by, s; infinite where there is one alone.
double length_of_step(const std::vector<StepRow>& rows) {
  return rows.size() > 1 ? rows[1].time_s - rows[0].time_s : std::numeric_limits<double>::infinity();
}

double energy(const StepRow& row) { return row.fact("kinetic_J") + row.fact("potential_J"); }

}  // namespace

double StepRow::fact(const std::string& name) const { return value_of(facts, name); }

double SequenceFacts::fact(const std::string& name) const { return value_of(facts, name); }

void take_result(StepRow& row, const Result& result) {
  row.status = result.status;
  row.stopped_by = result.verdict;
  row.reason = result.reason;
  row.iterations = result.iterations;
  row.setup_s = result.setup_s;
  row.solve_s = result.solve_s;
  row.counters = result.counters;
  row.measures = result.measures;
  row.native_converged = result.native_converged;
  row.crossings = result.crossings;
}

NativeStop native_stop_of(const std::vector<StepRow>& rows, std::int64_t asked) {
  NativeStop stop;
  stop.unmet_steps = asked;
  stop.iterations_max = stop.relative_residual = unknown_number;
  std::int64_t with_rows = 0;
  double iterations = 0.0, factorizations = 0.0;
  const auto most = [&](double& of_all, double value) { of_all = with_rows == 0 ? value : larger(of_all, value); };
  for (const StepRow& row : rows) {
    if (!row.native_converged) continue;
    --stop.unmet_steps;
    if (row.rows == 0) continue;
    most(stop.iterations_max, row.iterations);
    most(stop.relative_residual, row.measures[measure_index(Measure::relative_residual)]);
    ++with_rows;
    iterations += row.iterations;
    factorizations += static_cast<double>(row.counters.factorizations);
  }
  stop.iterations_per_step = mean(iterations, with_rows);
  stop.factorizations_per_step = mean(factorizations, with_rows);
  return stop;
}

SequenceFacts facts_of(const std::vector<StepRow>& rows, std::int64_t asked) {
  SequenceFacts facts;
  facts.steps = std::ssize(rows);
  facts.unsolved_steps = asked;
  std::int64_t with_contacts = 0, solved_with_contacts = 0;
  double iterations = 0.0, iterations_solved = 0.0, contacts = 0.0, unknowns = 0.0, residual = 0.0, seconds = 0.0;
  const double length = length_of_step(rows);
  for (const StepRow& row : rows) {
    const bool solved = row.status == Status::solved;
    if (solved) --facts.unsolved_steps;
    if (row.status == Status::time_limit) ++facts.steps_at_time_limit;
    facts.iterations_max = std::max(facts.iterations_max, row.iterations);
    facts.contacts_max = std::max(facts.contacts_max, row.contacts);
    facts.rows_max = std::max(facts.rows_max, row.rows);
    facts.dofs = std::max(facts.dofs, row.dofs);
    facts.build_s += row.build_s;
    facts.fallback_s += row.fallback_s;
    facts.deepest_gap = -larger(-facts.deepest_gap, -row.fact("deepest_gap"));
    facts.energy_gain = larger(facts.energy_gain, energy(row) - energy(rows.front()));
    seconds += time_of(row);
    facts.step_s_max = std::max(facts.step_s_max, time_of(row));
    if (time_of(row) > length) ++facts.late_steps;
    if (row.contacts == 0) continue;
    ++with_contacts;
    residual += row.measures[measure_index(Measure::contact_residual)];
    iterations += row.iterations;
    contacts += static_cast<double>(row.contacts);
    unknowns += static_cast<double>(row.dofs + row.rows);
    if (!solved) continue;
    ++solved_with_contacts;
    iterations_solved += row.iterations;
  }
  facts.iterations_per_step = mean(iterations, with_contacts);
  facts.iterations_per_solved_step = mean(iterations_solved, solved_with_contacts);
  facts.contacts_per_step = mean(contacts, with_contacts);
  facts.unknowns_per_step = mean(unknowns, with_contacts);
  facts.contact_residual_per_step = mean(residual, with_contacts);
  facts.seconds_per_step = mean(seconds, facts.steps);
  if (!rows.empty()) facts.facts = rows.back().facts;
  return facts;
}

Result total_of(const std::vector<StepRow>& rows, std::int64_t asked) {
  Result total;
  total.status = Status::solved;
  total.native_converged = !rows.empty();
  for (Crossing& crossing : total.crossings) crossing = std::ssize(rows) == asked ? Crossing{0, 0.0} : Crossing{};
  std::int64_t unsolved = 0;
  for (const StepRow& row : rows) {
    total.iterations += row.iterations;
    total.setup_s += row.setup_s;
    total.solve_s += row.solve_s;
    total.native_converged = total.native_converged && row.native_converged;
    add(total.counters, row.counters);
    add_measures(total.measures, row.measures);
    add_crossings(total.crossings, row.crossings);
    if (row.status == Status::solved) continue;
    if (unsolved++ == 0) {
      total.status = row.status;
      total.reason = fmt::format("step {}{}{}", row.step, row.reason.empty() ? "" : ": ", row.reason);
    }
  }
  if (unsolved > 1) total.reason += fmt::format(" (and {} later ones of {})", unsolved - 1, asked);
  return total;
}

}  // namespace ccp
