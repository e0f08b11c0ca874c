#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "cli/results.hpp"
#include "support/places.hpp"
#include "support/skip.hpp"
#include "support/temporary_folder.hpp"

/// claims, compare and profile on real runs.
using namespace ccp::testing;
namespace fs = std::filesystem;

namespace {

const std::string stack = config_file("test1a");
const std::string baselines = baselines_folder();

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
    "claims": [{"id": "c", "must": true, "says": "s", "where": "P, sec. 1", )x" +
         claim + "}]}";
}

}  // namespace

TEST_CASE("a verdict on results that lack cells says so") {
  const Workplace place;
  const std::string file = place.write("c.json", with_claim(R"("metric": "iterations", "of": "A*", "less_than": 50)"));
  REQUIRE(run_program(place, {"run", file, "--quiet", "--only", "*A (rho=0.1)", "--out", place.text("out")}).code == 0);
  const Answer part = run_program(place, {"claims", place.text("out/tiny")});
  for (const Arguments& option : {Arguments{"--only", "*"}, {"--set", "/name=\"x\""}, {"--size", "small"}, {"--both-sizes"}}) {
    Arguments arguments = {"claims", place.text("out/tiny")};
    arguments.insert(arguments.end(), option.begin(), option.end());
    CHECK_THAT(bad_input_line(run_program(place, arguments)), Catch::Contains(option[0] + ": "));
  }
  const Answer other = run_program(place, {"claims", file, "--quiet", "--only", "*/J", "--out", place.text("other")});
  CHECK(other.code == 0);
  CHECK(contains(other.err, "tiny: 1 claim that must hold is about cells that --only leaves out, and not judged"));
  CHECK(contains(part.out, "met, incomplete"));
  CHECK(contains(part.err, "1 of 3 cells have a result; the verdicts are about these"));
  REQUIRE(run_program(place, {"run", file, "--quiet", "--out", place.text("out")}).code == 0);
  const Answer all = run_program(place, {"claims", place.text("out/tiny")});
  CHECK(contains(all.out, "met"));
  CHECK_FALSE(contains(all.out, "incomplete"));
  CHECK_FALSE(contains(all.err, "cells have a result"));
}

