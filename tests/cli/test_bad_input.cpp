#include <catch2/catch.hpp>

#include "cli/program.hpp"
#include "io/hdf5_editor.hpp"
#include "support/places.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp::testing;

namespace {

/// A config that is right but for one replaced piece.
std::string config_with(const std::string& piece, const std::string& replacement) {
  std::string text = R"({
  "name": "tiny",
  "problems": [ { "scene": "odd_mass_stack", "parameters": { "spheres": 3, "heavy_index": 2 } } ],
  "model": "ccp",
  "solvers": [ { "solver": "admm", "label": "A" }, { "solver": "jacobi", "label": "J", "parameters": { "omega": 0.3 } } ],
  "stop": { "tolerance": 1e-6, "max_iterations": 10 }
})";
  const std::size_t at = text.find(piece);
  REQUIRE(at != std::string::npos);
  return text.replace(at, piece.size(), replacement);
}

/// run and check both refuse the config with one line that says `expected`, and nothing is left behind.
void refused(const std::string& text, const std::vector<std::string>& expected) {
  const Workplace place;
  const std::string config = place.write("a config.json", text);
  const auto before = place.listing();
  for (const char* command : {"run", "check"}) {
    const std::string line = bad_input_line(run_program(place, {command, config}));
    CHECK_THAT(line, Catch::Contains("a config.json"));
    for (const std::string& part : expected) CHECK_THAT(line, Catch::Contains(part));
  }
  CHECK(place.listing() == before);
}

}  // namespace

TEST_CASE("the config that the others are made of is right") {
  const Workplace place;
  const std::string config = place.write("a config.json", config_with("tiny", "tiny"));
  CHECK(run_program(place, {"check", config}).code == 0);
}

TEST_CASE("malformed configs are refused") {
  refused("", {});
  refused("{", {"line 1"});
  refused("[]", {});
  refused("{ \"name\": \"x\", \"name\": \"y\" }", {"name"});
  refused(std::string("\x00\x01\xff garbage", 11), {});
  refused(config_with("1e-6", "1e999"), {});
}

TEST_CASE("configs with wrong keys, types, ranges and names are refused with pointer and nearest name") {
  refused(config_with("\"problems\"", "\"problem\""), {"'problem'", "'problems'"});
  refused(config_with("max_iterations", "max_iteration"), {"/stop", "'max_iterations'"});
  refused(config_with("1e-6", "\"small\""), {"/stop/tolerance"});
  refused(config_with("1e-6", "-1"), {"/stop/tolerance", "> 0"});
  refused(config_with("\"max_iterations\": 10", "\"max_iterations\": 1.5"), {"/stop/max_iterations", "whole number"});
  refused(config_with("\"admm\"", "\"amdm\""), {"/solvers/0/solver", "'admm'"});
  refused(config_with("odd_mass_stack", "odd_mass_stak"), {"/problems/0/scene", "'odd_mass_stack'"});
  refused(config_with("\"J\"", "\"A\""), {"/solvers/1", "A"});
  refused(config_with("omega", "omga"), {"/solvers/1/parameters", "'omega'"});
  refused(config_with("\"omega\": 0.3", "\"omega\": -0.3"), {"/solvers/1/parameters/omega"});
  refused(config_with("\"spheres\": 3", "\"spheres\": 0"), {"/problems/0/parameters/spheres"});
  refused(config_with("\"heavy_index\": 2", "\"heavy_index\": 9"), {"/problems/0", "heavy_index"});
  refused(config_with("\"ccp\"", "\"cpp\""), {"/model", "'ccp'"});
  refused(config_with("tiny", "../escape"), {"/name"});
  refused(
      config_with(
          "\"model\"",
          R"("claims": [ { "id": "c", "says": "s", "metric": "iterations", "of": "A", "at_most": 9, "where": "Fig. 3" } ],
  "model")"),
      {"/claims/0/where", "'Fig. 3'", "\"ours\""});
}

TEST_CASE("configs that cannot be read are refused") {
  const Workplace place;
  std::filesystem::create_directory(place / "folder.json");
  for (const std::string& config : {place.text("missing.json"), place.text("folder.json")}) {
    CHECK_THAT(bad_input_line(run_program(place, {"run", config})), Catch::Contains(config));
    CHECK_THAT(bad_input_line(run_program(place, {"check", config})), Catch::Contains(config));
  }
}

