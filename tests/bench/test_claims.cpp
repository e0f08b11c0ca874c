#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "bench/analysis/claims.hpp"
#include "bench/fake_catalog.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp;
using ccp::testing::fake_catalog;
using ccp::testing::TemporaryFolder;
using ccp::testing::write_text;

namespace {

/// Solvers A, which is swept, and B, two problems; `sweep` is a JSON object.
std::string config_text(const std::string& sweep, const std::string& claim) {
  return R"({"name": "x", "problems": [{"scene": "pebbles", "label": "few"}, {"scene": "pebbles", "label": "many"}],
    "solvers": [{"solver": "good", "label": "A"}, {"solver": "good", "label": "B"}], "sweep": )" +
         sweep + R"(, "claims": [{"id": "c", "must": true, "says": "s", "where": "P, sec. 1", )" + claim + "}]}";
}

/// Judges a claim on a table that stands here, line by line: problem,label,status,iterations,relative_residual,contacts,
/// iterations_to_1e-4.
Judgement judge(const std::string& sweep, const std::string& claim, const std::vector<std::string>& lines) {
  const TemporaryFolder folder;
  write_text(folder.path() / "manifest.json", R"({"config": )" + config_text(sweep, claim) + "}");
  std::string table = "model,hash,problem,label,status,iterations,relative_residual,contacts,iterations_to_1e-4\n";
  for (std::size_t i = 0; i < lines.size(); ++i) table += "ccp," + std::to_string(i) + "," + lines[i] + "\n";
  write_text(folder.path() / "summary.csv", table);
  return judge_claims(ResultTable(folder.path(), fake_catalog())).at(0);
}

const std::string steps = R"({"/solvers/0/parameters/step": [0.1, 0.2, 0.4]})";

/// A takes 40, 20 and 10 iterations with steps of 0.1, 0.2 and 0.4; B takes 8.
const std::vector<std::string> halving = {"few,A (step=0.1),solved,40,1e-8,10,4", "few,A (step=0.2),solved,20,1e-8,10,3",
                                          "few,A (step=0.4),solved,10,1e-8,10,2", "few,B,solved,8,1e-8,10,9"};

Judgement judge_halving(const std::string& claim) { return judge(steps, claim, halving); }

const std::string iterations = R"("metric": "iterations", "of": "A", )";

}  // namespace

TEST_CASE("Claims over several cells take the largest, the smallest, or their ratio") {
  const Judgement largest = judge_halving(iterations + R"("over": "largest", "at_least": 40)");
  CHECK(largest.verdict == Verdict::met);
  CHECK(largest.measured == 40.0);
  CHECK(largest.cells == 3);
  CHECK(judge_halving(iterations + R"("over": "largest", "greater_than": 40)").verdict == Verdict::not_met);
  CHECK(judge_halving(iterations + R"("over": "smallest", "at_most": 10)").verdict == Verdict::met);
  CHECK(judge_halving(iterations + R"("over": "smallest", "less_than": 10)").verdict == Verdict::not_met);
  CHECK(judge_halving(iterations + R"("over": "spread", "at_most": 4)").measured == 4.0);
  const Judgement each = judge_halving(iterations + R"("at_most": 30)");
  CHECK(each.verdict == Verdict::not_met);
  CHECK(each.measured == 40.0);  // the one that breaks it, not the first
  CHECK(each.cell == "few/ccp/A (step=0.1)");
  // A cell at zero is the farthest from the bound, not the nearest.
  auto with_zero = halving;
  with_zero[0] = "few,A (step=0.1),solved,0,1e-8,10,4";
  const Judgement nearest = judge(steps, iterations + R"("at_most": 30)", with_zero);
  CHECK(nearest.verdict == Verdict::met);
  CHECK(nearest.measured == 20.0);
  const Judgement low = judge(steps, iterations + R"("at_least": 5)", with_zero);
  CHECK(low.verdict == Verdict::not_met);
  CHECK(low.measured == 0.0);
}