TEST_CASE("a claim that is not met names the page that tells why") {
  const Workplace place;
  const std::string file =
      place.write("c.json", with_claim(R"("see": "docs/why.md#here", "metric": "iterations", "of": "A*", "less_than": 1)"));
  const Answer missed = run_program(place, {"claims", file, "--quiet", "--out", place.text("out")});
  CHECK(missed.code == 1);
  CHECK(contains(missed.out, "  c: see docs/why.md#here\n"));
  const std::string folder = place.text("out/tiny");
  CHECK(contains(run_program(place, {"claims", folder, "--format", "json"}).out, "\"see\": \"docs/why.md#here\""));
  const Answer met =
      run_program(place, {"claims", file, "--quiet", "--out", place.text("out"), "--set", "/claims/0/less_than=50"});
  CHECK(met.code == 0);
  CHECK_FALSE(contains(met.out, "see"));
}

TEST_CASE("compare catches another constant in one solver, names it, and updates") {
  const Workplace place;
  REQUIRE(run_small(place, stack, "out", {"--set", "/solvers/0/parameters/rho=0.15"}).code == 0);
  const std::string results = place.text("out") + "/test1a";
  const Answer different = run_program(place, {"compare", results, "--baseline", baselines});
  CHECK(different.code == 1);
  CHECK(contains(different.out, "/ADMM balanced"));
  CHECK_FALSE(contains(different.out, "P-ADMM balanced"));
  CHECK(contains(different.out, " > 0.05 decades"));
  REQUIRE(run_program(place, {"run", stack, "--quiet", "--only", "*/Jacobi", "--out", place.text("paper")}).code == 0);
  CHECK(contains(
      bad_input_line(run_program(place, {"compare", place.text("paper") + "/test1a", "--baseline", baselines})),
      "the baseline is of size 'small', the results are of the config as written: run the config with --size small"));

  CHECK(run_program(place, {"compare", results, "--baseline", place.text("own"), "--update"}).code == 0);
  CHECK(fs::exists(place / "own" / "test1a" / "ADMM_balanced.csv"));
  CHECK(run_program(place, {"compare", results, "--baseline", place.text("own")}).code == 0);
}

TEST_CASE("a baseline keeps labels apart that its file names cannot hold") {
  const Workplace place;
  const std::string longest(400, 'x');
  place.write("c.json",
              R"({"name": "c", "problems": [{"scene": "odd_mass_stack", "parameters": {"spheres": 5, "heavy_index": 3}}],
    "solvers": [{"solver": "admm", "label": "A+"}, {"solver": "jacobi", "label": "A*"},
                {"solver": "gauss_seidel", "label": ")" +
                  longest + R"("}], "stop": {"max_iterations": 20}})");
  REQUIRE(run_program(place, {"run", place.text("c.json"), "--quiet", "--out", place.text("out")}).code == 0);
  REQUIRE(run_program(place, {"compare", place.text("out/c"), "--baseline", place.text("own"), "--update"}).code == 0);
  const Answer answer = run_program(place, {"compare", place.text("out/c"), "--baseline", place.text("own")});
  INFO(answer.out << answer.err);
  CHECK(answer.code == 0);
  CHECK(fs::exists(place / "own" / "c" / "A_.csv"));
  CHECK(fs::exists(place / "own" / "c" / "A_-2.csv"));
}

TEST_CASE("results of a changed config say so, and back up the earlier ones with a note") {
  const Workplace place;
  const std::string file = place.write("c.json", with_claim(R"("metric": "iterations", "of": "A", "less_than": 50)"));
  const auto run = [&](Arguments more) {
    more.insert(more.begin(), {"run", file, "--out", place.text("out")});
    return run_program(place, more);
  };
  const Answer plain = run({});
  REQUIRE(plain.code == 0);
  CHECK_THAT(plain.err + plain.out, !Catch::Contains("changed:") && !Catch::Contains("note:"));
  CHECK_FALSE(contains(run_program(place, {"claims", place.text("out/tiny")}).out, "changed"));
  fs::create_directory(place / "out/tiny/plots");
  place.write("out/tiny/plots/old.svg", "of 5 spheres");
  CHECK_FALSE(contains(run({"--set", "/stop/max_iterations=40"}).out, "changed:"));  // it is 40
  CHECK(fs::exists(place / "out/tiny/plots/old.svg"));

  const std::string change = "changed: /problems/0/parameters/spheres: 5 → 6";
  const Answer changed = run({"--set", "/problems/0/parameters/spheres=6"});
  CHECK_THAT(changed.err,
             Catch::Contains(change) && Catch::Contains("note: the earlier results of ") &&
                 Catch::Contains("(/problems/0/parameters/spheres: 5 → 6); their summary and figures are now in "));
  CHECK_FALSE(fs::exists(place / "out/tiny/plots"));
  CHECK_THAT(changed.out, Catch::Contains(change));
  const Answer judged = run_program(place, {"claims", place.text("out/tiny")});
  CHECK_THAT(judged.out,
             Catch::Contains(change) && Catch::Contains(", changed\n") && Catch::Contains("; 1 of changed configs"));
  CHECK_THAT(run_program(place, {"profile", place.text("out/tiny")}).err, Catch::Contains(change));

  REQUIRE(fs::exists(place / "out/tiny/earlier"));
  const fs::path earlier = fs::directory_iterator(place / "out/tiny/earlier")->path();
  CHECK(read_text(earlier / "plots/old.svg") == "of 5 spheres");
  const Answer before = run_program(place, {"claims", earlier.string()});
  INFO(before.out << before.err);
  CHECK(before.code == 0);
  CHECK_FALSE(contains(before.out, "changed"));

  // Once more there and back: newer figures of the same config take the place of older ones.
  REQUIRE(run({}).code == 0);
  fs::create_directory(place / "out/tiny/plots");
  place.write("out/tiny/plots/new.svg", "of 5 spheres, too");
  CHECK_THAT(run({"--set", "/problems/0/parameters/spheres=6"}).err, Catch::Contains("summary and figures are now in "));
  CHECK(read_text(earlier / "plots/new.svg") == "of 5 spheres, too");
  CHECK_FALSE(fs::exists(earlier / "plots/old.svg"));
}

TEST_CASE("a config that differs from its last commit says so") {
  const Workplace place;
  const std::string file = place.write("c.json", with_claim(R"("metric": "iterations", "of": "A", "less_than": 50)"));
  const std::string git = "cd '" + place.path().string() +
                          "' && git -c init.defaultBranch=main init -q . && git add c.json && " +
                          "git -c user.name=n -c user.email=e@e commit -qm x >/dev/null 2>&1";
  if (std::system(("(" + git + ") 2>/dev/null").c_str()) != 0) return skip("git is missing");
  const Arguments run = {"run", file, "--out", place.text("out"), "--only", "*/J"};
  CHECK_FALSE(contains(run_program(place, run).out, "changed:"));
  place.write("c.json", read_text(place / "c.json") + "\n");
  CHECK_THAT(run_program(place, run).out, Catch::Contains("c.json differs from its last commit"));
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
    return run_program(place, {"claims", file, "--out", place.text("out"), "--quiet"});
  };
  const Answer met = judge(R"("metric": "relative_residual", "of": "A*", "less_than": {"of": "J"})");
  INFO(met.out << met.err);
  CHECK(met.code == 0);
  CHECK(contains(met.out, "1 of 1 claim met\n  of papers: 1 met, 0 not met\n"));

  const Answer missed = judge(R"("metric": "relative_residual", "of": "A*", "greater_than": {"of": "J"})");
  CHECK(missed.code == 1);
  CHECK(contains(missed.out, "not met"));

  const Answer open = judge(R"("metric": "iterations_to", "at": 1e-12, "of": "J", "less_than": {"of": "J", "at": 1e-11})");
  CHECK(open.code == 1);
  CHECK(contains(open.out, "cannot be judged"));
  CHECK(contains(open.out, "neither"));

  CHECK(judge(R"("metric": "iterations", "of": "A", "over": "spread", "at_least": 1)").code == 0);
  CHECK(judge(R"("metric": "objective", "of": "*", "at_most": 0, "cells": {"/solvers/0/parameters/rho": 1})").code == 0);
  CHECK(judge(R"("metric": "back_solves_to", "at": 1e-2, "of": "A", "at_least": 1)").code == 0);
  CHECK(run_program(place, {"claims", place.text("out") + "/tiny"}).code == 0);
  CHECK_THAT(bad_input_line(run_program(place, {"claims", place.text("tiny.json"), "--both-sizes", "--size", "small"})),
             Catch::Contains("--both-sizes: judges both sizes"));
  bad_input_line(run_program(place, {"claims", place.text("none.json")}));
  bad_input_line(run_program(place, {"claims", place.path().string()}));
}

