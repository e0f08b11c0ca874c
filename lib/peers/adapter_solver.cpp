#include "peers/adapter_solver.hpp"

#include <fmt/format.h>

#include <map>

#include "peers/adapter_session.hpp"

namespace ccp {
namespace {

/// The version of a program for one command, or why there is none.
struct Availability {
  std::string version, defect;
};

Availability look_for(const PeerProgram& program, std::vector<std::string> command) {
  const std::string where = command.front();
  command.emplace_back("version");
  ChildProgram process(command, 1);
  char byte = 0;
  const auto reading = process.receive(&byte, 1, std::chrono::seconds(60));
  std::string why = "it does not answer";
  if (reading == ChildProgram::Transfer::closed) {
    if (process.exit().code == 0 && process.last_line().starts_with(program.key + std::string(" ")))
      return {process.last_line(), ""};
    why = process.exit_text();
  }
  return {"absent", fmt::format("{} is not there for {} ({}): {}", program.name, where, why, program.missing)};
}

/// Asks once for each command: the answer does not change while the program runs.
const Availability& availability(const PeerProgram& program) {
  static std::map<std::vector<std::string>, Availability> known;
  const std::vector<std::string> command = program.command();
  const auto found = known.find(command);
  return found != known.end() ? found->second : known.emplace(command, look_for(program, command)).first->second;
}

std::string contacts_of(const PeerMethod& method) {
  switch (method.kind) {
    case ConstraintKind::rolling: return "contacts of five rows, those of rolling friction";
    case ConstraintKind::rolling2d: return "contacts of rolling friction in the plane";
    default: return "contacts of three rows";
  }
}

bool global_without_compliance(const ContactProblem& problem) {
  return problem.given_global() && problem.global().C.nonZeros() == 0;
}

}  // namespace

AdapterSolver::AdapterSolver(const PeerMethod& method) : method_(method), tolerance_(method.tolerance) {
  info_ = {method.name,
           fmt::format("{}: {}", method.program->name, method.title),
           std::string(method.program->source) + method.reference,
           {method.model},
           {{std::string(method.program->key) + "_error", "",
             std::string("the residual by which ") + method.program->name + " stops"},
            {std::string(method.program->key) + "_iterations", "",
             std::string("iterations ") + method.program->name + " has counted"}}};
  info_.moments = has_moments(method.kind);
  if (method.tolerance > 0.0)
    fields_.add("tolerance", &tolerance_, Range::positive(), "",
                fmt::format("at which {} ends by its own criterion; small, so that the stop rule of the run decides",
                            method.program->name),
                method.program->name);
}

std::string AdapterSolver::do_version() const { return availability(*method_.program).version; }

std::string AdapterSolver::do_takes() const {
  std::string text = "nothing but " + contacts_of(method_);
  if (method_.only_global) text += ", in global form without compliance";
  if (method_.needs_friction) text += ", each with friction";
  if (method_.most_contacts > 0) text += fmt::format(", at most {} of them (its matrices are dense)", method_.most_contacts);
  return text;
}

std::optional<std::string> AdapterSolver::do_supports(const ContactProblem& problem, Model model) const {
  const PeerProgram& program = *method_.program;
  const ConstraintSet& set = problem.constraints();
  if (model != method_.model)
    return fmt::format("{} solves the {} model alone: a loop around it would start its process anew for each step",
                       method_.name, model_name(method_.model));
  if (set.count(method_.kind) != set.count())
    return fmt::format("{} takes problems with nothing but {}", method_.name, contacts_of(method_));
  if (method_.only_global && !global_without_compliance(problem))
    return fmt::format("{} takes problems in global form without compliance", method_.name);
  if (method_.needs_friction)
    for (const double mu : set.frictions())
      if (!(mu > 0.0))
        return fmt::format("{} takes no contacts without friction: their cones have no interior", method_.name);
  if (method_.most_contacts > 0 && set.count() > method_.most_contacts)
    return fmt::format("its matrices are dense: it takes {} contacts at most, not {}", method_.most_contacts, set.count());
  if (!availability(program).defect.empty()) return availability(program).defect;
  return std::nullopt;
}

std::unique_ptr<Session> AdapterSolver::do_prepare(const ContactProblem& problem, Model model, Monitor& monitor) const {
  AdapterTask task;
  task.program = method_.program->name;
  task.command = method_.program->command();
  task.command.insert(task.command.end(), {"solve", method_.id});
  for (std::string& option : options()) task.command.push_back(std::move(option));
  task.global = (method_.global_form || method_.only_global) && global_without_compliance(problem);
  task.local = !task.global;
  task.settings = {tolerance_};
  const ConstraintSet& set = problem.constraints();
  for (Index i = 0; set.has_moments() && i < set.count(); ++i)
    task.settings.push_back(set.moments(i).rolling * set.moments(i).length);
  for (Index i = 0; set.has_moments() && i < set.count(); ++i) task.settings.push_back(set.moments(i).length);
  task.tolerance = tolerance_;
  task.columns = info_.native;
  return std::make_unique<AdapterSession>(std::move(task), problem, model, monitor);
}

}  // namespace ccp
