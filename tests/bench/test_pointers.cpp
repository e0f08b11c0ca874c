#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/config/config.hpp"
#include "bench/config/config_json.hpp"
#include "bench/config/plan.hpp"
#include "bench/fake_catalog.hpp"
#include "core/error.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp;
using ccp::testing::fake_catalog;
using ccp::testing::TemporaryFolder;
using ccp::testing::write_text;

namespace {

Config parse_here(const std::string& text, const ConfigOverrides& overrides = {}) {
  return parse_config(text, "c.json", fake_catalog(), overrides);
}

/// A config of the solvers good and nan, and of pebbles, with more members.
std::string good_and_nan(const std::string& members = "") {
  return R"({"name": "x", "problems": [{"scene": "pebbles"}],
             "solvers": [{"solver": "good"}, {"solver": "nan", "label": "bad"}])" +
         members + "}";
}

std::vector<std::string> solver_labels(const Config& config) {
  std::vector<std::string> found;
  for (const ConfigVariant& variant : config.variants)
    for (const auto& solver : variant.solvers) found.push_back(solver->label);
  return found;
}

}  // namespace

TEST_CASE("A pointer is shown without escapes, and taken as it is shown") {
  CHECK(shown_pointer("/stop/tolerance") == "/stop/tolerance");
  CHECK(shown_pointer("/sweep/~1stop~1tolerance") == "/sweep[\"/stop/tolerance\"]");
  CHECK(shown_pointer("/a~0b/0") == "/a~b/0");
  CHECK(shown_pointer("--set /a~1b") == "--set /a~1b");
  const std::vector<std::string> tokens = {"sweep", "/stop/tolerance", "1"};
  CHECK(pointer_tokens("/sweep/~1stop~1tolerance/1", {}, "") == tokens);
  CHECK(pointer_tokens("/sweep[\"/stop/tolerance\"]/1", {}, "") == tokens);
  const Config config = parse_here(good_and_nan(R"(, "sweep": {"/stop/tolerance": [1e-3, 1e-4]})"),
                                   {"", {"/sweep[\"/stop/tolerance\"]=[1e-5]"}, false});
  CHECK(config.variants.size() == 1);
  CHECK(config.changes == std::vector<std::string>{"/sweep[\"/stop/tolerance\"]: [0.001,0.0001] → [1e-05]"});
}

TEST_CASE("An asterisk is any index of a pointer") {
  CHECK(is_below("/solvers/3/parameters/rho", "/solvers/*"));
  CHECK(is_below("/solvers/*/parameters/rho", "/solvers/3"));
  CHECK(is_below("/solvers/3", "/solvers/3"));
  CHECK_FALSE(is_below("/solvers/31/threads", "/solvers/3"));
  CHECK_FALSE(is_below("/solvers", "/solvers/*"));
  CHECK_FALSE(is_below("/solvers/x/threads", "/solvers/*"));
  CHECK_FALSE(is_below("/problems/0/seed", "/solvers/*"));
}