TEST_CASE("claims judges both sizes of a config, the small one into a folder of its own") {
  const Workplace place;
  std::string text = with_claim(R"("metric": "contacts", "of": "*", "at_most": 5)");
  text.insert(1, R"x("sizes": {"small": {"/problems/0/parameters/spheres": 4}}, )x");
  place.write("tiny.json", text);
  const Answer answer =
      run_program(place, {"claims", place.text("tiny.json"), "--both-sizes", "--out", place.text("out"), "--quiet"});
  INFO(answer.out << answer.err);
  CHECK(answer.code == 1);  // at the size of the config, not at the small one
  CHECK(contains(answer.out, "1 of 2 claims met"));
  CHECK(fs::exists(place / "out/tiny/manifest.json"));
  CHECK(fs::exists(place / "out/small/tiny/manifest.json"));
  CHECK(contains(answer.out, "of papers: 0 met, 1 not met\n"));  // once, by the verdict at the size of the config
  const auto judged = nlohmann::json::parse(run_program(place, {"claims", place.text("tiny.json"), "--both-sizes", "--out",
                                                                place.text("out"), "--quiet", "--format", "json"})
                                                .out)
                          .at(0);
  CHECK(judged["command"] == "ccpbench claims " + place.text("tiny.json") + " --both-sizes");
  CHECK(judged["cells_s"] > 0.0);
  CHECK(judged["claims"].at(0)["size"] == "paper");
  CHECK(judged["claims"].at(1)["size"] == "small");
}

