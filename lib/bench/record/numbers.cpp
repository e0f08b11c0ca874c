#include "bench/record/numbers.hpp"

namespace ccp {

template <>
const std::vector<Number<Counters>>& numbers() {
  static const std::vector<Number<Counters>> table = [] {
    std::vector<Number<Counters>> list;
    for (const auto& [name, meaning, counter] : traced_counters) list.push_back({name, "", meaning, counter, name, true});
    list.push_back({"analyses", "", "symbolic analyses", &Counters::analyses, "analyses"});
    list.push_back({"flops", "", "floating-point operations of factorisations, back-solves, products and projections",
                    &Counters::flops, "flops", true});
    list.push_back({"analysis_s", "s", "time of the symbolic analyses", &Counters::analysis_s, "analysis_s"});
    list.push_back({"factorization_s", "s", "time of the factorisations", &Counters::factorization_s, "factorization_s"});
    list.push_back({"back_solve_s", "s", "time of the back-solves", &Counters::back_solve_s, "back_solve_s"});
    return list;
  }();
  return table;
}

template <>
const std::vector<Number<CellRecord>>& numbers() {
  static const std::vector<Number<CellRecord>> table = {
      {"iterations", "", "iterations of the run", &CellRecord::iterations, "iterations", true},
      {"setup_s", "s", "forming operators, analysis and first factorisation; median of the runs", &CellRecord::setup_s,
       "setup_s"},
      {"solve_s", "s", "iterations, without judging; median of the runs", &CellRecord::solve_s, "solve_s", true},
      {"instructions", "", "instructions retired on the solver clock of the first run, in user space",
       &CellRecord::instructions, "instructions", true},
      {"judging_s", "s", "judging and tracing in the first run, off the solver clock", &CellRecord::judging_s, "judging_s",
       false, false},
      {"wall_s", "s", "wall clock of the process", &CellRecord::wall_s, "wall_s"},
      {"peak_memory_mb", "MiB", "largest resident size of the process, with the problem", &CellRecord::peak_memory_mb,
       "peak_memory_mb"}};
  return table;
}

template <>
const std::vector<Number<ProblemFacts>>& numbers() {
  static const std::vector<Number<ProblemFacts>> table = {
      {"contacts", "", "contacts of the problem; of a sequence the most of a step", &ProblemFacts::contacts, "contacts"},
      {"rows", "", "rows of the problem, three for each contact; of a sequence the most of a step", &ProblemFacts::rows,
       "rows"},
      {"dofs", "", "velocities of the problem; of a sequence the most of a step", &ProblemFacts::dofs, "dofs"},
      {"symmetry_defect", "", "max|N − Nᵀ| / max|N|", &ProblemFacts::symmetry_defect, "symmetry_defect"}};
  return table;
}

template <>
const std::vector<Number<Balance>>& numbers() {
  static const std::vector<Number<Balance>> table = {
      {"load_carried", "", "share of the load that the impulses carry (D.16): 1 in equilibrium, 0 in free fall",
       &Balance::load_carried, "load_carried"},
      {"speed_left", "", "share of the free speed that is left (D.17): 0 in equilibrium, 1 in free fall",
       &Balance::speed_left, "speed_left"},
      {"moving_bodies", "", "bodies faster than 1e-6 m/s or rad/s", &Balance::moving_bodies, "moving_bodies"}};
  return table;
}

template <>
const std::vector<Number<RankFacts>>& numbers() {
  static const std::vector<Number<RankFacts>> table = {
      {"ranks", "", "processes that the solver ran on, by MPI", &RankFacts::ranks, "ranks"},
      {"messages", "", "messages with impulses between ranks, on the solver clock", &RankFacts::messages, "messages", true},
      {"bytes_sent", "B", "what they held", &RankFacts::bytes_sent, "bytes_sent", true},
      {"exchanges", "", "exchanges of impulses, in which all ranks take part", &RankFacts::exchanges, "exchanges", true},
      {"reductions", "", "sums over all ranks, on the solver clock", &RankFacts::reductions, "reductions", true},
      {"cut_contacts", "", "contacts whose bodies belong to two ranks", &RankFacts::cut_contacts, "cut_contacts"},
      {"imbalance", "", "most contacts of a rank over their mean", &RankFacts::imbalance, "imbalance"},
      {"rank_memory_mb", "MiB", "largest resident size of a rank", &RankFacts::memory_mb, "rank_memory_mb"}};
  return table;
}

template <>
const std::vector<Number<KernelTimes>>& numbers() {
  static const std::vector<Number<KernelTimes>> table = {
      {"product_s", "s", "one product of the first-order methods", &KernelTimes::product, "kernel_product_s"},
      {"projection_s", "s", "one projection onto all cones", &KernelTimes::projection, "kernel_projection_s"},
      {"block_product_s", "s", "N x by blocks of 3×3", &KernelTimes::block_product, "kernel_block_product_s"},
      {"csr_product_s", "s", "N x by scalar compressed rows", &KernelTimes::csr_product, "kernel_csr_product_s"},
      {"factors_product_s", "s", "Dᵀ(H⁻¹(D x)) by scalar sparse matrices", &KernelTimes::factors_product,
       "kernel_factors_product_s"},
      {"bytes_per_contact", "B", "memory of the operator that the methods choose", &KernelTimes::bytes_per_contact,
       "bytes_per_contact"}};
  return table;
}

template <>
const std::vector<Number<SequenceFacts>>& numbers() {
  using Facts = SequenceFacts;
  static const std::vector<Number<Facts>> table = {
      {"steps", "", "steps that were taken", &Facts::steps, "steps"},
      {"unsolved_steps", "", "requested steps that were not solved", &Facts::unsolved_steps, "unsolved_steps"},
      {"driver_unsolved_steps", "", "steps that the driver took and left unsolved, from the start of the scene",
       &Facts::driver_unsolved_steps, "driver_unsolved_steps"},
      {"iterations_per_step", "", "mean over the steps with contacts", &Facts::iterations_per_step, "iterations_per_step",
       true},
      {"iterations_per_solved_step", "", "mean over the solved steps with contacts", &Facts::iterations_per_solved_step,
       "iterations_per_solved_step"},
      {"iterations_max", "", "most iterations of a step", &Facts::iterations_max, "iterations_max", true},
      {"contacts_per_step", "", "mean over the steps with contacts", &Facts::contacts_per_step, "contacts_per_step"},
      {"contacts_max", "", "most contacts of a step", &Facts::contacts_max, "contacts_max"},
      {"unknowns_per_step", "", "velocities and impulses, mean over the steps with contacts", &Facts::unknowns_per_step,
       "unknowns_per_step"},
      {"rows_max", "", "most rows of a step", &Facts::rows_max},
      {"dofs", "", "most velocities of a step", &Facts::dofs},
      {"build_s", "s", "collision and assembly of all steps", &Facts::build_s, "build_s"},
      {"fallback_s", "s", "the driver's time for steps left unsolved", &Facts::fallback_s},
      {"deepest_gap", "m", "least gap of all steps", &Facts::deepest_gap, "deepest_gap"},
      {"energy_gain", "J", "largest kinetic and potential energy, less that after the first step", &Facts::energy_gain,
       "energy_gain"},
      {"contact_residual_per_step", "", "contact_residual, mean over the steps with contacts",
       &Facts::contact_residual_per_step, "contact_residual_per_step"},
      {"seconds_per_step", "s", "set-up and solve, mean over the steps", &Facts::seconds_per_step, "seconds_per_step"},
      {"step_s_max", "s", "set-up and solve of the slowest step", &Facts::step_s_max, "step_s_max"},
      {"late_steps", "", "steps whose set-up and solve take longer than they move by", &Facts::late_steps, "late_steps"},
      {"steps_at_time_limit", "", "steps that ended at the time limit", &Facts::steps_at_time_limit, "steps_at_time_limit",
       false, false}};
  return table;
}

template <>
const std::vector<Number<NativeStop>>& numbers() {
  using Stop = NativeStop;
  static const std::vector<Number<Stop>> table = {
      {"unmet_steps", "", "steps that did not meet the method's own criterion; of a single run 0 or 1", &Stop::unmet_steps,
       native_unmet_steps},
      {"iterations_per_step", "", "mean over the steps that met the method's own criterion", &Stop::iterations_per_step,
       "native_iterations_per_step"},
      {"iterations_max", "", "most of the steps that met the method's own criterion", &Stop::iterations_max,
       "native_iterations_max"},
      {"factorizations_per_step", "", "mean over the steps that met the method's own criterion",
       &Stop::factorizations_per_step, "native_factorizations_per_step"},
      {"relative_residual", "", "the suite's relative residual where the method stopped, the largest",
       &Stop::relative_residual, "native_relative_residual"}};
  return table;
}

}  // namespace ccp
