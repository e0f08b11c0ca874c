#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/config/claim_reader.hpp"
#include "bench/config/config.hpp"
#include "bench/config/config_json.hpp"
#include "bench/config/config_tables.hpp"
#include "bench/config/plan.hpp"
#include "bench/fake_catalog.hpp"
#include "core/error.hpp"

using namespace ccp;
using ccp::testing::fake_catalog;

namespace {

const char* minimal = R"({"name": "x", "problems": [{"scene": "pebbles"}], "solvers": [{"solver": "good"}]})";

Config parse(const std::string& text, const ConfigOverrides& overrides = {}) {
  return parse_config(text, "c.json", fake_catalog(), overrides);
}

std::string error_of(const std::string& text, const ConfigOverrides& overrides = {}) {
  try {
    parse(text, overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// A config with the given members added to, or put in place of, those of `minimal`.
std::string with(const std::string& members) {
  auto json = nlohmann::json::parse(minimal);
  const auto added = nlohmann::json::parse("{" + members + "}", nullptr, true, true);
  for (const auto& [key, value] : added.items()) json[key] = value;
  return json.dump();
}

ConfigSection section_of(const std::string& name) {
  for (const ConfigSection& section : config_sections(fake_catalog()))
    if (section.name == name) return section;
  throw std::logic_error(name);
}

struct Case {
  std::string text;
  std::string message;
};

void check_all(const std::vector<Case>& cases) {
  for (const Case& entry : cases) {
    CAPTURE(entry.text);
    const std::string message = error_of(entry.text);
    CHECK(message.rfind("c.json: ", 0) == 0);
    CHECK_THAT(message, Catch::Contains(entry.message));
    CHECK(message.find('\n') == std::string::npos);
  }
}

}  // namespace

TEST_CASE("A config is read with its defaults") {
  const Config config = parse(minimal);
  CHECK(config.name == "x");
  REQUIRE(config.variants.size() == 1);
  const ConfigVariant& variant = config.variants.front();
  CHECK(variant.swept.empty());
  REQUIRE(variant.problems.size() == 1);
  CHECK(variant.problems[0]->scene == "pebbles");
  CHECK(variant.problems[0]->label == "pebbles");
  CHECK(variant.problems[0]->parameters.size() == 3);
  CHECK(variant.problems[0]->seed == 0);
  REQUIRE(variant.solvers.size() == 1);
  CHECK(variant.solvers[0]->label == "good");
  CHECK(variant.models == std::vector<Model>{Model::ccp});
  CHECK(variant.stop.tolerance == 1e-8);
  CHECK(variant.stop.measure == Measure::relative_residual);
  CHECK(variant.trace.size() == 7);
  CHECK(variant.limits.wall_s == 600.0);
}

TEST_CASE("A default written out changes nothing") {
  const auto all_defaults = [&](const std::string& section) {
    Json object = Json::object();
    const ConfigSection found = section_of(section);
    for (const Field& field : found.fields.fields())
      if (field.has_default) object[field.name] = field_json(field.default_value);
    return object.dump();
  };
  const Config plain = parse(minimal);
  for (const std::string shape : {"stop", "limits"})
    CHECK(make_plan(parse(with("\"" + shape + "\": " + all_defaults(shape)))).cells[0].hash ==
          make_plan(plain).cells[0].hash);
  const ConfigVariant written =
      parse(with(R"("problems": [{"scene": "pebbles", "seed": 0, "perturb": )" + all_defaults("perturb") + "}]"))
          .variants[0];
  CHECK(written.problems[0]->perturbation == Perturbation{});
  const Limits usual, read = parse(with("\"limits\": " + all_defaults("limits"))).variants[0].limits;
  CHECK(read.wall_s == usual.wall_s);
  CHECK(read.memory_mb == usual.memory_mb);
  CHECK_NOTHROW(parse(with(R"("plots": [{"kind": "convergence"}])")));
  CHECK_NOTHROW(parse(
      with(R"("sweep": {"/stop/tolerance": [1, 2]}, "plots": [{"kind": "table", "of": ["g*"], "by": "/stop/tolerance",)"
           R"( "metrics": ["iterations", "solve_s"], "over": "median", "paper": {"solve_s": [null]}}])")));
}

TEST_CASE("The help of a key tells its default") {
  const auto meaning = [&](const std::string& section, const std::string& key) {
    return section_of(section).fields.find(key)->meaning;
  };
  CHECK(meaning("stop", "tolerance") == "bound of the stop measure; default 1e-8");
  CHECK(meaning("stop", "max_iterations") == "default 1000");
  CHECK(meaning("stop", "native") == "stop on the method's own criterion instead; default false");
  CHECK(meaning("limits", "memory_mb") == "private memory of the process; default 8192");
  CHECK(meaning("perturb", "friction_factor") == "factor of every friction coefficient; default 1");
  CHECK(meaning("config", "model") == "contact model or both; default ccp");
  CHECK_THAT(meaning("plot", "axes"), Catch::StartsWith("for convergence, sweep: which axes are logarithmic; default log: both"));
  for (const ConfigSection& section : config_sections(fake_catalog()))
    for (const Field& field : section.fields.fields()) CHECK(field.meaning.find("{}") == std::string::npos);
}

TEST_CASE("A config is read with everything in it") {
  const Config config = parse(R"({
    // comments are allowed
    "name": "all-of_it1", "title": "T", "description": "D",
    "problems": [{"scene": "pebbles", "parameters": {"count": 3, "push": 2, "heavy": true}, "seed": 7, "label": "three"},
                 {"fclib": "*.hdf5", "label": "files"}],
    "model": ["ncp", "ccp"],
    "solvers": [{"solver": "good", "label": "A", "parameters": {"step": 1, "mood": "eager"}, "models": "ccp"},
                {"solver": "good", "label": "B"}],
    "stop": {"tolerance": 1e-3, "measure": "natural_map", "native": true, "max_iterations": 5, "time_limit_s": 2.5},
    "limits": {"wall_s": 9, "memory_mb": 512},
    "trace": ["merit"], /* so */
    "claims": [{"id": "c", "must": true, "says": "s", "where": "P, sec. 1", "metric": "iterations_to", "at": 1e-5, "of": "A",
                "problem": "three", "model": "ccp", "less_than": 20}],
    "plots": [{"kind": "convergence", "x": "elapsed_s", "y": "merit"}, {"kind": "convergence", "y": "step"}]
  })");
  const ConfigVariant& variant = config.variants.front();
  const Parameters expected = {{"count", std::int64_t{3}}, {"push", 2.0}, {"heavy", true}};
  CHECK(variant.problems[0]->parameters == expected);
  CHECK(variant.problems[0]->seed == 7);
  CHECK(variant.problems[1]->fclib == "*.hdf5");
  CHECK(variant.models == std::vector<Model>{Model::ncp, Model::ccp});
  CHECK(variant.solvers[0]->models == std::vector<Model>{Model::ccp});
  CHECK(variant.solvers[0]->parameters[2] == std::pair<std::string, FieldValue>{"mood", std::string("eager")});
  CHECK(variant.stop.measure == Measure::natural_map);
  CHECK(variant.stop.native);
  CHECK(variant.stop.max_iterations == 5);
  CHECK(variant.limits.memory_mb == 512.0);
  CHECK(variant.trace == std::vector<Measure>{Measure::merit});
  REQUIRE(config.claims.size() == 1);
  CHECK(config.claims[0].relation == Relation::less_than);
  CHECK(config.claims[0].bound == 20.0);
  CHECK(config.claims[0].at == 1e-5);
  CHECK(config.claims[0].model == Model::ccp);
  CHECK(nlohmann::json::parse(config.resolved)["title"] == "T");
}

TEST_CASE("Malformed JSON is refused with its place") {
  check_all({
      {"", "parse error at line 1, column 1"},
      {"{\n\"name\": \"x\",\n}", "line 3, column 1"},
      {"{\"name\": \"x\"} trailing", "line 1, column 17"},
      {"[1]", "is a list, expected an object"},
      {"null", "is null, expected an object"},
      {"{\"name\": \"\xff\"}", "ill-formed UTF-8"},
      {"{\"name\": NaN}", "parse error"},
      {"{\"stop\": {\"tolerance\": 1e999}}", "number overflow parsing '1e999'"},
      {R"({"name": "x", "name": "y"})", "/name: the key 'name' stands twice"},
      {R"({"solvers": [{}, {"a": 1, "b": [{"c": 1, "c": 2}]}]})", "/solvers/1/b/0/c: the key 'c' stands twice"},
  });
}

TEST_CASE("Unknown and missing keys are refused") {
  check_all({
      {"{}", "the key 'name' is missing"},
      {R"({"name": "x", "solvers": [{"solver": "good"}]})", "the key 'problems' is missing"},
      {R"({"name": "x", "problems": [{"scene": "pebbles"}]})", "the key 'solvers' is missing"},
      {with(R"("titel": "t")"), "/titel: unknown key 'titel' (did you mean 'title'?)"},
      {with(R"("stop": {"tolerence": 1})"), "/stop/tolerence: unknown key 'tolerence' (did you mean 'tolerance'?)"},
      {with(R"("limits": {"a/b": 1})"), R"(/limits["a/b"]: unknown key)"},
      {with(R"("problems": [{"seed": 1}])"), "/problems/0: expected one of the keys 'scene' and 'fclib'"},
      {with(R"("problems": [{"scene": "pebbles", "fclib": "*"}])"), "/problems/0: has both 'scene' and 'fclib'"},
      {with(R"("problems": [{"fclib": "*", "seed": 1}])"), "/problems/0/seed: 'seed' belongs to a scene"},
      {with(R"("solvers": [{"label": "a"}])"), "/solvers/0: the key 'solver' is missing"},
  });
}

TEST_CASE("Wrong types and ranges are refused") {
  check_all({
      {with(R"("name": "a/b")"), "/name: 'name' is 'a/b', expected letters, digits, _ and - only"},
      {with(R"("name": "..")"), "/name: 'name' is '..'"},
      {with(R"("name": "")"), "/name: 'name' is empty"},
      {with(R"("name": 5)"), "/name: 'name' is 5 (a whole number), expected a text"},
      {with(R"("title": "a\nb")"), "/title: 'title' holds a line break"},
      {with(R"("problems": {})"), "/problems: 'problems' is an object, expected a list"},
      {with(R"("problems": [])"), "/problems: 'problems' is an empty list"},
      {with(R"("solvers": [])"), "/solvers: 'solvers' is an empty list"},
      {with(R"("solvers": ["good"])"), "/solvers/0: is a text (good), expected an object with solver, "},
      {with(R"("model": [])"), "/model: 'model' is an empty list"},
      {with(R"("model": ["ccp", "ccp"])"), "/model/1: 'ccp' stands twice"},
      {with(R"("plots": [{"kind": "convergence", "y": "naturel_map"}])"),
       "/plots/0/y: no measure and no trace column of these solvers is called 'naturel_map' (did you mean 'natural_map'?)"},
      {with(R"("plots": [{"kind": "table", "of": ["good", "god"]}])"),
       "/plots/0/of/1: no solver is labelled 'god' (did you mean 'good'?)"},
      {with(R"("plots": [{"kind": "sweep", "problem": "peebles"}])"),
       "/plots/0/problem: no problem is labelled 'peebles' (did you mean 'pebbles'?)"},
      {with(R"("plots": [{"kind": "table", "x_label": "rho"}])"),
       "/plots/0/x_label: the kind 'table' does not use 'x_label', expected one of kind, at, problem, of, by, metrics, over, paper, "
       "where"},
      {with(R"("plots": [{"kind": "table", "metrics": "iterations_to"}])"),
       "/plots/0: the key 'at' is missing: the metric 'iterations_to' needs a power of ten"},
      {with(R"("plots": [{"kind": "sweep", "at": 1e-3}])"), "/plots/0: the metric 'iterations' takes no 'at'"},
      {with(R"("trace": ["merit"], "plots": [{"kind": "convergence", "y": "natural_map"}])"),
       "/plots/0/y: 'natural_map' is not traced, expected it in the list 'trace'"},
      {with(R"("sweep": {"/stop/tolerance": [1, 2]}, "plots": [{"kind": "map", "against": "/stop/tolerance"}])"),
       "/plots/0: is a map, expected two lists in 'sweep' besides /model, there is 1"},
      {with(R"("sweep": {"/model": ["ccp", "ncp"]}, "plots": [{"kind": "sweep", "against": "/model"}])"),
       "/plots/0/against: '/model' is not swept, expected one of contacts, rows, dofs"},
      {with(R"("sweep": {"/stop/measure": ["merit", "natural_map"]},
                "plots": [{"kind": "sweep", "against": "/stop/measure"}])"),
       "/plots/0/against: '/stop/measure' has no numbers"},
      {with(R"("plots": [{"kind": "mean", "of": []}])"), "/plots/0/of: 'of' is an empty list, expected at least one"},
      {with(R"("plots": [{"kind": "mean", "by": 3}])"), "/plots/0/by: 'by' is 3 (a whole number), expected a text"},
      {with(R"("sweep": {"/stop/tolerance": [1, 2]}, "plots": [{"kind": "mean", "by": "/stop/tolerence"}])"),
       "/plots/0/by: '/stop/tolerence' is not swept (did you mean '/stop/tolerance'?)"},
      {with(R"("plots": [{"kind": "table", "metrics": "iterations", "paper": {"iteration": [1]}}])"),
       "/plots/0/paper/iteration: 'iteration' is no row of the table (did you mean 'iterations'?)"},
      {with(R"("plots": [{"kind": "table", "of": "good", "metrics": "iterations", "paper": {"iterations": [1, 2]}}])"),
       "/plots/0/paper/iterations: expected a list of 1 numbers, one for each solver of 'of'"},
      {with(R"("plots": [{"kind": "table", "of": "good", "metrics": "iterations", "paper": {"iterations": ["1"]}}])"),
       "/plots/0/paper/iterations: expected a list of 1 numbers"},
      {with(
           R"("plots": [{"kind": "table", "of": "good", "metrics": "iterations", "paper": {"iterations": {"1, 2": [1]}}}])"),
       "/plots/0/paper/iterations/1, 2: '1, 2' is no case: expected 0 with commas, a value for each pointer of 'by'"},
      {with(R"("sweep": {"/stop/tolerance": [1, 2]}, "plots": [{"kind": "table", "of": "good", "by": "/stop/tolerance",
                "metrics": "iterations", "paper": {"iterations": {"1": [1, 2]}}}])"),
       "/plots/0/paper/iterations/1: expected a list of 1 numbers, one for each solver of 'of'"},
      {with(R"("trace": [])"), "/trace: 'trace' is an empty list"},
      {with(R"("trace": [3])"), "/trace/0: 'trace' is 3 (a whole number), expected one or several of "},
      {with(R"("stop": [])"), "/stop: is a list, expected an object"},
      {with(R"("stop": {"tolerance": 0})"), "/stop/tolerance: 'tolerance' is 0, expected a value > 0"},
      {with(R"("stop": {"tolerance": "1e-3"})"), "/stop/tolerance: 'tolerance' is '1e-3' (a text), expected a number"},
      {with(R"("stop": {"native": 1})"), "/stop/native: 'native' is 1 (a whole number), expected true or false"},
      {with(R"("stop": {"max_iterations": 1.5})"),
       "/stop/max_iterations: 'max_iterations' is 1.5 (a number), expected a whole"},
      {with(R"("stop": {"max_iterations": 5000000000})"), "/stop/max_iterations: 'max_iterations' is 5000000000"},
      {with(R"("stop": {"max_iterations": -1})"), "/stop/max_iterations: 'max_iterations' is -1"},
      {with(R"("limits": {"wall_s": -1})"), "/limits/wall_s: 'wall_s' is -1"},
      {with(R"("limits": {"memory_mb": 1})"), "/limits/memory_mb: 'memory_mb' is 1, expected a value in [64, 100000000"},
      {with(R"("problems": [{"scene": "pebbles", "seed": -1}])"), "/problems/0/seed: 'seed' is -1"},
      {with(R"("problems": [{"scene": "pebbles", "seed": 18446744073709551615}])"), "/problems/0/seed: 'seed' is 1.844"},
      {with(R"("problems": [{"scene": "pebbles", "parameters": []}])"), "/problems/0/parameters: 'parameters' is a list"},
  });
}

