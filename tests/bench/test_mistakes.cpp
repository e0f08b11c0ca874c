#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "bench/config/config.hpp"
#include "bench/config/plan.hpp"
#include "bench/fake_catalog.hpp"
#include "core/error.hpp"

using namespace ccp;
using ccp::testing::fake_catalog;

namespace {

using Lines = std::vector<std::string>;

/// What is wrong with a config, line by line, without the name of the file.
Lines mistakes_of(const std::string& text, const ConfigOverrides& overrides = {}) {
  Lines lines;
  try {
    make_plan(parse_config(text, "c.json", fake_catalog(), overrides));
  } catch (const InputError& error) {
    for (const std::string& line : lines_of_error(error)) {
      CHECK(line.starts_with("c.json: "));
      lines.push_back(line.substr(8));
    }
  }
  return lines;
}

/// The same with the files that it names.
Lines mistakes_of_files(const std::string& text) {
  ::unsetenv("CCPBENCH_FCLIB_DIR");  // with it, patterns without ./ are looked for, too
  Mistakes mistakes;
  look_for_files(parse_config(text, "c.json", fake_catalog(), {}, mistakes), {}, mistakes);
  Lines lines;
  try {
    mistakes.raise();
  } catch (const InputError& error) {
    for (const InputError& mistake : mistakes_of_error(error)) lines.push_back(std::string(mistake.what()).substr(8));
  }
  return lines;
}

/// What begins each line.
Lines places(const Lines& lines) {
  Lines found;
  for (const std::string& line : lines) found.push_back(line.substr(0, line.find(": ")));
  return found;
}

}  // namespace

TEST_CASE("All mistakes of a config are listed, in the order of the file") {
  const Lines lines = mistakes_of(R"({"name": "x y", "titel": "t",
    "problems": [{"scene": "pebbles", "sed": 1, "parameters": {"push": -1, "colour": 1}}, {"scene": "sand"}],
    "solvers": [{"solver": "good", "parameters": {"stpe": 1}}, {"sover": "good"}, 7],
    "stop": {"tolerance": -1, "max_iterations": 1.5}})");
  CHECK(places(lines) == Lines{"/name", "/titel", "/stop/tolerance", "/stop/max_iterations", "/problems/0/sed",
                               "/problems/0/parameters/push", "/problems/0/parameters/colour", "/problems/1/scene",
                               "/solvers/0/parameters/stpe", "/solvers/1/sover", "/solvers/2"});
}

