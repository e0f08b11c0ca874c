#include "bench/fake_catalog.hpp"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>

#include "cones/friction_cone.hpp"
#include "core/text.hpp"
#include "problem/problem_builder.hpp"

namespace ccp::testing {
namespace {

/// `count` contacts that do not touch each other, each pressed together by `push`.
class Pebbles final : public Scene {
 public:
  Pebbles() {
    fields_.add("count", &count_, Range::closed(1, 1000), "contacts", "ours");
    fields_.add("push", &push_, Range::positive(), "m/s", "approach velocity", "ours");
    fields_.add("heavy", &heavy_, "twice the mass", "ours");
  }
  const SceneInfo& info() const override {
    static const SceneInfo info{"pebbles", "Separate contacts", "ours"};
    return info;
  }
  std::optional<std::string> check() const override {
    if (heavy_ && count_ > 500) return "at most 500 heavy pebbles";
    return std::nullopt;
  }

 private:
  ContactProblem do_build(std::uint64_t seed) const override {
    if (seed == 13) throw std::runtime_error("unlucky seed");
    const Index rows = 3 * count_;
    SparseMatrix N(rows, rows);
    N.setIdentity();
    if (heavy_) N *= 0.5;
    Vector r = Vector::Zero(rows);
    for (Index i = 0; i < count_; ++i) r.segment(3 * i, 3) = Vector3(-push_, 0.1 + 0.001 * static_cast<double>(seed), 0.2);
    ProblemBuilder builder("pebbles");
    builder.local(N, r);
    for (int i = 0; i < count_; ++i) builder.contact(0.5);
    return builder.build();
  }

  int count_ = 2;
  double push_ = 1.0;
  bool heavy_ = false;
};

enum class Deed { none, sigfpe, segfault, hang, exits, litters };

/// Makes files beside the log of this process for ever.
[[noreturn]] void litter() {
  const auto folder = std::filesystem::read_symlink("/proc/self/fd/1").parent_path();
  for (int i = 0;; i = (i + 1) % 8) std::ofstream(folder / std::to_string(i));
}

/// One pebble that harms who builds it.
class Quirk final : public Scene {
 public:
  Quirk() {
    fields_.add("deed", &deed_,
                {{"none", Deed::none},
                 {"sigfpe", Deed::sigfpe},
                 {"segfault", Deed::segfault},
                 {"hang", Deed::hang},
                 {"exits", Deed::exits},
                 {"litters", Deed::litters}},
                "what happens while it is built", "ours");
    fields_.add("offset", &offset_, Range::closed(-10.0, 10.0), "m/s", "velocity sideways", "ours");
  }
  const SceneInfo& info() const override {
    static const SceneInfo info{"quirk", "One contact", "ours"};
    return info;
  }

 private:
  ContactProblem do_build(std::uint64_t) const override {
    if (deed_ == Deed::sigfpe) ::raise(SIGFPE);
    if (deed_ == Deed::segfault) ::raise(SIGSEGV);
    if (deed_ == Deed::exits) std::exit(0);
    if (deed_ == Deed::litters) litter();
    volatile bool forever = deed_ == Deed::hang;
    while (forever) {
    }
    SparseMatrix N(3, 3);
    N.setIdentity();
    return ProblemBuilder("quirk").local(N, Vector3(-1.0, offset_, 0.0)).contact(0.5).build();
  }

  Deed deed_ = Deed::none;
  double offset_ = 0.0;
};

enum class Mood { calm, eager };

class FakeSolver;

/// Damped projected gradient, interrupted by what the solver's name stands for.
class FakeSession final : public Session {
 public:
  FakeSession(const FakeSolver& solver, const ContactProblem& problem) : solver_(solver), problem_(problem) {}
  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override;

 private:
  const FakeSolver& solver_;
  ContactProblem problem_;
};

class FakeSolver final : public Solver {
 public:
  explicit FakeSolver(std::string name) {
    info_ = {std::move(name), "fake", "ours", {Model::ccp}, {{"step", "", "length of the last step"}}};
    fields_.add("step", &step, Range::open_closed(0.0, 1.0), "", "damping", "ours");
    fields_.add("seconds", &seconds, Range::non_negative(), "s", "how long to sleep", "ours");
    fields_.add("mood", &mood, {{"calm", Mood::calm}, {"eager", Mood::eager}}, "changes nothing", "ours");
  }
  const std::string& name() const { return info_.name; }

  double step = 0.5, seconds = 0.0;
  Mood mood = Mood::calm;

 private:
  const SolverInfo& do_info() const override { return info_; }
  std::optional<std::string> do_supports(const ContactProblem&, Model) const override {
    if (info_.name == "picky") return "does not like it";
    return std::nullopt;
  }
  std::unique_ptr<Session> do_prepare(const ContactProblem& problem, Model, Monitor&) const override {
    return std::make_unique<FakeSession>(*this, problem);
  }