TEST_CASE("Unknown names get the nearest one") {
  check_all({
      {with(R"("problems": [{"scene": "pebble"}])"), "/problems/0/scene: unknown scene 'pebble' (did you mean 'pebbles'?)"},
      {with(R"("solvers": [{"solver": "goood"}])"), "/solvers/0/solver: unknown solver 'goood' (did you mean 'good'?)"},
      {with(R"("model": "cpp")"), "/model: unknown model 'cpp' (did you mean 'ccp'?)"},
      {with(R"("stop": {"measure": "natural_mapp"})"),
       "/stop/measure: unknown measure 'natural_mapp' (did you mean 'natural_map'?)"},
      {with(R"("stop": {"measure": "objective"})"), "/stop/measure: unknown measure 'objective'"},
      {with(R"("trace": ["merits"])"), "/trace/0: unknown measure 'merits' (did you mean 'merit'?)"},
      {with(R"("plots": [{"kind": "convergense"}])"),
       "/plots/0/kind: 'kind' is 'convergense', expected one of convergence, "},
  });
}

TEST_CASE("Parameters are checked by the tables of scene and solver") {
  check_all({
      {with(R"("solvers": [{"solver": "good", "parameters": {"stepp": 1}}])"),
       "/solvers/0/parameters/stepp: unknown parameter 'stepp' (did you mean 'step'?)"},
      {with(R"("solvers": [{"solver": "good", "parameters": {"step": 2}}])"),
       "/solvers/0/parameters/step: 'step' is 2, expected"},
      {with(R"("solvers": [{"solver": "good", "parameters": {"step": "big"}}])"),
       "'step' is 'big' (a text), expected a number"},
      {with(R"("solvers": [{"solver": "good", "parameters": {"step": null}}])"),
       "/solvers/0/parameters/step: 'step' is null"},
      {with(R"("solvers": [{"solver": "good", "parameters": {"step": [0, 1]}}])"),
       "'step' is a list, expected a number; a list of values belongs to 'sweep'"},
      {with(R"("solvers": [{"solver": "good", "parameters": {"mood": "angry"}}])"),
       "'mood' is 'angry', expected one of calm, eager"},
      {with(R"("problems": [{"scene": "pebbles", "parameters": {"count": 2.5}}])"),
       "/problems/0/parameters/count: 'count' is 2.5"},
      {with(R"("problems": [{"scene": "pebbles", "parameters": {"count": 18446744073709551615}}])"),
       "/problems/0/parameters/count"},
      {with(R"("problems": [{"scene": "pebbles", "parameters": {"count": 600, "heavy": true}}])"),
       "/problems/0/parameters: at most 500 heavy pebbles"},
  });
}

