#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "cli/program.hpp"
#include "cli/results.hpp"

using namespace ccp::testing;

namespace {

/// A quick cell, then one that takes its 0.6 s of solver clock: some 3 s, for the judge takes longer than the solver.
std::string slow_config(const Workplace& place) {
  return place.write("slow.json", R"({
    "name": "slow",
    "problems": [ { "scene": "odd_mass_stack", "parameters": { "spheres": 400 } } ],
    "model": "ccp",
    "solvers": [ { "solver": "admm", "label": "quick" }, { "solver": "jacobi", "label": "slow" } ],
    "stop": { "tolerance": 1e-9, "max_iterations": 100000000, "time_limit_s": 0.6 }
  })");
}

std::size_t folders(const Workplace& place, const std::string& name) {
  if (!std::filesystem::is_directory(place / name)) return 0;
  const std::filesystem::directory_iterator begin(place / name);
  return static_cast<std::size_t>(std::distance(begin, std::filesystem::directory_iterator()));
}

bool expected_name(const std::string& path) {
  static const std::vector<std::string> names = {"slow.json", "cell.json", "trace.csv", "summary.csv", "manifest.json"};
  const std::filesystem::path file(path);
  return file.extension().empty() || std::find(names.begin(), names.end(), file.filename().string()) != names.end();
}

}  // namespace

TEST_CASE("a second run into the same folder is refused while the first one goes on, whose cells it leaves alone") {
  const Workplace place;
  const std::string config = slow_config(place);
  Program first(place, {"run", config, "--out", "out"});
  REQUIRE(wait_until([&] { return folders(place, "out/slow/cells") == 2 || !first.running(); }));
  REQUIRE(first.running());
  const std::string line = bad_input_line(run_program(place, {"run", config, "--out", "out", "--fresh"}));
  CHECK_THAT(line, Catch::Contains("out/slow: another run writes here (process "));
  const bool killed = GENERATE(false, true);
  if (killed) first.send(SIGKILL);
  CHECK(first.wait().code == (killed ? -SIGKILL : 0));
  CHECK(run_program(place, {"run", config, "--out", "out"}).code == 0);
  CHECK(read_results(place / "out/slow").size() == 2);
  for (const auto& [id, cell] : read_results(place / "out/slow")) CHECK(cell.json.at("status") != "failed");
}

TEST_CASE("Ctrl-C stops a run, keeps what is finished, and running it again does the rest") {
  const Workplace place;
  const std::string config = slow_config(place);
  const int signal = GENERATE(SIGINT, SIGTERM);
  const Arguments arguments = {"run", config, "--out", "out"};
  Program program(place, arguments);
  REQUIRE(wait_until([&] { return folders(place, "out/slow/cells") == 2 || !program.running(); }));
  REQUIRE(program.running());
  program.send(signal);
  const Answer answer = program.wait();
  INFO(answer.err << answer.out);
  CHECK(answer.code == 130);
  CHECK_THAT(answer.err, Catch::EndsWith("ccpbench: error: interrupted; run it again to do the missing cells\n"));
  CHECK_THAT(answer.out, Catch::Contains("results: out/slow\n"));
  const auto kept = read_results(place / "out/slow");
  CHECK(kept.count("odd_mass_stack/ccp/quick") == 1);
  CHECK(kept.count("odd_mass_stack/ccp/slow") == 0);
  CHECK(folders(place, "out/slow/cells") == kept.size());
  for (const std::string& name : place.listing()) {
    INFO(name);
    CHECK(expected_name(name));
  }

  const Answer again = run_program(place, arguments);
  INFO(again.err << again.out);
  CHECK(again.code == 0);
  CHECK(read_results(place / "out/slow").size() == 2);
}

