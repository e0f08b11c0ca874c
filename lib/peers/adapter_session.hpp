#pragma once

#include <deque>
#include <string>
#include <vector>

#include "linalg/block/block_matrix.hpp"
#include "peers/external/skeletons/ccpbench_solver.h"
#include "process/child_program.hpp"
#include "solvers/shared/native_columns.hpp"
#include "solvers/solver.hpp"

namespace ccp {

/// A program that solves one problem, and its inputs.
struct AdapterTask {
  std::string program;               ///< as messages call it
  std::vector<std::string> command;  ///< with all its arguments
  bool local = true;                 ///< it gets N and r
  bool global = false;               ///< it gets H, D, C, k and b
  std::vector<double> settings;
  bool takes_start = true;            ///< else it starts from where it likes
  double tolerance = 0.0;             ///< its own criterion holds where its error is at most this
  std::vector<NativeColumn> columns;  ///< of its traces: its error, its iterations, then its own ones
  /// Of a solver of the user, what it has to greet with; empty for an adapter of ours. Such a solver answers on its standard
  /// output, its clock is compared with ours, and what it leaves behind is killed.
  std::string description{};
};

/// Solves in a process of its own for each run.
class AdapterSession final : public Session {
 public:
  AdapterSession(AdapterTask task, const ContactProblem& problem, Model model, Monitor& monitor);

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override;

 private:
  /// The columns of a task with their present values.
  struct Columns : NativeColumns {
    explicit Columns(const std::vector<NativeColumn>& columns) {
      for (const NativeColumn& column : columns)
        values_of.emplace_back(*this, column.name.c_str(), column.unit.c_str(), column.meaning.c_str());
    }
    std::deque<NativeValue> values_of;
  };

  bool show(Monitor& monitor, bool converged);
  bool send_problem(ChildProgram& adapter, const Vector& shift, int threads) const;
  void give_up(Status status, std::string reason);
  void died(ChildProgram& adapter, Monitor& monitor);
  /// Reads the greeting. False when it is none that can be used; the outcome says why.
  bool greeted(ChildProgram& adapter, Monitor& monitor);
  /// Reads one frame with its payload within `longest_s`. False when none comes; the outcome says why.
  bool read(ChildProgram& adapter, Monitor& monitor, ccpbench_frame& frame, double longest_s);
  void converse(const Vector& shift, Monitor& monitor);
  void converse_with(ChildProgram& adapter, const Vector& shift, Monitor& monitor);
  /// From its first frame to its last one.
  void iterate(ChildProgram& adapter, ccpbench_frame& frame, bool whole_runs, Monitor& monitor);
  /// Judges what a frame brings. True when the adapter is to go on.
  bool take(const ccpbench_frame& frame, Monitor& monitor);
  bool clock_is_possible(const ccpbench_frame& frame);
  void finish(const ccpbench_frame& frame);

  const AdapterTask task_;
  ContactProblem problem_;
  Model model_;
  ConstraintSet blocks_;  ///< of W_, of at most three rows
  BlockMatrix W_;         ///< N; empty where it is not sent
  Vector impulse_;
  Columns native_;
  std::vector<char> payload_;
  Outcome outcome_;
  double spent_s_ = 0.0;   ///< by its clock
  double waited_s_ = 0.0;  ///< by ours
  double queued_s_ = 0.0;  ///< of it, without a core for the one or the other
  std::int64_t iterations_allowed_ = 0;
  int shown_ = 0;
  bool timed_out_ = false;
};

}  // namespace ccp
