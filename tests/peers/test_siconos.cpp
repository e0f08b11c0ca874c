#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "peers/siconos.hpp"
#include "support/build_scene.hpp"
#include "support/environment.hpp"
#include "support/places.hpp"
#include "support/run_solver.hpp"
#include "support/skip.hpp"
#include "support/small_problems.hpp"

/// The C++ side against a fake adapter that does what a real one should not; the real one where Siconos is installed.
using namespace ccp;
using namespace ccp::testing;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

ContactProblem slipping() { return as_local(point_mass(2.0, {-1.0, 2.0, 0.0}, 0.4, "slip")); }

RunSpec ncp_run(const std::string& solver, double time_limit_s = 5.0) {
  RunSpec spec{solver, Model::ncp};
  spec.stop.tolerance = 1e-8;
  spec.stop.max_iterations = 10000;
  spec.stop.time_limit_s = time_limit_s;
  return spec;
}

Result fake_run(const std::string& role, double time_limit_s = 5.0) {
  const Variable python("CCPBENCH_SICONOS_PYTHON", fake_adapter_file), does("FAKE_ADAPTER", role);
  return run(slipping(), *make_siconos_solver("siconos/nsgs"), ncp_run("siconos/nsgs", time_limit_s));
}

bool siconos_is_there() {
  const auto defect = make_siconos_solver("siconos/nsgs")->supports(slipping(), Model::ncp);
  if (defect) skip(*defect);
  return !defect;
}

}  // namespace

TEST_CASE("where Siconos is absent its solvers are unsupported, with the reason and what to do") {
  const Variable python("CCPBENCH_SICONOS_PYTHON", "/nowhere/python3");
  const auto solver = make_siconos_solver("siconos/nsgs");
  const auto reason = solver->supports(slipping(), Model::ncp);
  REQUIRE(reason);
  CHECK_THAT(*reason, Contains("/nowhere/python3") && Contains("No such file") && Contains("python3-siconos"));
  CHECK(solver->version() == "absent");
}

TEST_CASE("peers take 3D contacts and the ncp model alone, and have names of their own") {
  const auto solver = make_siconos_solver("siconos/nsgs");
  CHECK(solver->supports(slipping(), Model::ccp).has_value());
  RandomShape mixed{6, 2, 2, 2, 2};
  const auto reason = solver->supports(random_problem(12, mixed, "mixed kinds"), Model::ncp);
  REQUIRE(reason);
  CHECK_THAT(*reason, Contains("contacts of three rows"));
  CHECK(siconos_solver_names().size() >= 12);
  for (const std::string& name : siconos_solver_names()) {
    CAPTURE(name);
    const auto peer = make_siconos_solver(name);
    CHECK(peer->info().name == name);
    CHECK_FALSE(peer->info().title.empty());
    CHECK_FALSE(peer->info().reference.empty());
    for (const Field& field : peer->settings().fields())
      CHECK_FALSE(peer->settings().check(field.name, field.default_value).has_value());
  }
  CHECK(make_siconos_solver("siconos/nsg") == nullptr);
}

TEST_CASE("whatever an adapter does becomes a status with its reason") {
  struct Row {
    const char* role;
    Status status;
    const char* reason;
  };
  const Row row = GENERATE(
      Row{"exit", Status::failed, "exit code 7: no licence"}, Row{"crash", Status::crashed, "SIGSEGV"},
      Row{"nonsense", Status::failed, "no answer"},
      Row{"short payload", Status::failed, "sent 8 bytes as an iterate, expected 24: 3 numbers"},
      Row{"nan", Status::diverged, ""}, Row{"lie", Status::stalled, "calls it converged, with an error of 1e-20"},
      Row{"gives up", Status::stalled, "it returned 5"},
      // What it prints goes nowhere, and it has no descriptor but its own to write to.
      Row{"noise", Status::stalled, "gave up after 1 iteration (it returned 5), with an error of 0.001"},
      Row{"out of iterations", Status::iteration_limit, "10000 iterations"},
      Row{"no memory", Status::out_of_memory, "MemoryError"}, Row{"refuses", Status::failed, "not implemented yet"});
  CAPTURE(row.role);
  const Result result = fake_run(row.role);
  CHECK(result.status == row.status);
  CHECK_THAT(result.reason, Contains(row.reason));
  CHECK(result.impulse.size() == 3);
}

TEST_CASE("an adapter that hangs is killed at the time limit, and what it has shown stands") {
  const fs::path file = fs::temp_directory_path() / ("ccpbench-fake-pid-" + std::to_string(::getpid()));
  const Variable pid_file("FAKE_PID", file.string());
  const Result result = fake_run("hang", 0.3);
  CHECK(result.status == Status::time_limit);
  CHECK(result.iterations == 2);
  CHECK(result.impulse[0] == 0.5);
  // The clock is the limit, whatever the machine took to notice.
  CHECK(result.setup_s + result.solve_s == Approx(0.3).margin(1e-8));
  pid_t pid = 0;
  std::ifstream(file) >> pid;
  fs::remove(file);
  REQUIRE(pid > 0);
  CHECK(::kill(pid, 0) == -1);
}

