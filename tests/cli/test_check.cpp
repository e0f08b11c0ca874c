#include <catch2/catch.hpp>

#include "cli/program.hpp"

using namespace ccp::testing;

TEST_CASE("check counts cells and takes --size and --set") {
  const Workplace place;
  const std::string config = CCPBENCH_CONFIGS "/test1a.json";
  const Answer answer = run_program(place, {"check", config});
  CHECK(answer.code == 0);
  CHECK(answer.err.empty());
  CHECK_THAT(answer.out, Catch::Contains("valid, 9 cells: 1 problem, 1 model, 9 solver settings"));
  const Answer both = run_program(place, {"check", config, "--size", "small", "--set", "/model=[\"ccp\",\"ncp\"]"});
  CHECK(both.code == 0);
  CHECK_THAT(both.out, Catch::Contains("18 cells: 1 problem, 2 models, 9 solver settings"));
  CHECK(place.listing().empty());
}

TEST_CASE("check looks at every config of the project") {
  const Workplace place;
  for (const auto& entry : std::filesystem::directory_iterator(CCPBENCH_CONFIGS)) {
    INFO(entry.path());
    const Answer answer = run_program(place, {"check", entry.path().string()});
    CHECK(answer.code == 0);
    CHECK_THAT(answer.out, Catch::Contains("valid"));
  }
}

TEST_CASE("check goes on after a wrong config, with one line each") {
  const Workplace place;
  const std::string wrong = place.write("wrong.json", "{ \"name\": \"x\" ");
  const std::string good = CCPBENCH_CONFIGS "/test1a.json";
  const Answer answer = run_program(place, {"check", wrong, good, place.text("missing.json")});
  CHECK(answer.code == 2);
  CHECK(lines_of(answer.err).size() == 2);
  CHECK(lines_of(answer.out).size() == 1);
}