  SolverInfo info_;
};

pid_t runner = 0;  // the process that asked for the catalog

/// Descends until the stack is used up.
int recurse(int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  return depth < 0 ? frame[0] : recurse(depth + 1) + frame[0];
}

/// Leaves two processes behind, one in a session of its own, and says which on stdout.
void fork_children() {
  for (const bool own_session : {false, true}) {
    const pid_t child = ::fork();
    if (child == 0) {
      if (own_session) ::setsid();
      while (true) ::pause();
    }
    ::dprintf(STDOUT_FILENO, "%d\n", child);
  }
}

void print_garbage() {
  for (int i = 0; i < 50000; ++i)
    if (::write(i % 2 == 0 ? STDOUT_FILENO : STDERR_FILENO, "\xff\0\x1b[31m\r\n{\"\x80", 13) != 13) return;
}

/// What is done with the process, but in the end returns.
void play_with_process(const std::string& name) {
  if (name == "forker" || name == "father") fork_children();
  if (name == "noisy") print_garbage();
  if (name == "wanderer" && ::chdir("/") != 0) std::abort();
  if (name == "stopper") ::raise(SIGSTOP);
  if (name == "closer")
    for (int descriptor = 0; descriptor < 1024; ++descriptor) ::close(descriptor);
}

void misbehave(const std::string& name) {
  play_with_process(name);
  if (name == "recursion") std::exit(recurse(0));
  if (name == "exits_71") std::exit(71);
  if (name == "segfault") ::raise(SIGSEGV);
  if (name == "abort") std::abort();
  if (name == "exits") std::exit(0);
  if (name == "throws") throw std::runtime_error("bad day");
  if (name == "throws_int") throw 42;
  if (name == "hog") {
    std::vector<char> memory(std::size_t{10} << 30, 'x');
    if (memory[memory.size() / 2] != 'x') std::abort();
  }
  if (name == "interrupter") ::kill(runner, SIGINT);
  volatile bool forever = name == "hang" || name == "father";
  while (forever) {
  }
}

Outcome FakeSession::run(const WarmStart& start, const Vector& shift, Monitor& monitor) {
  const LocalForm& form = problem_.local();
  Outcome outcome;
  outcome.impulse = start.impulse.size() > 0 ? start.impulse : Vector::Zero(problem_.rows());
  Vector& gamma = outcome.impulse;
  std::vector<double> native{0.0};
  if (solver_.name() == "namer") ::dprintf(STDOUT_FILENO, "%s\n", problem_.name().c_str());
  std::this_thread::sleep_for(std::chrono::duration<double>(solver_.seconds));
  std::string name = solver_.name();  // "late_hang" hangs later than "hang"
  int until_then = 0;
  if (name.rfind("late_", 0) == 0) until_then = 12, name.erase(0, 5);
  while (monitor.go_on({gamma, nullptr, native, solver_.name() == "liar"})) {
    if (until_then-- == 0) misbehave(name);
    if (solver_.name() == "nan") gamma[0] = std::numeric_limits<double>::quiet_NaN();
    if (solver_.name() == "gives_up") {
      outcome.given_up = Status::failed;
      outcome.reason = "no way \"forward\", none\nat all";
      break;
    }
    Vector trial = gamma - (form.N * gamma + form.r + shift);
    for (Index i = 0; i < problem_.constraints().count(); ++i)
      trial.segment<3>(3 * i) = project_friction_cone(Vector3(trial.segment<3>(3 * i)), problem_.constraints().friction(i));
    native[0] = (trial - gamma).norm();
    gamma += solver_.step * (trial - gamma);
    ++monitor.counters().products;
  }
  return outcome;
}

}  // namespace

Catalog fake_catalog() {
  runner = ::getpid();
  Catalog catalog;
  catalog.warms_up = false;
  catalog.scenes.names = {"pebbles", "quirk"};
  catalog.scenes.make = [](const std::string& name) -> std::unique_ptr<Scene> {
    if (name == "quirk") return std::make_unique<Quirk>();
    return std::make_unique<Pebbles>();
  };
  catalog.solver_names = {"good",      "segfault",      "abort",     "hang",        "hog",         "throws",   "throws_int",
                          "nan",       "liar",          "exits",     "sleeper",     "interrupter", "picky",    "gives_up",
                          "recursion", "exits_71",      "forker",    "father",      "noisy",       "wanderer", "closer",
                          "stopper",   "late_segfault", "late_hang", "late_throws", "namer"};
  catalog.make_solver = [](const std::string& name) -> std::unique_ptr<Solver> {
    return std::make_unique<FakeSolver>(name);
  };
  return catalog;
}

}  // namespace ccp::testing