TEST_CASE("A claim over an ensemble takes its median or a quartile, by interpolation") {
  CHECK(judge_halving(iterations + R"("over": "median", "at_most": 20)").measured == 20.0);
  CHECK(judge_halving(iterations + R"("over": "lower_quartile", "at_most": 15)").measured == 15.0);
  CHECK(judge_halving(iterations + R"("over": "upper_quartile", "at_most": 30)").measured == 30.0);
  CHECK(judge_halving(iterations + R"("over": "median", "less_than": 20)").verdict == Verdict::not_met);
  CHECK(judge_halving(iterations + R"("over": "mean", "at_most": 23)").measured == Approx(70.0 / 3.0));
  CHECK(judge_halving(iterations + R"("over": "geometric_mean", "at_most": 20.1)").measured == Approx(20.0));
  // The median of an even number is the mean of the middle two, on both sides of a comparison.
  const Judgement two = judge(steps, iterations + R"("over": "median", "at_least": 1)", {halving[0], halving[1]});
  CHECK(two.measured == 30.0);
  const std::string all = R"("metric": "iterations", "of": "*", "over": "median", )";
  CHECK(judge_halving(all + R"("less_than": { "of": "A" })").verdict == Verdict::met);  // 15 and 20
  CHECK(judge_halving(all + R"("less_than": { "of": "A" })").bound == 20.0);
  // One that never arrives counts as infinite, without spoiling those below it.
  const std::vector<std::string> never = {"few,A (step=0.1),solved,40,1e-8,10,4", "few,A (step=0.2),solved,20,1e-8,10,3",
                                          "few,A (step=0.4),iteration_limit,99,1e-3,10,"};
  const std::string to = R"("metric": "iterations_to", "at": 1e-4, "of": "A", )";
  CHECK(judge(steps, to + R"("over": "lower_quartile", "at_most": 9)", never).measured == 3.5);
  CHECK(judge(steps, to + R"("over": "median", "at_most": 9)", never).measured == 4.0);
  CHECK(judge(steps, to + R"("over": "upper_quartile", "at_most": 9)", never).verdict == Verdict::not_met);
  const Judgement single = judge(steps, iterations + R"("over": "median", "at_most": 99)", {halving[0]});
  CHECK(single.verdict == Verdict::open);
  CHECK(single.reason == "a median or quartile needs two cells");
}

TEST_CASE("A slope is fitted on log axes against a swept value or the size") {
  const std::string against = iterations + R"("over": "slope", "against": "/solvers/0/parameters/step", )";
  CHECK(judge_halving(against + R"("at_most": -0.99)").measured == Approx(-1.0));
  CHECK(judge_halving(against + R"("at_least": -0.99)").verdict == Verdict::not_met);

  // not on one line: the least-squares slope through (1, 0), (2, 3), (3, 3) is 1.5
  const std::vector<std::string> cells = {"few,A (step=0.1),solved,1,1e-8,10,4", "few,A (step=0.2),solved,1000,1e-8,100,3",
                                          "few,A (step=0.4),solved,1000,1e-8,1000,2"};
  const std::string contacts = iterations + R"("over": "slope", "against": "contacts", "at_most": 1.6)";
  CHECK(judge(steps, contacts, cells).measured == Approx(1.5));
  CHECK(judge(steps, contacts, cells).verdict == Verdict::met);
  CHECK(judge(steps, contacts, {cells[0]}).verdict == Verdict::open);
  CHECK(judge_halving(contacts).verdict == Verdict::open);  // all of one size
  const Judgement zero = judge(steps, contacts, {"few,A (step=0.1),solved,0,1e-8,10,4", cells[1]});
  CHECK(zero.verdict == Verdict::open);
  CHECK_THAT(zero.reason, Catch::Contains("log axes"));
}

