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
                                       {"apgd", make_apgd},
                                       {"spg", make_spg},
                                       {"p_spg_fb", make_p_spg_fb},
                                       {"projected_cg", make_projected_cg}};

const RankMethod* find_rank_method(const std::string& name) {
  for (const RankMethod& method : rank_methods)
    if (method.name == name) return &method;
  return nullptr;
}

std::string status_text(const std::optional<Status>& status) { return status ? std::string(status_name(*status)) : ""; }

}  // namespace

std::optional<std::string> rank_solver_defect(const std::string& name) {
  if (find_rank_method(name) != nullptr) return std::nullopt;
  std::vector<std::string> names;
  for (const RankMethod& method : rank_methods) names.emplace_back(method.name);
  return fmt::format("{} does not run on several ranks: its steps need blocks or factors of other ranks (those that do: {})",
                     name, join(names, ", "));
}

std::unique_ptr<Solver> make_rank_solver(const std::string& name) { return find_rank_method(name)->make(); }

void put(Packer& packer, const RankJob& job) {
  packer.put(job.ranks);
  packer.put(job.solver);
  packer.put(std::ssize(job.settings));
  for (const auto& [name, value] : job.settings) {
    packer.put(name);
    packer.put(value);
  }
  packer.put(job.model);
  packer.put(job.stop);
  packer.put(job.threads);
  packer.put(job.trace);
}

void take(Unpacker& unpacker, RankJob& job) {
  unpacker.take(job.ranks);
  unpacker.take(job.solver);
  job.settings.resize(uz(unpacker.take<Index>()));
  for (auto& [name, value] : job.settings) {
    unpacker.take(name);
    unpacker.take(value);
  }
  unpacker.take(job.model);
  unpacker.take(job.stop);
  unpacker.take(job.threads);
  unpacker.take(job.trace);
}

void put(Packer& packer, const ConstraintSet& constraints, const GlobalForm& form) {
  packer.put(constraints);
  packer.put(form.H);
  packer.put(form.D);
  packer.put(form.C);
  packer.put(form.k);
  packer.put(form.b);
}

void take(Unpacker& unpacker, RankProblem& problem) {
  unpacker.take(problem.constraints);
  unpacker.take(problem.form.H);
  unpacker.take(problem.form.D);
  unpacker.take(problem.form.C);
  unpacker.take(problem.form.k);
  unpacker.take(problem.form.b);
}

void put(Packer& packer, const TraceRow& row) {
  packer.put(row.iteration);
  packer.put(row.outer);
  packer.put(row.elapsed_s);
  packer.put(row.counters);
  packer.put(row.measures);
  packer.put(*row.native);
  packer.put(row.native_converged);
}

void take(Unpacker& unpacker, TraceRow& row, std::vector<double>& native) {
  unpacker.take(row.iteration);
  unpacker.take(row.outer);
  unpacker.take(row.elapsed_s);
  unpacker.take(row.counters);
  unpacker.take(row.measures);
  unpacker.take(native);
  row.native = &native;
  unpacker.take(row.native_converged);
}

void put(Packer& packer, const RankEnd& end) {
  packer.put(status_text(end.verdict));
  packer.put(status_text(end.given_up));
  packer.put(end.reason);
  packer.put(end.carried);
  packer.put(end.elapsed_s);
  packer.put(end.counters);
  packer.put(end.crossings);
  packer.put(end.facts);
  packer.put(end.impulse);
}

void take(Unpacker& unpacker, RankEnd& end) {
  end.verdict = status_from_name(unpacker.take<std::string>());
  end.given_up = status_from_name(unpacker.take<std::string>());
  unpacker.take(end.reason);
  unpacker.take(end.carried);
  unpacker.take(end.elapsed_s);
  unpacker.take(end.counters);
  unpacker.take(end.crossings);
  unpacker.take(end.facts);
  unpacker.take(end.impulse);
}

}  // namespace ccp
