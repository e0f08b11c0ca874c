#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "bench/analysis/claims.hpp"
#include "bench/fake_catalog.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp;
using ccp::testing::fake_catalog;
using ccp::testing::TemporaryFolder;
using ccp::testing::write_text;

namespace {

/// Solvers A, which is swept, and B.
std::string traced_config(const std::string& claim) {
  return R"({"name": "x", "problems": [{"scene": "pebbles", "label": "few"}],
    "solvers": [{"solver": "good", "label": "A"}, {"solver": "good", "label": "B"}],
    "sweep": {"/solvers/0/parameters/step": [0.1, 0.2, 0.4]},
    "claims": [{"id": "c", "must": true, "says": "s", "where": "P, sec. 1", )" +
         claim + "}]}";
}

/// Judges a claim on the trace of one cell, which came to no end.
Judgement judge_trace(const std::string& claim, const std::string& trace) {
  const TemporaryFolder folder;
  write_text(folder.path() / "manifest.json", R"({"config": )" + traced_config(claim) + "}");
  write_text(folder.path() / "summary.csv",
             "model,hash,problem,label,status,iterations\nccp,0,few,A (step=0.1),time_limit,2\nccp,1,few,B,solved,2\n");
  if (!trace.empty()) write_text(folder.path() / "cells/0/trace.csv", trace);
  return judge_claims(ResultTable(folder.path(), fake_catalog())).at(0);
}

/// A claim that `metric` is 0 at most: met by the rows `good`, not by `bad`, and open where the column is not there.
void check_bound_of_zero(const std::string& metric, const std::string& column, const std::string& good,
                         const std::string& bad, double measured) {
  const std::string claim = R"("metric": ")" + metric + R"(", "of": "A", "at_most": 0)";
  CHECK(judge_trace(claim, "iteration," + column + "\n" + good).verdict == Verdict::met);
  const Judgement missed = judge_trace(claim, "iteration," + column + "\n" + bad);
  CHECK(missed.verdict == Verdict::not_met);
  CHECK(missed.measured == measured);
  CHECK(judge_trace(claim, "iteration,elapsed_s\n" + good).verdict == Verdict::open);
}

void check_open_at_the_start(const std::string& metric, const std::string& column) {
  const std::string claim = R"("metric": ")" + metric + R"(", "of": "A", "at_most": 0)";
  CHECK(judge_trace(claim, "iteration," + column + "\n0,3\n").verdict == Verdict::open);
}

}  // namespace

TEST_CASE("Claims on outer iterations read the trace where it reached the decade") {
  const TemporaryFolder folder;
  const std::string claim = R"("metric": "outer_iterations_to", "at": 1e-4, "of": "A", "at_most": 2)";
  write_text(folder.path() / "manifest.json", R"({"config": )" + traced_config(claim) + "}");
  const auto judged = [&](const std::string& reached, const std::string& trace) {
    write_text(folder.path() / "summary.csv",
               "model,hash,problem,label,status,iterations,iterations_to_1e-4\nccp,0,few,A (step=0.1),time_limit,3," +
                   reached + "\nccp,1,few,B,solved,2,1\n");
    write_text(folder.path() / "cells/0/trace.csv", trace);
    return judge_claims(ResultTable(folder.path(), fake_catalog())).at(0);
  };
  const std::string loops = "iteration,al_iteration\n0,1\n1,1\n2,2\n3,3\n";
  CHECK(judged("2", loops).measured == 2.0);
  CHECK(judged("2", loops).verdict == Verdict::met);
  CHECK(judged("3", loops).verdict == Verdict::not_met);
  CHECK(std::isinf(judged("", loops).measured));
  CHECK(judged("2", "iteration,beta\n0,1\n1,1\n2,2\n").verdict == Verdict::open);
}

TEST_CASE("Claims on failures read the last row of the trace, whatever stopped the run") {
  check_bound_of_zero("failures", "failures", "0,0\n1,0\n", "0,0\n1,2\n", 2.0);
  // killed before its first iterate
  CHECK(judge_trace(R"("metric": "failures", "of": "A", "at_most": 0)", "").verdict == Verdict::open);
}

TEST_CASE("Claims on the largest primal residual look at all iterations but the start") {
  check_bound_of_zero("primal_residual_max", "primal_residual", "0,3\n1,0\n2,0\n", "0,3\n1,2\n2,0\n", 2.0);
  check_open_at_the_start("primal_residual_max", "primal_residual");
}

TEST_CASE("Claims on a residual that falls count the iterations in which it rises") {
  const std::string metric = "combined_residual_rises", column = "combined_residual";
  check_bound_of_zero(metric, column, "0,0\n1,3\n2,3\n3,1\n", "0,0\n1,3\n2,4\n3,1\n4,2\n", 2.0);
  check_open_at_the_start(metric, column);
}

TEST_CASE("Claims on the objective measure it from that of the reference, never from a method's own") {
  const auto judged = [](const std::string& last) {
    const TemporaryFolder folder;
    const std::string claim = R"("metric": "objective_gap", "of": "A", "at_most": 0.5)";
    write_text(folder.path() / "manifest.json", R"({"config": )" + traced_config(claim) + "}");
    write_text(folder.path() / "summary.csv",
               "model,hash,problem,label,solver,status,iterations,objective\nccp,0,few,A "
               "(step=0.1),apgd,solved,2,-3\nccp,1,few,B," +
                   last + ",solved,2,-4\n");
    return judge_claims(ResultTable(folder.path(), fake_catalog())).at(0);
  };
  CHECK(judged("reference").measured == 1.0);
  CHECK(judged("reference").verdict == Verdict::not_met);
  CHECK(judged("proximal_newton").verdict == Verdict::open);
}

TEST_CASE("Claims on false convergence look at the natural map of what counts as solved") {
  const auto judged = [](const std::string& a, const std::string& b) {
    const TemporaryFolder folder;
    const std::string claim = R"("metric": "solved_natural_map", "of": "*", "at_most": 1e-8)";
    write_text(folder.path() / "manifest.json", R"({"config": )" + traced_config(claim) + "}");
    write_text(
        folder.path() / "summary.csv",
        "model,hash,problem,label,status,iterations,natural_map\nccp,0,few,A (step=0.1)," + a + "\nccp,1,few,B," + b + "\n");
    return judge_claims(ResultTable(folder.path(), fake_catalog())).at(0).verdict;
  };
  CHECK(judged("solved,2,1e-9", "time_limit,2,0.5") == Verdict::met);
  CHECK(judged("solved,2,1e-9", "solved,2,0.5") == Verdict::not_met);
}
