#include "peers/siconos.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "linalg/block/block_matrix.hpp"
#include "peers/siconos_script.hpp"
#include "process/child_program.hpp"
#include "solvers/shared/native_columns.hpp"

namespace ccp {
namespace {

constexpr double start_up_limit_s = 300.0;  // python, its libraries, and reading the problem
constexpr double clock_tick_s = 1e-9;       // what a clock that counts whole ticks may lose
constexpr double transfer_slack_s = 0.1;    // an iterate on its way when the time limit is reached still counts

// What goes over the socket between the program and the adapter, in the byte order of the machine.

/// What the program sends first; after it row_start (int32, contacts + 1), column (int32, blocks), W (9 doubles a block, by
/// columns), q (3·contacts), μ (contacts) and the start reaction (3·contacts).
struct AdapterRequest {
  std::int64_t contacts = 0, blocks = 0;
  std::int64_t max_iterations = 0;
  double tolerance = 0.0;  ///< of the peer's own criterion
};

/// What an adapter answers, each followed by `bytes` of payload. It waits for one byte after `ready` and after each
/// `iterate`, so that it and the judge never work at the same time.
struct AdapterFrame {
  enum Kind : std::int32_t {
    ready = 1,    ///< the problem is read; info: 1 when iterates are whole runs from the start, 0 when they are iterations
    iterate = 2,  ///< payload: reaction
    end = 3,      ///< the peer is done; info: its return value, 0 for converged; payload: reaction
    failure = 4   ///< payload: why, as text; info: 1 for lack of memory
  };
  std::int32_t kind = 0;
  std::int32_t bytes = 0;
  std::int64_t iterations = 0;  ///< of the peer
  std::int64_t info = 0;
  double seconds = 0.0;  ///< spent in the peer's solve call so far, by the adapter's steady clock
  double error = 0.0;    ///< the peer's own residual
};

struct Peer {
  const char* name;
  const char* id;  ///< SICONOS_FRICTION_3D_ + id
  const char* title;
  const char* reference;
};

constexpr const char* review = "Acary, Brémond and Huber 2018; Siconos ";

constexpr Peer peers[] = {
    {"siconos/nsgs", "NSGS", "nonlinear Gauss–Seidel", "fc3d_nsgs"},
    {"siconos/prox", "PROX", "proximal point method around nonsmooth Newton", "fc3d_proximal"},
    {"siconos/tfp", "TFP", "Tresca fixed point", "fc3d_TrescaFixedPoint"},
    {"siconos/pfp", "PFP", "Panagiotopoulos fixed point", "fc3d_Panagiotopoulos_FixedPoint"},
    {"siconos/aclmfp", "ACLMFP", "fixed point on the convex problem (Acary, Cadoux, Lemaréchal, Malick)",
     "fc3d_ACLMFixedPoint"},
    {"siconos/soclcp", "SOCLCP", "the convex problem alone, as a second-order cone program", "fc3d_SOCLCP"},
    {"siconos/dsfp", "DSFP", "De Saxcé fixed point with a fixed step", "fc3d_DeSaxceFixedPoint"},
    {"siconos/fpp", "FPP", "fixed point with projection", "fc3d_fixedPointProjection"},
    {"siconos/eg", "EG", "extragradient", "fc3d_ExtraGradient"},
    {"siconos/hp", "HP", "hyperplane projection", "fc3d_HyperplaneProjection"},
    {"siconos/vi_fpp", "VI_FPP", "fixed point with projection, as a variational inequality", "fc3d_VI_FixedPointProjection"},
    {"siconos/vi_eg", "VI_EG", "extragradient, as a variational inequality", "fc3d_VI_ExtraGradient"},
    {"siconos/nsn_ac", "NSN_AC", "nonsmooth Newton on the Alart–Curnier function", "fc3d_nonsmooth_Newton_AlartCurnier"},
    {"siconos/nsn_fb", "NSN_FB", "nonsmooth Newton on the Fischer–Burmeister function",
     "fc3d_nonsmooth_Newton_FischerBurmeister"},
    {"siconos/nsn_nm", "NSN_NM", "nonsmooth Newton on the natural map", "fc3d_nonsmooth_Newton_NaturalMap"},
    {"siconos/admm", "ADMM", "ADMM with De Saxcé's correction", "fc3d_admm"},
};

enum class NsgsLocal { siconos, projection };
enum class NewtonFunction { alart_curnier, jean_moreau };

struct SiconosSettings {
  double tolerance = 1e-14;
  NsgsLocal local = NsgsLocal::siconos;
  NewtonFunction formulation = NewtonFunction::alart_curnier;
  bool hybrid = false;
};

/// The version of Siconos for one interpreter, or why there is none.
struct Availability {
  std::string version, defect;
};

Availability look_for_siconos(const std::string& python) {
  ChildProgram process({python, "-c", siconos_adapter_script, "version"}, 1);
  char byte = 0;
  const auto reading = process.receive(&byte, 1, std::chrono::seconds(60));
  std::string why = "it does not answer";
  if (reading == ChildProgram::Reading::closed) {
    if (process.exit().code == 0 && process.last_line().starts_with("siconos ")) return {process.last_line(), ""};
    why = process.exit_text();
  }
  return {"absent", fmt::format("Siconos is not there for {} ({}): install python3-siconos, or name another interpreter in "
                                "CCPBENCH_SICONOS_PYTHON",
                                python, why)};
}

/// Asks once for each interpreter: the answer does not change while the program runs.
const Availability& availability() {
  static std::map<std::string, Availability> known;
  const std::string python = siconos_interpreter();
  const auto found = known.find(python);
  return found != known.end() ? found->second : known.emplace(python, look_for_siconos(python)).first->second;
}

struct SiconosColumns : NativeColumns {
  NativeValue error{*this, "siconos_error", "", "the residual by which Siconos stops"};
  NativeValue iterations{*this, "siconos_iterations", "", "iterations Siconos has counted"};
};

class SiconosSession final : public Session {
 public:
  SiconosSession(const Peer& peer, const SiconosSettings& settings, const ContactProblem& problem, Monitor& monitor)
      : peer_(peer), settings_(settings), problem_(problem), free_velocity_(problem.local().r) {
    monitor.advance_clock(0.0);  // what follows is handing over
    W_ = block_matrix(problem.constraints(), problem.local().N);
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    monitor.advance_clock(0.0);
    impulse_ = start.impulse.size() > 0 ? start.impulse : Vector::Zero(problem_.rows());
    outcome_ = {};
    shown_ = 0;
    if (show(monitor, false)) converse(shift, monitor);
    outcome_.impulse = impulse_;
    return std::move(outcome_);
  }

