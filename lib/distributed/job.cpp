#include "distributed/job.hpp"

#include <fmt/format.h>

#include "core/text.hpp"
#include "solvers/methods.hpp"

namespace ccp {
namespace {

struct RankMethod {
  const char* name;
  std::unique_ptr<Solver> (*make)();
};

/// Methods all of whose sums, norms and products are made for ranks.
constexpr RankMethod rank_methods[] = {{"jacobi", make_jacobi},
                                       {"gauss_seidel", make_gauss_seidel},
                                       {"nsgs", make_nsgs},
                                       {"apgd", make_apgd},
                                       {"spg", make_spg},
                                       {"p_spg_fb", make_p_spg_fb},
                                       {"projected_cg", make_projected_cg},
                                       {"pqn", make_pqn}};

const RankMethod* find_rank_method(const std::string& name) {
  for (const RankMethod& method : rank_methods)
    if (method.name == name) return &method;
  return nullptr;
}

/// The members that travel, for a Packer or an Unpacker.
void job_members(auto& stream, auto& job) {
  stream(job.ranks, job.solver, job.settings, job.model, job.stop, job.threads, job.trace);
}
void problem_members(auto& stream, auto& constraints, auto& form) {
  stream(constraints, form.H, form.D, form.C, form.k, form.b);
}
void row_members(auto& stream, auto& row, auto& native) {
  stream(row.iteration, row.outer, row.elapsed_s, row.counters, row.measures, native, row.native_converged);
}
void end_members(auto& stream, auto& end) {
  stream(end.verdict, end.given_up, end.reason, end.carried, end.elapsed_s, end.counters, end.crossings, end.facts,
         end.impulse);
}

}  // namespace

std::optional<std::string> rank_solver_defect(const std::string& name) {
  if (find_rank_method(name) != nullptr) return std::nullopt;
  std::vector<std::string> names;
  for (const RankMethod& method : rank_methods) names.emplace_back(method.name);
  return fmt::format("{} does not run on several ranks: its steps need blocks or factors of other ranks (those that do: {})",
                     name, join(names, ", "));
}

std::unique_ptr<Solver> make_rank_solver(const std::string& name) { return find_rank_method(name)->make(); }

void put(Packer& packer, const RankJob& job) { job_members(packer, job); }
void take(Unpacker& unpacker, RankJob& job) { job_members(unpacker, job); }

void put(Packer& packer, const ConstraintSet& constraints, const GlobalForm& form) {
  problem_members(packer, constraints, form);
}
void take(Unpacker& unpacker, RankProblem& problem) { problem_members(unpacker, problem.constraints, problem.form); }

void put(Packer& packer, const TraceRow& row) { row_members(packer, row, *row.native); }
void take(Unpacker& unpacker, TraceRow& row, std::vector<double>& native) {
  row_members(unpacker, row, native);
  row.native = &native;
}

void put(Packer& packer, const RankEnd& end) { end_members(packer, end); }
void take(Unpacker& unpacker, RankEnd& end) { end_members(unpacker, end); }

}  // namespace ccp
