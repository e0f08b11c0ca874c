#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "support/temporary_folder.hpp"

/// The command report on real runs. Its page in a browser: tests/scripts/test_report.py.
using namespace ccp::testing;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

/// Six problems: enough for bands. One claim holds, one does not, one has nothing to be judged by.
std::string sweep_config() {
  return R"x({"name": "tiny", "title": "Six <small> stacks",
    "problems": [{"scene": "odd_mass_stack", "parameters": {"spheres": 3, "heavy_index": 2}}],
    "solvers": [{"solver": "admm", "label": "A"}, {"solver": "jacobi", "label": "J"}],
    "stop": {"tolerance": 1e-8, "max_iterations": 40}, "trace": ["relative_residual", "objective"],
    "sweep": {"/problems/0/parameters/spheres": [3, 4, 5, 6, 7, 8]},
    "claims": [
      {"id": "a", "must": true, "says": "A beats J", "where": "P, Fig. 1", "metric": "relative_residual", "of": "A",
       "less_than": {"of": "J"}},
      {"id": "b", "says": "J is done at once", "where": "P, Fig. 2", "metric": "iterations", "of": "J", "at_most": 1},
      {"id": "c", "says": "J gets far", "where": "P, Fig. 3", "metric": "iterations_to", "at": 1e-12, "of": "J",
       "less_than": {"of": "J", "at": 1e-11}}]})x";
}

std::string run_tiny(const Workplace& place) {
  const Answer run =
      run_program(place, {"run", place.write("tiny.json", sweep_config()), "--quiet", "--out", place.text("out")});
  INFO(run.err);
  REQUIRE(run.code == 0);
  return place.text("out") + "/tiny";
}

/// What the plots of the page are drawn from.
Json page_data(const std::string& page) {
  const std::string begin = R"(<script type="application/json" id="data">)";
  const auto from = page.find(begin);
  REQUIRE(from != std::string::npos);
  const auto to = page.find("</script>", from);
  return Json::parse(page.substr(from + begin.size(), to - from - begin.size()));
}

/// A program that stands for Chart.js, so that this test needs no packages.
Environment without_charts(const Workplace& place) { return {{"CCPBENCH_CHART_JS", place.write("chart.js", "/* none */")}}; }

}  // namespace

TEST_CASE("report puts a run, its claims and its profiles into one page") {
  const Workplace place;
  const std::string results = run_tiny(place);
  const Answer answer =
      run_program(place, {"report", results + "/", "--out", place.text("page.html")}, without_charts(place));
  INFO(answer.err);
  REQUIRE(answer.code == 0);
  CHECK(answer.err.empty());
  CHECK(contains(answer.out, "page.html"));
  const std::string page = read_text(place / "page.html");
  CHECK(contains(page, "Six &lt;small&gt; stacks"));
  CHECK(contains(page, "1 of 3 claims met."));
  for (const std::string words : {"A beats J", "not met", "cannot be judged", "Fig. 3", "odd_mass_stack (spheres=8)"})
    CHECK(contains(page, words));

  const Json data = page_data(page).at(0);
  CHECK(data.at("groups").size() == 6);
  REQUIRE_FALSE(data.at("profiles").empty());
  const Json& profile = data["profiles"][0];
  CHECK(profile.at("name") == "performance profile, ccp, solver time, accuracy 0.0001");
  CHECK(profile.at("problems") == 6);
  REQUIRE(profile.at("lines").size() == 2);
  for (const Json& line : profile["lines"])
    for (const Json& point : line.at("points")) {
      REQUIRE(point.size() == 4);  // with its band
      CHECK(point[2].get<double>() <= point[1].get<double>());
      CHECK(point[1].get<double>() <= point[3].get<double>());
    }
  CHECK(profile["lines"][0].at("points").back()[1].get<double>() == 1.0);                  // ADMM solves them all
  for (const Json& other : data["profiles"]) CHECK(other.at("at").get<double>() >= 1e-8);  // nobody gets to 1e-12
}

TEST_CASE("a solver of one model is no failure in the profiles of the other") {
  const Workplace place;
  const std::string config = place.write("both.json", R"({"name": "both", "model": ["ccp", "ncp"],
    "problems": [{"scene": "odd_mass_stack", "parameters": {"spheres": 3, "heavy_index": 2}}],
    "solvers": [{"solver": "admm", "label": "A"}, {"solver": "proximal_newton", "label": "P", "models": ["ncp"]}],
    "sweep": {"/problems/0/parameters/spheres": [3, 4]}})");
  REQUIRE(run_program(place, {"run", config, "--quiet", "--out", place.text("out")}).code == 0);
  const std::string results = place.text("out/both");
  REQUIRE(run_program(place, {"report", results, "--out", place.text("page.html")}, without_charts(place)).code == 0);
  const Json page = page_data(read_text(place / "page.html"));
  for (const Json& profile : page.at(0).at("profiles")) {
    CHECK(profile.at("problems") == 2);
    CHECK(profile.at("lines").size() == (profile.at("model") == "ncp" ? 2 : 1));
    for (const Json& line : profile["lines"]) CHECK(line.at("points").back()[1] == 1.0);
  }

  const auto solved = [&](const Arguments& more) {
    Arguments arguments = {"profile", results, "--at", "1e-4", "--by", "iterations", "--out", place.text("profiles")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    REQUIRE(run_program(place, arguments).code == 0);
    return read_text(place / "profiles" / "means.csv");
  };
  CHECK(contains(solved({}), ",P,iterations,10,2,2,"));  // the problems of the other model are left out
  CHECK(contains(solved({}), ",A,iterations,10,2,2,"));
  CHECK(contains(solved({"--model", "ncp"}), ",P,iterations,10,2,2,"));
  CHECK_FALSE(contains(solved({"--model", "ccp"}), ",P,"));
}