TEST_CASE("Labels are unique") {
  check_all({
      {with(R"("solvers": [{"solver": "good"}, {"solver": "nan"}, {"solver": "good", "parameters": {"step": 1}}])"),
       "/solvers/2/label: the label 'good' is that of /solvers/0 already"},
      {with(R"("solvers": [{"solver": "good", "label": "nan"}, {"solver": "nan"}])"), "/solvers/1/label: the label 'nan'"},
      {with(R"("problems": [{"scene": "pebbles"}, {"scene": "pebbles", "seed": 1}])"),
       "/problems/1/label: the label 'pebbles'"},
      {with(R"("solvers": [{"solver": "good", "label": ""}])"), "/solvers/0/label: 'label' is empty"},
  });
}

TEST_CASE("Claims have a form") {
  const auto claim = [](const std::string& rest) { return with(R"("claims": [{"id": "c", "says": "s", )" + rest + "}]"); };
  check_all({
      {claim(R"("metric": "iterations_to", "at": 1e-5, "of": "god", "less_than": 3)"),
       "/claims/0/of: no solver is labelled 'god' (did you mean 'good'?)"},
      {claim(R"("metric": "iterations_to", "at": 1e-5, "of": "good")"), "/claims/0: the bound is missing"},
      {claim(R"("metric": "iterations_to", "at": 1e-5, "of": "good", "less_than": 1, "at_most": 1)"),
       "has 'less_than' already"},
      {claim(R"("metric": "iterations_to", "of": "good", "less_than": 1)"), "/claims/0: the key 'at' is missing"},
      {claim(R"("metric": "iterations_to", "at": 2e-5, "of": "good", "less_than": 1)"),
       "/claims/0/at: 'at' is 2e-05, expected a power"},
      {claim(R"("metric": "iterations_to", "at": 1e-15, "of": "good", "less_than": 1)"), "/claims/0/at: 'at' is 1e-15"},
      {claim(R"("metric": "iterations", "at": 1e-5, "of": "good", "less_than": 1)"),
       "/claims/0: the metric 'iterations' takes no 'at'"},
      {claim(R"("metric": "iteration", "of": "good", "less_than": 1)"), "/claims/0/metric: unknown metric 'iteration'"},
      {claim(R"("metric": "iterations", "of": "good", "less_than": "1")"),
       "/claims/0/less_than: 'less_than' is '1' (a text)"},
      {claim(R"("metric": "iterations", "of": "good", "at_least": 1, "problem": "pebble")"),
       "/claims/0/problem: no problem is labelled"},
      {with(R"("claims": [{"id": "a", "says": "s", "metric": "iterations", "of": "good", "at_most": 1},
                          {"id": "a", "says": "s", "metric": "iterations", "of": "good", "at_most": 1}])"),
       "/claims/1/id: the id 'a' is taken"},
  });
}