TEST_CASE("profile writes curves that end at the fraction solved") {
  const Workplace place;
  REQUIRE(run_small(place, stack, "out").code == 0);
  const std::string results = place.text("out") + "/test1a";
  const Answer answer =
      run_program(place, {"profile", results, "--by", "iterations", "--at", "1e-5", "--out", place.text("p")});
  INFO(answer.err);
  REQUIRE(answer.code == 0);
  CHECK(contains(answer.out, "accuracy 1e-05, 1 problem, 9 solver settings"));
  CHECK(contains(run_program(place, {"profile", results, "--at", "1e-4"}).out, "accuracy 1e-04, "));
  CHECK(contains(run_program(place, {"profile", results, "--at", "1e-2"}).out, "accuracy 0.01, "));
  const Csv curves(place / "p" / "performance.csv");
  for (std::size_t i = 0; i < curves.rows(); ++i) {
    const std::string label = curves.text(i, "label");
    if (label == "Jacobi") CHECK(curves.number(i, "fraction") == 0.0);
    if (curves.number(i, "ratio") == 1.0 && label == "ADMM balanced") CHECK(curves.number(i, "fraction") <= 1.0);
    CHECK(curves.text(i, "low").empty());  // one problem tells nothing of others
  }
  const std::string first = read_text(place / "p" / "means.csv");
  run_program(place, {"profile", results, "--by", "iterations", "--at", "1e-5", "--out", place.text("p")});
  CHECK(read_text(place / "p" / "means.csv") == first);
  CHECK(Csv(place / "p" / "means.csv").text(0, "school") == "ours");

  CHECK(contains(bad_input_line(run_program(place, {"profile", results, "--at", "3e-3"})), "--at"));
  CHECK(contains(bad_input_line(run_program(place, {"profile", results, "--by", "times"})), "did you mean 'time'"));
  CHECK(contains(bad_input_line(run_program(place, {"profile", results, results})), "stands twice"));
  CHECK(contains(bad_input_line(run_program(place, {"profile", results, "--measure", "apgd_residual"})), "no column"));
}

TEST_CASE("compare refuses a broken baseline in one line") {
  const Workplace place;
  REQUIRE(run_small(place, stack, "out").code == 0);
  const std::string results = place.text("out") + "/test1a";
  const fs::path own = place / "own";
  const auto fresh_baseline = [&] {
    fs::remove_all(own);
    fs::copy(fs::path(baselines) / "test1a", own, fs::copy_options::recursive);
  };
  const auto refused = [&] { return bad_input_line(run_program(place, {"compare", results, "--baseline", own.string()})); };
  const std::string json = read_text(fs::path(baselines) / "test1a" / "baseline.json");
  const auto with = [&](const std::string& old_part, const std::string& new_part) {
    std::string text = json;
    text.replace(text.find(old_part), old_part.size(), new_part);
    return text;
  };
  for (const std::string& broken :
       {std::string(), std::string("[]"), std::string("{}"), json.substr(0, json.size() / 2),
        with("\"schema\": 1", "\"schema\": 7"), with("\"cells\": {", "\"cells\": [], \"other\": {"),
        with("\"config\": \"test1a\"", "\"config\": 1"), with("\"size\"", "\"sizes\""), with("\"status\"", "\"state\""),
        with("\"curve_decades\": 0.05", "\"curve_decades\": -1"), with("\"curve_decades\"", "\"curves\"")}) {
    fresh_baseline();
    place.write("own/baseline.json", broken);
    CHECK(contains(refused(), "baseline.json"));
  }
  const std::string curve = read_text(fs::path(baselines) / "test1a" / "Jacobi.csv");
  for (const std::string& broken : {std::string(), std::string("a,b\n1,2\n"), curve + "1,2\n"}) {
    fresh_baseline();
    place.write("own/Jacobi.csv", broken);
    CHECK(contains(refused(), "Jacobi.csv"));
  }
  fresh_baseline();
  fs::remove(own / "Jacobi.csv");
  CHECK(contains(refused(), "Jacobi.csv"));
}

TEST_CASE("a curve of a baseline that holds no number is a difference") {
  const Workplace place;
  REQUIRE(run_small(place, stack, "out").code == 0);
  fs::copy(fs::path(baselines) / "test1a", place / "own", fs::copy_options::recursive);
  std::string curve = read_text(place / "own" / "Jacobi.csv");
  const auto end = curve.find('\n', curve.find('\n') + 1);
  const auto last = curve.rfind(',', end);
  place.write("own/Jacobi.csv", curve.replace(last + 1, end - last - 1, "x"));
  const Answer answer = run_program(place, {"compare", place.text("out") + "/test1a", "--baseline", place.text("own")});
  CHECK(answer.code == 1);
  CHECK(contains(answer.out, "/Jacobi"));
}