TEST_CASE("One mistake is one line, whatever depends on it") {
  const auto one = [](const std::string& text) {
    CAPTURE(text);
    const Lines lines = mistakes_of(text);
    REQUIRE(lines.size() == 1);
    return lines.front();
  };
  const std::string claim = R"("claims": [{"id": "a", "says": "b", "metric": "iterations", "of": "good", "at_most": 3}])";
  CHECK(places({one(R"({"name": "x", "problems": [{"scene": "pebbles"}], "solvers": [{"solver": "goot"}], )" + claim +
                    "}")}) == Lines{"/solvers/0/solver"});
  // The key is not missing as well, and the pointer of the sweep is right.
  CHECK(places({one(R"({"name": "x", "problems": [{"scene": "pebbles"}], "solvrs": [{"solver": "good"}],
                        "sweep": {"/solvers/0/parameters/step": [0.1, 0.2]}})")}) == Lines{"/solvrs"});
  CHECK(places({one(R"({"name": "x", "problems": [{"scene": "pebbles"}], "solvers": [{"solver": "good", "label": 3}],
                        "claims": [{"id": "a", "says": "b", "metric": "iterations", "of": "A", "at_most": 3}]})")}) ==
        Lines{"/solvers/0/label"});
  // With each size and each value of the sweep in place it is the same mistake.
  CHECK(one(R"({"name": "x", "problems": [{"scene": "pebbles", "parameters": {"push": -1}}], "solvers": [{"solver": "good"}],
               "sweep": {"/solvers/0/parameters/step": [0.1, 0.2]}, "sizes": {"small": {"/stop/max_iterations": 3},
               "paper": {"/stop/max_iterations": 9}}})") ==
        "/problems/0/parameters/push: 'push' is -1, expected a value > 0 m/s");
}

TEST_CASE("Each wrong value of a sweep and of a size is a mistake of its own") {
  CHECK(places(mistakes_of(R"({"name": "x", "problems": [{"scene": "pebbles"}], "solvers": [{"solver": "good"}],
    "sweep": {"/solvers/0/parameters/step": [1, -2, 0.3, -4], "/stop/max_iterations": [3, 4]},
    "sizes": {"small": {"/stop/tolerance": -1}, "paper": {"/stop/tolerance": -2}}})")) ==
        Lines{"/stop/tolerance", "/solvers/0/parameters/step", "/solvers/0/parameters/step", "/stop/tolerance"});
}

TEST_CASE("Claims, plots and sweeps are looked at, each of them") {
  CHECK(places(mistakes_of(R"({"name": "x", "problems": [{"scene": "pebbles"}], "solvers": [{"solver": "good"}],
    "claims": [{"id": "a", "says": "b", "metric": "iteration", "of": "god", "at_most": 3},
               {"id": "b", "says": "b", "metric": "iterations", "of": "good"}],
    "plots": [{"kind": "convergence", "y": "nothing"}, {"kind": "convergence", "y": "merit"},
              {"kind": "convergence", "y": "z"}], "trace": ["merit"]})")) ==
        Lines{"/plots/0/y", "/plots/2/y", "/claims/0/metric", "/claims/0/of", "/claims/1"});
  CHECK(places(mistakes_of(R"({"name": "x", "problems": [{"scene": "pebbles"}], "solvers": [{"solver": "good"}],
    "claims": 50, "plots": {}, "sizes": [3]})")) == Lines{"/sizes", "/claims", "/plots"});
  CHECK(mistakes_of(R"({"name": "x", "problems": [{"scene": "pebbles"}], "solvers": [{"solver": "good"}],
    "sweep": {"/name": [1], "/stop/tolerance": [], "zip": {}}})")
            .size() == 3);
  CHECK(places(mistakes_of(R"({"name": "x", "problems": [{"fclib": "./a.hdf5"}, {"fclib": "./b.hdf5"}],
    "solvers": [{"solver": "good"}]})")) == Lines{"/problems/0/fclib", "/problems/1/fclib"});
}

TEST_CASE("A claim with an unknown key hides no other mistake, and what it lacks may be meant by the key") {
  CHECK(places(mistakes_of(R"({"name": "x", "problems": [{"scene": "pebbles"}], "solvers": [{"solver": "good"}],
    "claims": [{"id": "a", "says": "b", "metric": "iteration", "of": "god", "at_mots": 3},
               {"id": "b", "says": "b", "mtric": "iterations", "of": "god", "at_most": 3}]})")) ==
        Lines{"/claims/0/at_mots", "/claims/0/metric", "/claims/0/of", "/claims/1/mtric"});
}

TEST_CASE("A sweep that has a value twice is a mistake, and so is one that has a pair twice") {
  const auto swept = [](const std::string& sweep) {
    return mistakes_of(R"({"name": "x", "problems": [{"scene": "pebbles"}], "solvers": [{"solver": "good"}], "sweep": )" +
                       sweep + "}");
  };
  CHECK(swept(R"({"/solvers/0/parameters/step": [1, 0.5, 1.0]})") ==
        Lines{"/sweep[\"/solvers/0/parameters/step\"]: has 1.0 twice, expected different values"});
  const std::string zip = R"({"zip": {"/solvers/0/parameters/step": [1, 1, 0.5], "/stop/max_iterations": )";
  CHECK(swept(zip + "[7, 8, 7]}}").empty());
  CHECK(swept(zip + "[7, 7, 7]}}") ==
        Lines{"/sweep/zip[\"/solvers/0/parameters/step\"]: has 1 with 7 twice, expected different values"});
}

TEST_CASE("Settings of the command line are listed, too") {
  CHECK(places(mistakes_of(R"({"name": "x", "problems": [{"scene": "pebbles"}], "solvers": [{"solver": "good"}]})",
                           {"", {"/stop/tolerance=-1", "stop", "/solvers/7/threads=1", "/nme=\"y\""}})) ==
        Lines{"--set stop", "--set /solvers/7/threads=1", "/nme", "/stop/tolerance"});
}

TEST_CASE("At most twenty mistakes are shown, with how many more there are") {
  std::string solvers;
  for (int i = 0; i < 27; ++i) solvers += std::string(i > 0 ? "," : "") + R"({"solver": "bad"})";
  const std::string text = R"({"name": "x", "problems": [{"scene": "pebbles"}], "solvers": [)" + solvers + "]}";
  const Lines lines = mistakes_of(text);
  REQUIRE(lines.size() == 21);
  CHECK(lines[19].starts_with("/solvers/19/solver: "));
  CHECK(lines[20] == "… and 7 more");
  CHECK_THROWS_WITH(parse_config(text, "c.json", fake_catalog()),
                    Catch::StartsWith("c.json: /solvers/0/solver: ") && Catch::EndsWith(" (and 26 more)"));
}

TEST_CASE("A wrong axis of a sweep hides no other mistake") {
  const std::string others = R"("problems": [{"scene": "pebbles", "parameters": {"colour": 1}}, {"fclib": "./none.hdf5"}],
    "solvers": [{"solver": "good"}, {"solver": "hang", "label": "good"}], "stop": {"tolerance": 0},
    "claims": [{"id": "a", "says": "b", "metric": "iteration", "of": "god", "at_most": 3}],
    "plots": [{"kind": "mean", "of": ["goood"], "y": "no"}])";
  const Lines hidden = {"/stop/tolerance",  "/problems/0/parameters/colour",
                        "/solvers/1/label", "/plots/0/y",
                        "/plots/0/of/0",    "/claims/0/metric",
                        "/claims/0/of",     "/problems/1/fclib"};
  for (const std::string sweep :
       {R"({"/stop/tolerance": []})", R"({"/solver/0/threads": [1]})", R"({"/solvers/7/threads": [1]})",
        R"({"/stop/max_iterations": 3})", R"({"zip": {"/model": ["ccp"], "/stop/native": [true, false]}})"}) {
    CAPTURE(sweep);
    Lines found = places(mistakes_of_files(R"({"name": "x", )" + others + R"(, "sweep": )" + sweep + "}"));
    REQUIRE(found.size() == hidden.size() + 1);
    CHECK(std::count_if(found.begin(), found.end(), [](const std::string& place) { return place.starts_with("/sweep"); }) ==
          1);
    for (const std::string& place : hidden) CHECK(std::find(found.begin(), found.end(), place) != found.end());
  }
}

TEST_CASE("What a wrong axis leaves open is no mistake") {
  const auto one = [](const std::string& rest) {
    CAPTURE(rest);
    const Lines lines = mistakes_of_files(
        R"({"name": "x", "problems": [{"scene": "pebbles"}], "solvers": [{"solver": "good"}, {"solver": "good"}], )" + rest +
        "}");
    CHECK(lines.size() == 1);
  };
  // The axis would tell the labels apart, and the claim and the plot name it.
  one(R"x("sweep": {"/solvers/1/parameters/step": []}, "plots": [{"kind": "table", "by": ["/solvers/1/parameters/step"]}],
         "claims": [{"id": "a", "says": "b", "metric": "iterations", "of": "good (step=0.1)", "at_most": 3,
                     "cells": {"/solvers/1/parameters/step": 0.1}}])x");
  // The label of the second one is not known, nor are its columns.
  const Lines lines = mistakes_of_files(R"({"name": "x", "problems": [{"scene": "pebbles"}],
    "solvers": [{"solver": "good"}, {"solver": "unheard_of"}], "plots": [{"kind": "convergence", "y": "columns_of_its_own"}],
    "claims": [{"id": "a", "says": "b", "metric": "iterations", "of": "another", "at_most": 3}]})");
  CHECK(places(lines) == Lines{"/solvers/1/solver"});
}

TEST_CASE("A part without its form is a mistake, though the sweep leads into it") {
  CHECK(places(mistakes_of(R"({"name": "x", "problems": [{"scene": "pebbles"}], "solvers": [{"solver": "good"}, 1.5],
    "sweep": {"/solvers/1/parameters/step": [0.1, 0.2]}})")) == Lines{"/solvers/1"});
}

TEST_CASE("Files that are not there are listed with the mistakes of the config") {
  const std::string text =
      R"({"name": "x", "problems": [{"fclib": "./a*.hdf5"}, {"fclib": "./b.hdf5", "seed": 1}, {"fclib": "c.hdf5"}],
                               "solvers": [{"solver": "god"}, {"solver": "good", "label": "g"}, {"solver": "hang", "label": "g"}]})";
  CHECK(places(mistakes_of_files(text)) ==
        Lines{"/problems/1/seed", "/solvers/0/solver", "/solvers/2/label", "/problems/0/fclib", "/problems/1/fclib"});
}

