#include <catch2/catch.hpp>
#include <filesystem>

#include "cli/program.hpp"
#include "support/temporary_folder.hpp"

/// new: a config for given problems and solvers; and dumps that a config names with their folder.
using namespace ccp::testing;
namespace fs = std::filesystem;

namespace {

void make_dumps(const Workplace& place) {
  fs::create_directory(place / "dumps");
  REQUIRE(run_program(place, {"generate", "odd_mass_stack", "--set", "spheres=3", "--set", "heavy_index=2", "--form",
                              "local", "--no-solution", "--out", "dumps/stack.hdf5"})
              .code == 0);
}

std::string checked(const Workplace& place, const std::string& config) {
  const Answer answer = run_program(place, {"check", config}, {{"CCPBENCH_FCLIB_DIR", ""}});
  INFO(answer.out << answer.err);
  CHECK(answer.code == 0);
  return answer.out;
}

}  // namespace

TEST_CASE("new writes a valid config that says what it is, and runs") {
  const Workplace place;
  const Answer answer = run_program(place, {"new", "my-study", "scene:odd_mass_stack:spheres=3,heavy_index=2", "--solver",
                                            "admm:preconditioner=diagonal", "--solver", "admm", "--solver", "nsgs"});
  INFO(answer.err);
  REQUIRE(answer.code == 0);
  CHECK(answer.out == "config: my-study.json\n");
  const std::string text = read_text(place / "my-study.json");
  for (const char* part : {"// A column of spheres", "\"spheres\":3", "\"preconditioner\":\"diagonal\"",
                           "\"model\": [\"ncp\"]", "// Solved when", "\"tolerance\": 1e-08", "ccpbench list solvers NAME"})
    CHECK_THAT(text, Catch::Contains(part));
  CHECK_THAT(checked(place, "my-study.json"), Catch::Contains("3 cells: 1 problem, 1 model, 3 solver settings"));
  CHECK(run_program(place, {"run", "my-study.json", "--quiet"}).code == 0);

  // What was typed stays, where it is a default too: a later default may be another.
  REQUIRE(run_program(place, {"new", "pinned", "scene:odd_mass_stack:spheres=20", "--solver", "admm:rho=0.1"}).code == 0);
  CHECK_THAT(read_text(place / "pinned.json"), Catch::Contains("\"spheres\":20") && Catch::Contains("\"rho\":0.1"));
}

TEST_CASE("new names dumps from the folder of the config, absolute ones as they are") {
  const Workplace place;
  make_dumps(place);
  fs::create_directory(place / "configs");
  REQUIRE(run_program(place, {"new", "near", "dumps", "--solver", "nsgs", "--out", "configs/near.json"}).code == 0);
  CHECK_THAT(read_text(place / "configs/near.json"), Catch::Contains("\"fclib\": \"../dumps/*.hdf5\""));
  REQUIRE(run_program(place, {"new", "far", place.text("dumps/stack.hdf5"), "--solver", "nsgs", "--model", "ncp"}).code ==
          0);
  CHECK_THAT(read_text(place / "far.json"), Catch::Contains(place.text("dumps/stack.hdf5")));
  for (const char* config : {"configs/near.json", "far.json"}) {
    CHECK_THAT(checked(place, config), Catch::Contains("1 cell: 1 problem"));
    CHECK(run_program(place, {"run", config, "--quiet"}, {{"CCPBENCH_FCLIB_DIR", ""}}).code == 0);
  }
  const Workplace elsewhere;  // the results name their dumps wherever they are read
  CHECK(run_program(elsewhere, {"profile", place.text("results/near"), "--at", "1e-2"}, {{"CCPBENCH_FCLIB_DIR", ""}}).code ==
        0);
}

TEST_CASE("new refuses to overwrite, and what makes no config") {
  const Workplace place;
  const std::string kept = place.write("kept.json", "mine");
  CHECK_THAT(bad_input_line(run_program(place, {"new", "kept", "scene:odd_mass_stack", "--solver", "admm"})),
             Catch::Contains("kept.json: is there already"));
  CHECK(read_text(kept) == "mine");
  CHECK_THAT(bad_input_line(run_program(place, {"new", "a", "scene:odd_mass", "--solver", "admm"})),
             Catch::Contains("odd_mass_stack"));
  CHECK_THAT(bad_input_line(run_program(place, {"new", "a", "none.hdf5", "--solver", "admm"})),
             Catch::Contains("no such file"));
  CHECK_THAT(bad_input_line(run_program(place, {"new", "a", "./none*.hdf5", "--solver", "admm"})),
             Catch::Contains("matches"));
  CHECK_THAT(bad_input_line(run_program(place, {"new", "a b", "scene:odd_mass_stack", "--solver", "admm"})),
             Catch::Contains("letters, digits"));
  CHECK_THAT(
      bad_input_line(run_program(place, {"new", "a", "scene:odd_mass_stack", "--solver", "admm", "--solver", "admm"})),
      Catch::Contains("--solver admm: is given twice"));
  CHECK(place.listing() == std::vector<std::string>{"kept.json"});
}

