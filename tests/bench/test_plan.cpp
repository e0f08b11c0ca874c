#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "bench/config/plan.hpp"
#include "bench/fake_catalog.hpp"
#include "core/error.hpp"
#include "core/sha256.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp;
using ccp::testing::fake_catalog;
using ccp::testing::TemporaryFolder;
using ccp::testing::write_text;

namespace {

Plan plan_of(const std::string& text, const PlanOptions& options = {}) {
  return make_plan(parse_config(text, "c.json", fake_catalog()), options);
}

/// One good cell with `members` in the solver entry and `rest` in the config.
Cell cell_of(const std::string& members, const std::string& rest = "", const PlanOptions& options = {}) {
  auto json = nlohmann::json::parse(R"({"name": "x", "problems": [{"scene": "pebbles"}], "solvers": [{"solver": "good"}]})");
  json["solvers"][0].update(nlohmann::json::parse("{" + members + "}"));
  json.update(nlohmann::json::parse("{" + rest + "}"));
  return plan_of(json.dump(), options).cells.at(0);
}

std::vector<std::string> ids(const Plan& plan) {
  std::vector<std::string> list;
  for (const Cell& cell : plan.cells) list.push_back(cell.id());
  return list;
}

}  // namespace

TEST_CASE("SHA-256 gives the digests of the standard") {
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256_hex(std::string(1000000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  Sha256 pieces;
  for (int i = 0; i < 1000; ++i) pieces.update(std::string(1000, 'a'));
  CHECK(pieces.hex_digest() == sha256_hex(std::string(1000000, 'a')));
}

TEST_CASE("Problems, models, solvers and sweep multiply in this order") {
  const Plan plan = plan_of(R"({"name": "x", "model": ["ccp", "ncp"],
    "problems": [{"scene": "pebbles", "label": "a"}, {"scene": "pebbles", "label": "b", "seed": 1}],
    "solvers": [{"solver": "good", "label": "A"}, {"solver": "good", "label": "B", "models": ["ncp"]}],
    "sweep": {"/solvers/0/parameters/step": [0.1, 0.2]}})");
  CHECK(ids(plan) == std::vector<std::string>{"a/ccp/A (step=0.1)", "a/ccp/A (step=0.2)", "a/ncp/A (step=0.1)",
                                              "a/ncp/A (step=0.2)", "a/ncp/B", "b/ccp/A (step=0.1)", "b/ccp/A (step=0.2)",
                                              "b/ncp/A (step=0.1)", "b/ncp/A (step=0.2)", "b/ncp/B"});
  std::set<std::string> hashes;
  for (const Cell& cell : plan.cells) hashes.insert(cell.hash);
  CHECK(hashes.size() == plan.cells.size());
}

TEST_CASE("A swept problem keeps the cells of one problem together") {
  const Plan plan = plan_of(R"({"name": "x", "problems": [{"scene": "pebbles"}], "solvers": [{"solver": "good"}],
    "sweep": {"/solvers/0/parameters/step": [0.1, 0.2], "/problems/0/parameters/count": [1, 2]}})");
  CHECK(ids(plan) ==
        std::vector<std::string>{"pebbles (count=1)/ccp/good (step=0.1)", "pebbles (count=1)/ccp/good (step=0.2)",
                                 "pebbles (count=2)/ccp/good (step=0.1)", "pebbles (count=2)/ccp/good (step=0.2)"});
  CHECK(plan.cells[0].problem_key == plan.cells[1].problem_key);
  CHECK(plan.cells[0].problem_key != plan.cells[2].problem_key);
}

