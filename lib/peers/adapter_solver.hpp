#pragma once

#include <string>
#include <vector>

#include "peers/peer_solver.hpp"
#include "problem/model.hpp"

namespace ccp {

/// The other program, and what runs it. Its adapter is started as COMMAND… version, which prints a line that begins with
/// `key`, and as COMMAND… solve ID OPTION…, which serves one problem on its standard input
/// (external/skeletons/ccpbench_solver.h).
struct PeerProgram {
  const char* name;     ///< as in messages: "Siconos"
  const char* key;      ///< "siconos": of its version and of the columns of its traces
  const char* school;   ///< PeerSolver::school()
  const char* source;   ///< what the references of its methods begin with
  const char* missing;  ///< what to do where it is missing
  std::vector<std::string> (*command)();
};

/// One method of it.
struct PeerMethod {
  const PeerProgram* program;
  const char* name;  ///< as in a config: "siconos/nsgs"
  const char* id;    ///< as the adapter knows it
  const char* title;
  const char* reference;
  Model model;
  double tolerance;  ///< default of its own criterion; 0: it has none
  /// It takes H and D of a problem given in global form without compliance, so that N need not be formed.
  bool global_form = false;
  /// It solves a cone program, whose cones need an interior: every friction coefficient is positive.
  bool needs_friction = false;
  int most_contacts = 0;  ///< of a method with dense matrices; 0: any number
  /// Of every block. Where it has moments the settings go on with μ_r and then the lengths of all contacts, m.
  ConstraintKind kind = ConstraintKind::contact;
  bool only_global = false;  ///< it takes nothing but problems given in global form without compliance
};

/// A method of another program behind its adapter, judged like all others. The clock counts its solve call, by the steady
/// clock of the adapter, and the forming of N of a problem in global form. It does not count the start of the process, the
/// transfer of the problem and the judging. Whatever the other program does, the run ends with a status and a reason.
class AdapterSolver : public PeerSolver {
 public:
  /// `method` must outlive the solver.
  explicit AdapterSolver(const PeerMethod& method);

 private:
  const SolverInfo& do_info() const override { return info_; }
  std::string do_version() const override;
  std::string do_school() const override { return method_.program->school; }
  std::string do_takes() const override;
  std::optional<std::string> do_supports(const ContactProblem& problem, Model model) const override;
  std::unique_ptr<Session> do_prepare(const ContactProblem& problem, Model model, Monitor& monitor) const override;
  /// Words after the id: "NAME=VALUE".
  virtual std::vector<std::string> options() const { return {}; }

  const PeerMethod& method_;
  SolverInfo info_;
  double tolerance_;
};

}  // namespace ccp