TEST_CASE("Ctrl-C among the repeats keeps those that are done, and running it again does the missing ones") {
  const Workplace place;
  const std::string config = place.write("slow.json", R"({
    "name": "slow",
    "problems": [ { "scene": "odd_mass_stack", "parameters": { "spheres": 100 } } ],
    "model": "ccp",
    "solvers": [ { "solver": "jacobi" }, { "solver": "gauss_seidel" } ],
    "stop": { "tolerance": 1e-300, "max_iterations": 300 }
  })");
  const Arguments arguments = {"run", config, "--out", "out", "--quiet", "--repeat", "20"};
  const auto runs = [&](const std::string& id) {
    if (folders(place, "out/slow/cells") < 2) return std::size_t{0};
    const auto results = read_results(place / "out/slow");
    const auto found = results.find("odd_mass_stack/ccp/" + id);
    return found == results.end() ? std::size_t{0} : found->second.json.at("runs").size();
  };
  Program program(place, arguments);
  REQUIRE(wait_until([&] { return runs("gauss_seidel") >= 3 || !program.running(); }));
  REQUIRE(program.running());
  program.send(SIGINT);
  CHECK(program.wait().code == 130);
  std::map<std::string, nlohmann::json> kept;
  for (const auto& [id, cell] : read_results(place / "out/slow")) kept[id] = cell.json.at("runs");
  REQUIRE(kept.size() == 2);
  for (const auto& [id, of_cell] : kept) CHECK((of_cell.size() >= 3 && of_cell.size() < 21));

  const Answer again = run_program(place, arguments);
  INFO(again.err);
  CHECK(again.code == 0);
  for (const auto& [id, cell] : read_results(place / "out/slow")) {
    const nlohmann::json& all = cell.json.at("runs");
    REQUIRE(all.size() == 21);  // the traced run and its repeats
    for (std::size_t i = 0; i < kept.at(id).size(); ++i) CHECK(all[i] == kept.at(id)[i]);
  }
  CHECK(Csv(place / "out/slow/summary.csv").number(0, "repeats") == 20.0);
}

TEST_CASE("a run with --for stops in time, with cells of each problem and solver, and names the command to go on") {
  const Workplace place;
  place.write("long.json", R"({
    "name": "long",
    "problems": [ { "scene": "odd_mass_stack", "label": "a", "parameters": { "spheres": 30 } },
                  { "scene": "odd_mass_stack", "label": "b", "parameters": { "spheres": 31 } } ],
    "model": "ccp",
    "solvers": [ { "solver": "jacobi" }, { "solver": "gauss_seidel" }, { "solver": "apgd" } ],
    "stop": { "tolerance": 1e-300, "max_iterations": 100000000, "time_limit_s": 0.3 }
  })");
  const Arguments arguments = {"run", "long.json", "--out", "o u't", "--quiet", "--for", "1h"};
  Answer answer = run_program(place, {"run", "long.json", "--out", "o u't", "--quiet", "--for", "1s"});
  INFO(answer.err << answer.out);
  CHECK(answer.code == 130);
  CHECK_THAT(answer.err, Catch::StartsWith("ccpbench: note: stopped after 1s: ") &&
                             Catch::Contains(" cells are not done; go on with: ") &&
                             Catch::EndsWith(R"( run long.json --out 'o u'\''t' --quiet --for 1s)"
                                             "\n"));
  CHECK(nlohmann::json::parse(read_text(place / "o u't/long/manifest.json")).at("interrupted") == true);
  CHECK(read_results(place / "o u't/long").size() < 6);
  answer = run_program(place, arguments);
  CHECK(answer.code == 0);
  CHECK(answer.err.empty());
  CHECK(read_results(place / "o u't/long").size() == 6);
  const Arguments bare = {"run", "long.json", "--out", "other", "--for", "10"};
  CHECK_THAT(bad_input_line(run_program(place, bare)),
             Catch::EndsWith("--for: is '10', expected a time such as 90s, 10m, 2h or 1h30m"));
  const Arguments fresh = {"run", "long.json", "--for", "1h30m", "--fresh"};
  CHECK_THAT(bad_input_line(run_program(place, fresh)), Catch::Contains("--for: not together with --fresh"));
}

TEST_CASE("Ctrl-C stops solve and leaves no file") {
  const Workplace place;
  Program program(place,
                  {"solve", "scene:odd_mass_stack:spheres=400", "--solver", "jacobi", "--tolerance", "0", "--max-iterations",
                   "100000000", "--time-limit", "100", "--trace", "t.csv", "--save-solution", "s.hdf5"});
  // Not before: the file of the trace is tried out once.
  REQUIRE(wait_until([&] { return program.catches(SIGINT) || !program.running(); }));
  REQUIRE(program.running());
  program.send(SIGINT);
  const Answer answer = program.wait();
  CHECK(answer.code == 130);
  const auto lines = lines_of(answer.err);
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], Catch::StartsWith("ccpbench: error: interrupted at iteration "));
  CHECK(place.listing().empty());
}
