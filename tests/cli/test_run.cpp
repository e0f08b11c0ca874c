#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "cli/program.hpp"
#include "cli/results.hpp"
#include "support/places.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp::testing;

namespace {

const std::string test1a = config_file("test1a");

/// The line of stdout that names the results folder; there must be one.
std::string results_folder(const Answer& answer) {
  std::vector<std::string> folders;
  for (const std::string& line : lines_of(answer.out))
    if (line.rfind("results: ", 0) == 0) folders.push_back(line.substr(9));
  REQUIRE(folders.size() == 1);
  return folders[0];
}

Answer run_small(const Workplace& place, const std::string& out, Arguments more = {}) {
  more.insert(more.begin(), {"run", test1a, "--size", "small", "--set", "/stop/time_limit_s=60", "--out", place.text(out)});
  return run_program(place, more);
}

std::map<std::string, std::filesystem::file_time_type> cell_times(const std::filesystem::path& folder) {
  std::map<std::string, std::filesystem::file_time_type> times;
  for (const auto& [id, cell] : read_results(folder))
    times[id] = std::filesystem::last_write_time(cell.folder / "cell.json");
  return times;
}

void same_traces(const std::filesystem::path& one, const std::filesystem::path& other) {
  const auto first = read_results(one), second = read_results(other);
  REQUIRE(first.size() == second.size());
  for (const auto& [id, cell] : first) {
    INFO(id);
    const Csv a(cell.folder / "trace.csv"), b(second.at(id).folder / "trace.csv");
    CHECK(a.columns() == b.columns());
    CHECK(a.rows() > 1);
    CHECK(a.without("elapsed_s") == b.without("elapsed_s"));
  }
}

}  // namespace

TEST_CASE("run does test1a from one end to the other, and nothing the second time") {
  const Workplace place;
  const Answer answer = run_small(place, "out");
  INFO(answer.err << answer.out);
  CHECK(answer.code == 0);
  CHECK(results_folder(answer) == place.text("out/test1a"));
  CHECK(lines_of(answer.out).back() == "results: " + place.text("out/test1a"));
  const auto results = read_results(place / "out/test1a");
  CHECK(results.size() == 9);
  for (const auto& [id, cell] : results) {
    CHECK_THAT(answer.err, Catch::Contains(id + " "));
    CHECK(std::filesystem::is_regular_file(cell.folder / "trace.csv"));
  }
  std::set<std::size_t> places;  // of one column; a cell that was timed on a busy machine must not move it
  for (const std::string& line : lines_of(answer.err))
    if (line.find("/9  ") != std::string::npos) places.insert(line.find(" it "));
  CHECK(places.size() == 1);
  for (const char* label : {"ADMM balanced", "P-ADMM balanced", "Jacobi", "Gauss-Seidel"})
    CHECK_THAT(answer.out, Catch::Contains(std::string("\n  ") + label + " "));
  CHECK(lines_of(read_text(place / "out/test1a/summary.csv")).size() == 10);
  CHECK(nlohmann::json::accept(read_text(place / "out/test1a/manifest.json")));
  CHECK_THAT(answer.err + answer.out, !Catch::Contains("\x1b"));

  const auto before = cell_times(place / "out/test1a");
  const Answer again = run_small(place, "out");
  CHECK(again.code == 0);
  CHECK_THAT(again.err, Catch::Contains("9 there already"));
  CHECK_THAT(again.out, Catch::Contains("9 from an earlier run"));
  CHECK(results_folder(again) == results_folder(answer));
  CHECK(cell_times(place / "out/test1a") == before);

  const Answer fresh = run_small(place, "out", {"--fresh", "--only", "*/Jacobi"});
  CHECK(fresh.code == 0);
  const auto after = cell_times(place / "out/test1a");
  for (const auto& [id, time] : before) CHECK((after.at(id) == time) == (id != "odd_mass_stack/ccp/Jacobi"));
}