TEST_CASE("a mistake in the last config stops the first one from running") {
  const Workplace place;
  const std::string config = config_file("test1a");
  bad_input_line(run_program(place, {"run", config, place.text("missing.json"), "--out", place.text("out")}));
  CHECK(place.listing().empty());
}

TEST_CASE("two configs of one name would write over each other's results") {
  const Workplace place;
  const std::string one = place.write("one.json", config_with("tiny", "tiny"));
  const std::string two = place.write("two.json", config_with("1e-6", "1e-4"));
  CHECK_THAT(bad_input_line(run_program(place, {"run", one, two})),
             Catch::Contains("two.json: /name: 'tiny' is the name of ") && Catch::Contains("one.json too"));
  CHECK(place.listing() == std::vector<std::string>{"one.json", "two.json"});
  CHECK(run_program(place, {"run", one, one, "--quiet"}).code == 0);
}

TEST_CASE("wrong options of run are refused before anything is written") {
  const Workplace place;
  const std::string config = config_file("test1a");
  const auto line = [&](Arguments arguments) {
    arguments.insert(arguments.begin(), {"run", config, "--out", place.text("out")});
    return bad_input_line(run_program(place, arguments));
  };
  CHECK_THAT(line({"--size", "smal"}), Catch::Contains("--size") && Catch::Contains("'small'"));
  CHECK_THAT(line({"--jobs", "0"}), Catch::Contains("--jobs"));
  CHECK_THAT(line({"--jobs", "two"}), Catch::Contains("'two'"));
  CHECK_THAT(line({"--threads", "-1"}), Catch::Contains("--threads"));
  CHECK_THAT(line({"--threads", "99999999999999999999"}), Catch::Contains("--threads"));
  for (const char* shard : {"3/2", "0/2", "1", "a/b", "1/2/3", "1/", "/2", "-1/2"})
    CHECK_THAT(line({"--shard", shard}), Catch::Contains("--shard") && Catch::Contains(shard));
  CHECK_THAT(line({"--set", "stop"}), Catch::Contains("stop"));
  CHECK_THAT(line({"--set", "/stop/tolerance=tight"}), Catch::Contains("/stop/tolerance"));
  CHECK_THAT(line({"--set", "/solvers/99/label=x"}), Catch::Contains("/solvers/99"));
  CHECK_THAT(line({"--only", "*nothing*"}), Catch::Contains("*nothing*"));
  CHECK(place.listing().empty());
}

TEST_CASE("an output folder that cannot be made is one line") {
  const Workplace place;
  const std::string config = config_file("test1a");
  place.write("file", "not a folder");
  for (const std::string& out : {place.text("file/results"), std::string("/proc/ccpbench")}) {
    INFO(out);
    CHECK_THAT(bad_input_line(run_program(place, {"run", config, "--out", out, "--quiet"})), Catch::Contains(out));
  }
  CHECK(place.listing() == std::vector<std::string>{"file"});
}

TEST_CASE("FCLib files that are none are refused by inspect and solve") {
  const Workplace place;
  REQUIRE(run_program(place, {"generate", "odd_mass_stack", "--form", "local", "--out", "good.hdf5"}).code == 0);
  const std::string good = read_text(place / "good.hdf5");
  const std::vector<std::string> bad = {place.write("empty.hdf5", ""),
                                        place.write("text.hdf5", "no HDF5 at all\n"),
                                        place.write("half.hdf5", good.substr(0, good.size() / 2)),
                                        place.write("head.hdf5", good.substr(0, 100)),
                                        place.text("missing.hdf5"),
                                        place.text("folder.hdf5")};
  std::filesystem::create_directory(place / "folder.hdf5");
  const auto before = place.listing();
  for (const std::string& file : bad) {
    CHECK_THAT(bad_input_line(run_program(place, {"inspect", file})), Catch::Contains(file));
    const Answer answer =
        run_program(place, {"solve", file, "--solver", "admm", "--save-solution", "s.hdf5", "--trace", "t.csv"});
    CHECK_THAT(bad_input_line(answer), Catch::Contains(file));
    CHECK(answer.out.empty());
  }
  CHECK(place.listing() == before);
}