TEST_CASE("A mistake says what was found and what was expected") {
  const auto parts = [](const std::string& message) {
    const InputError error("f", "/p", message);
    return std::pair(error.found(), error.expected());
  };
  using Parts = std::pair<std::string, std::string>;
  CHECK(parts("'a' is -1, expected a value > 0") == Parts("'a' is -1", "a value > 0"));
  CHECK(parts("unknown key 'b' (did you mean 'c'?)") == Parts("unknown key 'b'", "'c'"));
  CHECK(parts("unknown key 'b' (known: c, d)") == Parts("unknown key 'b'", "c, d"));
  CHECK(parts("expected one of the keys 'c' and 'd'") == Parts("", "one of the keys 'c' and 'd'"));
  CHECK(parts("cannot be opened") == Parts("cannot be opened", ""));
  CHECK(InputError("f", "/p", "m").file() == "f");
}

TEST_CASE("Messages say what belongs where") {
  const auto one = [](const std::string& problems, const std::string& rest) {
    const Lines lines = mistakes_of_files(R"({"name": "x", "problems": [)" + problems +
                                          R"(], "solvers": [{"solver": "good"}])" + rest + "}");
    REQUIRE(lines.size() == 1);
    return lines.front();
  };
  const std::string pebbles = R"({"scene": "pebbles"})";
  CHECK(one(R"({"scene": "pebbles", "push": 2})", "") ==
        "/problems/0/push: unknown key 'push' (known: scene, parameters, seed, fclib, perturb, sequence, label); settings "
        "of a "
        "solver or scene belong to 'parameters'");
  CHECK(one(pebbles, R"(, "stop": {"max_iterations": 1e4})") ==
        "/stop/max_iterations: 'max_iterations' is 10000, written with a point or an exponent, expected a whole number in "
        "digits alone");
  CHECK(one(pebbles, R"(, "sweep": {"stop/tolerance": [1]})") ==
        "/sweep[\"stop/tolerance\"]: 'stop/tolerance' is no JSON pointer, expected '/stop/tolerance'");
  CHECK(one(pebbles, R"(, "plots": [{"kind": "sweep", "against": "/stop/tolerance"}])") ==
        "/plots/0/against: '/stop/tolerance' is not swept, expected one of contacts, rows, dofs");
  CHECK(one(pebbles, R"(, "plots": [{"kind": "table", "metrics": ["iteration"]}])") ==
        "/plots/0/metrics/0: unknown metric 'iteration' (did you mean 'iterations'?)");
  CHECK(one(pebbles, R"(, "limits": 5)") == "/limits: is a whole number (5), expected an object with wall_s, memory_mb");
}