TEST_CASE("traces are bit-identical between two runs, with two jobs and with two threads") {
  const Workplace place;
  REQUIRE(run_small(place, "one", {"--quiet"}).code == 0);
  REQUIRE(run_small(place, "two", {"--quiet", "--jobs", "2"}).code == 0);
  REQUIRE(run_small(place, "threads", {"--quiet", "--threads", "2"}).code == 0);
  same_traces(place / "one/test1a", place / "two/test1a");
  same_traces(place / "one/test1a", place / "threads/test1a");
}

TEST_CASE("two threads change no bit of a scene with many contacts", "[large]") {
  const Workplace place;
  const auto run = [&](const std::string& out, const std::string& threads) {
    return run_program(place, {"run", test1a, "--size", "small", "--out", place.text(out), "--threads", threads, "--quiet",
                               "--set", "/problems/0/parameters/spheres=1200", "--set", "/stop/max_iterations=60"});
  };
  REQUIRE(run("one", "1").code == 0);
  REQUIRE(run("two", "2").code == 0);
  same_traces(place / "one/test1a", place / "two/test1a");
}

TEST_CASE("quiet prints the results line alone") {
  const Workplace place;
  const Answer answer = run_small(place, "out", {"--quiet", "--only", "*/Jacobi"});
  CHECK(answer.code == 0);
  CHECK(answer.err.empty());
  CHECK(answer.out == "results: " + place.text("out/test1a") + "\n");
}

TEST_CASE("run takes several patterns with --only, each of which must match") {
  const Workplace place;
  const std::string config = config_file("test1a");
  const Answer two = run_program(place, {"run", config, "--size", "small", "--only", "*/Jacobi", "--only", "*/Gauss*",
                                         "--quiet", "--format", "csv"});
  INFO(two.out << two.err);
  CHECK(two.code == 0);
  const auto lines = lines_of(two.out);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "config,problem,model,solver,status,iterations,time_s,relative_residual,natural_map");
  CHECK_THAT(lines[1], Catch::StartsWith("test1a,odd_mass_stack,ccp,Jacobi,iteration_limit,1000,"));
  CHECK_THAT(lines[2], Catch::StartsWith("test1a,odd_mass_stack,ccp,Gauss-Seidel,iteration_limit,1000,"));
  CHECK_THAT(two.err, Catch::Contains("results: results/test1a"));
  CHECK_THAT(bad_input_line(run_program(place, {"run", config, "--only", "*/Jacobi", "--only", "*/Gaus"})),
             Catch::Contains("'*/Gaus' matches no cell"));
  CHECK_THAT(bad_input_line(run_program(place, {"run", config, "--dry-run", "--json"})), Catch::Contains("--dry-run"));
}

TEST_CASE("results go to the folder results unless told otherwise") {
  const Workplace place;
  const Answer answer = run_program(place, {"run", test1a, "--only", "*/Jacobi", "--quiet"});
  CHECK(answer.out == "results: results/test1a\n");
  CHECK(read_results(place / "results/test1a").size() == 1);
}

TEST_CASE("shards run every cell once") {
  const Workplace place;
  for (const char* shard : {"1/4", "2/4", "3/4", "4/4"})
    CHECK(run_small(place, "out", {"--shard", shard, "--quiet"}).code == 0);
  CHECK(read_results(place / "out/test1a").size() == 9);
  const Answer first = run_small(place, "alone", {"--shard", "1/4", "--quiet"});
  CHECK(first.code == 0);
  CHECK(read_results(place / "alone/test1a").size() < 9);
}

