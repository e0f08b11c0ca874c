#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "peers/external/description.hpp"
#include "peers/external/external_name.hpp"
#include "peers/external/external_solver.hpp"
#include "support/places.hpp"
#include "support/run_solver.hpp"
#include "support/skip.hpp"
#include "support/small_problems.hpp"

/// Solvers of users: their names, what they say of themselves, what they are sent, and what their clock counts.
using namespace ccp;
using namespace ccp::testing;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// A folder with a solver in Python that is gone with the object; `name` is that of the solver.
class PythonSolver {
 public:
  explicit PythonSolver(const std::string& text) {
    static int made = 0;
    folder_ = fs::temp_directory_path() / ("ccpbench-solver-" + std::to_string(::getpid()) + "-" + std::to_string(++made));
    fs::create_directory(folder_);
    std::ofstream(folder_ / "mine.py") << "import time\n" << text;
    name = "python:" + (folder_ / "mine.py").string() + ":solve";
  }
  ~PythonSolver() { fs::remove_all(folder_); }
  PythonSolver(const PythonSolver&) = delete;
  PythonSolver& operator=(const PythonSolver&) = delete;
  std::string name;

 private:
  fs::path folder_;
};

/// Whether there is an interpreter with numpy.
bool python_is_there() {
  static const PythonSolver probe("def solve(problem, settings, report): return problem.start\n");
  const ExternalAnswer& answer = ask_external_solver(probe.name);
  if (!answer.description) skip(answer.defect);
  return answer.description.has_value();
}

Result solved(const std::string& name, const ContactProblem& problem, Model model, const Vector& start = {}) {
  REQUIRE(ask_external_solver(name).defect.empty());
  RunSpec spec{"", model};
  spec.stop.max_iterations = 50;
  spec.start.impulse = start;
  return run(problem, ExternalSolver(name), spec);
}

/// Takes iterates without looking at them.
class Spectator final : public Monitor {
 public:
  explicit Spectator(std::chrono::microseconds pause) : pause_(pause) {}

  bool go_on(const Iterate& iterate) override {
    errors.push_back(iterate.native.front());
    between.push_back(watch_.seconds());
    std::this_thread::sleep_for(pause_);
    watch_ = Stopwatch();
    watch_.start();
    return true;
  }
  bool solved() const override { return false; }
  Counters& counters() override { return counters_; }
  int threads() const override { return 1; }
  void note(const std::function<std::string()>&) override {}
  void set_outer(int) override {}
  void advance_clock(double seconds) override { clock_s += seconds; }
  Remaining remaining() const override { return {100.0, 1000000}; }

  double clock_s = 0.0;
  std::vector<double> errors;   ///< its own, of each iterate
  std::vector<double> between;  ///< s, from a go_on to the next one

 private:
  std::chrono::microseconds pause_;
  Stopwatch watch_;
  Counters counters_;
};

void watch(const std::string& name, const ContactProblem& problem, Spectator& spectator) {
  REQUIRE(ask_external_solver(name).defect.empty());
  const ExternalSolver solver(name);
  solver.prepare(problem, Model::ncp, spectator)->run({}, Vector::Zero(problem.rows()), spectator);
}

}  // namespace

TEST_CASE("names of solvers of users: paths, labels and settings") {
  CHECK(is_external_name("python:mine.py"));
  CHECK(is_external_name("command:./mine"));
  CHECK_FALSE(is_external_name("siconos/nsgs"));
  CHECK(absolute_external("python:./mine.py", "/a/b") == "python:/a/b/mine.py:solve");
  CHECK(absolute_external("python:../mine.py:other", "/a/b") == "python:/a/mine.py:other");
  CHECK(absolute_external("command:./mine -f ./x y", "/a b") == "command:/a\\ b/mine -f /a\\ b/x y");
  CHECK(absolute_external("command:octave ./mine.m", "/a") == "command:octave /a/mine.m");
  CHECK(external_command("command:/a\\ b/mine -f") == std::vector<std::string>{"/a b/mine", "-f"});
  CHECK(external_files("command:octave /a/mine.m") == std::vector<std::string>{"/a/mine.m"});
  CHECK(external_identity("python:/a/b/mine.py:solve") == "python:mine.py:solve");
  CHECK(external_label("python:/a/mine.py:solve") == "mine");
  CHECK(external_label("python:/a/mine.py:other") == "mine:other");
  CHECK(external_label("command:/a/mine --fast") == "mine --fast");
  CHECK(relative_external("python:/a/mine.py:solve", "/a") == "python:/a/mine.py:solve");
  CHECK_THROWS_WITH(absolute_external("python::solve", "/a"), Contains("names no solver, expected python:FILE"));
  CHECK_THROWS_WITH(absolute_external("command: ", "/a"), Contains("names no solver"));
  using Split = std::pair<std::string, std::string>;
  CHECK(split_settings("admm:rho=0.5,x=1") == Split("admm", "rho=0.5,x=1"));
  CHECK(split_settings("python:./mine.py:solve:omega=1.5") == Split("python:./mine.py:solve", "omega=1.5"));
  CHECK(split_settings("python:./mine.py:omega=1.5") == Split("python:./mine.py", "omega=1.5"));
  CHECK(split_settings("command:./mine --x=1") == Split("command:./mine --x=1", ""));
  CHECK(external_version("python:/nowhere/mine.py:solve") == "absent");
}

