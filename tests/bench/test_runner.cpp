#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "bench/fake_catalog.hpp"
#include "bench/record/metrics.hpp"
#include "bench/results/record_json.hpp"
#include "bench/results/result_store.hpp"
#include "bench/run/runner.hpp"
#include "bench/runs.hpp"
#include "core/error.hpp"
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

#if defined(__SANITIZE_ADDRESS__)
constexpr bool limits_memory = false;
#else
constexpr bool limits_memory = true;
#endif

struct Run {
  RunReport report;
  Listener listener;
};

Run run(const std::string& text, const RunOptions& options) {
  Run result;
  const Config config = parse_config(text, "c.json", fake_catalog(), options.overrides);
  result.report =
      run_config(config, make_plan(config, {options.fclib_dir, options.threads}), fake_catalog(), options, result.listener);
  return result;
}

RunOptions options_in(const TemporaryFolder& folder) {
  RunOptions options;
  options.out = folder.path().string();
  return options;
}

std::vector<std::size_t> numbers_below(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

fs::path cell_folder(const std::string& text, const TemporaryFolder& folder, std::size_t index = 0) {
  const Plan plan = make_plan(parse_config(text, "c.json", fake_catalog()));
  return folder.path() / "x" / "cells" / plan.cells.at(index).hash;
}

nlohmann::json read_json(const fs::path& path) { return nlohmann::json::parse(read_text(path)); }

/// Lines of a CSV without quotes, split at commas.
std::vector<std::vector<std::string>> csv_fields(const fs::path& path) {
  std::vector<std::vector<std::string>> lines;
  std::istringstream stream(read_text(path));
  for (std::string line; std::getline(stream, line);) {
    lines.emplace_back();
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) lines.back().push_back(field);
  }
  return lines;
}

sighandler_t handler_of(int signal) {
  struct sigaction action {};
  ::sigaction(signal, nullptr, &action);
  return action.sa_handler;
}

std::size_t files_below(const fs::path& folder) {
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) count += entry.is_regular_file() ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("A run writes manifest, summary, cells and traces") {
  const TemporaryFolder folder;
  const std::string text = solvers_config({"good"});
  const Run result = run(text, options_in(folder));
  CHECK(result.report.folder == (folder.path() / "x").string());
  CHECK(result.report.counts[static_cast<std::size_t>(Status::solved)] == 1);
  CHECK(result.report.failures.empty());
  CHECK_FALSE(result.report.interrupted);
  const CellRecord& report = result.listener.reports_.at("good");
  CHECK(report.status == Status::solved);
  CHECK(report.iterations > 5);
  CHECK(report.measures[measure_index(Measure::relative_residual)] <= 1e-8);
  CHECK(result.listener.last_.done == 1);
  CHECK(result.listener.last_.left_s == 0.0);

  const auto cell = read_json(cell_folder(text, folder) / "cell.json");
  CHECK(cell["schema"] == 1);
  CHECK(cell["status"] == "solved");
  CHECK(cell["problem"]["name"] == "pebbles");
  CHECK(cell["problem"]["contacts"] == 2);
  CHECK(cell["solver"]["parameters"]["step"] == 0.5);
  CHECK(cell["counters"]["products"] == report.iterations);
  CHECK(cell["measures"]["distance"].is_null());
  CHECK(cell["crossings"]["1e-8"]["iteration"] == report.iterations);
  CHECK(cell["times"]["wall_s"].get<double>() > 0.0);
  CHECK(cell["peak_memory_mb"].get<double>() > 1.0);

  const auto trace = csv_fields(cell_folder(text, folder) / "trace.csv");
  CHECK(trace.size() == static_cast<std::size_t>(report.iterations) + 2);
  CHECK(trace[0][0] == "iteration");
  const auto summary = csv_fields(folder.path() / "x" / "summary.csv");
  REQUIRE(summary.size() == 2);
  CHECK(summary[0][0] == "problem");
  CHECK(summary[1].size() == summary[0].size());
  for (const Metric& metric : metrics())
    CHECK(std::count(summary[0].begin(), summary[0].end(), metric.name) == (metric.source == MetricSource::column));
  for (std::size_t i = 7; i < summary[0].size(); ++i) {  // the first seven say which cell it is and how it ended
    const std::string& name = summary[0][i];
    CHECK((find_metric(name) != nullptr || find_metric(name.substr(0, name.find("_1e-")))->source == MetricSource::decade));
  }
  CHECK(summary[1][5] == "solved");
  const auto manifest = read_json(folder.path() / "x" / "manifest.json");
  CHECK(manifest["complete"] == true);
  CHECK(manifest["interrupted"] == false);
  CHECK(manifest["end"].is_string());
  CHECK(manifest["config"]["name"] == "x");
  CHECK(manifest["cells"]["statuses"]["solved"] == 1);
  CHECK(manifest["environment"]["cores"].get<int>() >= 1);
  CHECK(manifest["program"]["compiler"].get<std::string>().size() > 2);
  CHECK(files_below(folder.path()) == 4);
}