TEST_CASE("profiles are of the problems that could be read and were given to all, and count the others") {
  const Workplace place;
  fs::create_directory(place / "dumps");
  place.write("dumps/broken.hdf5", "no dump");
  REQUIRE(run_program(place, {"generate", "odd_mass_stack", "--set", "spheres=3", "--set", "heavy_index=2", "--out",
                              place.text("dumps/whole.hdf5")})
              .code == 0);  // in both forms
  const std::string file = place.write("dumps.json", R"({"name": "dumps", "problems": [{"fclib": "./dumps/*.hdf5"}],
    "solvers": [{"solver": "admm", "label": "A"}, {"solver": "jacobi", "label": "J"}],
    "stop": {"tolerance": 1e-8, "max_iterations": 2000}})");
  const auto run = [&](const Arguments& more) {
    Arguments arguments = {"run", file, "--quiet", "--out", place.text("out")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(place, arguments);
  };
  CHECK(run({}).code == 3);
  const Answer answer = run_program(place, {"profile", place.text("out/dumps"), "--by", "iterations", "--at", "1e-2"});
  INFO(answer.out << answer.err);
  CHECK(answer.code == 0);
  CHECK_THAT(answer.out, Catch::Contains("2 problems (1 more could not be read), 2 solver settings by iterations"));
  CHECK_THAT(answer.out, Catch::Contains("2/2") && !Catch::Contains("/3"));
  const Answer page = run_program(place, {"report", place.text("out/dumps"), "--out", place.text("page.html")},
                                  {{"CCPBENCH_CHART_JS", place.write("chart.js", "/* none */")}});
  INFO(page.err);
  CHECK(page.code == 0);
  CHECK_THAT(read_text(place / "page.html"), Catch::Contains("2 problems, 1 more that could not be read"));

  // Where a solver was run on some problems only, all are compared on these.
  fs::remove(place / "dumps/broken.hdf5");
  REQUIRE(run_program(place, {"generate", "odd_mass_stack", "--set", "spheres=4", "--set", "heavy_index=2", "--out",
                              place.text("dumps/more.hdf5")})
              .code == 0);
  const std::string both = place.text("both");
  const auto profile = [&] {
    return run_program(place, {"profile", both + "/dumps", "--by", "iterations", "--at", "1e-2"});
  };
  REQUIRE(run_program(place, {"run", file, "--quiet", "--out", both, "--only", "*/A"}).code == 0);
  REQUIRE(run_program(place, {"run", file, "--quiet", "--out", both, "--only", "more*/J"}).code == 0);
  CHECK_THAT(profile().out, Catch::Contains("2 problems (2 more not given to all solver settings), 2 solver settings") &&
                                Catch::Contains("2/2") && !Catch::Contains("/4"));
}

TEST_CASE("the penalty of a profile is the same at every accuracy") {
  const Workplace place;
  const std::string file = place.write("two.json", R"({"name": "two",
    "problems": [{"scene": "odd_mass_stack", "parameters": {"spheres": 3, "heavy_index": 2}}],
    "solvers": [{"solver": "spg", "label": "S"}], "sweep": {"/problems/0/parameters/spheres": [2, 4, 8]},
    "stop": {"tolerance": 1e-12, "max_iterations": 1000}})");  // 1e-10 is solved twice, 1e-12 once
  REQUIRE(run_program(place, {"run", file, "--quiet", "--out", place.text("out")}).code == 0);
  Arguments arguments = {"profile", place.text("out/two"), "--by", "iterations", "--json"};
  for (int decade = 2; decade <= 12; ++decade) arguments.insert(arguments.end(), {"--at", "1e-" + std::to_string(decade)});
  for (const bool measured : {false, true}) {
    if (measured) arguments.insert(arguments.end(), {"--measure", "natural_map"});
    const auto rows = nlohmann::json::parse(run_program(place, arguments).out);
    double before = 0.0;
    for (const auto& row : rows) {
      INFO(row);
      if (row.at("mean").is_null()) continue;
      CHECK(row.at("mean").get<double>() >= before);
      before = row.at("mean").get<double>();
    }
    CHECK(rows.front().at("solved") != rows.back().at("solved"));
  }
}