 private:
  using Reading = ChildProgram::Reading;

  bool show(Monitor& monitor, bool converged) {
    ++shown_;
    return monitor.go_on({impulse_, nullptr, native_.values(), converged});
  }

  std::vector<std::string> command() const {
    return {siconos_interpreter(),
            "-c",
            siconos_adapter_script,
            "solve",
            peer_.id,
            fmt::format("local={}", settings_.local == NsgsLocal::projection ? "projection" : "siconos"),
            fmt::format("formulation={}",
                        settings_.formulation == NewtonFunction::jean_moreau ? "jean_moreau" : "alart_curnier"),
            fmt::format("hybrid={}", settings_.hybrid)};
  }

  bool send_problem(ChildProgram& adapter, const Vector& shift) const {
    const Vector q = free_velocity_ + shift;
    const ConstraintSet& set = problem_.constraints();
    Vector friction(set.count());
    for (Index i = 0; i < set.count(); ++i) friction[i] = set.friction(i);
    const AdapterRequest request{set.count(), static_cast<std::int64_t>(W_.block.size()), iterations_allowed_,
                                 settings_.tolerance};
    const auto send = [&adapter](const auto* data, std::size_t count) { return adapter.send(data, count * sizeof(*data)); };
    const auto size = [](const Vector& x) { return static_cast<std::size_t>(x.size()); };
    return send(&request, 1) && send(W_.row_start.data(), W_.row_start.size()) && send(W_.column.data(), W_.column.size()) &&
           send(W_.block.data(), W_.block.size()) && send(q.data(), size(q)) && send(friction.data(), size(friction)) &&
           send(impulse_.data(), size(impulse_));
  }

