#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/program.hpp"
#include "cli/results.hpp"
#include "support/temporary_folder.hpp"

/// A file of results that is gone is damage: every reader names it, and the next run makes it again.
using namespace ccp::testing;
namespace fs = std::filesystem;

namespace {

const std::string says_missing = ": is missing, though cell.json lists it; `ccpbench run` of the config runs the cell again";

/// Two solvers on a small stack, judged by a claim.
std::string two_solvers(const Workplace& place) {
  return place.write("e.json", R"({"name": "e",
    "problems": [{"scene": "odd_mass_stack", "parameters": {"spheres": 3, "heavy_index": 2}}], "model": ["ncp"],
    "solvers": [{"solver": "nsgs"}, {"solver": "canal"}], "stop": {"tolerance": 1e-8, "max_iterations": 200},
    "claims": [{"id": "quick", "says": "they are quick", "of": "*", "metric": "iterations", "at_most": 200}]})");
}

/// Twelve steps, one of them traced.
std::string short_sequence(const Workplace& place) {
  return place.write("e.json", R"({"name": "e",
    "problems": [{"scene": "ball_box", "parameters": {"spheres": 5},
                  "sequence": {"steps": 12, "trace_steps": [7], "driver": {"solver": "ipm_qp"}}}],
    "model": "ccp", "solvers": [{"solver": "apgd"}, {"solver": "admm"}],
    "claims": [{"id": "few", "says": "they are few", "of": "*", "metric": "iterations", "at_most": 1e9}]})");
}

Answer run_again(const Workplace& place) { return run_program(place, {"run", "e.json", "--out", "out"}); }

/// All readers but plot, which draws what is left.
std::vector<Arguments> readers() {
  return {{"profile", "out/e"},
          {"profile", "out/e", "--at", "1e-4", "--measure", "natural_map"},
          {"claims", "out/e"},
          {"compare", "out/e", "whole/e"},
          {"compare", "whole/e", "out/e"},
          {"compare", "out/e", "--baseline", "stored", "--update"},
          {"report", "out/e", "--out", "r.html"}};
}

/// Removes the file, and sees that each reader names it or its cell, and that a run mends it.
void check_gone(const Workplace& place, const CellResult& cell, const std::string& id, const std::string& name) {
  const std::string file = "out/e/cells/" + cell.folder.filename().string() + "/" + name;
  CAPTURE(file);
  REQUIRE(fs::remove(place / file));
  for (const Arguments& arguments : readers()) {
    CAPTURE(arguments);
    const std::string line = bad_input_line(run_program(place, arguments));
    const bool by_number =
        arguments.front() == "compare" && contains(line, "has no traces of 1 of its 2 cells (" + id + ")");
    CHECK((by_number || contains(line, file + says_missing)));
  }
  CHECK_FALSE(fs::exists(place / "r.html"));
  const Answer again = run_again(place);
  CHECK(again.code == 0);
  CHECK_THAT(again.err, Catch::Contains("e: 2 cells, 1 there already\n"));
  CHECK_THAT(again.err, Catch::Contains("note: " + file + says_missing + "\n"));
  CHECK(fs::exists(place / file));
  CHECK(run_program(place, {"compare", "out/e", "whole/e"}).code == 0);
  CHECK(run_program(place, {"claims", "out/e"}).code == 0);
}

}  // namespace

TEST_CASE("a trace that is gone is named by every reader, and the next run makes it again") {
  const Workplace place;
  two_solvers(place);
  REQUIRE(run_again(place).code == 0);
  fs::copy(place / "out", place / "whole", fs::copy_options::recursive);
  const std::string id = "odd_mass_stack/ncp/nsgs";
  const CellResult cell = read_results(place / "out/e").at(id);
  check_gone(place, cell, id, "trace.csv");

  fs::remove(cell.folder / "trace.csv");
  CHECK_THAT(run_program(place, {"run", "e.json", "--out", "out", "--dry-run"}).out, Catch::Contains("2 cells, 1 to run\n"));
  // Whoever asks compares all else.
  CHECK(run_program(place, {"compare", "out/e", "whole/e", "--without-traces"}).code == 0);
}