TEST_CASE("Every misbehaviour becomes a status and leaves the others alone") {
  const TemporaryFolder folder;
  std::vector<std::string> solvers = {"good", "segfault", "abort", "hang",  "throws",  "throws_int",
                                      "nan",  "liar",     "exits", "picky", "gives_up"};
  if (limits_memory) solvers.insert(solvers.begin() + 4, "hog");
  const std::string text =
      solvers_config(solvers, R"(, "limits": {"wall_s": 2, "memory_mb": 600}, "stop": {"max_iterations": 100})");
  RunOptions options = options_in(folder);
  options.jobs = 3;
  const Run result = run(text, options);
  const auto& reports = result.listener.reports_;
  REQUIRE(reports.size() == solvers.size());

  CHECK(reports.at("good").status == Status::solved);
  CHECK(reports.at("liar").status == Status::solved);  // its belief does not count
  CHECK(reports.at("segfault").status == Status::crashed);
  CHECK_THAT(reports.at("segfault").reason, Catch::StartsWith("SIGSEGV"));
  CHECK(reports.at("abort").status == Status::crashed);
  CHECK_THAT(reports.at("abort").reason, Catch::StartsWith("SIGABRT"));
  CHECK(reports.at("hang").status == Status::time_limit);
  CHECK(reports.at("hang").reason == "wall limit of 2 s");
  CHECK(is_failure(reports.at("hang")));
  CHECK(reports.at("throws").status == Status::failed);
  CHECK(reports.at("throws").reason == "bad day");
  CHECK(reports.at("throws_int").status == Status::failed);
  CHECK(reports.at("nan").status == Status::diverged);
  CHECK(reports.at("exits").status == Status::crashed);
  CHECK_THAT(reports.at("exits").reason, Catch::Contains("without a result"));
  CHECK(reports.at("picky").status == Status::unsupported);
  CHECK(reports.at("picky").reason == "does not like it");
  CHECK(reports.at("gives_up").status == Status::failed);
  if (limits_memory) {
    CHECK(reports.at("hog").status == Status::out_of_memory);
    CHECK(reports.at("hog").reason == "memory limit of 600 MiB");
  }

  // segfault, abort, throws, throws_int, exits, gives_up and hog; a NaN is a divergence, which is an answer
  CHECK(result.report.failures.size() == (limits_memory ? 8u : 7u));
  for (std::size_t i = 0; i < solvers.size(); ++i) {
    CAPTURE(solvers[i]);
    const fs::path cell = cell_folder(text, folder, i);
    const auto json = read_json(cell / "cell.json");
    CHECK(json["status"] == status_name(reports.at(solvers[i]).status));
    CHECK(json["problem"]["rows"] == 6);
    for (const auto& entry : fs::directory_iterator(cell)) {
      const std::string name = entry.path().filename().string();
      CHECK((name == "cell.json" || name == "trace.csv" || name == "log.txt"));
    }
  }
  const auto summary = read_text(folder.path() / "x" / "summary.csv");
  CHECK_THAT(summary, Catch::Contains("\"no way \"\"forward\"\", none\nat all\""));
  CHECK(read_json(folder.path() / "x" / "manifest.json")["complete"] == true);
}

