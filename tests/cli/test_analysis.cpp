#include <catch2/catch.hpp>
#include <filesystem>

#include "cli/program.hpp"
#include "cli/results.hpp"

/// claims, compare and profile on real runs.
using namespace ccp::testing;
namespace fs = std::filesystem;

namespace {

const std::string stack = CCPBENCH_CONFIGS "/test1a.json";
const std::string baselines = CCPBENCH_CONFIGS "/../results/baselines";

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Answer run_small(const Workplace& place, const std::string& config, const std::string& out, Arguments more = {}) {
  Arguments arguments = {"run", config, "--size", "small", "--quiet", "--out", place.text(out)};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(place, arguments);
}

/// A small stack with one claim.
std::string with_claim(const std::string& claim) {
  return R"x({"name": "tiny", "problems": [{"scene": "odd_mass_stack", "parameters": {"spheres": 5, "heavy_index": 3}}],
    "solvers": [{"solver": "admm", "label": "A"}, {"solver": "jacobi", "label": "J"}],
    "stop": {"max_iterations": 40}, "trace": ["relative_residual", "objective"],
    "sweep": {"/solvers/0/parameters/rho": [0.1, 1]},
    "claims": [{"id": "c", "must": true, "says": "s", "where": "w", )x" +
         claim + "}]}";
}

}  // namespace

TEST_CASE("every baseline is met by a run at the small size, with one thread and with two") {
  const Workplace place;
  int compared = 0;
  for (const auto& entry : fs::directory_iterator(baselines)) {
    if (!entry.is_directory()) continue;
    const std::string name = entry.path().filename().string();
    for (const std::string threads : {"1", "2"}) {
      REQUIRE(run_small(place, CCPBENCH_CONFIGS "/" + name + ".json", threads, {"--threads", threads}).code == 0);
      const Answer answer = run_program(place, {"compare", place.text(threads) + "/" + name, "--baseline", baselines});
      INFO(name << "\n" << answer.out << answer.err);
      CHECK(answer.code == 0);
    }
    ++compared;
  }
  CHECK(compared >= 2);
}

TEST_CASE("compare catches another constant in one solver, names it, and updates") {
  const Workplace place;
  REQUIRE(run_small(place, stack, "out", {"--set", "/solvers/0/parameters/rho=0.15"}).code == 0);
  const std::string results = place.text("out") + "/test1a";
  const Answer different = run_program(place, {"compare", results, "--baseline", baselines});
  CHECK(different.code == 1);
  CHECK(contains(different.out, "/ADMM balanced"));
  CHECK_FALSE(contains(different.out, "P-ADMM balanced"));
  CHECK(contains(different.out, "decades"));

  CHECK(run_program(place, {"compare", results, "--baseline", place.text("own"), "--update"}).code == 0);
  CHECK(fs::exists(place / "own" / "test1a" / "ADMM_balanced.csv"));
  CHECK(run_program(place, {"compare", results, "--baseline", place.text("own")}).code == 0);
}

TEST_CASE("compare says when it cannot") {
  const Workplace place;
  bad_input_line(run_program(place, {"compare", place.text("nowhere"), "--baseline", baselines}));
  REQUIRE(run_program(place, {"run", stack, "--quiet", "--out", place.text("out"), "--only", "*/Jacobi"}).code == 0);
  const std::string results = place.text("out") + "/test1a";
  CHECK(contains(bad_input_line(run_program(place, {"compare", results, "--baseline", place.text("")})), "has no baseline"));
  CHECK(contains(bad_input_line(run_program(place, {"compare", results, "--baseline", baselines})), "size"));
}

TEST_CASE("claims are met, missed, or open, and what is there is not run again") {
  const Workplace place;
  const auto judge = [&](const std::string& claim) {
    const std::string file = place.write("tiny.json", with_claim(claim));
    return run_program(place, {"claims", file, "--out", place.text("out"), "--quiet", "--markdown", place.text("card.md")});
  };
  const Answer met = judge(R"("metric": "relative_residual", "of": "A*", "less_than": {"of": "J"})");
  INFO(met.out << met.err);
  CHECK(met.code == 0);
  CHECK(contains(met.out, "1 of 1 claim met"));
  CHECK(contains(read_file(place / "card.md"), "| **c** | s | w |"));

  const Answer missed = judge(R"("metric": "relative_residual", "of": "A*", "greater_than": {"of": "J"})");
  CHECK(missed.code == 1);
  CHECK(contains(missed.out, "not met"));

  const Answer open = judge(R"("metric": "iterations_to", "at": 1e-12, "of": "J", "less_than": {"of": "J", "at": 1e-11})");
  CHECK(open.code == 1);
  CHECK(contains(open.out, "cannot be judged"));
  CHECK(contains(open.out, "neither"));

  CHECK(judge(R"("metric": "iterations", "of": "A", "over": "spread", "at_least": 1)").code == 0);
  CHECK(judge(R"("metric": "objective_gap", "of": "*", "at_least": 0, "cells": {"/solvers/0/parameters/rho": 1})").code ==
        0);
  CHECK(judge(R"("metric": "back_solves_to", "at": 1e-2, "of": "A", "at_least": 1)").code == 0);
  CHECK(run_program(place, {"claims", place.text("out") + "/tiny"}).code == 0);
  bad_input_line(run_program(place, {"claims", place.text("none.json")}));
  bad_input_line(run_program(place, {"claims", place.path().string()}));
}

TEST_CASE("profile writes curves that end at the fraction solved") {
  const Workplace place;
  REQUIRE(run_small(place, stack, "out").code == 0);
  const std::string results = place.text("out") + "/test1a";
  const Answer answer =
      run_program(place, {"profile", results, "--by", "iterations", "--at", "1e-5", "--out", place.text("p")});
  INFO(answer.err);
  REQUIRE(answer.code == 0);
  CHECK(contains(answer.out, "1 problem, 6 solver settings"));
  const Csv curves(place / "p" / "performance.csv");
  for (std::size_t i = 0; i < curves.rows(); ++i) {
    const std::string label = curves.text(i, "label");
    if (label == "Jacobi") CHECK(curves.number(i, "fraction") == 0.0);
    if (curves.number(i, "ratio") == 1.0 && label == "ADMM balanced") CHECK(curves.number(i, "fraction") <= 1.0);
    CHECK(curves.number(i, "low") <= curves.number(i, "fraction"));
    CHECK(curves.number(i, "high") >= curves.number(i, "fraction"));
  }
  const std::string first = read_file(place / "p" / "means.csv");
  run_program(place, {"profile", results, "--by", "iterations", "--at", "1e-5", "--out", place.text("p")});
  CHECK(read_file(place / "p" / "means.csv") == first);

  CHECK(contains(bad_input_line(run_program(place, {"profile", results, "--at", "3e-3"})), "--at"));
  CHECK(contains(bad_input_line(run_program(place, {"profile", results, "--by", "times"})), "did you mean 'time'"));
  CHECK(contains(bad_input_line(run_program(place, {"profile", results, results})), "stands twice"));
  CHECK(contains(bad_input_line(run_program(place, {"profile", results, "--measure", "apgd_residual"})), "no column"));
}
