#include "distributed/job.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "solvers/methods.hpp"

namespace ccp {
namespace {

struct RankMethod {
  const char* name;
  std::unique_ptr<Solver> (*make)();
  bool needs_matrices = false;
};

/// Methods all of whose sums, norms and products are made for ranks.
constexpr RankMethod rank_methods[] = {{"jacobi", make_jacobi},
                                       {"gauss_seidel", make_gauss_seidel},
                                       {"nsgs", make_nsgs},
                                       {"apgd", make_apgd},
                                       {"spg", make_spg},
                                       {"p_spg_fb", make_p_spg_fb},
                                       {"projected_cg", make_projected_cg},
                                       {"pqn", make_pqn},
                                       {"admm", make_admm, true}};

/// Settings that ranks take only some values of.
struct RankSetting {
  std::string name;
  std::vector<FieldValue> taken;
  const char* reason;
};
const std::vector<RankSetting>& rank_settings() {
  using Text = std::string;
  static const std::vector<RankSetting> all = {
      {"operator", {Text("auto"), Text("factored")}, "ranks have the factored operator alone"},
      {"sweep", {Text("forward"), Text("symmetric")}, "ranks sweep by cells"},
      {"direct_joints", {false}, "the factor of the joints needs all of them on one process"},
      {"linear_system", {Text("auto"), Text("normal")}, "ranks have the normal equations alone"},
      {"linear_solver", {Text("auto"), Text("mumps")}, "ranks have MUMPS alone"},
      {"step_policy",
       {Text("fixed"), Text("balanced"), Text("balanced_normalized"), Text("spectral")},
       "'condition' needs the compliances of all ranks"}};
  return all;
}

const RankMethod* find_rank_method(const std::string& name) {
  for (const RankMethod& method : rank_methods)
    if (method.name == name) return &method;
  return nullptr;
}

/// The members that travel, for a Packer or an Unpacker.
void job_members(auto& stream, auto& job) {
  stream(job.ranks, job.origin.scene, job.origin.parameters, job.origin.seed, job.solver, job.settings, job.model, job.stop,
         job.threads, job.trace, job.judges_end);
}
void problem_members(auto& stream, auto& constraints, auto& form) {
  stream(constraints, form.H, form.D, form.C, form.k, form.b);
}
void row_members(auto& stream, auto& row, auto& native) {
  stream(row.iteration, row.outer, row.elapsed_s, row.counters, row.measures, native, row.native_converged);
}
void end_members(auto& stream, auto& end) {
  stream(end.verdict, end.given_up, end.reason, end.carried, end.elapsed_s, end.iteration, end.counters, end.crossings,
         end.facts, end.impulse);
  stream(end.judgement.status, end.judgement.reason, end.judgement.measures, end.judgement.balance);
}

}  // namespace

std::optional<std::string> rank_solver_defect(const std::string& name) {
  if (find_rank_method(name) != nullptr) return std::nullopt;
  std::vector<std::string> names;
  for (const RankMethod& method : rank_methods) names.emplace_back(method.name);
  return fmt::format("{} does not run on several ranks: its steps need blocks or factors of other ranks (those that do: {})",
                     name, join(names, ", "));
}

std::optional<std::string> rank_settings_defect(const FieldTable& settings) {
  for (const auto& [name, value] : settings.values())
    for (const RankSetting& known : rank_settings()) {
      if (known.name != name || std::find(known.taken.begin(), known.taken.end(), value) != known.taken.end()) continue;
      std::vector<std::string> taken;
      for (const FieldValue& one : known.taken) taken.push_back(field_text(one));
      return fmt::format("{}: expected {} {}", known.reason, name, join(taken, " or "));
    }
  return std::nullopt;
}

std::optional<std::string> rank_problem_defect(const std::string& name, const ContactProblem& problem) {
  if (!problem.given_global()) return "ranks take problems in global form: they share the bodies, which N does not show";
  if (!problem.symmetric_mass()) return "ranks take a symmetric H: they have a part of its root each";
  if (!problem.has_factored() && problem.mass().groups().empty())
    return fmt::format(
        "ranks take an H that splits into bodies of at most {} velocities: larger ones need a factor on all ranks",
        GroupInverse::most_dofs);
  if (name == "admm" && problem.constraints().has_moments() && problem.global().C.nonZeros() > 0)
    return "admm on ranks takes no contacts with moments and compliance: they need the Schur form";
  return std::nullopt;
}

std::optional<std::string> hand_over_defect(Index contacts) {
  if (contacts <= most_handed_over) return std::nullopt;
  return fmt::format(
      "the first rank takes a whole problem of at most {} contacts, this one has {}: ranks make only the parts of "
      "random_contacts, sphere_press and a packed drum",
      most_handed_over, contacts);
}

std::vector<Measure> shared_end_measures() {
  std::vector<Measure> measures = all_measures();
  std::erase_if(measures, [](Measure m) {
    return m == Measure::rounding_floor || m == Measure::distance || m == Measure::merit || m == Measure::momentum_residual;
  });
  return measures;
}

std::string rank_method_text(const std::string& name) {
  if (auto defect = rank_solver_defect(name)) return *defect;
  std::string text = fmt::format("problems in global form with a symmetric H of bodies with at most {} velocities",
                                 GroupInverse::most_dofs);
  if (name == "admm")
    text += ", but no moments with compliance; iterations agree with one process to ± 1, impulses to eight digits";
  return text;
}

bool rank_method_needs_matrices(const std::string& name, const std::vector<std::pair<std::string, FieldValue>>& settings) {
  const std::pair<std::string, FieldValue> split{"rank_coupling", std::string("split")};
  return find_rank_method(name)->needs_matrices || std::find(settings.begin(), settings.end(), split) != settings.end();
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