TEST_CASE("a dry run lists the cells, says how long they can take and what stored ones took, and writes nothing") {
  const Workplace place;
  const auto dry_run = [&](const Arguments& more = {}) {
    Arguments arguments = {"--dry-run"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Answer answer = run_small(place, "out", arguments);
    CHECK(answer.code == 0);
    return lines_of(answer.out);
  };
  const auto lines = dry_run();
  REQUIRE(lines.size() == 11);
  CHECK(lines[0] == "test1a: 9 cells, 9 to run");
  for (std::size_t i = 1; i <= 9; ++i) CHECK_THAT(lines[i], Catch::Contains("to run  odd_mass_stack/ccp/"));
  CHECK_THAT(lines[2], Catch::EndsWith("odd_mass_stack/ccp/P-ADMM balanced"));
  CHECK(lines[10] == "time: at most 1 h 30 min for 9 cells by wall limits, 1 at once");
  CHECK(place.listing().empty());

  REQUIRE(run_small(place, "out", {"--only", "*/Jacobi", "--quiet"}).code == 0);
  const auto listing = place.listing();
  const auto later = dry_run();
  CHECK(later[0] == "test1a: 9 cells, 8 to run");
  CHECK_THAT(later[10], Catch::StartsWith("time: at most 1 h 20 min for 8 cells by wall limits, 1 at once; 1 cell with a "
                                          "result took "));
  CHECK_THAT(dry_run({"--fresh", "--only", "*/Jacobi"})[2],
             Catch::StartsWith("time: at most 10 min 00 s for 1 cell by wall limits, 1 at once; 1 cell with a result"));
  CHECK_THAT(dry_run({"--only", "*/Jacobi"})[2], Catch::StartsWith("time: nothing to run; 1 cell with a result took "));
  const auto repeated = dry_run({"--only", "*acobi", "--repeat", "3"});
  CHECK(repeated[0] == "test1a: 1 cell, 0 to run, 1 to time again");
  CHECK_THAT(repeated[1], Catch::Contains("  repeat  odd_mass_stack"));
  CHECK_THAT(repeated[2], Catch::Contains(" for 3 runs of 1 cell by wall limits"));
  CHECK_THAT(dry_run({"--only", "*acobi", "--repeat", "3", "--fresh"})[2], Catch::Contains(" for 4 runs of 1 cell "));
  CHECK(place.listing() == listing);
}

TEST_CASE("a failed cell gives exit code 3 every time, its reason, and leaves the others alone") {
  const Workplace place;
  const std::string config = place.write("fails.json", R"({
    "name": "fails",
    "problems": [ { "scene": "odd_mass_stack" } ],
    "model": "ccp",
    "solvers": [
      { "solver": "admm", "label": "liar", "parameters": { "tolerance_primal": 1e3, "tolerance_dual": 1e3 } },
      { "solver": "jacobi", "label": "slow" }
    ],
    "stop": { "tolerance": 1e-8, "native": true, "max_iterations": 20 }
  })");
  for (int pass = 0; pass < 2; ++pass) {
    const Answer answer = run_program(place, {"run", config});
    INFO(answer.err << answer.out);
    CHECK(answer.code == 3);
    CHECK_THAT(answer.out, Catch::Contains("\nFailed\n  odd_mass_stack/ccp/liar  false_converged"));
    CHECK(results_folder(answer) == "results/fails");
  }
  const Answer quiet = run_program(place, {"run", config, "--quiet"});
  CHECK(quiet.code == 3);
  CHECK(quiet.out == "results: results/fails\n");
  REQUIRE(lines_of(quiet.err).size() == 1);
  CHECK_THAT(quiet.err, Catch::StartsWith("ccpbench: error: odd_mass_stack/ccp/liar: false_converged: "));
  const auto results = read_results(place / "results/fails");
  CHECK(results.at("odd_mass_stack/ccp/liar").json.at("status") == "false_converged");
  CHECK(results.at("odd_mass_stack/ccp/slow").json.at("status") == "iteration_limit");
}

TEST_CASE("run does a large problem on two threads") {
  const Workplace place;
  const std::string config = place.write("large.json", R"({
    "name": "large", "stop": { "max_iterations": 5 }, "limits": { "wall_s": 60 },
    "problems": [ { "scene": "odd_mass_stack", "parameters": { "spheres": 2000 } } ],
    "solvers": [ { "solver": "jacobi" }, { "solver": "admm" } ] })");
  const Answer answer = run_program(place, {"run", config, "--threads", "2", "--out", place.text("out")});
  INFO(answer.err << answer.out);
  CHECK(answer.code == 0);
  const auto results = read_results(place / "out/large");
  CHECK(results.size() == 2);
  for (const auto& [id, cell] : results) CHECK(cell.json.at("status") == "iteration_limit");
}