TEST_CASE("A hash is stable and knows everything that changes a result") {
  const Cell plain = cell_of("");
  // Fixed: results of earlier runs must be found again, on any machine.
  CHECK(plain.hash == "7f35cf7612c8684b");
  CHECK(plain.hash == cell_of("").hash);
  CHECK(plain.hash == cell_of(R"("parameters": {"step": 0.5})").hash);  // the default, written out
  CHECK(plain.hash == cell_of(R"("label": "other")").hash);
  CHECK(plain.hash == cell_of("", R"("limits": {"wall_s": 5})").hash);

  const std::vector<Cell> different = {
      plain,
      cell_of(R"("parameters": {"step": 0.1})"),
      cell_of(R"("parameters": {"step": 0.10000000000000002})"),
      cell_of(R"("parameters": {"seconds": 0.1})"),
      cell_of("", R"("model": "ncp")"),
      cell_of("", R"("stop": {"tolerance": 1e-7})"),
      cell_of("", R"("stop": {"measure": "natural_map"})"),
      cell_of("", R"("stop": {"native": true})"),
      cell_of("", R"("stop": {"max_iterations": 3})"),
      cell_of("", R"("stop": {"time_limit_s": 3})"),
      cell_of("", R"("trace": "merit")"),
      cell_of("", R"("problems": [{"scene": "pebbles", "seed": 1}])"),
      cell_of("", R"("problems": [{"scene": "pebbles", "parameters": {"push": 2}}])"),
      cell_of("", "", {"", 2}),
      cell_of(R"("threads": 3)"),
      cell_of(R"("start": {"from": "reference"})"),
      cell_of("", R"("problems": [{"scene": "pebbles", "perturb": {"noise": 0.01}}])"),
      cell_of("", R"("problems": [{"scene": "pebbles", "perturb": {"noise": 0.01, "b_noise": 0.01}}])"),
  };
  std::set<std::string> hashes;
  for (const Cell& cell : different) {
    CHECK(cell.hash.size() == 16);
    hashes.insert(cell.hash);
  }
  CHECK(hashes.size() == different.size());
}

TEST_CASE("Swept values that look alike never share a cell, and equal ones do") {
  const auto swept = [](const std::string& pointer, const std::string& values) {
    return plan_of(R"({"name": "x", "problems": [{"scene": "quirk"}], "solvers": [{"solver": "good"}], "sweep": {")" +
                   pointer + R"(": [)" + values + "]}}");
  };
  const std::string offset = "/problems/0/parameters/offset";
  const Plan plan = swept(offset, "-0.1, 0.1, 0, 1, 0.01, 10, 1.0000000000000002, 1e-10, -1e-10");
  std::set<std::string> hashes, labels;
  for (const Cell& cell : plan.cells) {
    hashes.insert(cell.hash);
    labels.insert(cell.id());
  }
  CHECK(plan.cells.size() == 9);
  CHECK(hashes.size() == 9);
  CHECK(labels.size() == 9);
  // One number is one cell, however it is written, and refused where it stands twice.
  CHECK_THROWS_WITH(swept(offset, "0.1, 1e-1"), Catch::Contains("has 0.1 twice, expected different values"));
  CHECK(swept(offset, "0.1").cells[0].hash == swept(offset, "1e-1").cells[0].hash);
  CHECK(swept(offset, "0.1").cells[0].hash == plan.cells[1].hash);
  // A list is a value of its own where one may stand, and refused where a number is asked for.
  CHECK_THROWS_WITH(swept(offset, "0.1, [0, 1]"), Catch::Contains("/problems/0/parameters/offset"));
  const Plan traces = swept("/trace", R"("merit", ["merit"], ["merit", "distance"])");
  REQUIRE(traces.cells.size() == 3);
  CHECK(traces.cells[1].hash == traces.cells[0].hash);  // the same under two labels
  CHECK(traces.cells[2].hash != traces.cells[0].hash);
}

TEST_CASE("Different cells never have one name") {
  const Plan plan = plan_of(R"({"name": "x", "problems": [{"scene": "pebbles"}], "solvers": [{"solver": "good"}],
    "sweep": {"/trace": [["velocity_residual", "relative_residual", "natural_map", "merit", "distance"],
                         ["velocity_residual", "relative_residual", "natural_map", "merit", "objective"]]}})");
  REQUIRE(plan.cells.size() == 2);
  CHECK(plan.cells[0].hash != plan.cells[1].hash);
  CHECK(plan.cells[0].id() != plan.cells[1].id());  // the difference stands in what the label leaves out
  CHECK(plan.cells[0].label.size() < 80);

  const TemporaryFolder folder;
  write_text(folder.path() / "a.hdf5", "one");
  write_text(folder.path() / "a.h5", "two");
  CHECK_THROWS_WITH(plan_of(R"({"name": "x", "problems": [{"fclib": "a.*"}], "solvers": [{"solver": "good"}]})",
                            {folder.path().string(), 1}),
                    Catch::Contains("two different cells are called 'a/ccp/good'"));
}

