#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "support/places.hpp"

using namespace ccp::testing;

TEST_CASE("check counts cells and takes --size and --set") {
  const Workplace place;
  const std::string config = config_file("test1a");
  const Answer answer = run_program(place, {"check", config});
  CHECK(answer.code == 0);
  CHECK(answer.err.empty());
  CHECK_THAT(answer.out, Catch::Contains("valid, 9 cells: 1 problem, 1 model, 9 solver settings"));
  const Answer both = run_program(place, {"check", config, "--size", "small", "--set", "/model=[\"ccp\",\"ncp\"]"});
  CHECK(both.code == 0);
  CHECK_THAT(both.out, Catch::Contains("18 cells: 1 problem, 2 models, 9 solver settings"));
  CHECK(place.listing().empty());
  const std::string own = place.write("own.json", R"({ "name": "own", "problems": [ { "scene": "odd_mass_stack" } ],
    "model": "ccp", "solvers": [ { "solver": "nsgs" }, { "solver": "admm" } ] })");
  const Answer unsupported = run_program(place, {"check", own});
  CHECK_THAT(unsupported.out, Catch::Contains("; 1 cell unsupported: nsgs does not solve the ccp model"));
}

TEST_CASE("check looks at every config of the project") {
  const Workplace place;
  for (const auto& entry : std::filesystem::directory_iterator(configs_folder())) {
    INFO(entry.path());
    const Answer answer = run_program(place, {"check", entry.path().string()});
    CHECK(answer.code == 0);
    CHECK_THAT(answer.out, Catch::Contains("valid"));
  }
}

TEST_CASE("check goes on after a wrong config, with one line each") {
  const Workplace place;
  const std::string wrong = place.write("wrong.json", "{ \"name\": \"x\" ");
  const std::string good = config_file("test1a");
  const Answer answer = run_program(place, {"check", wrong, good, place.text("missing.json")});
  CHECK(answer.code == 2);
  CHECK(lines_of(answer.err).size() == 2);
  CHECK(lines_of(answer.out).size() == 1);
}

TEST_CASE("check and run show every mistake of a config, each on its line") {
  const Workplace place;
  const std::string config = place.write("wrong.json", R"({ "name": "x", "titel": "t",
    "problems": [ { "scene": "odd_mass_stack", "parameters": { "spheres": 0 } } ],
    "solvers": [ { "solver": "amdm" }, { "solver": "nsgs", "parameters": { "omga": 1 } } ],
    "sweep": { "/solver/0": [ 1 ] } })");
  for (const char* command : {"check", "run"}) {
    const Answer answer = run_program(place, {command, config});
    CHECK(answer.code == 2);
    const auto lines = lines_of(answer.err);
    REQUIRE(lines.size() == 5);
    const char* places[] = {"/titel: ", "/sweep[\"/solver/0\"]: ", "/problems/0/parameters/spheres: ", "/solvers/0/solver: ",
                            "/solvers/1/parameters/omga: "};
    for (std::size_t i = 0; i < lines.size(); ++i)
      CHECK(lines[i].starts_with("ccpbench: error: " + config + ": " + places[i]));
  }
  CHECK(place.listing() == std::vector<std::string>{"wrong.json"});
  const Answer table = run_program(place, {"check", config, "--format", "json"});
  CHECK(table.code == 2);
  const nlohmann::json document = nlohmann::json::parse(table.out);
  REQUIRE(document.is_array());
  CHECK(document[0]["valid"] == false);
  const nlohmann::json mistakes = document[0]["mistakes"];
  REQUIRE(mistakes.size() == 5);
  CHECK(mistakes[0]["file"] == config);
  CHECK(mistakes[0]["place"] == "/titel");
  CHECK(mistakes[0]["found"] == "unknown key 'titel'");
  CHECK(mistakes[0]["expected"] == "'title'");
  CHECK(mistakes[0]["message"] == "unknown key 'titel' (did you mean 'title'?)");
  const Answer rows = run_program(place, {"check", config, "--format", "csv"});
  CHECK_THAT(rows.out, Catch::Contains("/titel: ") && Catch::Contains("; ") && Catch::Contains("/parameters/omga: "));
}

TEST_CASE("check looks for dumps beside the config, also where the folder of others is not known") {
  const Workplace place;
  const std::string config = place.write("wrong.json", R"({ "name": "x", "titel": "t",
    "problems": [ { "fclib": "./none*.hdf5" }, { "fclib": "Capsules*.hdf5" } ], "solvers": [ { "solver": "nsgs" } ] })");
  const auto lines = lines_of(run_program(place, {"check", config}, {{"CCPBENCH_FCLIB_DIR", ""}}).err);
  REQUIRE(lines.size() == 2);
  CHECK_THAT(lines[0], Catch::Contains("/titel: "));
  CHECK_THAT(lines[1], Catch::Contains("/problems/0/fclib: "));
}

TEST_CASE("a name that no config has gets the nearest few") {
  const Workplace place;
  const std::string folder = place.text("configs");
  std::filesystem::create_directory(folder);
  for (const char* name : {"alpha", "beta", "gamma", "delta", "epsilon", "zeta"})
    place.write("configs/" + std::string(name) + ".json", "{}");
  for (const Arguments& arguments : {Arguments{"check", "thetaxyz"}, Arguments{"list", "configs", "thetaxyz"}}) {
    const std::string line = bad_input_line(run_program(place, arguments));
    CHECK_THAT(line,
               Catch::EndsWith("(the nearest of 6: beta, zeta, delta, alpha, gamma; `ccpbench list configs` lists all)"));
  }
  CHECK_THAT(bad_input_line(run_program(place, {"check", "bata"})), Catch::EndsWith("(did you mean 'beta'?)"));
}