TEST_CASE("a description has types, ranges and columns, and what is wrong in it is said") {
  const ExternalDescription own = parse_description(
      R"({"name": "mine", "models": ["ccp", "ncp"], "constraints": ["contact", "bilateral"], "form": "both",
          "columns": [{"name": "step", "unit": "s", "meaning": "length"}],
          "settings": [{"name": "omega", "default": 1.0, "above": 0, "max": 2}, {"name": "sweeps", "default": 3, "min": 1},
                       {"name": "fast", "default": true}, {"name": "order", "default": "up", "choices": ["up", "down"]}]})");
  CHECK(own.models == std::vector{Model::ccp, Model::ncp});
  CHECK(own.constraints == std::vector{ConstraintKind::contact, ConstraintKind::bilateral});
  CHECK((own.local && own.global));
  CHECK(own.columns.back().name == "own_step");
  REQUIRE(own.settings.size() == 4);
  CHECK(own.settings[0].type == FieldType::real);
  CHECK(own.settings[0].check(0.0).has_value());
  CHECK_FALSE(own.settings[0].check(2.0).has_value());
  CHECK(own.settings[1].type == FieldType::integer);
  CHECK(own.settings[2].type == FieldType::flag);
  CHECK(own.settings[3].check(std::string("left")).has_value());
  const auto defect = [](const std::string& text) {
    try {
      parse_description(text);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_THAT(defect("hello"), Contains("is no JSON"));
  CHECK_THAT(defect("{}"), Contains("has no 'name'"));
  CHECK_THAT(defect(R"({"name": "m", "model": ["ncp"]})"), Contains("unknown key 'model'") && Contains("'models'"));
  CHECK_THAT(defect(R"({"name": "m", "models": ["npc"]})"), Contains("it/models is 'npc'"));
  CHECK_THAT(defect(R"({"name": "m", "settings": [{"name": "omega"}]})"), Contains("setting 1 has no 'default'"));
  CHECK_THAT(defect(R"({"name": "m", "settings": [{"name": "w", "default": 3, "max": 2}]})"), Contains("setting 1/default"));
  CHECK_THAT(defect(R"({"name": "m", "settings": [{"name": "a b", "default": 3}]})"), Contains("letters, digits and _"));
  CHECK_THAT(defect(R"({"name": "m", "columns": [{"name": "error"}]})"), Contains("which is taken"));
}

TEST_CASE("a solver of the user is sent every part of a problem") {
  if (!python_is_there()) return;
  // u = N γ + r from both forms, shown as an error of its own; kinds and blocks have the sizes of the rows.
  const PythonSolver solver(R"(
import numpy as np

def solve(problem, settings, report):
    p, gamma = problem, np.linspace(-1.0, 1.0, problem.rows)
    N, H, D, C = (matrix.toarray() for matrix in (p.N, p.H, p.D, p.C))
    u = D.T @ np.linalg.solve(H, p.k + D @ gamma) + p.b + C @ gamma
    sizes = {"contact": 3, "contact2d": 2, "unilateral": 1, "bilateral": 1}
    assert [block.stop - block.start for block in p.blocks] == [sizes[kind] for kind in p.kinds]
    assert np.allclose(p.N @ gamma, N @ gamma) and (p.mu > 0.0).tolist() == [kind.startswith("contact") for kind in p.kinds]
    report(p.start, error=np.abs(N @ gamma + p.r - u).max())
    return p.start

solve.form, solve.constraints = "both", ["contact", "contact2d", "unilateral", "bilateral"]
)");
  RandomShape mixed{6, 2, 2, 2, 2};
  mixed.compliance = true;
  Spectator spectator(std::chrono::microseconds(0));
  watch(solver.name, random_problem(12, mixed, "mixed kinds"), spectator);
  REQUIRE(spectator.errors.size() >= 2);
  CHECK(spectator.errors[1] < 1e-10);
}

TEST_CASE("a solver of the user starts where it is told to, and its answer is judged") {
  if (!python_is_there()) return;
  const PythonSolver solver("def solve(problem, settings, report): return problem.start\n");
  const ContactProblem problem = point_mass(2.0, {-1.0, 0.1, -0.2}, 0.4, "thrown");
  const Result right = solved(solver.name, problem, Model::ncp, Vector3(2.0, -0.2, 0.4));
  CHECK(right.status == Status::solved);
  const Result wrong = solved(solver.name, problem, Model::ncp);
  CHECK(wrong.status == Status::stalled);
  CHECK_THAT(wrong.reason, Contains("mine calls it converged"));
}

TEST_CASE("what goes wrong in a function of the user is the reason of its run") {
  if (!python_is_there()) return;
  const ContactProblem problem = point_mass(2.0, {-1.0, 0.1, -0.2}, 0.4, "thrown");
  const auto reason = [&](const std::string& body) {
    const PythonSolver solver("def solve(problem, settings, report):\n    " + body + "\n");
    const Result result = solved(solver.name, problem, Model::ncp);
    CHECK(result.status == Status::failed);
    return result.reason;
  };
  CHECK_THAT(reason("return problem.start[:2]"), Contains("ValueError: an impulse of the shape (2,), expected (3,)"));
  CHECK_THAT(reason("return 1 / 0"), Contains("ZeroDivisionError"));
  CHECK_THAT(reason("report(problem.start, step=1)"), Contains("no column of this solver is called step"));
  CHECK_THAT(reason("return None"), Contains("returned nothing and showed no iterate"));
  const PythonSolver broken("import no_such_module\n");
  CHECK_THAT(ask_external_solver(broken.name).defect,
             Contains("ended before it had greeted") && Contains("No module named 'no_such_module'"));
  CHECK(run(problem, ExternalSolver(broken.name), RunSpec{"", Model::ncp}).status == Status::failed);
}

TEST_CASE("showing an iterate is not on the clock of a solver of the user, and takes microseconds") {
  if (!python_is_there()) return;
  const PythonSolver solver(
      "def solve(problem, settings, report):\n    for _ in range(1000): report(problem.start)\n    return problem.start\n");
  const ContactProblem problem = redundant_point_mass(1.0, {-1.0, 0.0, 0.0}, 0.5, 300);
  Spectator patient(std::chrono::microseconds(500)), quick(std::chrono::microseconds(0));
  watch(solver.name, problem, patient);
  CHECK(patient.clock_s < 0.05);  // of half a second that it was made to wait
  watch(solver.name, problem, quick);
  REQUIRE(quick.between.size() > 1000);
  std::nth_element(quick.between.begin(), quick.between.begin() + 500, quick.between.end());
  const double median_us = 1e6 * quick.between[500];
  if (std::getenv("CCPBENCH_SHOW_OVERHEAD") != nullptr)
    WARN("median from one iterate of 300 contacts to the next: " << median_us << " µs, of which on its clock "
                                                                 << 1e3 * quick.clock_s << " µs");
  CHECK(median_us < 1000.0);  // 25 µs on an idle machine
}

TEST_CASE("a solver of the user that takes convex problems alone finds Coulomb's solution through the De Saxcé loop") {
  if (!python_is_there()) return;
  const auto gradient = [](const std::string& body) {
    return R"(
import numpy as np

def cone(gamma, problem):
    for rows, mu in zip(problem.blocks, problem.mu):
        n, t = gamma[rows.start], gamma[rows.start + 1:rows.stop]
        size = np.linalg.norm(t)
        if mu * size <= -n:
            gamma[rows] = 0.0
        elif size > mu * n:
            normal = (n + mu * size) / (1.0 + mu * mu)
            gamma[rows.start], gamma[rows.start + 1:rows.stop] = normal, t * (mu * normal / size)
    return gamma

def solve(problem, settings, report):
    assert problem.model == "ccp"
    N, r, gamma = problem.N.toarray(), problem.r, problem.start.copy()
    step = 1.0 / np.linalg.norm(N, 2)
)" + body + "\nsolve.models = [\"ccp\"]\n";
  };
  const std::string iterate = "cone(gamma - step * (N @ gamma + r), problem)";
  const PythonSolver shown(gradient("    while report(gamma): gamma = " + iterate));
  const PythonSolver answers(gradient("    for _ in range(3000): gamma = " + iterate + "\n    return gamma"));
  const PythonSolver cold(gradient("    assert not gamma.any()\n    for _ in range(3000): gamma = " + iterate +
                                   "\n    return gamma\nsolve.warm_start = False"));
  const ContactProblem problem = random_problem(51, {2, 3});
  RunSpec spec{"nsgs", Model::ncp};
  spec.stop.tolerance = 1e-6;
  spec.stop.max_iterations = 2000;
  const Result ours = run(problem, spec);
  for (const PythonSolver* solver : {&shown, &answers, &cold}) {
    REQUIRE(ask_external_solver(solver->name).defect.empty());
    MemoryTrace trace;
    const Result result = run(problem, ExternalSolver(solver->name), spec, &trace);
    INFO(result.reason);
    CHECK(result.status == Status::solved);
    CHECK((problem.local().N * (result.impulse - ours.impulse)).norm() < 1e-4);
    CHECK(trace.rows.back().outer >= 2);
    if (solver != &shown) CHECK(result.iterations == trace.rows.back().outer + 1);  // an answer to each convex problem
  }
  const PythonSolver idle("def solve(problem, settings, report): return problem.start\nsolve.models = [\"ccp\"]\n");
  const Result nothing = solved(idle.name, problem, Model::ncp);
  CHECK(nothing.status == Status::stalled);
  CHECK(nothing.iterations <= 2);
}