TEST_CASE("A line through the values themselves has a slope and an R²") {
  const std::string against = R"("against": "/solvers/0/parameters/step", )";
  // (0.1, 8), (0.2, 10), (0.4, 14) lie on 6 + 20x; with 16 in the place of 10 they do not.
  const std::string values = R"({"/solvers/0/parameters/step": [0.1, 0.2, 0.4]})";
  const auto three = [](int middle) {
    return std::vector<std::string>{"few,A (step=0.1),solved,8,1e-8,10,4",
                                    "few,A (step=0.2),solved," + std::to_string(middle) + ",1e-8,10,3",
                                    "few,A (step=0.4),solved,14,1e-8,10,2"};
  };
  const std::string slope = iterations + R"("over": "affine_slope", )" + against + R"("at_least": 19)";
  const std::string fit = iterations + R"("over": "r_squared", )" + against + R"("at_least": 0.98)";
  CHECK(judge(values, slope, three(10)).measured == Approx(20.0));
  CHECK(judge(values, fit, three(10)).measured == Approx(1.0));
  CHECK(judge(values, fit, three(10)).verdict == Verdict::met);
  // Least squares of 10x − 7/3 = −4/3, −1/3, 5/3 and y − 38/3 = −14/3, 10/3, 4/3: Sxy = 22/3, Sxx = 14/3, Syy = 104/3.
  CHECK(judge(values, slope, three(16)).measured == Approx(110.0 / 7.0));
  CHECK(judge(values, fit, three(16)).measured == Approx(22.0 / 3.0 * 22.0 / 3.0 / (14.0 / 3.0 * 104.0 / 3.0)));
  CHECK(judge(values, fit, three(16)).verdict == Verdict::not_met);
  const Judgement level = judge(values, fit, {three(10)[0], "few,A (step=0.2),solved,8,1e-8,10,3"});
  CHECK(level.verdict == Verdict::open);
  CHECK(level.reason == "all values are the same, which has no R²");
}

TEST_CASE("An exponent has a confidence interval") {
  const std::string against = R"("against": "/solvers/0/parameters/step", )";
  const std::string values = R"({"/solvers/0/parameters/step": [0.1, 0.2, 0.4]})";
  // On log₂ axes 0, 2, 1 at 0, 1, 2: slope ½, misses −½, 1, −½, standard error √(3/2 / 2); t = 12.7062.
  const std::vector<std::string> rows = {"few,A (step=0.1),solved,10,1e-8,10,4", "few,A (step=0.2),solved,40,1e-8,10,3",
                                         "few,A (step=0.4),solved,20,1e-8,10,2"};
  const auto bound = [&](const std::string& over, const std::vector<std::string>& cells) {
    return judge(values, iterations + "\"over\": \"" + over + "\", " + against + R"("at_most": 3)", cells);
  };
  const double margin = 12.7062 * std::sqrt(0.75);
  CHECK(bound("slope", rows).measured == Approx(0.5));
  CHECK(bound("slope_upper", rows).measured == Approx(0.5 + margin));
  CHECK(bound("slope_upper", rows).verdict == Verdict::not_met);
  CHECK(bound("slope_lower", rows).measured == Approx(0.5 - margin));
  CHECK(bound("slope_lower", rows).verdict == Verdict::met);
  const Judgement two = bound("slope_upper", {rows[0], rows[1]});
  CHECK(two.verdict == Verdict::open);
  CHECK(two.reason == "a confidence interval needs three cells");
}

