#pragma once

#include <array>
#include <string>
#include <vector>

#include "linalg/block/block_matrix.hpp"
#include "peers/adapter_solver.hpp"
#include "peers/adapters/protocol.hpp"
#include "process/child_program.hpp"
#include "solvers/shared/native_columns.hpp"

namespace ccp {

/// What a trace says of a peer, beside the measures.
struct AdapterColumns : NativeColumns {
  explicit AdapterColumns(const PeerProgram& program)
      : texts{std::string(program.key) + "_error", std::string("the residual by which ") + program.name + " stops",
              std::string(program.key) + "_iterations", std::string("iterations ") + program.name + " has counted"},
        error(*this, texts[0].c_str(), "", texts[1].c_str()),
        iterations(*this, texts[2].c_str(), "", texts[3].c_str()) {}
  const std::array<std::string, 4> texts;
  NativeValue error, iterations;
};

/// A method of another program bound to one problem: each run is a process of its own.
class AdapterSession final : public Session {
 public:
  /// command: with the id and the options. tolerance: of its own criterion.
  AdapterSession(const PeerMethod& method, std::vector<std::string> command, double tolerance, const ContactProblem& problem,
                 Monitor& monitor);

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override;

 private:
  bool show(Monitor& monitor, bool converged);
  bool send_problem(ChildProgram& adapter, const Vector& shift) const;
  void give_up(Status status, std::string reason);
  void died(ChildProgram& adapter, Monitor& monitor);
  /// Reads one frame with its payload within `longest_s`. False when none comes; the outcome says why.
  bool read(ChildProgram& adapter, Monitor& monitor, AdapterFrame& frame, double longest_s);
  void converse(const Vector& shift, Monitor& monitor);
  /// Judges what a frame brings. True when the adapter is to go on.
  bool take(const AdapterFrame& frame, Monitor& monitor);
  void finish(const AdapterFrame& frame);

  const PeerProgram& program_;
  std::vector<std::string> command_;
  double tolerance_;
  ContactProblem problem_;
  bool global_form_;
  Vector free_velocity_;  ///< r with the local form, b with the global one
  BlockMatrix W_;         ///< N; empty with the global form
  Vector impulse_;
  AdapterColumns native_;
  std::vector<char> payload_;
  Outcome outcome_;
  double spent_s_ = 0.0;
  std::int64_t iterations_allowed_ = 0;
  int shown_ = 0;
  bool timed_out_ = false;
};

}  // namespace ccp