TEST_CASE("A lie about convergence is found when the native criterion stops") {
  const TemporaryFolder folder;
  const Run result = run(solvers_config({"liar"}, R"(, "stop": {"native": true})"), options_in(folder));
  CHECK(result.listener.reports_.at("liar").status == Status::false_converged);
  CHECK(result.report.failures.size() == 1);
}

TEST_CASE("One solver has its own limit of iterations, the others that of all") {
  const TemporaryFolder folder;
  const std::string text = R"({"name": "x", "problems": [{"scene": "pebbles"}], "solvers": [
    {"solver": "good", "label": "short", "max_iterations": 1}, {"solver": "good"}]})";
  const Run result = run(text, options_in(folder));
  CHECK(result.listener.reports_.at("short").status == Status::iteration_limit);
  CHECK(result.listener.reports_.at("short").iterations == 1);
  CHECK(result.listener.reports_.at("good").status == Status::solved);
}

TEST_CASE("One solver stops on its own criterion, the others on the measure") {
  const TemporaryFolder folder;
  const std::string text = R"({"name": "x", "problems": [{"scene": "pebbles"}], "solvers": [
    {"solver": "liar", "native_stop": true}, {"solver": "liar", "label": "judged"}, {"solver": "good"}]})";
  const Run result = run(text, options_in(folder));
  const CellRecord& own = result.listener.reports_.at("liar");
  CHECK(own.status == Status::false_converged);
  REQUIRE(own.native_stop);
  CHECK(own.native_stop->unmet_steps == 0);
  CHECK(own.native_stop->iterations_max == own.iterations);
  CHECK(own.native_stop->relative_residual == own.measures[measure_index(Measure::relative_residual)]);
  CHECK(result.listener.reports_.at("judged").status == Status::solved);
  CHECK_FALSE(result.listener.reports_.at("judged").native_stop);
}

TEST_CASE("What is there is not run again") {
  const TemporaryFolder folder;
  const std::string text = solvers_config({"good", "segfault", "nan"});
  CHECK(run(text, options_in(folder)).listener.started_.size() == 3);

  const Run again = run(text, options_in(folder));
  CHECK(again.listener.started_.empty());
  CHECK(again.report.reused == 3);
  CHECK(again.report.counts[static_cast<std::size_t>(Status::crashed)] == 1);
  CHECK(again.report.failures.size() == 1);  // the crash

  SECTION("a cell without cell.json is") {
    fs::remove(cell_folder(text, folder, 0) / "cell.json");
    write_text(cell_folder(text, folder, 0) / ".ccpbench-1-2.tmp", "half a trace");
    CHECK(run(text, options_in(folder)).listener.started_ == std::vector<std::string>{"good"});
    CHECK_FALSE(fs::exists(cell_folder(text, folder, 0) / ".ccpbench-1-2.tmp"));
  }
  SECTION("a cell with half a cell.json is") {
    const std::string whole = read_text(cell_folder(text, folder, 2) / "cell.json");
    write_text(cell_folder(text, folder, 2) / "cell.json", whole.substr(0, whole.size() / 2));
    CHECK(run(text, options_in(folder)).listener.started_ == std::vector<std::string>{"nan"});
  }
  SECTION("everything is with fresh") {
    RunOptions options = options_in(folder);
    options.fresh = true;
    CHECK(run(text, options).listener.started_.size() == 3);
  }
  SECTION("a changed parameter is") {
    RunOptions options = options_in(folder);
    options.overrides.set = {"/solvers/0/parameters/step=0.25"};
    CHECK(run(text, options).listener.started_ == std::vector<std::string>{"good"});
  }
}