TEST_CASE("the clock of a run is that of the adapter") {
  const Result result = fake_run("slow clock");
  CHECK(result.status == Status::stalled);
  CHECK(result.solve_s == Approx(0.75).margin(1e-9));
  CHECK(result.iterations == 3);
}

TEST_CASE("an adapter dies with the process that started it") {
  const fs::path file = fs::temp_directory_path() / ("ccpbench-orphan-pid-" + std::to_string(::getpid()));
  const pid_t worker = ::fork();
  REQUIRE(worker >= 0);
  if (worker == 0) {
    const Variable pid_file("FAKE_PID", file.string());
    fake_run("hang", 100.0);
    ::_exit(0);
  }
  pid_t adapter = 0;
  for (int tries = 0; tries < 500 && adapter == 0; ++tries) {
    ::usleep(10000);
    std::ifstream(file) >> adapter;
  }
  ::kill(worker, SIGKILL);
  ::waitpid(worker, nullptr, 0);
  fs::remove(file);
  REQUIRE(adapter > 0);
  // Dead, or waiting for init to take note of it.
  const auto gone = [adapter] {
    std::ifstream stat("/proc/" + std::to_string(adapter) + "/stat");
    std::string number, name, state;
    return !(stat >> number >> name >> state) || state == "Z" || state == "X";
  };
  bool dead = false;
  for (int tries = 0; tries < 300 && !(dead = gone()); ++tries) ::usleep(10000);
  CHECK(dead);
}

TEST_CASE("Siconos solves small problems, observed and by repeated runs, as our own solver does") {
  if (!siconos_is_there()) return;
  RandomShape contacts{4, 4};
  for (const ContactProblem& problem :
       {slipping(), as_local(point_mass(2.0, {-1.0, 0.1, -0.2}, 0.4, "stick")), random_problem(11, contacts, "contacts")}) {
    CAPTURE(problem.name());
    const Result own = run(problem, ncp_run("nsgs"));
    REQUIRE(own.status == Status::solved);
    Vector scratch, expected, u;
    problem.local_velocity(own.impulse, scratch, expected);
    for (const char* name : {"siconos/nsgs", "siconos/nsn_ac", "siconos/nsn_fb", "siconos/admm", "siconos/vi_eg"}) {
      CAPTURE(name);
      const Result result = run(problem, *make_siconos_solver(name), ncp_run(name));
      CHECK(result.status == Status::solved);
      CHECK(result.solve_s > 0.0);
      problem.local_velocity(result.impulse, scratch, u);
      CHECK((u - expected).cwiseAbs().maxCoeff() <= 1e-6);
    }
  }
}

TEST_CASE("Siconos' global solvers take problems in global form, and those of rolling friction such contacts alone") {
  const auto reason = [](const char* name, const ContactProblem& problem) {
    return make_siconos_solver(name)->supports(problem, Model::ncp).value_or("");
  };
  CHECK_THAT(reason("siconos/gfc3d_admm", slipping()), Contains("takes problems in global form without compliance"));
  CHECK_THAT(reason("siconos/rolling_fc3d_nsgs", slipping()), Contains("nothing but contacts of five rows"));
  CHECK_THAT(reason("siconos/rolling_fc2d_nsgs", slipping()), Contains("rolling friction in the plane"));
  CHECK_THAT(reason("siconos/nsgs", build_scene("rolling_body")), Contains("takes no rolling or spinning friction"));
}

TEST_CASE("Siconos' global solvers and those of rolling friction agree with our own solver") {
  if (!siconos_is_there()) return;
  const auto agrees = [](const char* name, const ContactProblem& problem) {
    CAPTURE(name);
    const Result own = run(problem, ncp_run("nsgs")), result = run(problem, *make_siconos_solver(name), ncp_run(name, 60.0));
    CHECK(own.status == Status::solved);
    CHECK(result.status == Status::solved);
    Vector scratch, expected, u;
    problem.local_velocity(own.impulse, scratch, expected);
    problem.local_velocity(result.impulse, scratch, u);
    CHECK((u - expected).cwiseAbs().maxCoeff() <= 1e-6);
  };
  for (const char* name : {"siconos/gfc3d_admm", "siconos/gfc3d_nsn_ac_wr"})
    agrees(name, point_mass(2.0, {-1.0, 2.0, 0.0}, 0.4, "slip"));
  for (const char* name : {"siconos/rolling_fc3d_nsgs", "siconos/rolling_gfc3d_nsgs_wr"})
    agrees(name, build_scene("rolling_body"));
  agrees("siconos/rolling_fc2d_nsgs", build_scene("rolling_body", {{"planar", "true"}}));
}