  void give_up(Status status, std::string reason) {
    outcome_.given_up = status;
    outcome_.reason = std::move(reason);
  }

  void died(ChildProgram& adapter, Monitor& monitor) {
    const int signal = adapter.exit().signal;
    give_up(signal != 0 ? Status::crashed : Status::failed, "the process of Siconos died: " + adapter.exit_text());
    if (signal == SIGINT) show(monitor, false);  // Ctrl-C reaches both: the monitor hears of it here
  }

  /// Reads one frame with its payload within `longest_s`. False when none comes; the outcome says why.
  bool read(ChildProgram& adapter, Monitor& monitor, AdapterFrame& frame, double longest_s) {
    const std::chrono::duration<double> longest(longest_s);
    auto reading = adapter.receive(&frame, sizeof frame, longest);
    if (reading == Reading::done) {
      const auto expected = static_cast<std::int32_t>(problem_.rows() * static_cast<Index>(sizeof(double)));
      const bool iterate = frame.kind == AdapterFrame::iterate || frame.kind == AdapterFrame::end;
      const bool fits = iterate                               ? frame.bytes == expected
                        : frame.kind == AdapterFrame::ready   ? frame.bytes == 0
                        : frame.kind == AdapterFrame::failure ? frame.bytes >= 0 && frame.bytes <= 4096
                                                              : false;
      if (!fits || !(frame.seconds >= 0.0)) {
        give_up(Status::failed, "the adapter of Siconos sent what is no answer");
        return false;
      }
      payload_.resize(static_cast<std::size_t>(frame.bytes));
      reading = adapter.receive(payload_.data(), payload_.size(), std::chrono::duration<double>(start_up_limit_s));
    }
    if (reading == Reading::closed) died(adapter, monitor);
    if (reading == Reading::timed_out) timed_out_ = true;
    return reading == Reading::done;
  }

  void converse(const Vector& shift, Monitor& monitor) {
    ChildProgram adapter(command(), monitor.threads());
    AdapterFrame frame;
    timed_out_ = false;
    iterations_allowed_ = monitor.remaining().iterations;
    if (!send_problem(adapter, shift)) return died(adapter, monitor);
    if (!read(adapter, monitor, frame, start_up_limit_s)) {
      if (timed_out_) give_up(Status::failed, "the adapter of Siconos did not get ready");
      return;
    }
    const bool whole_runs = frame.kind == AdapterFrame::ready && frame.info == 1;
    if (whole_runs)
      monitor.note("this solver shows no iterates: each row is a run of its own from the start, at ten times the accuracy");
    spent_s_ = 0.0;
    while (take(frame, monitor)) {
      const char go_on = 1;
      if (!adapter.send(&go_on, 1)) return died(adapter, monitor);
      const double left = monitor.remaining().seconds;
      if (!read(adapter, monitor, frame, left + (whole_runs ? spent_s_ : 0.0) + transfer_slack_s)) {
        if (timed_out_) {
          monitor.advance_clock(left + clock_tick_s);
          show(monitor, false);
          outcome_.reason = "stopped inside Siconos at the time limit; the last iterate that was shown stands";
        }
        return;
      }
    }
  }

  /// Judges what a frame brings. True when the adapter is to go on.
  bool take(const AdapterFrame& frame, Monitor& monitor) {
    if (frame.kind == AdapterFrame::ready) return true;
    if (frame.kind == AdapterFrame::failure) {
      give_up(frame.info == 1 ? Status::out_of_memory : Status::failed, std::string(payload_.begin(), payload_.end()));
      return false;
    }
    const Eigen::Map<const Vector> reaction(reinterpret_cast<const double*>(payload_.data()), problem_.rows());
    monitor.advance_clock(std::max(0.0, frame.seconds - spent_s_));
    spent_s_ = std::max(spent_s_, frame.seconds);
    const bool at_end = frame.kind == AdapterFrame::end;
    // The end mostly repeats the last iterate.
    const bool news = !at_end || shown_ <= 1 || reaction != impulse_;
    impulse_ = reaction;
    native_.error = frame.error;
    native_.iterations = static_cast<double>(frame.iterations);
    const bool converged = at_end ? frame.info == 0 : frame.error <= settings_.tolerance;
    if ((news || converged) && !show(monitor, converged)) return false;
    if (at_end) finish(frame);
    return !at_end;
  }

