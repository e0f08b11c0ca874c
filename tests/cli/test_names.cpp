#include <catch2/catch.hpp>
#include <filesystem>

#include "cli/program.hpp"
#include "io/sample_problems.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp::testing;
namespace fs = std::filesystem;

namespace {

/// A config of one solver on the dumps of its folder that match a pattern.
std::string config_of(const std::string& pattern, const std::string& label) {
  return R"({ "name": "n", "problems": [ { "fclib": ")" + pattern + R"(" } ], "model": "ncp",
              "solvers": [ { "solver": "nsgs", "label": ")" +
         label + "\" } ] }";
}

const std::string lfs_pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:07\nsize 123456\n";

std::string nested(const std::string& open, const std::string& inner, const std::string& close, int depth = 100000) {
  std::string text;
  for (int i = 0; i < depth; ++i) text += open;
  text += inner;
  for (int i = 0; i < depth; ++i) text += close;
  return text;
}

}  // namespace

TEST_CASE("dumps with names that JSON and CSV cannot hold are refused before anything runs") {
  for (const auto& [name, shown] :
       {std::pair{"M\374ller.hdf5", "M\\xFCller"}, {"M\nller.hdf5", "M"}, {"M\033[31m.hdf5", "M\\x1B[31m"}}) {
    const Workplace place;
    write_small_local(place / name);
    place.write("n.json", config_of("./M*.hdf5", "NSGS"));
    for (const Arguments& arguments : {Arguments{"run", "n.json"},
                                       {"check", "n.json"},
                                       {"inspect", name},
                                       {"inspect", name, "--format", "csv"},
                                       {"solve", name, "--solver", "nsgs", "--json"},
                                       {"convert", name, "--out", "."},
                                       {"generate", "single_ball", "--out", name}}) {
      CAPTURE(shown, arguments.front());
      const std::string line = bad_input_line(run_program(place, arguments));
      CHECK_THAT(line, Catch::Contains(shown) && Catch::Contains("is not UTF-8 or has control characters"));
    }
    CHECK_FALSE(fs::exists(place / "results"));
  }
}

TEST_CASE("names beyond ASCII go through run, report and plot") {
  const Workplace place;
  write_small_local(place / "Müller 試.hdf5");
  place.write("n.json", config_of("./M*.hdf5", "µ"));
  REQUIRE(run_program(place, {"run", "n.json", "--quiet"}).code == 0);
  CHECK_THAT(read_text(place / "results/n/summary.csv"), Catch::Contains("\nMüller 試,ncp,µ,nsgs,"));
  CHECK(run_program(place, {"report", "results/n", "--out", "r.html"}).code == 0);
  CHECK_THAT(read_text(place / "r.html"), Catch::Contains("Müller 試"));
}

TEST_CASE("text cells of CSV are no formulas, and names come back from them") {
  const Workplace place;
  write_small_local(place / "=1+1.hdf5");
  CHECK_THAT(run_program(place, {"inspect", "=1+1.hdf5", "--format", "csv"}).out, Catch::Contains("\n'=1+1.hdf5,"));
  const std::string label = R"(=HYPERLINK(\"http://x\"))";
  place.write("n.json", config_of("./=*.hdf5", label));
  REQUIRE(run_program(place, {"run", "n.json", "--quiet"}).code == 0);
  CHECK_THAT(read_text(place / "results/n/summary.csv"),
             Catch::Contains("\n'=1+1,ncp,\"'=HYPERLINK(\"\"http://x\"\")\",nsgs,"));
  // Names in everything else are as they are in the config.
  CHECK_THAT(run_program(place, {"profile", "results/n", "--json"}).out, Catch::Contains("\"" + label + "\""));
  CHECK(run_program(place, {"compare", "results/n", "results/n"}).code == 0);
  REQUIRE(run_program(place, {"report", "results/n", "--out", "r.html"}).code == 0);
  CHECK_THAT(read_text(place / "r.html"), Catch::Contains("=1+1") && !Catch::Contains("'=1+1"));
}

TEST_CASE("JSON that is nested without end is refused in one line") {
  const Workplace place;
  const std::string head = "{ \"name\": \"a\", \"x\": ";
  for (const std::string& text : {head + nested("[", "", "]") + "}", head + nested("[", "", ""), nested("{\"a\":", "1", "}"),
                                  nested("[{\"a\":", "1", "}]"), head + nested("[ // [\n", "", "/* [ */ ]") + "}"}) {
    place.write("deep.json", text);
    for (const char* command : {"check", "run"})
      CHECK_THAT(bad_input_line(run_program(place, {command, "deep.json"})),
                 Catch::Contains("deep.json") && Catch::Contains("deeper than 100 lists and objects"));
  }
  // Depth in a text is none, and a pointer can be too deep as well.
  place.write("deep.json",
              "{ \"name\": \"a\", \"title\": \"" + nested("[", "", "]") + R"(", "problems": [ { "scene": "single_ball" } ],
    "solvers": [ { "solver": "nsgs" } ] })");
  CHECK(run_program(place, {"check", "deep.json"}).code == 0);
  CHECK_THAT(bad_input_line(run_program(place, {"check", "deep.json", "--set", nested("/a", "", "", 30000) + "=1"})),
             Catch::Contains("30000 parts, expected at most 100"));
}

TEST_CASE("results with JSON that is nested without end are refused, or run again") {
  const Workplace place;
  write_small_local(place / "a.hdf5");
  place.write("n.json", config_of("./a.hdf5", "NSGS"));
  REQUIRE(run_program(place, {"run", "n.json", "--quiet"}).code == 0);
  REQUIRE(run_program(place, {"compare", "results/n", "--baseline", "base", "--update"}).code == 0);
  const std::string deep = nested("[", "", "]"), manifest = read_text(place / "results/n/manifest.json");
  place.write("base/n/baseline.json", deep);
  CHECK_THAT(bad_input_line(run_program(place, {"compare", "results/n", "--baseline", "base"})),
             Catch::Contains("baseline.json"));
  place.write("results/n/manifest.json", deep);
  for (const Arguments& arguments : {Arguments{"compare", "results/n", "results/n"},
                                     {"claims", "results/n"},
                                     {"profile", "results/n"},
                                     {"report", "results/n"},
                                     {"plot", "results/n"}}) {
    CAPTURE(arguments.front());
    CHECK_THAT(bad_input_line(run_program(place, arguments)), Catch::Contains("manifest.json"));
  }
  place.write("results/n/manifest.json", manifest);
  for (const auto& cell : fs::directory_iterator(place / "results/n/cells")) {
    place.write("results/n/cells/" + cell.path().filename().string() + "/cell.json", deep);
    CHECK_THAT(run_program(place, {"plot", "results/n"}).err, Catch::Contains("cell.json: too many lists and objects"));
    CHECK(run_program(place, {"run", "n.json", "--quiet"}).code == 0);
    CHECK_THAT(read_text(cell.path() / "cell.json"), Catch::Contains("\"solved\""));
  }
}

TEST_CASE("groups nested without end, and links through them, do no harm") {
  const Workplace place;
  write_small_local(place / "deep.hdf5");
  {
    Hdf5Editor file(place / "deep.hdf5");
    hid_t group = H5Gopen2(file.file(), "/", H5P_DEFAULT);
    for (int i = 0; i < 20000; ++i) {
      const hid_t inner = H5Gcreate2(group, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      H5Gclose(group);
      group = inner;
    }
    H5Gclose(group);
    file.soft_link(nested("/g", "", "", 20000), "/solution");
  }
  CHECK(run_program(place, {"inspect", "deep.hdf5"}).code == 0);
  CHECK(run_program(place, {"solve", "deep.hdf5", "--solver", "nsgs"}).code == 0);
}

TEST_CASE("pointers of Git LFS are named, with what fetches the file") {
  const Workplace place;
  place.write("a.hdf5", lfs_pointer);
  place.write("pointer.json", lfs_pointer);
  for (const Arguments& arguments : {Arguments{"inspect", "a.hdf5"},
                                     {"solve", "a.hdf5", "--solver", "nsgs"},
                                     {"check", "pointer.json"},
                                     {"run", "pointer.json"}})
    CHECK_THAT(bad_input_line(run_program(place, arguments)),
               Catch::Contains("is a pointer of Git LFS") && Catch::Contains("`git lfs pull`"));
  place.write("n.json", config_of("./a.hdf5", "NSGS"));
  CHECK(run_program(place, {"run", "n.json", "--quiet"}).code == 3);
  CHECK_THAT(read_text(place / "results/n/summary.csv"), Catch::Contains("git lfs pull"));
}