TEST_CASE("A cell that ended at the wall limit is run again with a higher one") {
  const TemporaryFolder folder;
  const std::string low = solvers_config({"sleeper"}, R"(, "limits": {"wall_s": 0.2})");
  RunOptions options = options_in(folder);
  options.overrides.set = {"/solvers/0/parameters/seconds=0.5"};
  CHECK(run(low, options).listener.reports_.at("sleeper").status == Status::time_limit);
  CHECK(run(low, options).listener.started_.empty());
  const std::string high = solvers_config({"sleeper"}, R"(, "limits": {"wall_s": 20})");
  CHECK(run(high, options).listener.reports_.at("sleeper").status == Status::solved);
}

TEST_CASE("Equal runs under two labels are run once and reported twice") {
  const TemporaryFolder folder;
  const std::string text = R"({"name": "x", "problems": [{"scene": "pebbles"}],
    "solvers": [{"solver": "good", "label": "a"}, {"solver": "good", "label": "b"}]})";
  const Run result = run(text, options_in(folder));
  CHECK(result.listener.started_ == std::vector<std::string>{"a"});
  CHECK(result.report.counts[static_cast<std::size_t>(Status::solved)] == 2);
  const auto summary = csv_fields(folder.path() / "x" / "summary.csv");
  REQUIRE(summary.size() == 3);
  CHECK(summary[1][2] == "a");
  CHECK(summary[2][2] == "b");
}

TEST_CASE("Runs are reproducible but for times") {
  const TemporaryFolder first, second;
  const std::string text = solvers_config({"good", "nan"}, R"(, "model": ["ccp", "ncp"])");
  RunOptions parallel = options_in(second);
  parallel.jobs = 4;
  run(text, options_in(first));
  run(text, parallel);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto a = csv_fields(cell_folder(text, first, i) / "trace.csv");
    const auto b = csv_fields(cell_folder(text, second, i) / "trace.csv");
    REQUIRE(a.size() == b.size());
    REQUIRE(a[0][2] == "elapsed_s");
    for (std::size_t line = 0; line < a.size(); ++line)
      for (std::size_t column = 0; column < a[line].size(); ++column)
        if (column != 2) CHECK(a[line][column] == b[line][column]);
  }
}

TEST_CASE("A part of the cells leaves the others in the summary") {
  const TemporaryFolder folder;
  const std::string text = solvers_config({"good", "nan", "throws"});
  RunOptions options = options_in(folder);
  options.shard = {1, 2};
  CHECK(run(text, options).listener.started_ == std::vector<std::string>{"good", "throws"});
  CHECK(read_json(folder.path() / "x" / "manifest.json")["complete"] == false);
  options.shard = {2, 2};
  CHECK(run(text, options).listener.started_ == std::vector<std::string>{"nan"});
  CHECK(read_json(folder.path() / "x" / "manifest.json")["complete"] == true);
  CHECK(csv_fields(folder.path() / "x" / "summary.csv").size() == 4);
}

TEST_CASE("Problems that cannot be built give their cells a reason") {
  const TemporaryFolder folder, files;
  write_text(files.path() / "broken.hdf5", "this is no HDF5 file");
  const std::string text = R"({"name": "x", "problems": [{"scene": "pebbles", "seed": 13}, {"fclib": "*.hdf5"},
    {"scene": "pebbles", "label": "fine"}], "solvers": [{"solver": "good"}]})";
  RunOptions options = options_in(folder);
  options.fclib_dir = files.path().string();
  const Run result = run(text, options);
  CHECK(result.report.counts[static_cast<std::size_t>(Status::failed)] == 2);
  CHECK(result.report.counts[static_cast<std::size_t>(Status::solved)] == 1);
  REQUIRE(result.report.failures.size() == 2);
  CHECK_THAT(result.report.failures[0].reason, Catch::Contains("unlucky seed"));
  CHECK_THAT(result.report.failures[1].reason, Catch::Contains("broken.hdf5"));
  CHECK(result.report.failures[1].id == "broken/ccp/good");
}