  void finish(const AdapterFrame& frame) {
    if (frame.info == 0)
      return give_up(Status::stalled,
                     fmt::format("Siconos calls it converged, with an error of {:.2g} by its own measure", frame.error));
    const bool out_of_iterations = frame.iterations >= iterations_allowed_;
    give_up(out_of_iterations ? Status::iteration_limit : Status::stalled,
            fmt::format("Siconos gave up after {} iterations (it returned {}), with an error of {:.2g} by its own measure",
                        frame.iterations, frame.info, frame.error));
  }

  const Peer& peer_;
  SiconosSettings settings_;
  ContactProblem problem_;
  Vector free_velocity_;
  BlockMatrix W_;
  Vector impulse_;
  SiconosColumns native_;
  std::vector<char> payload_;
  Outcome outcome_;
  double spent_s_ = 0.0;
  std::int64_t iterations_allowed_ = 0;
  int shown_ = 0;
  bool timed_out_ = false;
};

class SiconosSolver final : public PeerSolver {
 public:
  explicit SiconosSolver(const Peer& peer) : peer_(peer) {
    info_ = {peer.name,
             std::string("Siconos: ") + peer.title,
             std::string(review) + peer.reference,
             {Model::ncp},
             SiconosColumns().columns()};
    fields_.add("tolerance", &settings_.tolerance, Range::positive(), "",
                "of Siconos' own criterion, at which it ends; small, so that the stop rule of the run decides", "Siconos");
    const std::string id = peer.id;
    if (id == "NSGS")
      fields_.add("local", &settings_.local, {{"siconos", NsgsLocal::siconos}, {"projection", NsgsLocal::projection}},
                  "how one contact is solved: as Siconos chooses (Newton, then projections), or by projections alone",
                  "Siconos");
    if (id != "NSN_AC") return;
    fields_
        .add("formulation", &settings_.formulation,
             {{"alart_curnier", NewtonFunction::alart_curnier}, {"jean_moreau", NewtonFunction::jean_moreau}},
             "the function whose zero is sought", "Siconos")
        .add("hybrid", &settings_.hybrid, "start with extragradient steps", "Siconos");
  }

 private:
  const SolverInfo& do_info() const override { return info_; }
  std::string do_version() const override { return availability().version; }

  std::optional<std::string> do_supports(const ContactProblem& problem, Model) const override {
    if (!problem.constraints().all_contacts_3d())
      return "Siconos' fc3d solvers take problems with nothing but contacts of three rows";
    if (!availability().defect.empty()) return availability().defect;
    return std::nullopt;
  }
  std::unique_ptr<Session> do_prepare(const ContactProblem& problem, Model, Monitor& monitor) const override {
    return std::make_unique<SiconosSession>(peer_, settings_, problem, monitor);
  }

  const Peer& peer_;
  SolverInfo info_;
  SiconosSettings settings_;
};

}  // namespace

std::vector<std::string> siconos_solver_names() {
  std::vector<std::string> names;
  for (const Peer& peer : peers) names.emplace_back(peer.name);
  return names;
}

std::unique_ptr<PeerSolver> make_siconos_solver(const std::string& name) {
  for (const Peer& peer : peers)
    if (name == peer.name) return std::make_unique<SiconosSolver>(peer);
  return nullptr;
}

std::string siconos_interpreter() {
  const char* chosen = std::getenv("CCPBENCH_SICONOS_PYTHON");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  constexpr const char* of_the_system = "/usr/bin/python3";
  std::error_code ignored;
  return std::filesystem::exists(of_the_system, ignored) ? of_the_system : "python3";
}

}  // namespace ccp