TEST_CASE("A cell that does not converge counts as never in a spread and in a line") {
  const std::string against = R"("against": "/solvers/0/parameters/step", )";
  // As many iterations as a line asks for, but stalled.
  const std::vector<std::string> stalled = {halving[0], halving[1], "few,A (step=0.4),stalled,10,1e-3,10,2"};
  for (const std::string& over :
       {R"("over": "slope", )" + against, R"("over": "affine_slope", )" + against, R"("over": "r_squared", )" + against})
    for (const std::string bound : {R"("at_least": -1e9)", R"("at_most": 1e9)"}) {
      CAPTURE(over, bound);
      CHECK(judge_halving(iterations + over + bound).verdict == Verdict::met);
      const Judgement line = judge(steps, iterations + over + bound, stalled);
      CHECK(line.verdict == Verdict::not_met);
      CHECK(claim_number(line.measured) == "never");
      CHECK(line.reason == "one cell did not converge, which counts as never: few/ccp/A (step=0.4) (stalled)");
    }
  const Judgement spread = judge(steps, iterations + R"("over": "spread", "at_most": 4)", stalled);
  CHECK(spread.verdict == Verdict::not_met);
  CHECK_THAT(spread.reason, Catch::Contains("few/ccp/A (step=0.4) (stalled)"));
  // From below a spread that has no end is one, and the words stand beside it.
  const Judgement wide = judge(steps, iterations + R"("over": "spread", "at_least": 4)", stalled);
  CHECK(wide.verdict == Verdict::met);
  CHECK_THAT(wide.reason, Catch::Contains("never"));
  // The method's own criterion, where the run stops on it, is an end as well; what is no cost of getting there counts as it
  // is.
  const std::vector<std::string> own = {halving[0], halving[1], "few,A (step=0.4),false_converged,10,1e-3,10,2"};
  CHECK(judge(steps, iterations + R"("over": "spread", "at_most": 4)", own).verdict == Verdict::met);
  const std::string size = R"("metric": "contacts", "of": "A", "over": "spread", "at_most": 1)";
  CHECK(judge(steps, size, stalled).verdict == Verdict::met);
  CHECK(judge(steps, iterations + R"("over": "largest", "at_most": 40)", stalled).verdict == Verdict::met);
}

TEST_CASE("Cells keeps one swept value, or several") {
  const auto kept = [](const std::string& values) {
    return judge_halving(iterations + R"("over": "largest", "at_least": 1, "cells": {"/solvers/0/parameters/step": )" +
                         values + "}");
  };
  CHECK(kept("0.2").measured == 20.0);
  CHECK(kept("2e-1").measured == 20.0);
  CHECK(kept("[0.4, 0.2]").measured == 20.0);
  CHECK(kept("[0.4, 0.2]").cells == 2);
  CHECK(kept("[0.4, 0.1]").measured == 40.0);
}

TEST_CASE("A comparison may take other cells of the sweep, alike in all that it does not name") {
  const std::string step = R"("cells": {"/solvers/0/parameters/step": )";
  const std::string claim = iterations + step + R"(0.4}, "at_most": {"times": 0.3, )" + step + "0.1}}";
  CHECK(judge_halving(claim).verdict == Verdict::met);
  CHECK(judge_halving(claim).bound == 12.0);
  CHECK(judge_halving(claim).cells == 1);
  const std::string largest = iterations + step + R"(0.4}, "over": "largest", "at_most": {)" + step + "[0.1, 0.2]}}";
  CHECK(judge_halving(largest).bound == 40.0);
  const Judgement without = judge(steps, claim, {halving[1], halving[2]});
  CHECK(without.verdict == Verdict::open);
  CHECK(without.reason == "no cell to compare with has the value 0.1 of /solvers/0/parameters/step");

  // Each of two tolerances is compared with its own: 10 with 20 and 50 with 60, not 50 with 20.
  const std::string sweep = R"({"/solvers/0/parameters/step": [0.1, 0.4], "/stop/tolerance": [1e-3, 1e-6]})";
  const std::vector<std::string> cells = {
      "few,A (step=0.1) (tolerance=0.001),solved,20,1e-8,10,4", "few,A (step=0.1) (tolerance=1e-06),solved,60,1e-8,10,4",
      "few,A (step=0.4) (tolerance=0.001),solved,10,1e-8,10,4", "few,A (step=0.4) (tolerance=1e-06),solved,50,1e-8,10,4"};
  const std::string alike = iterations + step + R"(0.4}, "at_most": {)" + step + "0.1}}";
  const Judgement pairs = judge(sweep, alike, cells);
  CHECK(pairs.verdict == Verdict::met);
  CHECK(pairs.measured == 50.0);
  CHECK(pairs.bound == 60.0);
  CHECK(judge(sweep, alike, {cells[0], cells[2], cells[3]}).reason ==
        "few/ccp/A (step=0.4) (tolerance=1e-06) has nothing to be compared with");
}