TEST_CASE("A sweep over all solvers gives each of them each value") {
  const Config config = parse_here(good_and_nan(R"(, "sweep": {"/solvers/*/parameters/step": [0.1, 0.2]})"));
  CHECK(solver_labels(config) ==
        std::vector<std::string>{"good (step=0.1)", "bad (step=0.1)", "good (step=0.2)", "bad (step=0.2)"});
  CHECK(config.variants[1].swept.front().pointer == "/solvers/*/parameters/step");
  CHECK(make_plan(config).cells.size() == 4);
  // Zipped with another one, and as a setting or a size of all solvers.
  CHECK(parse_here(good_and_nan(R"(, "sweep": {"zip": {"/solvers/*/threads": [1, 2], "/stop/tolerance": [1e-3, 1e-4]}})"))
            .variants.size() == 2);
  const auto threads = [](const Config& made) {
    return std::vector<int>{made.variants[0].solvers[0]->threads.value(), made.variants[0].solvers[1]->threads.value()};
  };
  CHECK(threads(parse_here(good_and_nan(), {"", {"/solvers/*/threads=3"}, false})) == std::vector<int>{3, 3});
  CHECK(threads(parse_here(good_and_nan(R"(, "sizes": {"small": {"/solvers/*/threads": 2}})"), {"small", {}, false})) ==
        std::vector<int>{2, 2});
}

TEST_CASE("A sweep over all solvers refuses those that lack the parameter by name") {
  const std::string text = R"({"name": "x", "problems": [{"scene": "pebbles"}, {"scene": "quirk"}],
    "solvers": [{"solver": "good"}], "sweep": {"/problems/*/parameters/push": [1, 2]}})";
  const std::string why =
      "'push' is no parameter of quirk, expected one that all problems have; it is at /problems/0/parameters/push";
  CHECK_THROWS_WITH(parse_here(text), "c.json: /sweep[\"/problems/*/parameters/push\"]: " + why);
  CHECK_THROWS_WITH(
      parse_here(good_and_nan(), {"", {"/solvers/*/parameters/rho=1"}, false}),
      "c.json: --set /solvers/*/parameters/rho=1: 'rho' is no parameter of good, bad, expected one that all solvers have");
  CHECK_THROWS_WITH(parse_here(good_and_nan(R"(, "sizes": {"small": {"/solvers/*/parameters/rho": 1}})")),
                    Catch::StartsWith("c.json: /sizes/small[\"/solvers/*/parameters/rho\"]: 'rho' is no"));
  CHECK_THROWS_WITH(parse_here(good_and_nan(R"(, "sweep": {"/solvers/*/threads": [1], "/solvers/1/threads": [2]})")),
                    Catch::Contains("'/solvers/1/threads' is swept twice"));
  CHECK_THROWS_WITH(parse_here(good_and_nan(R"(, "sweep": {"/solvers/*/parameters/step": [-1]})")),
                    Catch::Contains("/solvers/0/parameters/step: 'step' is -1"));
}

TEST_CASE("Swept patterns of files beside the config are absolute in what is kept of it") {
  const TemporaryFolder folder;
  write_text(folder.path() / "a.hdf5", "one");
  write_text(folder.path() / "b.hdf5", "two");
  const std::string file = (folder.path() / "c.json").string();
  const std::string text = R"({"name": "x", "problems": [{"fclib": "./a.hdf5"}], "solvers": [{"solver": "good"}],
    "sweep": {"/problems/0/fclib": ["./a.hdf5", "../*/b.hdf5", "c/*.hdf5"]}})";
  const Json kept = try_parse_json(parse_config(text, file, fake_catalog()).resolved);
  const std::string here = folder.path().lexically_normal().string(), above = folder.path().parent_path().string();
  CHECK(kept["problems"][0]["fclib"] == here + "/a.hdf5");
  CHECK(kept["sweep"]["/problems/0/fclib"] == Json({here + "/a.hdf5", above + "/*/b.hdf5", "c/*.hdf5"}));
  const std::string zipped = R"({"name": "x", "problems": [{"fclib": "./a.hdf5"}], "solvers": [{"solver": "good"}],
    "sweep": {"zip": {"/problems/0/fclib": ["./b.hdf5"], "/stop/tolerance": [1e-3]}}})";
  CHECK(try_parse_json(parse_config(zipped, file, fake_catalog()).resolved)["sweep"]["zip"]["/problems/0/fclib"][0] ==
        here + "/b.hdf5");
  const std::string whole = R"({"name": "x", "problems": [{"fclib": "./a.hdf5"}], "solvers": [{"solver": "good"}],
    "sweep": {"/problems/0": [{"fclib": "./b.hdf5"}]}})";
  CHECK(try_parse_json(parse_config(whole, file, fake_catalog()).resolved)["sweep"]["/problems/0"][0]["fclib"] ==
        here + "/b.hdf5");
}

TEST_CASE("A folder without folders takes patterns with folders by their last part") {
  const TemporaryFolder folder;
  write_text(folder.path() / "a.hdf5", "one");
  write_text(folder.path() / "b.hdf5", "two");
  const PlanOptions options{folder.path().string(), 1};
  const auto cells = [&](const std::string& patterns) {
    std::vector<std::string> ids;
    for (const Cell& cell :
         make_plan(parse_here(R"({"name": "x", "problems": [)" + patterns + R"(], "solvers": [{"solver": "good"}]})"),
                   options)
             .cells)
      ids.push_back(cell.id());
    return ids;
  };
  const std::string both = R"({"fclib": "converted/*.hdf5"}, {"fclib": "real/*.hdf5"})";
  CHECK(cells(both) == std::vector<std::string>{"a/ccp/good", "b/ccp/good"});
  CHECK(cells(R"({"fclib": "converted/b.hdf5"})") == std::vector<std::string>{"b/ccp/good"});
  CHECK_THROWS_WITH(cells(R"({"fclib": "real/c*.hdf5"})"),
                    Catch::EndsWith("matches 'real/c*.hdf5' (it holds 2 files, such as a.hdf5)"));
  // With folders a pattern means what it says.
  write_text(folder.path() / "real/c.hdf5", "three");
  CHECK(cells(R"({"fclib": "real/*.hdf5"})") == std::vector<std::string>{"real/c/ccp/good"});
  CHECK_THROWS_WITH(cells(R"({"fclib": "converted/*.hdf5"})"), Catch::Contains("(it holds 3 files, such as a.hdf5)"));
  const TemporaryFolder empty;
  write_text(empty.path() / "a.txt", "no dump");
  const std::string text = R"({"name": "x", "problems": [{"fclib": "*.hdf5"}], "solvers": [{"solver": "good"}]})";
  CHECK_THROWS_WITH(make_plan(parse_here(text), {empty.path().string(), 1}),
                    Catch::EndsWith("(no dump, *.hdf5 or *.dat, is among its files, such as a.txt)"));
  std::filesystem::remove(empty.path() / "a.txt");
  CHECK_THROWS_WITH(make_plan(parse_here(text), {empty.path().string(), 1}), Catch::EndsWith("(it holds no file)"));
}