TEST_CASE("a small dump that claims to be huge is refused at once") {
  const Workplace place;
  {
    Hdf5Editor file(place / "huge.hdf5");
    file.integer("/fclib_local/spacedim", 3);
    file.put("/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, {1000000000000}, H5T_NATIVE_DOUBLE, nullptr,
             Hdf5Editor::chunked(1000, 6));
  }
  CHECK(std::filesystem::file_size(place / "huge.hdf5") < 10000);
  for (const Arguments& arguments : {Arguments{"inspect", "huge.hdf5"}, Arguments{"solve", "huge.hdf5", "--solver", "admm"}})
    CHECK_THAT(bad_input_line(run_program(place, arguments)),
               Catch::EndsWith("huge.hdf5: /fclib_local/vectors/q: claims 1000000000000 entries, expected less than 2^31"));
}

TEST_CASE("wrong options of solve and generate are refused before anything is written") {
  const Workplace place;
  const auto solve = [&](Arguments arguments) {
    arguments.insert(arguments.begin(), {"solve", "scene:odd_mass_stack", "--solver", "admm"});
    return bad_input_line(run_program(place, arguments));
  };
  CHECK_THAT(solve({"--set", "roh=1"}), Catch::Contains("--set") && Catch::Contains("'rho'"));
  CHECK_THAT(solve({"--set", "rho=-1"}), Catch::Contains("'rho' is -1"));
  CHECK_THAT(solve({"--set", "rho"}), Catch::Contains("NAME=VALUE"));
  CHECK_THAT(solve({"--set", "step_policy=fixd"}), Catch::Contains("step_policy"));
  CHECK_THAT(solve({"--tolerance", "nan"}), Catch::Contains("--tolerance"));
  for (const char* limit : {"0", "-1", "1 ms", "1msx", "h", "m5"})
    CHECK_THAT(solve({"--time-limit", limit}), Catch::Contains("--time-limit: '" + std::string(limit) + "' is no time"));
  CHECK_THAT(solve({"--measure", "objective"}), Catch::Contains("--measure"));
  CHECK_THAT(solve({"--model", "cpp"}), Catch::Contains("'ccp'"));
  CHECK_THAT(solve({"--trace", "nowhere/t.csv"}), Catch::Contains("nowhere/t.csv"));
  CHECK_THAT(solve({"--save-solution", "nowhere/s.hdf5"}), Catch::Contains("nowhere/s.hdf5"));
  CHECK_THAT(bad_input_line(run_program(place, {"solve", "scene:odd_mass", "--solver", "admm"})),
             Catch::Contains("unknown scene 'odd_mass'"));
  CHECK_THAT(bad_input_line(run_program(place, {"solve", "scene:odd_mass_stack:spheres=0", "--solver", "admm"})),
             Catch::Contains("spheres"));
  CHECK_THAT(bad_input_line(run_program(place, {"solve", "scene:odd_mass_stack", "--solver", "amdm"})),
             Catch::Contains("'admm'"));
  CHECK_THAT(bad_input_line(run_program(place, {"generate", "ball_box", "--set", "spheres=8", "--steps", "0:1", "--driver",
                                                "nsgs", "--model", "ccp", "--out", "steps"})),
             Catch::Contains("--driver: nsgs does not solve the ccp model"));
  CHECK_THAT(bad_input_line(run_program(place, {"generate", "odd_mass_stak"})), Catch::Contains("'odd_mass_stack'"));
  CHECK_THAT(bad_input_line(run_program(place, {"generate", "odd_mass_stack", "--set", "sphere=2"})),
             Catch::Contains("'spheres'"));
  CHECK_THAT(bad_input_line(run_program(place, {"generate", "odd_mass_stack", "--out", "nowhere/x.hdf5"})),
             Catch::Contains("nowhere/x.local.hdf5: cannot be written (there is no folder nowhere)"));
  CHECK(place.listing().empty());
}

TEST_CASE("FCLib patterns need a folder and must match") {
  const Workplace place;
  const std::string config = config_file("fclib");
  std::filesystem::create_directory(place / "empty");
  bad_input_line(run_program(place, {"run", config, "--out", place.text("out")}));
  bad_input_line(run_program(place, {"run", config, "--out", place.text("out"), "--fclib", place.text("empty")}));
  bad_input_line(run_program(place, {"run", config, "--out", place.text("out"), "--fclib", place.text("missing")}));
  CHECK(place.listing() == std::vector<std::string>{"empty"});
}

TEST_CASE("control characters in names cannot reach the terminal") {
  const Workplace place;
  const std::string line = bad_input_line(run_program(place, {"inspect", "a\x1b[2Jb\nc.hdf5"}));
  CHECK(line.find('\x1b') == std::string::npos);
}