TEST_CASE("Claims compare cells, over all of them or some") {
  const std::string sweep = R"("solvers": [{"solver": "good", "label": "A"}, {"solver": "good", "label": "B"}],
    "sweep": {"/solvers/0/parameters/step": [0.1, 1]}, )";
  const auto claim = [&](const std::string& rest) {
    return with(sweep + R"("claims": [{"id": "c", "says": "s", )" + rest + "}]");
  };
  const Config config = parse(claim(R"("metric": "products_to", "at": 1e-4, "of": "A*", "problem": "peb*",
    "over": "slope", "against": "/solvers/0/parameters/step", "cells": {"/solvers/0/parameters/step": [1.0, 0.1]},
    "at_most": {"of": "B", "at": 1e-6, "times": 2})"));
  const Claim& read = config.claims.at(0);
  CHECK(read.over == ClaimOver::slope);
  CHECK(read.against == "/solvers/0/parameters/step");
  REQUIRE(read.cells.size() == 2);
  CHECK(same_swept_value(read.cells[0].text, "1"));
  REQUIRE(read.reference);
  CHECK(read.reference->of == "B");
  CHECK(read.reference->metric == "products_to");
  CHECK(read.reference->at == 1e-6);
  CHECK(read.reference->times == 2.0);
  CHECK(parse(claim(R"x("metric": "iterations", "of": "A (step=0.1)", "less_than": {"of": "A (step=1)"})x")).claims.size() ==
        1);

  const std::string base = R"("metric": "iterations", "of": "A", )";
  check_all({
      {claim(base + R"("at_most": {"off": "B"})"), "/claims/0/at_most/off: unknown key 'off' (did you mean 'of'?)"},
      {claim(base + R"("at_most": {"of": "C"})"), "/claims/0/at_most/of: no solver is labelled 'C'"},
      {claim(base + R"("at_most": {"of": "B", "times": 0})"), "/claims/0/at_most/times: 'times' is 0"},
      {claim(base + R"("at_most": {"times": 2})"), "/claims/0/at_most: compares results with themselves"},
      {claim(base + R"("at_most": {"cells": {"/solvers/0/parameters/step": 3}})"),
       R"(/claims/0/at_most/cells["/solvers/0/parameters/step"]: the sweep does not give /solvers/0/parameters/step the value 3)"},
      {claim(base + R"("at_most": {"cells": {"/solvers/0/parameters/stop": 1}})"),
       "'/solvers/0/parameters/stop' is not swept"},
      {claim(base + R"("at_most": {"of": "B", "metric": "time_to"})"), "/claims/0/at_most: the key 'at' is missing"},
      {claim(base + R"("at_most": 1, "over": "mean_ratio")"), "/claims/0/at_most: is a number, expected the solver of a"},
      {claim(base + R"("at_most": 1, "over": "slop", "against": "rows")"),
       "/claims/0/over: 'over' is 'slop', expected one of each, "},
      {claim(base + R"("at_most": 1, "over": "quartile")"), "/claims/0/over: 'over' is 'quartile', expected one of each, "},
      {claim(base + R"("at_most": 1, "over": "median", "against": "rows")"), "/claims/0: 'against' belongs to"},
      {claim(base + R"("at_most": 1, "over": "slope")"), "/claims/0: the key 'against' is missing"},
      {claim(base + R"("at_most": 1, "over": "r_squared")"), "/claims/0: the key 'against' is missing"},
      {claim(base + R"("at_most": 1, "against": "rows")"), "/claims/0: 'against' belongs to"},
      {claim(base + R"("at_most": 1, "over": "slope", "against": "/stop")"), "/claims/0/against: '/stop' is not swept"},
      {claim(base + R"("at_most": 1, "cells": {"/solvers/0/parameters/step": 3})"),
       "the sweep does not give /solvers/0/parameters/step the value 3"},
      {claim(R"("metric": "iterations", "of": "X*", "at_most": 1)"), "/claims/0/of: no solver is labelled 'X*'"},
      {claim(R"x("metric": "iterations", "of": "A (step=2)", "at_most": 1)x"), "/claims/0/of: no solver is labelled"},
  });
}