TEST_CASE("run times the kernels of a problem where the config asks for it") {
  const Workplace place;
  const auto config = [&](const std::string& name, const std::string& more) {
    return place.write(name + ".json", R"({ "name": ")" + name + R"(", "stop": { "max_iterations": 3 }, )" + more +
                                           R"("problems": [ { "scene": "odd_mass_stack" } ],
                                              "solvers": [ { "solver": "jacobi" }, { "solver": "gauss_seidel" } ] })");
  };
  REQUIRE(run_program(place, {"run", config("timed", R"("kernels": true, )"), "--out", place.text("out")}).code == 0);
  REQUIRE(run_program(place, {"run", config("plain", ""), "--out", place.text("out")}).code == 0);
  const Csv timed(place / "out/timed/summary.csv"), plain(place / "out/plain/summary.csv");
  for (std::size_t row = 0; row < 2; ++row) {
    for (const char* name : {"kernel_product_s", "kernel_projection_s", "kernel_block_product_s", "kernel_csr_product_s",
                             "kernel_factors_product_s", "bytes_per_contact"}) {
      CAPTURE(row, name);
      CHECK(timed.number(row, name) > 0.0);
      CHECK(timed.text(row, name) == timed.text(0, name));  // once per problem
      CHECK(plain.text(row, name).empty());
    }
    // From the runs of their own in which nothing is judged: there are some without being asked for.
    CHECK(timed.number(row, "timing_pass") == 2);
    CHECK(timed.number(row, "kernel_work_s") > 0.0);
    CHECK(timed.number(row, "kernel_ratio") ==
          Approx(timed.number(row, "solve_s") / timed.number(row, "kernel_work_s")).epsilon(1e-9));
    CHECK(plain.number(row, "timing_pass") == 1);
    CHECK(plain.text(row, "kernel_work_s").empty());
    CHECK(plain.text(row, "kernel_ratio").empty());
  }
  REQUIRE(run_program(place, {"run", config("judged", R"("kernels": true, )"), "--passes", "1", "--out", place.text("out")})
              .code == 0);
  const Csv judged(place / "out/judged/summary.csv");
  CHECK(judged.number(0, "kernel_product_s") > 0.0);
  CHECK(judged.text(0, "kernel_ratio").empty());
  for (const auto& [id, cell] : read_results(place / "out/timed")) CHECK(cell.json.at("kernels").at("product_s") > 0.0);
  for (const auto& [id, cell] : read_results(place / "out/plain")) CHECK_FALSE(cell.json.contains("kernels"));
}

TEST_CASE("the summary says why cells are unsupported, each reason once") {
  const Workplace place;
  const std::string config = place.write("refused.json", R"x({"name": "refused",
    "problems": [{"scene": "odd_mass_stack", "parameters": {"spheres": 3, "heavy_index": 2}}],
    "solvers": [{"solver": "jacobi"}, {"solver": "ipm_qp", "label": "A"}, {"solver": "ipm_qp", "label": "B"}],
    "sweep": {"/stop/max_iterations": [5, 9]}})x");
  const Answer answer = run_program(place, {"run", config, "--out", place.text("out")});
  INFO(answer.out << answer.err);
  CHECK(answer.code == 0);
  CHECK_THAT(answer.out,
             Catch::Contains("\nUnsupported\n  4 cells  4 solver settings  ipm_qp takes no friction; ipm_cone does\n"));
  const Answer only = run_program(place, {"run", config, "--only", "*/jacobi*", "--out", place.text("out")});
  CHECK_THAT(only.out, !Catch::Contains("Unsupported"));
}