TEST_CASE("Swept limits, which make no other cells, are refused unless zipped with what does") {
  const std::string start =
      R"({"name": "x", "problems": [{"scene": "pebbles"}], "solvers": [{"solver": "good"}], "sweep": )";
  CHECK_THROWS_WITH(plan_of(start + R"({"/limits/wall_s": [1, 2]}})"),
                    Catch::Contains("/sweep: gives 'pebbles/ccp/good (wall_s=2)'"));
  const Plan plan = plan_of(start + R"({"zip": {"/problems/0/parameters/count": [1, 2], "/limits/wall_s": [1, 2]}}})");
  REQUIRE(plan.cells.size() == 2);
  CHECK(plan.cells[1].limits.wall_s == 2.0);
}

TEST_CASE("Threads of a solver go before those of the run, and can be swept") {
  CHECK(cell_of(R"("threads": 2)").hash == cell_of("", "", {"", 2}).hash);
  CHECK(cell_of(R"("threads": 1)", "", {"", 2}).hash == cell_of("").hash);
  const Plan plan = plan_of(R"({"name": "x", "problems": [{"scene": "pebbles"}], "solvers": [{"solver": "good"}],
    "sweep": {"/solvers/0/threads": [1, 2]}})");
  CHECK(ids(plan) == std::vector<std::string>{"pebbles/ccp/good (threads=1)", "pebbles/ccp/good (threads=2)"});
  CHECK(plan.cells[0].threads == 1);
  CHECK(plan.cells[1].threads == 2);
  CHECK_THROWS_WITH(cell_of(R"("threads": 0)"), Catch::Contains("/solvers/0/threads"));
  CHECK_THROWS_WITH(cell_of(R"("threads": [1, 2])"), Catch::Contains("/solvers/0/threads"));
}

TEST_CASE("Limits of a solver go before those of all") {
  const Cell cell = cell_of(R"("time_limit_s": 0.5, "max_iterations": 7)");
  CHECK(cell.stop.time_limit_s == 0.5);
  CHECK(cell.stop.max_iterations == 7);
  CHECK(cell_of(R"("time_limit_s": 3)").hash == cell_of("", R"("stop": {"time_limit_s": 3})").hash);
  CHECK(cell_of("", R"("stop": {"time_limit_s": 3})").stop.time_limit_s == 3.0);
  CHECK_THROWS_WITH(cell_of(R"("time_limit_s": 0)"), Catch::Contains("/solvers/0/time_limit_s"));
}

TEST_CASE("A start from nothing is none, and other places are refused") {
  CHECK(cell_of(R"("start": {"from": "nothing"})").hash == cell_of("").hash);
  CHECK(cell_of(R"("start": {"from": "reference"})").solver->start_from_reference);
  CHECK_THROWS_WITH(cell_of(R"("start": {"from": "referense"})"), Catch::Contains("'reference'"));
  CHECK_THROWS_WITH(cell_of(R"("start": {})"), Catch::Contains("'from' is missing"));
  CHECK_THROWS_WITH(cell_of(R"("start": "reference")"), Catch::Contains("/solvers/0/start"));
}

TEST_CASE("A solver that no model is left for is refused") {
  CHECK_THROWS_WITH(
      plan_of(R"({"name": "x", "problems": [{"scene": "pebbles"}], "solvers": [{"solver": "good", "models": "ncp"}]})"),
      Catch::Contains("c.json: /solvers/0/models: leaves the solver without a run"));
}