TEST_CASE("Sweeps multiply and zips pair") {
  const Config config = parse(with(R"("solvers": [{"solver": "good"}, {"solver": "nan"}],
    "sweep": {"/solvers/0/parameters/step": [0.1, 1],
              "zip": {"/problems/0/parameters/count": [1, 2, 3], "/stop/tolerance": [1e-1, 1e-2, 1e-3]}})"));
  REQUIRE(config.variants.size() == 6);
  const ConfigVariant& fifth = config.variants[4];
  CHECK(fifth.solvers[0]->parameters[0] == std::pair<std::string, FieldValue>{"step", 1.0});
  CHECK(fifth.problems[0]->parameters[0] == std::pair<std::string, FieldValue>{"count", std::int64_t{2}});
  CHECK(fifth.stop.tolerance == 1e-2);
  CHECK(fifth.problems[0]->label == "pebbles (count=2)");
  CHECK(fifth.solvers[0]->label == "good (step=1) (tolerance=0.01)");
  CHECK(fifth.solvers[1]->label == "nan (tolerance=0.01)");
  CHECK(config.variants[0].problems[0] == config.variants[3].problems[0]);  // read once
}

TEST_CASE("Bad sweeps are refused") {
  check_all({
      {with(R"("sweep": {})"), "/sweep: 'sweep' is empty"},
      {with(R"("sweep": [])"), "/sweep: 'sweep' is a list, expected an object"},
      {with(R"("sweep": {"solvers/0": [1]})"), "'solvers/0' is no JSON pointer"},
      {with(R"("sweep": {"": [1]})"), "'' is no JSON pointer"},
      {with(R"("sweep": {"/solvers/~2": [1]})"), "is no JSON pointer: ~ must be written ~0"},
      {with(R"("sweep": {"/solver/0": [1]})"), "/sweep[\"/solver/0\"]: 'solver' cannot be swept (did you mean 'solvers'?)"},
      {with(R"("sweep": {"/name": ["a"]})"), "'name' cannot be swept"},
      {with(R"("sweep": {"/solvers/1/parameters/step": [1]})"),
       "leads nowhere: /solvers has 1 entry, expected the index 0 or *"},
      {with(R"("sweep": {"/solvers/00/parameters/step": [1]})"), "leads nowhere"},
      {with(R"("sweep": {"/solvers/0/solver/x": ["good"]})"), "leads nowhere: /solvers/0/solver is a text"},
      {with(R"("sweep": {"/solvers/0/parameters/step": 1})"),
       "/sweep[\"/solvers/0/parameters/step\"]: is a whole number, expected a list"},
      {with(R"("sweep": {"/solvers/0/parameters/step": []})"), "is an empty list"},
      {with(R"("sweep": {"/solvers/0/parameters/step": [1, 7]})"),
       "/solvers/0/parameters/step: 'step' is 7, expected a value in (0, 1] (with /solvers/0/parameters/step = 7 from the "
       "sweep)"},
      {with(R"("sweep": {"zip": []})"), "/sweep/zip: 'zip' is a list"},
      {with(R"("sweep": {"zip": {"/stop/tolerance": [1, 2], "/stop/native": [true]}})"),
       "expected paired lists of one length"},
      {with(R"("sweep": {"/stop/tolerance": [1], "zip": {"/stop/tolerance": [1]}})"), "'/stop/tolerance' is swept twice"},
  });
  std::string many = "[0.5";
  for (int i = 1; i < 1000; ++i) many += fmt::format(",{}.5", i);
  many += "]";
  check_all(
      {{with(R"("sweep": {"/stop/tolerance": )" + many + R"(, "/limits/wall_s": )" + many + "}"), "more than 100000"}});
}

TEST_CASE("Sizes and settings change the JSON before it is read") {
  const std::string text = with(R"("sizes": {"small": {"/problems/0/parameters/count": 1, "/stop/max_iterations": 3}})");
  CHECK(parse(text).variants[0].stop.max_iterations == 1000);
  const Config small = parse(text, {"small", {}});
  CHECK(small.variants[0].stop.max_iterations == 3);
  CHECK(small.size == "small");
  CHECK(parse(text, {"paper", {}}).variants[0].stop.max_iterations == 1000);
  const Config set = parse(text, {"small", {"/stop/max_iterations=4", "/title=so be it", "/model=[\"ncp\"]"}});
  CHECK(set.variants[0].stop.max_iterations == 4);
  CHECK(set.title == "so be it");
  CHECK(set.variants[0].models == std::vector<Model>{Model::ncp});

  CHECK_THAT(error_of(text, {"smal", {}}), Catch::Contains("--size/smal: unknown key 'smal' (did you mean 'small'?)"));
  CHECK_THAT(error_of(minimal, {"", {"/stop/tolerance"}}), Catch::Contains("--set /stop/tolerance: expected POINTER=VALUE"));
  CHECK_THAT(error_of(minimal, {"", {"stop=1"}}), Catch::Contains("'stop' is no JSON pointer"));
  CHECK_THAT(error_of(minimal, {"", {"/solvers/3/label=x"}}), Catch::Contains("leads nowhere"));
  CHECK_THAT(error_of(minimal, {"", {"/stop/tolerance=1e999"}}), Catch::Contains("'tolerance' is '1e999' (a text)"));
  check_all({
      {with(R"("sizes": {"tiny": {}})"), "/sizes/tiny: unknown key 'tiny' (known: small, paper)"},
      {with(R"("sizes": {"small": {"/problems/4/seed": 1}})"), R"(/sizes/small["/problems/4/seed"])"},
      {with(R"("sizes": {"small": {"/sizes/small": 1}})"), "a size cannot change the sizes"},
      {with(R"("sizes": {"small": {"/stop/tolerance": -1}})"), "'tolerance' is -1, expected a value > 0 (with size small)"},
  });
}

TEST_CASE("A config file that cannot be read is refused") {
  CHECK_THROWS_WITH(read_config("/nonexistent/c.json", fake_catalog()),
                    Catch::Contains("/nonexistent/c.json: cannot be opened"));
  CHECK_THROWS_WITH(read_config("/", fake_catalog()), Catch::Contains("is a folder"));
}

TEST_CASE("The schema comes from the same tables") {
  const auto schema = nlohmann::json::parse(config_schema(fake_catalog()));
  CHECK(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema");
  CHECK(schema["required"] == nlohmann::json({"name", "problems", "solvers"}));
  CHECK(schema["additionalProperties"] == false);
  CHECK(schema["properties"]["problems"]["items"]["$ref"] == "#/$defs/problem");
  const auto& solver = schema["$defs"]["solver"];
  CHECK(solver["properties"]["solver"]["anyOf"][0]["enum"].size() == fake_catalog().solver_names.size());
  REQUIRE(solver["allOf"].is_array());
  const auto& rule = solver["allOf"][0];
  CHECK(rule["if"]["properties"]["solver"]["const"] == "good");
  const auto& step = rule["then"]["properties"]["parameters"]["properties"]["step"];
  CHECK(step["exclusiveMinimum"] == 0.0);
  CHECK(step["maximum"] == 1.0);
  CHECK(step["default"] == 0.5);
  CHECK(schema["$defs"]["stop"]["properties"]["tolerance"]["exclusiveMinimum"] == 0.0);
  CHECK(schema["properties"]["model"]["oneOf"][1]["items"]["enum"] == nlohmann::json({"ccp", "ncp"}));
}

TEST_CASE("trailing commas and foreign comments are named as such") {
  const auto parse = [](const std::string& text) { return parse_json(text, "c.json"); };
  CHECK_THROWS_WITH(parse("{\"a\": 1, // one\n /* two, */ }"), Catch::Contains("c.json: parse error at line 2") &&
                                                                   Catch::Contains("take away the ',' before this '}'"));
  CHECK_THROWS_WITH(parse("[1, \"// ]\",\n]"), Catch::Contains("take away the ',' before this ']'"));
  CHECK_THROWS_WITH(parse("{\n# one\n}"), Catch::Contains("line 2") && Catch::Contains("comments begin with //"));
  CHECK_THROWS_WITH(parse("{\"a,\" }"), !Catch::Contains("comma:"));
  CHECK(parse("{\"a\": \"# ,]\" /* , */ }").size() == 1);
}

TEST_CASE("JSON is refused beyond 100 lists and objects inside of one another") {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK(parse_json(nested(100), "c.json").is_array());
  CHECK(try_parse_json(nested(100)).is_array());
  CHECK_THROWS_WITH(parse_json("{\"x\": " + nested(100) + "}", "c.json"),
                    "c.json: /x: goes deeper than 100 lists and objects inside of one another");
  CHECK(try_parse_json(nested(101)).is_discarded());
  CHECK(try_parse_json(nested(100000)).is_discarded());
}