TEST_CASE("A comparison may take cells of another problem that the sweep makes") {
  const std::string sweep = R"({"/problems/0/parameters/count": [2, 4]})";
  const std::vector<std::string> cells = {"few (count=2),A,solved,40,1e-8,10,4", "few (count=4),A,solved,30,1e-8,10,4",
                                          "many,A,solved,5,1e-8,10,4"};
  const std::string count = R"("cells": {"/problems/0/parameters/count": )";
  const std::string claim = iterations + R"("problem": "few", )" + count + R"(4}, "less_than": {)" + count + "2}}";
  const Judgement fewer = judge(sweep, claim, cells);
  CHECK(fewer.bound == 40.0);
  CHECK(fewer.verdict == Verdict::met);
}

TEST_CASE("A claim about cells that are not there cannot be judged") {
  const std::string spread = iterations + R"("over": "spread", "at_most": 4)";
  const std::string two = spread + R"(, "cells": {"/solvers/0/parameters/step": [0.1, 0.4]})";
  CHECK(judge_halving(two).verdict == Verdict::met);
  const Judgement without = judge(steps, two, {halving[1], halving[2]});
  CHECK(without.verdict == Verdict::open);
  CHECK(without.reason == "no cell has the value 0.1 of /solvers/0/parameters/step");
  const Judgement single = judge(steps, spread, {halving[0]});
  CHECK(single.verdict == Verdict::open);
  CHECK(single.reason == "a spread needs two cells");
}

TEST_CASE("A claim about cells that come nowhere cannot be judged") {
  const std::string accuracy = R"("metric": "iterations_to", "at": 1e-4, "of": "A", "over": "spread", "at_most": 4)";
  const std::vector<std::string> lost = {"few,A (step=0.1),iteration_limit,40,1e-2,10,",
                                         "few,A (step=0.2),iteration_limit,20,1e-2,10,"};
  const Judgement nowhere = judge(steps, accuracy, lost);
  CHECK(nowhere.verdict == Verdict::open);
  CHECK(nowhere.reason == "no cell comes to the accuracy");
  CHECK(judge(steps, accuracy, {lost[0], halving[1]}).verdict == Verdict::not_met);  // one does
  const std::string map = R"("metric": "solved_natural_map", "of": "A", "over": "largest", "at_most": 1)";
  const Judgement unsolved = judge(steps, map, lost);
  CHECK(unsolved.verdict == Verdict::open);
  CHECK(unsolved.reason == "no cell of this claim is solved");
}

TEST_CASE("A mean ratio compares with the best of several, problem by problem") {
  const std::vector<std::string> cells = {"few,A (step=0.1),solved,20,1e-8,10,4", "few,B,solved,40,1e-8,10,4",
                                          "many,A (step=0.1),solved,10,1e-8,10,4", "many,B,solved,80,1e-8,10,4",
                                          "more,A (step=0.1),solved,10,1e-8,10,4"};
  const std::string one = R"({"/solvers/0/parameters/step": [0.1, 0.2]})";
  const std::string claim = iterations + R"("over": "mean_ratio", )";
  const Judgement mean = judge(one, claim + R"("at_most": {"of": "B", "times": 0.25})", cells);
  CHECK(mean.measured == Approx(0.25));  // of 1/2 and 1/8; nothing stands beside the third
  CHECK(mean.bound == 0.25);
  CHECK(mean.cells == 2);
  CHECK(judge(one, claim + R"("at_most": {"of": "B", "times": 0.24})", cells).verdict == Verdict::not_met);
  CHECK(judge(one, claim + R"("at_most": {"of": "*", "times": 0.3})", cells).verdict == Verdict::not_met);  // itself
  CHECK(judge(one, claim + R"("at_most": {"of": "B"})", {cells[0], cells[1]}).verdict == Verdict::open);
}