TEST_CASE("new shows all that is wrong with its arguments, each by its argument") {
  const Workplace place;
  const Answer answer = run_program(place, {"new", "a b", "scene:odd_mass", "scene:odd_mass_stack:sphere=3,frictoin=2",
                                            "none*.hdf5", "nowhere.hdf5", "drum", "--solver", "adm", "--solver",
                                            "admm:roh=1", "--solver", "nsgs", "--solver", "nsgs", "--model", "cpp"});
  CHECK(answer.code == 2);
  const std::vector<std::string> expected = {
      "NAME: ",
      "--model: unknown model 'cpp'",
      "scene:odd_mass: unknown scene 'odd_mass' (did you mean 'odd_mass_stack'?)",
      "scene:odd_mass_stack:sphere=3,frictoin=2: unknown parameter 'sphere'",
      "scene:odd_mass_stack:sphere=3,frictoin=2: unknown parameter 'frictoin'",
      "nowhere.hdf5: no such file",
      "drum: no such file, expected an FCLib dump, a folder of dumps or scene:NAME; did you mean scene:drum?",
      "--solver adm: unknown solver 'adm'",
      "--solver admm:roh=1: unknown parameter 'roh'",
      "--solver nsgs: is given twice"};
  const auto lines = lines_of(answer.err);
  REQUIRE(lines.size() == expected.size());
  for (std::size_t i = 0; i < lines.size(); ++i) CHECK(lines[i].starts_with("ccpbench: error: " + expected[i]));
  // A pattern is looked for once the rest is right.
  const std::string line = bad_input_line(run_program(place, {"new", "a", "none*.hdf5", "--solver", "admm"}));
  CHECK_THAT(line, Catch::StartsWith("ccpbench: error: none*.hdf5: no file below "));
  CHECK(place.listing().empty());
}

TEST_CASE("new makes neighbours of problems") {
  const Workplace place;
  make_dumps(place);
  const Answer answer = run_program(place, {"new", "near", "dumps/stack.hdf5", "scene:odd_mass_stack", "--solver", "nsgs",
                                            "--perturb", "noise=0.01,friction_factor=0.9"});
  INFO(answer.err);
  REQUIRE(answer.code == 0);
  const std::string text = read_text(place / "near.json");
  CHECK_THAT(text, Catch::Contains("{ \"fclib\": \"./dumps/stack.hdf5\", \"perturb\": {") &&
                       Catch::Contains("\"noise\":0.01") && Catch::Contains("/problems/0/perturb/seed"));
  checked(place, "near.json");
  CHECK_THAT(bad_input_line(run_program(place, {"new", "x", "scene:odd_mass_stack", "--solver", "nsgs", "--perturb",
                                                "noice=0.01"})),
             Catch::Contains("--perturb") && Catch::Contains("noise"));
}

TEST_CASE("new takes all dumps of a folder, and each once") {
  const Workplace place;
  make_dumps(place);
  place.write("dumps/text.dat", "1\n");
  REQUIRE(run_program(place, {"new", "both", "dumps", "--solver", "nsgs"}).code == 0);
  CHECK_THAT(read_text(place / "both.json"),
             Catch::Contains("\"./dumps/*.hdf5\" },\n") && Catch::Contains("\"./dumps/*.dat\" }\n"));
  CHECK_THAT(checked(place, "both.json"), Catch::Contains("2 cells: 2 problems"));
  place.write("dumps/stack.dat", "1\n");
  CHECK_THAT(bad_input_line(run_program(place, {"new", "twice", "dumps", "--solver", "nsgs"})),
             Catch::Contains("dumps: holds 'stack' as .hdf5 and as .dat"));
}

TEST_CASE("new tells problems of one scene apart") {
  const Workplace place;
  REQUIRE(run_program(place, {"new", "two", "scene:odd_mass_stack:spheres=12", "scene:odd_mass_stack", "--solver", "admm"})
              .code == 0);
  CHECK_THAT(read_text(place / "two.json"), Catch::Contains("\"label\": \"odd_mass_stack spheres=12\""));
  CHECK_THAT(checked(place, "two.json"), Catch::Contains("2 cells: 2 problems"));
}
