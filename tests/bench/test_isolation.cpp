#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "bench/fake_catalog.hpp"
#include "bench/results/result_table.hpp"
#include "bench/results/trace_csv.hpp"
#include "bench/run/runner.hpp"
#include "bench/runs.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp;
using ccp::testing::fake_catalog;
using ccp::testing::Listener;
using ccp::testing::read_text;
using ccp::testing::solvers_config;
using ccp::testing::TemporaryFolder;
using ccp::testing::write_text;

namespace fs = std::filesystem;

namespace {

std::map<std::string, CellRecord> run(const std::string& text, const std::string& out, int jobs = 1) {
  Listener listener;
  RunOptions options;
  options.out = out;
  options.jobs = jobs;
  const Config config = parse_config(text, "c.json", fake_catalog());
  run_config(config, make_plan(config), fake_catalog(), options, listener);
  return listener.reports_;
}

fs::path cell_folder(const std::string& text, const fs::path& out, std::size_t index = 0) {
  return out / "x" / "cells" / make_plan(parse_config(text, "c.json", fake_catalog())).cells.at(index).hash;
}

/// Gone, or a zombie that nobody has reaped yet.
bool gone(pid_t process) {
  const std::string status = read_text("/proc/" + std::to_string(process) + "/status");
  return status.empty() || status.find("State:\tZ") != std::string::npos;
}

bool wait_until(const std::function<bool()>& condition) {
  for (int i = 0; i < 1000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return condition();
}

std::vector<pid_t> numbers_in(const fs::path& path) {
  std::istringstream stream(read_text(path));
  std::vector<pid_t> numbers;
  for (pid_t number = 0; stream >> number;) numbers.push_back(number);
  return numbers;
}

/// All that descends from a process by living parents.
std::vector<pid_t> descendants(pid_t process) {
  std::vector<pid_t> all;
  const std::string name = std::to_string(process);
  for (const pid_t child : numbers_in("/proc/" + name + "/task/" + name + "/children")) {
    all.push_back(child);
    for (const pid_t below : descendants(child)) all.push_back(below);
  }
  return all;
}

}  // namespace

TEST_CASE("What a solver does to its process stays there") {
  const TemporaryFolder folder;
  const std::vector<std::string> solvers = {"good",     "recursion", "exits_71", "forker",
                                            "wanderer", "noisy",     "closer",   "stopper"};
  const std::string text = solvers_config(solvers, R"(, "limits": {"wall_s": 3}, "stop": {"max_iterations": 100})");
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());  // so that results go to a relative path
  const int jobs = GENERATE(1, 3);
  auto reports = run(text, "out", jobs);
  const fs::path cells = folder.path() / "out";
  fs::current_path(before);
  REQUIRE(reports.size() == solvers.size());

  for (const std::string solver : {"good", "forker", "wanderer", "noisy"}) {
    CAPTURE(solver, reports[solver].reason);
    CHECK(reports[solver].status == Status::solved);
    CHECK(reports[solver].iterations == reports["good"].iterations);
  }
  CHECK(reports["recursion"].status == Status::crashed);
  CHECK_THAT(reports["recursion"].reason, Catch::StartsWith("SIGSEGV"));
  CHECK(reports["exits_71"].status == Status::crashed);
  CHECK_THAT(reports["exits_71"].reason, Catch::Contains("code 71 and without a result"));
  CHECK(reports["stopper"].status == Status::time_limit);
  CHECK(reports["closer"].status == Status::failed);
  CHECK_THAT(reports["closer"].reason, Catch::Contains("trace") && Catch::Contains("cannot be written"));

  const auto left_behind = numbers_in(cell_folder(text, cells, 3) / "log.txt");
  REQUIRE(left_behind.size() == 2);
  for (const pid_t process : left_behind) CHECK(gone(process));
  for (std::size_t i = 0; i < solvers.size(); ++i) {
    CAPTURE(solvers[i]);
    CHECK(nlohmann::json::accept(read_text(cell_folder(text, cells, i) / "cell.json")));
  }
}

TEST_CASE("A cell whose solver does not come to its end keeps the whole rows of its trace") {
  const TemporaryFolder folder;
  const std::vector<std::string> solvers = {"late_segfault", "late_hang", "late_throws", "segfault", "good"};
  const std::string text =
      solvers_config(solvers, R"(, "limits": {"wall_s": 2}, "stop": {"max_iterations": 100, "tolerance": 1e-9})");
  const auto reports = run(text, folder.path().string());
  CHECK(reports.at("late_segfault").status == Status::crashed);
  CHECK(reports.at("late_hang").status == Status::time_limit);
  CHECK(reports.at("late_throws").status == Status::failed);
  const CsvTable whole = read_csv(cell_folder(text, folder.path(), 4) / "trace.csv");
  for (std::size_t i = 0; i < solvers.size(); ++i) {
    CAPTURE(solvers[i]);
    const fs::path cell = cell_folder(text, folder.path(), i);
    const auto json = nlohmann::json::parse(read_text(cell / "cell.json"));
    CHECK(json.contains("partial_trace") == (solvers[i] != "good"));
    const CsvTable trace = read_csv(cell / "trace.csv");
    const std::size_t last = i < 3 ? 12 : i == 3 ? 0 : whole.rows.size() - 1;
    REQUIRE(trace.rows.size() == last + 1);
    CHECK(trace.columns == whole.columns);
    for (std::size_t row = 0; row <= last; ++row)
      for (const std::string column : {"iteration", "products", "relative_residual", "step"})
        CHECK(trace.number(row, column) == whole.number(row, column));
    CHECK(json["iterations"] == last);
    CHECK(json["counters"]["products"] == last);
    CHECK(json["measures"]["relative_residual"] == trace.number(last, "relative_residual"));
    for (const auto& [decade, crossing] : json["crossings"].items()) {
      const auto row = crossing["iteration"].get<std::size_t>();
      CHECK(trace.number(row, "relative_residual") <= std::stod(decade));
      CHECK(crossing["elapsed_s"] == trace.number(row, "elapsed_s"));
    }
    CHECK(json["crossings"].contains("1e-2") == (i != 3));
    CHECK(fs::exists(cell / unfinished_trace_name) == false);
  }
}