TEST_CASE("A solver may run on some of the problems alone") {
  const auto plan = [](const char* problems) {
    return plan_of(std::string(R"({"name": "x", "problems": [{"scene": "pebbles"}, {"scene": "pebbles", "label": "two"}],
      "solvers": [{"solver": "good"}, {"solver": "nan", "problems": [)") +
                   problems + "]}]}");
  };
  CHECK(ids(plan(R"("t*")")) == std::vector<std::string>{"pebbles/ccp/good", "two/ccp/good", "two/ccp/nan"});
  CHECK(plan(R"("two", "peb*")").cells.size() == 4);
  CHECK_THROWS_WITH(plan(R"("three")"), Catch::Contains("c.json: /solvers/1/problems: leaves the solver without a run"));
}

TEST_CASE("The options only and shard choose cells") {
  const Plan plan = plan_of(R"({"name": "x", "problems": [{"scene": "pebbles"}],
    "solvers": [{"solver": "good"}, {"solver": "nan"}], "sweep": {"/solvers/0/parameters/step": [0.1, 0.2, 0.3]}})");
  REQUIRE(plan.cells.size() == 4);
  CHECK(select_cells(plan, {}, {}) == std::vector<std::size_t>{0, 1, 2, 3});
  CHECK(select_cells(plan, {"*/good*"}, {}) == std::vector<std::size_t>{0, 1, 2});
  CHECK(select_cells(plan, {"pebbles/ccp/good (step=0.2)"}, {}) == std::vector<std::size_t>{1});
  CHECK(select_cells(plan, {}, {1, 3}) == std::vector<std::size_t>{0, 3});
  CHECK(select_cells(plan, {}, {3, 3}) == std::vector<std::size_t>{2});
  CHECK(select_cells(plan, {"*nan"}, {2, 2}).empty());
  CHECK_THROWS_WITH(select_cells(plan, {"*/goood"}, {}), Catch::Contains("matches none of the 4 cells"));
  CHECK_THROWS_WITH(select_cells(plan, {}, {4, 3}), Catch::Contains("--shard 4/3"));
  CHECK_THROWS_WITH(select_cells(plan, {}, {0, 3}), Catch::Contains("--shard 0/3"));
}

TEST_CASE("FCLib patterns are resolved below the folder and hashed by content") {
  const TemporaryFolder folder;
  write_text(folder.path() / "b.hdf5", "two");
  write_text(folder.path() / "deep/er/a.hdf5", "one");
  write_text(folder.path() / "deep/c.txt", "three");
  const PlanOptions options{folder.path().string(), 1};
  const auto files = [&](const std::string& pattern) {
    return plan_of(R"({"name": "x", "problems": [{"fclib": ")" + pattern + R"("}], "solvers": [{"solver": "good"}]})",
                   options);
  };
  const Plan all = files("*.hdf5");
  CHECK(ids(all) == std::vector<std::string>{"b/ccp/good", "deep/er/a/ccp/good"});
  CHECK(ids(files("deep/*.hdf5")) == std::vector<std::string>{"deep/er/a/ccp/good"});
  CHECK_THROWS_WITH(files("*.h5"), Catch::Contains("c.json: /problems/0/fclib: no file below"));

  write_text(folder.path() / "b.hdf5", "changed");
  CHECK(files("*.hdf5").cells[0].hash != all.cells[0].hash);
  CHECK(files("*.hdf5").cells[1].hash == all.cells[1].hash);
  write_text(folder.path() / "b.hdf5", "two");
  CHECK(files("*.hdf5").cells[0].hash == all.cells[0].hash);

  const std::string labelled =
      R"({"name": "x", "problems": [{"fclib": "*", "label": "L"}], "solvers": [{"solver": "good"}]})";
  CHECK(plan_of(labelled, options).cells[0].problem == "L/b");
  CHECK_THROWS_WITH(plan_of(labelled, {(folder.path() / "none").string(), 1}), Catch::Contains("is no folder"));
  ::unsetenv("CCPBENCH_FCLIB_DIR");
  CHECK_THROWS_WITH(plan_of(labelled), Catch::Contains("pass --fclib DIR or set CCPBENCH_FCLIB_DIR"));
  ::setenv("CCPBENCH_FCLIB_DIR", folder.path().c_str(), 1);
  CHECK(plan_of(labelled).cells.size() == 3);
  ::unsetenv("CCPBENCH_FCLIB_DIR");
}

TEST_CASE("Where a config says what fetches its files, cells of those that are not there are missing") {
  const TemporaryFolder folder;
  write_text(folder.path() / "a/b.hdf5", "one");
  ::unsetenv("CCPBENCH_FCLIB_DIR");
  const std::string text = R"({"name": "x", "fetch": "get it", "problems": [{"fclib": "a/b.hdf5"}, {"fclib": "a/c.hdf5"}],
    "solvers": [{"solver": "good"}]})";
  const Plan none = plan_of(text), nowhere = plan_of(text, {(folder.path() / "none").string(), 1});
  const Plan some = plan_of(text, {folder.path().string(), 1});
  CHECK(ids(none) == std::vector<std::string>{"a/b/ccp/good", "a/c/ccp/good"});
  CHECK((ids(nowhere) == ids(none) && ids(some) == ids(none)));
  CHECK((none.cells[0].missing == "a/b.hdf5" && nowhere.cells[1].missing == "a/c.hdf5"));
  CHECK((some.cells[0].missing.empty() && some.cells[1].missing == "a/c.hdf5"));
  CHECK(some.cells[0].hash != none.cells[0].hash);
}
