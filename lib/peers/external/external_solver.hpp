#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "peers/external/description.hpp"
#include "peers/peer_solver.hpp"

namespace ccp {

/// The answer of a solver of the user to the question what it is.
struct ExternalAnswer {
  std::optional<ExternalDescription> description;
  std::string defect;  ///< why there is none
};

constexpr double greeting_limit_s = 60.0;  ///< an interpreter, its libraries, and the file of the user

/// Starts the solver of this name (external_name.hpp, with absolute paths) once in the life of this process, to be greeted
/// within `longest_s`, and keeps the answer.
const ExternalAnswer& ask_external_solver(const std::string& name, double longest_s = greeting_limit_s);

/// A solver of the user: a process of its own for each run, judged, limited and timed as the adapters of peers are. Until
/// ask_external_solver() was called for its name it takes any settings and cannot run; nothing but that function and a run
/// starts it. For ncp one of ccp alone is started anew for each convex problem of the De Saxcé loop. Where it does not
/// answer as the protocol says, its runs fail with the reason.
class ExternalSolver final : public PeerSolver {
 public:
  explicit ExternalSolver(const std::string& name);

  /// Null until it has answered.
  const ExternalDescription* description() const {
    return answer_ != nullptr && answer_->description ? &*answer_->description : nullptr;
  }

 private:
  const SolverInfo& do_info() const override { return info_; }
  std::string do_version() const override;
  std::string do_school() const override { return "external"; }
  std::string do_takes() const override;
  std::optional<std::string> do_supports(const ContactProblem& problem, Model model) const override;
  std::unique_ptr<Session> do_prepare(const ContactProblem& problem, Model model, Monitor& monitor) const override;

  std::string name_;
  const ExternalAnswer* answer_;  ///< null: nobody asked
  SolverInfo info_;
  std::deque<FieldValue> values_;  ///< of the settings, in the order declared
};

/// The solver that it is; null for any other.
inline const ExternalSolver* as_external(const Solver& solver) { return dynamic_cast<const ExternalSolver*>(&solver); }

}  // namespace ccp