TEST_CASE("Half a row of a trace is cut off") {
  const TemporaryFolder folder;
  const auto part = folder.path() / unfinished_trace_name;
  const auto kept = [&](const std::string& written) {
    write_text(part, written);
    const bool any = keep_whole_rows(folder.path());
    CHECK(any == fs::exists(folder.path() / "trace.csv"));
    CHECK_FALSE(fs::exists(part));
    const std::string text = any ? read_text(folder.path() / "trace.csv") : "none";
    fs::remove(folder.path() / "trace.csv");
    return text;
  };
  CHECK(kept("a,b\n1,2\n3,4\n") == "a,b\n1,2\n3,4\n");
  CHECK(kept("a,b\n1,2\n3,4") == "a,b\n1,2\n");
  CHECK(kept("a,b\n1,2\n3") == "a,b\n1,2\n");
  CHECK(kept("a,b\n1,2") == "none");
  CHECK(kept("a,b\n") == "none");
  CHECK(kept("") == "none");
  CHECK_FALSE(keep_whole_rows(folder.path()));
}

TEST_CASE("At the wall limit all goes that a solver has started") {
  const TemporaryFolder folder;
  const std::string text = solvers_config({"father"}, R"(, "limits": {"wall_s": 0.3})");
  const auto reports = run(text, folder.path().string());
  CHECK(reports.at("father").status == Status::time_limit);
  const auto left_behind = numbers_in(cell_folder(text, folder.path()) / "log.txt");
  REQUIRE(left_behind.size() == 2);
  for (const pid_t process : left_behind) CHECK(gone(process));
}

TEST_CASE("A problem that ends or holds up its reader gives its cells a reason, the others go on") {
  const TemporaryFolder folder;
  const std::string problems = R"("problems": [{"scene": "quirk", "label": "sigfpe", "parameters": {"deed": "sigfpe"}},
    {"scene": "pebbles", "label": "between"}, {"scene": "quirk", "label": "hang", "parameters": {"deed": "hang"}},
    {"scene": "quirk", "label": "exits", "parameters": {"deed": "exits"}}, {"scene": "quirk", "label": "fine"}])";
  const auto config = [&](const std::string& limit) {
    return R"({"name": "x", )" + problems +
           R"(, "solvers": [{"solver": "good"}, {"solver": "nan"}], "limits": {"wall_s": )" + limit + "}}";
  };
  Listener listener;
  RunOptions options;
  options.out = folder.path().string();
  options.jobs = 2;
  const auto run_with = [&](const std::string& limit) {
    const Config parsed = parse_config(config(limit), "c.json", fake_catalog());
    run_config(parsed, make_plan(parsed), fake_catalog(), options, listener);
    return std::exchange(listener.by_id_, {});
  };
  auto reports = run_with("1");
  REQUIRE(reports.size() == 10);
  for (const std::string solver : {"good", "nan"}) {
    CAPTURE(solver);
    const CellRecord& sigfpe = reports["sigfpe/ccp/" + solver];
    CHECK(sigfpe.status == Status::crashed);
    CHECK(sigfpe.reason == "the problem cannot be built: SIGFPE");
    const CellRecord& hang = reports["hang/ccp/" + solver];
    CHECK(hang.status == Status::failed);
    CHECK(hang.reason == "the problem cannot be built: wall limit of 1 s");
    const CellRecord& exits = reports["exits/ccp/" + solver];
    CHECK(exits.status == Status::crashed);
    CHECK_THAT(exits.reason, Catch::Contains("cannot be built"));
  }
  for (const std::string problem : {"between", "fine"}) {
    CHECK(reports[problem + "/ccp/good"].status == Status::solved);
    CHECK(reports[problem + "/ccp/nan"].status == Status::diverged);
  }
  CHECK(run_with("1").empty());
  CHECK(run_with("1.1").size() == 2);  // those that had too little time
}

TEST_CASE("With a runner that is killed dies all that it has started") {
  const TemporaryFolder folder;
  const std::string text = solvers_config({"father"});
  const pid_t runner = ::fork();
  REQUIRE(runner >= 0);
  if (runner == 0) {
    run(text, folder.path().string());
    ::_exit(0);
  }
  const fs::path cell = cell_folder(text, folder.path());
  CHECK(wait_until([&] { return numbers_in(cell / "log.txt").size() == 2; }));
  const auto all = descendants(runner);
  CHECK(all.size() == 4);  // reaper, worker, and two processes of the worker
  ::kill(runner, SIGKILL);
  ::waitpid(runner, nullptr, 0);
  CHECK(wait_until([&] { return std::all_of(all.begin(), all.end(), gone); }));
  CHECK_FALSE(fs::exists(cell / "cell.json"));
}
