#include "peers/external/external_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/error.hpp"
#include "core/text.hpp"
#include "peers/adapter_session.hpp"
#include "peers/external/external_name.hpp"
#include "peers/greeting.hpp"
#include "process/orphans.hpp"

namespace ccp {
namespace {

std::map<std::string, ExternalAnswer>& answers() {
  static std::map<std::string, ExternalAnswer> known;
  return known;
}

const ExternalAnswer* answer_of(const std::string& name) {
  const auto found = answers().find(name);
  return found == answers().end() ? nullptr : &found->second;
}

ExternalAnswer ask(const std::string& name, double longest_s) {
  adopt_orphans();
  std::string mark;
  ExternalAnswer answer;
  {
    ChildProgram process(external_command(name), 1, Answers::on_output);
    mark = process.mark();
    const Greeting greeting = read_greeting(process, external_label(name), longest_s);
    answer.defect = greeting.defect;
    if (answer.defect.empty()) try {
        answer.description = parse_description(greeting.description);
      } catch (const InputError& error) {
        answer.defect = fmt::format("{}: {}", external_label(name), error.message());
      }
    if (!answer.defect.empty()) process.pass_on_printed();
  }
  kill_marked_children(mark);
  if (answer.defect.find("No module named 'numpy'") != std::string::npos)
    answer.defect += "; install python3-numpy, or name another interpreter in CCPBENCH_PYTHON";
  return answer;
}

/// A run of a solver that cannot be talked to.
class FailedSession final : public Session {
 public:
  FailedSession(std::string reason, Index rows, std::size_t columns)
      : reason_(std::move(reason)), rows_(rows), native_(columns) {}

  Outcome run(const WarmStart& start, const Vector&, Monitor& monitor) override {
    Outcome outcome;
    outcome.impulse = start.impulse.size() > 0 ? start.impulse : Vector::Zero(rows_);
    monitor.go_on({outcome.impulse, nullptr, native_, false});
    outcome.given_up = Status::failed;
    outcome.reason = reason_;
    return outcome;
  }

 private:
  std::string reason_;
  Index rows_;
  std::vector<double> native_;
};

/// As the protocol sends a setting: a number, 0 or 1 of a flag, the position of a choice.
double number_of(const Field& field, const FieldValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1.0 : 0.0;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  const auto choice = std::find(field.choices.begin(), field.choices.end(), std::get<std::string>(value));
  return static_cast<double>(choice - field.choices.begin());
}

}  // namespace

const ExternalAnswer& ask_external_solver(const std::string& name, double longest_s) {
  if (const ExternalAnswer* known = answer_of(name)) return *known;
  return answers().emplace(name, ask(name, longest_s)).first->second;
}

ExternalSolver::ExternalSolver(const std::string& name) : name_(name), answer_(answer_of(name)) {
  info_.name = external_label(name);
  const ExternalDescription* own = description();
  if (own == nullptr) {
    info_.title = "a solver of the user";
    info_.reference = "external";
    info_.models = {Model::ccp, Model::ncp};
    fields_.take_any();
    return;
  }
  info_.title = own->version.empty() ? own->title : fmt::format("{} ({})", own->title, own->version);
  info_.reference = own->reference;
  info_.models = own->models;
  info_.native = own->columns;
  for (Field field : own->settings) {
    FieldValue& place = values_.emplace_back(field.default_value);
    field.get = [&place] { return place; };
    field.store = [&place](const FieldValue& value) { place = value; };
    fields_.add(std::move(field));
  }
}

std::string ExternalSolver::do_version() const { return external_version(name_); }

std::string ExternalSolver::do_takes() const {
  const ExternalDescription* own = description();
  if (own == nullptr) return "unknown: it was not asked";
  std::vector<std::string> kinds;
  for (const ConstraintKind kind : own->constraints) kinds.push_back(constraint_names()[static_cast<std::size_t>(kind)]);
  return fmt::format("constraints of the kinds {}{}", join(kinds, ", "), own->local ? "" : ", in global form");
}

std::optional<std::string> ExternalSolver::do_supports(const ContactProblem& problem, Model) const {
  const ExternalDescription* own = description();
  if (own == nullptr) return std::nullopt;
  if (!own->local && !problem.given_global())
    return fmt::format("{} takes problems in global form, and this one is in local form", own->name);
  const ConstraintSet& set = problem.constraints();
  for (std::size_t kind = 0; kind < constraint_names().size(); ++kind) {
    const auto one = static_cast<ConstraintKind>(kind);
    if (set.count(one) > 0 && std::find(own->constraints.begin(), own->constraints.end(), one) == own->constraints.end())
      return fmt::format("{} takes no constraints of the kind {}", own->name, constraint_names()[kind]);
  }
  return std::nullopt;
}

std::unique_ptr<Session> ExternalSolver::do_prepare(const ContactProblem& problem, Model model, Monitor& monitor) const {
  const ExternalDescription* own = description();
  if (own == nullptr)
    return std::make_unique<FailedSession>(answer_ != nullptr ? answer_->defect : "nobody has asked the solver what it is",
                                           problem.rows(), info_.native.size());
  AdapterTask task;
  task.program = own->name;
  task.command = external_command(name_);
  task.local = own->local;
  task.global = own->global && problem.given_global();
  for (std::size_t i = 0; i < own->settings.size(); ++i) task.settings.push_back(number_of(own->settings[i], values_[i]));
  task.columns = info_.native;
  task.description = own->text;
  task.takes_start = own->warm_start;
  return std::make_unique<AdapterSession>(std::move(task), problem, model, monitor);
}

}  // namespace ccp