TEST_CASE("report shows what can be shown where claims cannot be judged") {
  const Workplace place;
  const std::string results = run_tiny(place);
  Json manifest = Json::parse(read_text(fs::path(results) / "manifest.json"));
  manifest["config"]["solvers"][0]["solver"] = "solver_of_another_version";
  place.write("out/tiny/manifest.json", manifest.dump());
  const Answer answer = run_program(place, {"report", results, "--out", place.text("page.html")}, without_charts(place));
  INFO(answer.err);
  REQUIRE(answer.code == 0);
  const std::string page = read_text(place / "page.html");
  CHECK(contains(page, "Not judged: "));
  CHECK(contains(page, "solver_of_another_version"));
  CHECK(page_data(page).at(0).at("profiles").empty());
}

TEST_CASE("report of a run that goes on shows what is there, and says so") {
  const Workplace place;
  const std::string results = run_tiny(place);
  const auto page = [&] {
    const Answer answer = run_program(place, {"report", results, "--out", place.text("page.html")}, without_charts(place));
    INFO(answer.err);
    REQUIRE(answer.code == 0);
    return read_text(place / "page.html");
  };
  const std::string whole = page();
  CHECK_FALSE(contains(whole, "A run is going on"));
  CHECK_FALSE(contains(whole, "has not come to its end"));

  // As with --fresh: the summary lists a cell that is being run again.
  Json manifest = Json::parse(read_text(fs::path(results) / "manifest.json"));
  manifest["end"] = nullptr;
  place.write("out/tiny/manifest.json", manifest.dump());
  fs::remove_all(fs::directory_iterator(fs::path(results) / "cells")->path());
  CHECK_THAT(page(), Catch::Contains("This run has not come to its end: 11 of 12 cells are there so far, 1 earlier ones are run again"));
  const int lock = ::open(place.write("out/tiny/.lock", "1 elsewhere 2026-01-31T12:00:00Z\n").c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(::flock(lock, LOCK_EX) == 0);
  const std::string running = "A run is going on (process 1 on elsewhere, since 2026-01-31T12:00:00Z): ";
  CHECK_THAT(page(), Catch::Contains(running + "11 of 12 cells are there so far") && Catch::Contains("odd_mass_stack (spheres=8)"));
  // Before its first cell has ended.
  fs::remove_all(fs::path(results) / "cells");
  fs::remove(fs::path(results) / "summary.csv");
  CHECK_THAT(page(), Catch::Contains(running + "0 of 12 cells are there so far"));
  ::close(lock);
}

TEST_CASE("report refuses bad input in one line and leaves an older page") {
  const Workplace place;
  const std::string page = place.write("page.html", "older");
  const auto refused = [&](Arguments arguments, Environment environment) {
    arguments.insert(arguments.begin(), "report");
    arguments.insert(arguments.end(), {"--out", page});
    return bad_input_line(run_program(place, arguments, environment));
  };
  const Environment charts = without_charts(place);
  CHECK(contains(refused({place.text("nowhere")}, charts), "nowhere"));
  CHECK(contains(refused({place.path().string()}, charts), "manifest.json"));
  fs::create_directory(place / "broken");
  place.write("broken/manifest.json", "{\"config\": {\"name\": ");
  CHECK(contains(refused({place.text("broken")}, charts), "manifest.json"));
  place.write("broken/manifest.json", "{\"config\": {\"name\": \"broken\"}}");
  CHECK(contains(refused({place.text("broken")}, charts), "summary.csv"));
  CHECK(contains(refused({place.text("broken")}, {{"CCPBENCH_SCRIPTS", place.text("nowhere")}}), "CCPBENCH_SCRIPTS"));
  CHECK(contains(refused({place.text("broken")}, {{"CCPBENCH_CHART_JS", place.text("nowhere.js")}}), "libjs-chart.js"));
  CHECK(contains(bad_input_line(run_program(place, {"report", "--out", page})), "RESULTS"));
  CHECK(read_text(page) == "older");

  const std::string results = run_tiny(place);
  const std::vector<std::string> before = place.listing();
  const Answer lost = run_program(place, {"report", results, "--out", place.text("no/such/page.html")}, charts);
  CHECK(contains(bad_input_line(lost), "page.html"));
  CHECK(place.listing() == before);
}