TEST_CASE("Bad options and folders are refused before anything runs") {
  const TemporaryFolder folder;
  RunOptions options = options_in(folder);
  options.jobs = 0;
  CHECK_THROWS_WITH(run(solvers_config({"good"}), options), Catch::Contains("--jobs"));
  options = options_in(folder);
  options.only = {"nothing"};
  CHECK_THROWS_AS(run(solvers_config({"good"}), options), InputError);
  CHECK(files_below(folder.path()) == 0);
  write_text(folder.path() / "file", "");
  options = options_in(folder);
  options.out = (folder.path() / "file").string();
  CHECK_THROWS_WITH(run(solvers_config({"good"}), options), Catch::Contains("cannot be created"));
}

TEST_CASE("An interrupted run keeps what is finished and nothing else") {
  const TemporaryFolder folder;
  const std::string text = R"({"name": "x", "problems": [{"scene": "pebbles"}], "limits": {"wall_s": 60},
    "solvers": [{"solver": "good"}, {"solver": "sleeper", "label": "slow", "parameters": {"seconds": 30}},
                {"solver": "interrupter", "parameters": {"step": 0.001}}, {"solver": "good", "label": "late", "parameters": {"step": 0.3}}],
    "stop": {"max_iterations": 2000000000, "time_limit_s": 100, "tolerance": 1e-15}})";
  RunOptions options = options_in(folder);
  options.jobs = 2;
  const auto before = handler_of(SIGINT);
  const Run result = run(text, options);
  CHECK(result.report.interrupted);
  CHECK(result.listener.last_.done <= 1);
  CHECK_FALSE(fs::exists(cell_folder(text, folder, 1)));
  CHECK_FALSE(fs::exists(cell_folder(text, folder, 3)));
  for (const auto& entry : fs::directory_iterator(folder.path() / "x" / "cells"))
    CHECK(fs::exists(entry.path() / "cell.json"));
  const auto manifest = read_json(folder.path() / "x" / "manifest.json");
  CHECK(manifest["complete"] == false);
  CHECK(manifest["interrupted"] == true);
  CHECK(csv_fields(folder.path() / "x" / "summary.csv").size() <= 2);
  CHECK(handler_of(SIGINT) == before);
}

TEST_CASE("A record survives being written and read") {
  const Plan plan = make_plan(parse_config(solvers_config({"good"}), "c.json", fake_catalog()));
  const Cell& cell = plan.cells.front();
  CellRecord record;
  record.hash = cell.hash;
  record.status = Status::stalled;
  record.reason = "bytes \xff and \"quotes\"\n";
  record.iterations = 7;
  record.native_converged = true;
  record.counters = {1, 2, 3, 4, 0.125, 0.5, 0.0625};
  record.setup_s = 0.25;
  record.measures[0] = 1e-300;
  record.measures[1] = std::numeric_limits<double>::infinity();
  record.crossings[3] = {5, 0.125};
  record.notes = {"a", "b"};
  record.runs = {TimedRun{}, TimedRun{}};
  record.runs[1].difference = "7 iterations instead of 8";
  record.conversions = {{"local form", 0.5}};
  record.problem = ProblemFacts{"p", 1, 3, 6, 1e-5};
  record.native_stop = NativeStop{2, 1.5, 3.0, 1.25, unknown_number};
  const std::string text = record_to_json(cell, record);
  CHECK(text.find("nan") == std::string::npos);
  const auto back = record_from_json(text);
  REQUIRE(back);
  CHECK(back->status == Status::stalled);
  CHECK(back->reason == "bytes \xef\xbf\xbd and \"quotes\"\n");
  CHECK(back->iterations == 7);
  CHECK(back->native_converged);
  CHECK(back->counters.projections == 4);
  CHECK(back->counters.analysis_s == 0.125);
  CHECK(back->counters.factorization_s == 0.5);
  CHECK(back->counters.back_solve_s == 0.0625);
  CHECK(back->setup_s == 0.25);
  CHECK(std::isnan(back->solve_s));
  CHECK(back->measures[0] == 1e-300);
  CHECK(std::isnan(back->measures[1]));
  CHECK(back->crossings[3].iteration == 5);
  CHECK(back->crossings[2].iteration == -1);
  CHECK(back->notes == record.notes);
  CHECK(back->runs.at(0).difference.empty());
  CHECK(back->runs.at(1).difference == "7 iterations instead of 8");
  CHECK(back->conversions.at(0).seconds == 0.5);
  REQUIRE(back->problem);
  CHECK(back->problem->dofs == 6);
  REQUIRE(back->native_stop);
  CHECK(back->native_stop->unmet_steps == 2);
  CHECK(back->native_stop->iterations_per_step == 1.5);
  CHECK(back->native_stop->iterations_max == 3.0);
  CHECK(back->native_stop->factorizations_per_step == 1.25);
  CHECK(std::isnan(back->native_stop->relative_residual));
  for (const std::string& broken : {std::string(), std::string("{}"), text.substr(0, text.size() - 3), std::string("[]")})
    CHECK_FALSE(record_from_json(broken));
}