TEST_CASE("shards copied together are judged whole") {
  const Workplace place;
  const std::string file =
      place.write("tiny.json", with_claim(R"("metric": "iterations", "of": "*", "over": "spread", "at_least": 1)"));
  for (const std::string part : {"1", "2"})
    REQUIRE(run_program(place, {"run", file, "--quiet", "--out", place.text("p" + part), "--shard", part + "/2"}).code == 0);
  REQUIRE(run_program(place, {"run", file, "--quiet", "--out", place.text("whole")}).code == 0);
  fs::copy(place / "p2" / "tiny" / "cells", place / "p1" / "tiny" / "cells", fs::copy_options::recursive);
  const fs::path summary = place / "p1" / "tiny" / "summary.csv";
  const std::size_t whole = lines_of(read_text(place / "whole" / "tiny" / "summary.csv")).size();
  CHECK(lines_of(read_text(summary)).size() < whole);
  const Answer answer = run_program(place, {"profile", place.text("p1") + "/tiny", "--at", "1e-2"});
  CHECK(answer.code == 0);
  CHECK(answer.err.empty());
  CHECK(contains(answer.out, "3 solver settings"));
  CHECK(lines_of(read_text(summary)).size() == whole);

  fs::remove(summary);  // cells and manifest are enough
  CHECK(run_program(place, {"claims", place.text("p1") + "/tiny"}).code == 0);
  CHECK(lines_of(read_text(summary)).size() == whole);

  // a manifest of solvers of another version, which does not list the summary, does not touch the table
  const fs::path manifest = place / "p1" / "tiny" / "manifest.json";
  std::string text = read_text(manifest);
  const std::string key = "\"solver_version\": \"";
  text.insert(text.find(key) + key.size(), "0.");
  const std::string files = "\"files\": {";
  REQUIRE(contains(text, files));
  text.replace(text.find(files), files.size(), "\"others\": {");
  place.write("p1/tiny/manifest.json", text);
  const std::string first =
      read_text(summary).substr(0, read_text(summary).find('\n', read_text(summary).find('\n') + 1) + 1);
  place.write("p1/tiny/summary.csv", first);
  const Answer old = run_program(place, {"profile", place.text("p1") + "/tiny", "--at", "1e-2"});
  CHECK(old.code == 0);
  CHECK(contains(old.err, "left out: they are of another version of the solvers"));
  CHECK(read_text(summary) == first);
}

TEST_CASE("claims without an argument judges every config of the folder") {
  const Workplace place;
  CHECK(contains(bad_input_line(run_program(place, {"claims"})), "configs"));
  fs::create_directories(place / "configs");
  place.write("configs/a.json", with_claim(R"("metric": "iterations", "of": "J", "at_most": 40)"));
  std::string dumps = with_claim(R"("metric": "iterations", "of": "J", "at_most": 40)");
  const std::string scene = R"x({"scene": "odd_mass_stack", "parameters": {"spheres": 5, "heavy_index": 3}})x";
  dumps.replace(dumps.find(scene), scene.size(), R"({"fclib": "*.hdf5"})");
  dumps.replace(dumps.find("tiny"), 4, "dumps");
  place.write("configs/b.json", dumps);
  const Answer all = run_program(place, {"claims", "--out", place.text("out"), "--quiet"});
  INFO(all.out << all.err);
  CHECK(all.code == 1);  // what cannot be judged does not hold
  CHECK(contains(all.out, "1 of 2 claims met; 1 that must hold is not\n"));
  CHECK(contains(all.out, "needs FCLib files, see --fclib"));
  CHECK_FALSE(fs::exists(place / "out" / "dumps"));
  CHECK(contains(bad_input_line(run_program(place, {"claims", place.text("configs") + "/b.json"})), "--fclib"));

  fs::remove(place / "configs" / "b.json");
  const Answer some = run_program(place, {"claims", "--out", place.text("some"), "--quiet", "--only", "*/A*"});
  CHECK(some.code == 0);
  CHECK(contains(some.out, "no claim is about these results"));
  CHECK(Csv(place / "some" / "tiny" / "summary.csv").rows() == 2);
  CHECK(contains(bad_input_line(run_program(place, {"claims", "--only", "nothing"})), "matches none"));
}

TEST_CASE("profile over FCLib dumps, where they are") {
  const std::string dumps = fclib_dumps();
  if (dumps.empty()) return;
  const Workplace place;
  REQUIRE(run_small(place, config_file("fclib"), "out",
                    {"--fclib", dumps, "--only", "converted/[CF]*/ncp/NSGS*", "--set", "/stop/time_limit_s=0.2"})
              .code == 0);
  const Answer answer = run_program(
      place, {"profile", place.text("out") + "/fclib", "--by", "iterations", "--at", "1e-4", "--out", place.text("p")});
  INFO(answer.err);
  REQUIRE(answer.code == 0);
  const Csv curves(place / "p" / "performance.csv");
  bool solved = false;
  for (std::size_t i = 0; i < curves.rows(); ++i) {
    CHECK(curves.number(i, "low") <= curves.number(i, "fraction"));
    CHECK(curves.number(i, "high") >= curves.number(i, "fraction"));
    solved = solved || curves.number(i, "fraction") > 0.5;
  }
  CHECK(solved);
  CHECK(curves.number(0, "problems") >= 5.0);
}
