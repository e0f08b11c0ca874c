#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "bench/config/config.hpp"
#include "bench/config/config_json.hpp"
#include "bench/config/plan.hpp"
#include "bench/fake_catalog.hpp"
#include "core/error.hpp"

using namespace ccp;

namespace {

const char* whole_config = R"({
  "name": "study", "title": "t", "kernels": false, "model": ["ccp", "ncp"],
  "problems": [{"scene": "pebbles", "label": "P", "seed": 1, "parameters": {"count": 3, "push": 1.5, "heavy": true},
                "perturb": {"noise": 0.1, "seed": 3}}],
  "solvers": [{"solver": "good", "label": "G", "parameters": {"step": 0.1, "mood": "calm"}, "threads": 2},
              {"solver": "nan", "models": ["ccp"], "start": {"from": "reference"}}],
  "stop": {"measure": "relative_residual", "tolerance": 1e-8, "max_iterations": 100, "time_limit_s": 2},
  "limits": {"wall_s": 60, "memory_mb": 512}, "trace": ["objective"],
  "sweep": {"/solvers/*/parameters/step": [0.1, 1],
            "zip": {"/stop/tolerance": [1e-4, 1e-6], "/problems/0/parameters/count": [3, 4]}},
  "sizes": {"small": {"/stop/max_iterations": 10, "/solvers/*/threads": 1}},
  "claims": [{"id": "a", "says": "b", "must": true, "metric": "iterations_to", "at": 1e-4, "of": "G*",
              "less_than": {"of": "nan", "times": 2}},
             {"id": "s", "says": "b", "metric": "iterations", "of": "*", "over": "slope", "against": "/stop/tolerance",
              "size": "paper", "at_most": 20, "cells": {"/solvers/*/parameters/step": [1]}}],
  "plots": [{"kind": "sweep", "against": "/stop/tolerance", "metric": "iterations"}, {"kind": "convergence", "y": "step"}]})";

/// What may stand anywhere, but hardly ever should.
const Json strange_values =
    Json::parse(R"([null, [], {}, "", "x", "*", "~", -1, 0, 1.5, 1e300, 18446744073709551615, true, [null], [[]], ["x"],
  {"a/b": 1}, {"zip": {}}, {"zip": {"/stop": [1]}}, {"/solvers/*/threads": [1]}, "/solvers/*/parameters/step", "./x.hdf5"])");
const std::vector<std::string> strange_keys = {
    "x",      "a/b",   "~1",    "scene", "solver", "sequence", "sweep", "zip",     "/solvers/*/threads",
    "/model", "fclib", "cells", "start", "claims", "sizes",    "of",    "problems"};

/// All places in a document, parents first.
void collect_places(Json& value, std::vector<Json*>& places) {
  places.push_back(&value);
  if (!value.is_structured()) return;
  for (Json& inner : value) collect_places(inner, places);
}

/// Changes one place: another value, one from elsewhere, one that is gone, a key more.
void harm(Json& document, std::mt19937& random) {
  std::vector<Json*> places;
  collect_places(document, places);
  const auto below = [&random](std::size_t count) { return random() % count; };
  Json& place = *places[1 + below(places.size() - 1)];
  switch (below(4)) {
    case 0: place = strange_values[below(strange_values.size())]; break;
    case 1: place = Json(*places[1 + below(places.size() - 1)]); break;
    case 2:
      if (place.is_structured() && !place.empty()) {
        auto inner = place.begin();
        std::advance(inner, static_cast<std::ptrdiff_t>(below(place.size())));
        place.erase(inner);
      }
      break;
    default:
      if (place.is_object()) place[strange_keys[below(strange_keys.size())]] = strange_values[below(strange_values.size())];
      if (place.is_array()) place.push_back(strange_values[below(strange_values.size())]);
  }
}

}  // namespace

TEST_CASE("Harmed configs are read or refused, line by line") {
  std::mt19937 random(18);
  const Catalog catalog = ccp::testing::fake_catalog();
  const Json whole = Json::parse(whole_config);
  REQUIRE(make_plan(parse_config(whole_config, "c.json", catalog)).cells.size() == 12);
  int refused = 0, several = 0;
  constexpr int count = 600;
  for (int i = 0; i < count; ++i) {
    Json document = whole;
    for (std::size_t harms = 1 + random() % 3; harms > 0 && document.is_object() && !document.empty(); --harms)
      harm(document, random);
    const std::string text = dump_json(document);
    std::vector<std::string> lines;
    std::string other;
    try {
      make_plan(parse_config(text, "c.json", catalog, {i % 2 == 0 ? "small" : "", {}, false}), {"/nowhere", 1});
    } catch (const InputError& error) {
      lines = lines_of_error(error);
    } catch (const std::exception& error) {
      other = error.what();
    }
    INFO(text);
    REQUIRE(other.empty());
    for (const std::string& line : lines)
      if (line.empty() || line.find('\n') != std::string::npos || lines.size() > 21) FAIL_CHECK(line);
    refused += lines.empty() ? 0 : 1;
    several += lines.size() > 1 ? 1 : 0;
  }
  CHECK(refused > count / 2);
  CHECK(several > count / 10);
}