TEST_CASE("A claim of one size is judged at no other") {
  const auto judged = [](const std::string& size, const std::string& applied) {
    const TemporaryFolder folder;
    const std::string claim = R"("metric": "iterations", "of": "A", "at_most": 40, "size": ")" + size + "\"";
    write_text(folder.path() / "manifest.json",
               R"({"config": )" + config_text(steps, claim) + R"(, "options": {"size": ")" + applied + R"("}})");
    write_text(folder.path() / "summary.csv",
               "model,hash,problem,label,status,iterations\nccp,0,few,A (step=0.1),solved,40\n");
    return judge_claims(ResultTable(folder.path(), fake_catalog())).size();
  };
  CHECK(judged("small", "small") == 1);
  CHECK(judged("small", "paper") == 0);
  CHECK(judged("small", "") == 0);
  CHECK(judged("paper", "small") == 0);
  CHECK(judged("paper", "paper") == 1);
  CHECK(judged("paper", "") == 1);
}

TEST_CASE("Zipped values are kept together and compared pair by pair") {
  const std::string zip = R"({"zip": {"/solvers/0/parameters/step": [0.1, 0.2], "/stop/tolerance": [1e-3, 1e-6]}})";
  const std::vector<std::string> cells = {
      "few,A (step=0.1) (tolerance=0.001),solved,10,1e-8,10,4", "few,A (step=0.2) (tolerance=1e-06),solved,90,1e-8,10,3",
      "few,B (tolerance=0.001),solved,20,1e-8,10,2", "few,B (tolerance=1e-06),solved,100,1e-8,10,9"};
  // were they compared crosswise, 90 would not be below 20
  CHECK(judge(zip, iterations + R"("less_than": {"of": "B"})", cells).verdict == Verdict::met);
  const std::string both = R"("cells": {"/solvers/0/parameters/step": 0.2, "/stop/tolerance": 1e-6}, "at_least": 90)";
  CHECK(judge(zip, iterations + both, cells).cells == 1);
  CHECK(judge(zip, iterations + both, cells).verdict == Verdict::met);
  const std::string crossed = R"("cells": {"/solvers/0/parameters/step": 0.1, "/stop/tolerance": 1e-6}, "at_least": 1)";
  CHECK(judge(zip, iterations + crossed, cells).verdict == Verdict::open);
}

TEST_CASE("A comparison takes its factor and its problem") {
  CHECK(judge_halving(iterations + R"("at_most": {"of": "B", "times": 5})").verdict == Verdict::met);
  CHECK(judge_halving(iterations + R"("at_most": {"of": "B", "times": 4.9})").verdict == Verdict::not_met);
  CHECK(judge_halving(iterations + R"("at_most": {"of": "B", "times": 5})").bound == 40.0);
  CHECK(judge_halving(R"("metric": "iterations_to", "at": 1e-4, "of": "A", "less_than": {"of": "B"})").bound == 9.0);
  CHECK(
      judge_halving(R"("metric": "iterations_to", "at": 1e-4, "of": "A", "less_than": {"of": "B", "metric": "iterations"})")
          .bound == 8.0);

  const std::vector<std::string> two = {"few,A (step=0.1),solved,40,1e-8,10,4", "many,A (step=0.1),solved,70,1e-8,10,4",
                                        "few,B,solved,50,1e-8,10,9", "many,B,solved,60,1e-8,10,9"};
  const Judgement same = judge(steps, iterations + R"("less_than": {"of": "B"})", two);
  CHECK(same.verdict == Verdict::not_met);  // on each its own
  CHECK(same.cell == "many/ccp/A (step=0.1)");
  CHECK(judge(steps, iterations + R"("problem": "few", "less_than": {"of": "B"})", two).verdict == Verdict::met);
  CHECK(judge(steps, iterations + R"("problem": "few", "less_than": {"problem": "many"})", two).bound == 70.0);
  CHECK(judge(steps, iterations + R"("problem": "few", "less_than": {"of": "B", "problem": "many"})", two).bound == 60.0);
}