TEST_CASE("steps and traces of steps that are gone are named by every reader, and the next run makes them again") {
  const Workplace place;
  short_sequence(place);
  REQUIRE(run_again(place).code == 0);
  fs::copy(place / "out", place / "whole", fs::copy_options::recursive);
  const std::string id = "ball_box/ccp/apgd";
  const CellResult cell = read_results(place / "out/e").at(id);
  for (const std::string name : {"steps.csv", "trace.7.csv"}) {
    REQUIRE(fs::remove(cell.folder / name));
    for (const Arguments& arguments :
         {Arguments{"claims", "out/e"}, Arguments{"profile", "out/e"}, Arguments{"report", "out/e", "--out", "r.html"}})
      CHECK_THAT(bad_input_line(run_program(place, arguments)), Catch::Contains(name + says_missing));
    const std::string compared = bad_input_line(run_program(place, {"compare", "out/e", "whole/e"}));
    CHECK_THAT(compared, Catch::Contains(name == "steps.csv" ? "has no traces of 1 of its 2 cells (" + id + ")"
                                                             : name + says_missing));
    CHECK_THAT(run_again(place).err, Catch::Contains(name + says_missing));
    CHECK(fs::exists(cell.folder / name));
    CHECK(run_program(place, {"compare", "out/e", "whole/e"}).code == 0);
  }
}

TEST_CASE("a cell or stored states that are gone are named, and the next run makes them again as they were") {
  const Workplace place;
  short_sequence(place);
  REQUIRE(run_again(place).code == 0);
  const CellResult cell = read_results(place / "out/e").at("ball_box/ccp/apgd");
  const std::string gone = "cell.json: is missing, though summary.csv lists the cell; `ccpbench run` of the config ";
  fs::remove(cell.folder / "cell.json");
  CHECK_THAT(bad_input_line(run_program(place, {"claims", "out/e"})), Catch::Contains(gone));
  CHECK_THAT(bad_input_line(run_program(place, {"report", "out/e", "--out", "r.html"})), Catch::Contains(gone));
  CHECK_THAT(run_again(place).err, Catch::Contains(gone));
  const std::string text = read_text(cell.folder / "cell.json");
  std::ofstream(cell.folder / "cell.json") << text.substr(0, text.size() / 2);
  CHECK_THAT(bad_input_line(run_program(place, {"claims", "out/e"})), Catch::Contains("cell.json: is damaged"));
  CHECK_THAT(run_again(place).err, Catch::Contains("cell.json: is damaged"));

  const fs::path tape = fs::directory_iterator(place / "out/e/sequences")->path() / "tape.000000.hdf5";
  const std::string states = read_text(tape);
  for (const bool removed : {true, false}) {
    if (removed)
      fs::remove(tape);
    else
      fs::resize_file(tape, states.size() / 2);
    const Answer answer = run_again(place);
    CHECK_THAT(answer.err, Catch::Contains("e: 2 cells, 2 there already\n"));
    CHECK_THAT(answer.err, Catch::Contains("tape.000000.hdf5"));
    CHECK((read_text(tape) == states));
  }
  CHECK_FALSE(contains(run_again(place).err, "tape"));
}

TEST_CASE("plot says which curve it leaves out, for its trace is gone") {
  const Workplace place;
  two_solvers(place);
  REQUIRE(run_again(place).code == 0);
  fs::remove(read_results(place / "out/e").at("odd_mass_stack/ncp/nsgs").folder / "trace.csv");
  const Answer answer = run_program(place, {"plot", "out/e", "--format", "svg"});
  if (contains(answer.err, "matplotlib")) return;  // not here
  CHECK_THAT(answer.err, Catch::Contains("left out: out/e/cells/") && Catch::Contains("/trace.csv" + says_missing));
}
