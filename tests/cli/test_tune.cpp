#include <signal.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "cli/program.hpp"
#include "cli/results.hpp"
#include "io/file.hpp"

/// tune: a search that counts decide.
using namespace ccp::testing;

namespace {

std::string stacks(const Workplace& place) {
  return place.write("stacks.json", R"({ "name": "stacks", "model": "ccp",
    "problems": [ { "scene": "odd_mass_stack", "parameters": { "heavy_index": 1 } } ],
    "sweep": { "/problems/0/parameters/spheres": [ 3, 4, 5, 6, 7, 8 ] },
    "solvers": [ { "solver": "admm", "label": "A", "parameters": { "step_policy": "fixed", "rho": 300 } },
                 { "solver": "admm", "label": "B" } ],
    "stop": { "tolerance": 1e-6, "max_iterations": 300 } })");
}

Arguments tune(const std::string& config, const std::string& out, Arguments more = {},
               const std::string& parameters = "rho") {
  Arguments arguments = {"tune",         config, "--solver", "A", "--parameters", parameters,
                         "--candidates", "6",    "--out",    out, "--quiet"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::string text_of(const Workplace& place, const std::string& file) { return ccp::read_file(place / file).value_or(""); }

}  // namespace

TEST_CASE("tune finds cheaper settings, judges them on problems held out, and writes a config of them") {
  const Workplace place;
  const std::string config = stacks(place);
  const Answer answer = run_program(place, tune(config, "out", {"--no-figure", "--json", "--beside", "B"}));
  INFO(answer.err << answer.out);
  REQUIRE(answer.code == 0);
  const auto told = nlohmann::json::parse(answer.out);
  CHECK((told.at("by") == "flops" && told.at("rounds") == 2 && told.at("settings_tried") == 6));
  CHECK((told.at("training").size() == 4 && told.at("held_out").size() == 2));
  std::set<std::string> problems;
  for (const char* part : {"training", "held_out"})
    for (const auto& name : told.at(part)) problems.insert(name.get<std::string>());
  CHECK(problems.size() == 6);
  const auto& solvers = told.at("solvers");
  REQUIRE(solvers.size() == 3);
  CHECK((solvers[0].at("solver") == "default" && solvers[1].at("solver") == "tuned" && solvers[2].at("solver") == "B"));
  CHECK(solvers[0].at("settings") == "rho=300, step_policy=fixed");
  CHECK(solvers[1].at("training_cost").get<double>() < 0.5 * solvers[0].at("training_cost").get<double>());
  CHECK(solvers[1].at("held_out_ratio").get<double>() < 1.0);
  CHECK(solvers[1].at("held_out_solved") == 2);
  CHECK_THAT(told.at("verdict").get<std::string>(),
             Catch::Contains("better than the default") && Catch::Contains("too few to say: 2, expected 5 at least"));
  // Only the settings that were searched differ, and the last round saw all problems of training, none of the others.
  const auto written = nlohmann::json::parse(text_of(place, "out/stacks-tuned/tuned.json"));
  CHECK(written.at("solvers")[1].at("parameters") ==
        nlohmann::json({{"step_policy", "fixed"}, {"rho", told.at("tuned").at("rho")}}));
  std::set<std::string> seen;
  for (const auto& [id, cell] : read_results(place / "out/stacks-tuned/batch-1")) seen.insert(id.substr(0, id.find('/')));
  CHECK(seen == std::set<std::string>(told.at("training").begin(), told.at("training").end()));
  CHECK(run_program(place, {"run", "out/stacks-tuned/tuned.json", "--quiet", "--only", "*spheres=3*"}).code == 0);
}

TEST_CASE("the seed decides what tune does, however often it is asked, interrupted and asked again") {
  const Workplace place;
  const std::string config = stacks(place);
  const Arguments first =
      tune(config, "one", {"--no-figure", "--range", "step_policy=fixed|balanced", "--format", "csv"}, "rho,step_policy");
  Arguments second = first;
  *std::find(second.begin(), second.end(), "one") = "two";
  const Answer whole = run_program(place, first);
  INFO(whole.err << whole.out);
  REQUIRE(whole.code == 0);
  CHECK_FALSE(contains(whole.out, "spectral"));
  {
    Program program(place, second);
    wait_until(
        [&] { return std::filesystem::exists(place / "two/stacks-tuned/batch-1/manifest.json") || !program.running(); });
    program.send(SIGINT);
    const Answer stopped = program.wait();
    INFO("exit code " << stopped.code << ", " << stopped.err);
    CHECK((stopped.code == 130 || stopped.code == 0));  // 0: it was faster
  }
  CHECK(run_program(place, second).out == whole.out);
  CHECK(text_of(place, "two/stacks-tuned/tuned.json") == text_of(place, "one/stacks-tuned/tuned.json"));
  CHECK(run_program(place, first).out == whole.out);  // from what is there
  Arguments other = first;
  other.insert(other.end(), {"--seed", "2", "--name", "other"});
  CHECK(run_program(place, other).out != whole.out);
}

TEST_CASE("tune leaves out problems that are solved at the start, before it searches") {
  const Workplace place;
  const std::string config = stacks(place);
  const std::string idle =
      R"(/problems=[{ "scene": "odd_mass_stack", "parameters": { "heavy_index": 1 } }, { "scene": "drum" }])";
  const Answer answer = run_program(place, tune(config, "out", {"--no-figure", "--json", "--set", idle}));
  INFO(answer.err << answer.out);
  REQUIRE(answer.code == 0);
  CHECK_THAT(answer.err, Catch::Contains("solved at the start") && Catch::Contains("left out: drum"));
  const auto told = nlohmann::json::parse(answer.out);
  CHECK(told.at("training").size() + told.at("held_out").size() == 6);
  const Answer text = run_program(place, tune(config, "out", {"--no-figure", "--set", idle}));
  CHECK_THAT(text.out, Catch::Contains("4 of 4") && Catch::Contains("2 of 2"));
  const Answer none = run_program(
      place,
      tune(config, "none", {"--no-figure", "--set", idle, "--set", R"(/sweep={"/problems/0/parameters/spheres": [3]})"}));
  CHECK(none.code == 2);
  CHECK_THAT(none.err, Catch::Contains("1 problem not solved at the start, expected two at least"));
}

TEST_CASE("tune says what is wrong with its arguments") {
  const Workplace place;
  const std::string config = stacks(place);
  const auto line = [&](const Arguments& arguments) { return bad_input_line(run_program(place, arguments)); };
  CHECK_THAT(line({"tune", config, "--solver", "admm", "--parameters", "rho"}),
             Catch::Contains("--solver: 'admm' stands 2 times") && Catch::Contains("the labels 'A', 'B'"));
  CHECK_THAT(line({"tune", config, "--solver", "amdm", "--parameters", "rho"}), Catch::Contains("did you mean 'admm'?"));
  CHECK_THAT(line(tune(config, "out", {}, "rh")), Catch::Contains("did you mean 'rho'?"));
  CHECK_THAT(line(tune(config, "out", {"--range", "rho=-1:1"})), Catch::Contains("--range rho"));
  CHECK_THAT(line(tune(config, "out", {"--range", "proximal=0:1"})),
             Catch::Contains("--range proximal: is not among --parameters"));
  CHECK_THAT(line(tune(config, "out", {"--beside", "C*"})), Catch::Contains("--beside: 'C*' matches no solver"));
  CHECK_THAT(line(tune(config, "out", {"--budget", "soon"})), Catch::Contains("--budget"));
  CHECK_THAT(line(tune(config, "out", {"--set", "/sweep={\"/stop/tolerance\": [1e-4, 1e-6]}"})),
             Catch::Contains("/sweep: varies /stop/tolerance, expected a sweep over problems alone"));
  CHECK_THAT(line(tune(config, "out", {"--set", R"(/sweep={"/problems/0/parameters/spheres": [3]})"})),
             Catch::Contains("expected two at least"));
  CHECK_FALSE(std::filesystem::exists(place / "out/stacks-tuned/tuned.json"));
}