TEST_CASE("Failed cells leave a claim open, diverged ones break it, unsupported ones are none") {
  const auto judge_with = [](const std::string& line, const std::string& claim) {
    auto cells = halving;
    cells.push_back(line);
    return judge(steps, claim, cells);
  };
  const std::string residual = R"("metric": "relative_residual", "of": "A", )";
  const Judgement failed = judge_with("many,A (step=0.1),crashed,3,,10,", residual + R"("at_most": 1e-6)");
  CHECK(failed.verdict == Verdict::open);
  CHECK_THAT(failed.reason, Catch::Contains("many/ccp/A (step=0.1)") && Catch::Contains("crashed"));

  const Judgement diverged = judge_with("many,A (step=0.1),diverged,3,,10,", residual + R"("at_most": 1e-6)");
  CHECK(diverged.verdict == Verdict::not_met);
  CHECK(std::isinf(diverged.measured));
  CHECK(judge_with("many,A (step=0.1),diverged,3,,10,", residual + R"("over": "largest", "greater_than": 1)").verdict ==
        Verdict::met);

  const Judgement unsupported = judge_with("many,A (step=0.1),unsupported,0,,10,", residual + R"("at_most": 1e-6)");
  CHECK(unsupported.verdict == Verdict::met);
  CHECK(unsupported.cells == 3);

  // an accuracy that is never reached is infinite, and two of them cannot be compared
  const std::string decade = R"("metric": "iterations_to", "at": 1e-4, "of": "A", "problem": "many", )";
  CHECK(judge_with("many,A (step=0.1),iteration_limit,9,1,10,", decade + R"("at_most": 100)").verdict == Verdict::not_met);
  CHECK(judge_with("many,A (step=0.1),iteration_limit,9,1,10,", decade + R"("at_least": {"of": "B", "problem": "few"})")
            .verdict == Verdict::met);
  CHECK(judge_with("many,A (step=0.1),iteration_limit,9,1,10,", decade + R"("at_least": {"of": "B"})").verdict ==
        Verdict::open);
}

TEST_CASE("A claim on the method's own stop says how many steps it leaves out") {
  const TemporaryFolder folder;
  const auto judged = [&](const std::string& metric, const std::string& unmet) {
    write_text(folder.path() / "manifest.json", R"({"config": {"name": "x", "problems": [{"scene": "pebbles"}],
      "solvers": [{"solver": "good", "label": "A"}], "stop": {"native": true},
      "claims": [{"id": "c", "says": "s", "metric": ")" +
                                                    metric + R"(", "of": "A", "at_most": 50}]}})");
    write_text(folder.path() / "summary.csv",
               "model,hash,problem,label,status,native_unmet_steps,native_iterations_max\n"
               "ccp,0,pebbles,A,false_converged," +
                   unmet + ",30\n");
    const ResultTable results(folder.path(), fake_catalog());
    return verdict_of(judge_claims(results).at(0), results.config());
  };
  CHECK(judged("native_iterations_max", "0") == "met");
  CHECK(judged("native_iterations_max", "1") == "met, without 1 step");
  CHECK(judged("native_iterations_max", "3") == "met, without 3 steps");
  CHECK(judged("native_unmet_steps", "3") == "met");
  CHECK(judged("native_unmet_steps", "51") == "not met");
}

TEST_CASE("A claim on the method's own stop is refused where the method does not stop there") {
  const auto read = [](const std::string& stop, const std::string& claim) {
    return parse_config(R"({"name": "x", "problems": [{"scene": "pebbles"}], "solvers": [{"solver": "good", "label": "A"},
      {"solver": "good", "label": "B", "native_stop": false}], )" +
                            stop + R"("claims": [{"id": "c", "says": "s", )" + claim + "}]}",
                        "c.json", fake_catalog());
  };
  const std::string native = R"("stop": {"native": true}, )", metric = R"("metric": "native_iterations_max", )";
  CHECK_NOTHROW(read(native, metric + R"("of": "A", "at_most": 1)"));
  const auto refused =
      Catch::Contains("'native_iterations_max' is of methods that stop on their own criterion, and 'B' does not");
  CHECK_THROWS_WITH(read(native, metric + R"("of": "B", "at_most": 1)"), refused);
  CHECK_THROWS_WITH(read(native, metric + R"("of": "*", "at_most": 1)"), refused);
  CHECK_THROWS_WITH(read(native, metric + R"("of": "A", "at_most": {"of": "B"})"), refused);
  CHECK_THROWS_WITH(read("", metric + R"("of": "A", "at_most": 1)"), Catch::Contains("\"native_stop\": true"));
}