TEST_CASE(
    "The order of a run with a time is one of all cells, with each solver first, and problems of all parts of the plan") {
  CHECK(spread({}).empty());
  CHECK(spread({7}) == std::vector<std::size_t>{7});
  for (const std::size_t solvers : {2, 3, 8, 12})
    for (const std::size_t problems : {1, 2, 16, 50}) {
      CAPTURE(solvers, problems);
      std::vector<std::size_t> order = spread(numbers_below(solvers * problems));
      std::set<std::size_t> seen, parts;
      for (std::size_t i = 0; i < solvers; ++i) {
        seen.insert(order[i] % solvers);
        parts.insert(4 * order[i] / order.size());
      }
      CHECK(seen.size() == solvers);
      if (solvers >= 8 && problems >= 4) CHECK(parts.size() == 4);
      std::sort(order.begin(), order.end());
      CHECK(order == numbers_below(solvers * problems));
    }
}

TEST_CASE("A run ends with its time: what is finished stays, what runs is stopped, and the rest remains") {
  const TemporaryFolder folder;
  const std::string text = solvers_config({"good", "hang", "picky"});
  RunOptions options = options_in(folder);
  options.for_s = 1.0;
  const Run first = run(text, options);
  CHECK_FALSE(first.report.interrupted);
  CHECK(first.report.remaining == 1);
  CHECK(first.listener.reports_.count("good") == 1);
  CHECK(first.listener.reports_.count("picky") == 1);
  CHECK_FALSE(fs::exists(cell_folder(text, folder, 1)));
  const std::string without = solvers_config({"good", "picky"});
  CHECK(run(without, options).report.remaining == 0);
}

TEST_CASE("A run whose time ends while a problem is built ends the builder before the folder of its cell goes") {
  const TemporaryFolder folder;
  const std::string text = R"({"name": "x", "problems": [{"scene": "quirk", "parameters": {"deed": "litters"}}],
    "solvers": [{"solver": "good"}]})";
  RunOptions options = options_in(folder);
  options.for_s = 0.5;
  const Run stopped = run(text, options);
  CHECK(stopped.report.remaining == 1);
  CHECK_FALSE(fs::exists(cell_folder(text, folder, 0)));
}

TEST_CASE("Cells whose file is not there are counted, named with what fetches it, and left out of the run") {
  const TemporaryFolder folder;
  ::unsetenv("CCPBENCH_FCLIB_DIR");
  const std::string text = R"({"name": "x", "fetch": "get it", "problems": [{"scene": "pebbles"}, {"fclib": "a/b.hdf5"}],
    "solvers": [{"solver": "good"}, {"solver": "nan"}]})";
  const Run first = run(text, options_in(folder));
  CHECK((first.report.selected == 4 && first.report.missing == 2 && first.report.reused == 0));
  CHECK(first.listener.started_.size() == 2);
  REQUIRE(first.listener.notes_.size() == 1);
  CHECK_THAT(first.listener.notes_[0],
             Catch::Contains("2 cells are missing, as a file is not there (a/b.hdf5); get it fetches"));
  CHECK(read_json(folder.path() / "x" / "manifest.json")["complete"] == false);
  CHECK(run(text, options_in(folder)).report.reused == 2);
}
