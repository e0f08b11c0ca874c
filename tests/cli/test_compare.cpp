#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>

#include "cli/program.hpp"
#include "cli/results.hpp"
#include "core/sha256.hpp"
#include "support/temporary_folder.hpp"

/// compare: what was given, two folders with each other, their times, what is cut off.
using namespace ccp::testing;
namespace fs = std::filesystem;

namespace {

const std::string jacobi_cell = "odd_mass_stack/ccp/usual Jacobi with relaxation as in the paper";

std::string small_stack(const Workplace& place) {
  return place.write("c.json", R"x({"name": "c",
    "problems": [{"scene": "odd_mass_stack", "parameters": {"spheres": 5, "heavy_index": 3}}],
    "solvers": [{"solver": "jacobi", "label": "usual Jacobi with relaxation as in the paper", "parameters": {"omega": 0.2}},
                {"solver": "jacobi", "label": "other Jacobi with relaxation as in the paper", "parameters": {"omega": 0.25}}],
    "stop": {"max_iterations": 40}})x");
}

/// Writes cell.json as a program would whose run had this result.
void write_cell(const fs::path& folder, nlohmann::json json) {
  json["checksum"] = "";
  std::string text = json.dump(2);
  const std::string empty = "\"checksum\": \"\"";
  text.insert(text.find(empty) + empty.size() - 1, ccp::sha256_hex(text).substr(0, 16));
  std::ofstream(folder / "cell.json") << text;
}

Answer run_stack(const Workplace& place, const std::string& out, const Arguments& more = {}) {
  Arguments arguments = {"run", place.text("c.json"), "--quiet", "--out", place.text(out)};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(place, arguments);
}

}  // namespace

TEST_CASE("compare names a changed input first, then what follows from it") {
  const Workplace place;
  small_stack(place);
  REQUIRE(run_stack(place, "old").code == 0);
  REQUIRE(run_program(place, {"compare", place.text("old/c"), "--baseline", place.text("own"), "--update"}).code == 0);
  CHECK(run_program(place, {"compare", place.text("old/c"), "--baseline", place.text("own")}).code == 0);
  REQUIRE(run_stack(place, "new", {"--set", "/solvers/0/parameters/omega=0.3", "--set", "/stop/tolerance=1e-7"}).code == 0);
  for (const Arguments& with : {Arguments{"--baseline", place.text("own")}, Arguments{}}) {
    Arguments arguments = {"compare", place.text(with.empty() ? "old/c" : "new/c")};
    if (with.empty()) arguments.push_back(place.text("new/c"));
    arguments.insert(arguments.end(), with.begin(), with.end());
    const Answer answer = run_program(place, arguments);
    INFO(answer.out << answer.err);
    CHECK(answer.code == 1);
    const auto lines = lines_of(answer.out);
    const auto at = [&](const std::string& text) {
      for (std::size_t i = 0; i < lines.size(); ++i)
        if (contains(lines[i], text)) return static_cast<int>(i);
      return -1;
    };
    const int tolerance = at("  input tolerance: 1e-08 → 1e-07 (stop, 2 cells)"), symptom = at("decades");
    CHECK(tolerance >= 0);
    CHECK(at("  input omega: 0.2 → 0.3 (solver, 1 cell: " + jacobi_cell + ")") == tolerance + 1);
    CHECK(symptom > tolerance + 1);
  }
}

TEST_CASE("compare --exact sees the last digit of any iterate, and no times") {
  const Workplace place;
  small_stack(place);
  REQUIRE(run_stack(place, "old").code == 0);
  REQUIRE(run_stack(place, "same").code == 0);
  REQUIRE(run_stack(place, "near", {"--set", "/solvers/0/parameters/omega=0.20000000000000004"}).code == 0);
  const auto differences = [&](const std::string& other, Arguments more, int code) {
    more.insert(more.begin(), {"compare", place.text("old/c"), place.text(other + "/c"), "--format", "json"});
    const Answer answer = run_program(place, more);
    INFO(answer.out << answer.err);
    CHECK(answer.code == code);
    return nlohmann::json::parse(answer.out)["differences"];
  };
  CHECK(differences("same", {"--exact"}, 0).empty());
  CHECK(differences("near", {}, 1).empty());  // the changed input alone
  const auto exact = differences("near", {"--exact"}, 1);
  REQUIRE(!exact.empty());
  for (const auto& change : exact) CHECK(change["cell"] == jacobi_cell);
  CHECK(run_program(place, {"compare", place.text("old/c"), place.text("same/c"), "--exact", "--without-traces"}).code == 2);
  const Answer baseline = run_program(place, {"compare", place.text("old/c"), "--baseline", place.text("own"), "--exact"});
  CHECK(baseline.code == 2);
  CHECK(contains(baseline.err, "--exact: compares traces, expected two folders"));
}

TEST_CASE("an input alone is a difference, and a baseline without inputs compares as before") {
  const Workplace place;
  small_stack(place);
  REQUIRE(run_stack(place, "old").code == 0);
  REQUIRE(run_program(place, {"compare", place.text("old/c"), "--baseline", place.text("own"), "--update"}).code == 0);
  REQUIRE(run_stack(place, "new", {"--set", "/stop/time_limit_s=50"}).code == 0);
  const Arguments compare = {"compare", place.text("new/c"), "--baseline", place.text("own")};
  const Answer answer = run_program(place, compare);
  CHECK(answer.code == 1);
  CHECK_THAT(answer.out, Catch::Contains("1 changed input, 0 differences") && Catch::Contains("input time_limit_s: "));
  fs::remove(place / "own/c/inputs.json");
  CHECK(run_program(place, compare).code == 0);
  place.write("own/c/inputs.json", "{\"cells\": 3");
  CHECK_THAT(bad_input_line(run_program(place, compare)), Catch::Contains("inputs.json"));
}

namespace {

/// Times that no other program has disturbed.
void set_times(const Workplace& place, const std::string& folder, double scale) {
  for (const auto& [id, cell] : read_results(place / folder)) {
    auto json = cell.json;
    double seconds = 1e-3;
    for (auto& run : json["runs"]) {
      run["solve_s"] = scale * (seconds += 1e-5);
      run.erase("busy");
    }
    write_cell(cell.folder, json);
  }
}

/// Marks each run of these cells as disturbed.
void set_busy(const Workplace& place, const std::string& folder, const std::set<std::string>& cells) {
  for (const auto& [id, cell] : read_results(place / folder)) {
    if (cells.count(id) == 0) continue;
    auto json = cell.json;
    for (auto& run : json["runs"]) run["busy"] = "another program took 40 % of a core";
    write_cell(cell.folder, json);
  }
}

Answer compare(const Workplace& place, const std::string& before, const std::string& after, const Arguments& options = {}) {
  Arguments arguments = {"compare", place.text(before), place.text(after)};
  arguments.insert(arguments.end(), options.begin(), options.end());
  return run_program(place, arguments);
}

}  // namespace

TEST_CASE("compare takes two folders, with the times of what was repeated in both") {
  const Workplace place;
  small_stack(place);
  REQUIRE(run_stack(place, "old").code == 0);
  REQUIRE(run_stack(place, "new", {"--repeat", "5"}).code == 0);
  const Answer once = compare(place, "old/c", "new/c");
  CHECK(once.code == 0);
  CHECK_THAT(once.out, Catch::Contains("c: 2 cells as before") && !Catch::Contains("times"));
  set_times(place, "new/c", 1.0);
  const Answer same = compare(place, "new/c", "new/c");
  CHECK(same.code == 0);
  CHECK_THAT(same.out, Catch::Contains("of 2 cells repeated in both: 0 beyond noise") && Catch::Contains("5 runs)"));

  fs::copy(place / "new", place / "slow", fs::copy_options::recursive);
  set_times(place, "slow/c", 1000.0);
  const Answer slow = compare(place, "new/c", "slow/c");
  CHECK(slow.code == 0);
  CHECK_THAT(slow.out, Catch::Contains("of 2 cells repeated in both: 2 beyond noise") && Catch::Contains("slower"));

  REQUIRE(run_stack(place, "part", {"--only", "*/usual*"}).code == 0);
  const Answer part = compare(place, "new/c", "part/c");
  CHECK(part.code == 1);
  CHECK_THAT(part.out, Catch::Contains("missing"));
  CHECK_THAT(bad_input_line(run_program(place, {"compare", place.text("new/c")})), Catch::Contains("--baseline"));
  CHECK_THAT(bad_input_line(run_program(place, {"compare", "a", "b", "c"})), Catch::Contains("two folders"));
}

TEST_CASE("a gate in CI fails by what is slower beyond noise, and passes nothing that was not judged") {
  const Workplace place;
  small_stack(place);
  REQUIRE(run_stack(place, "old").code == 0);
  REQUIRE(run_stack(place, "new", {"--repeat", "5"}).code == 0);
  set_times(place, "new/c", 1.0);
  fs::copy(place / "new", place / "slow", fs::copy_options::recursive);
  set_times(place, "slow/c", 1000.0);
  const auto gate = [&](const std::string& ratio, const Arguments& more = {}) {
    Arguments options = {"--fail-slower", ratio};
    options.insert(options.end(), more.begin(), more.end());
    return compare(place, "new/c", "slow/c", options);
  };
  CHECK(compare(place, "new/c", "new/c", {"--fail-slower", "1.2"}).code == 0);
  CHECK(gate("5000").code == 0);
  const Answer slower = gate("1.2");
  CHECK(slower.code == 1);
  CHECK_THAT(slower.err, Catch::Contains(jacobi_cell + ": takes") && Catch::Contains("times as long"));
  CHECK_THAT(bad_input_line(compare(place, "old/c", "new/c", {"--fail-slower", "1.2"})),
             Catch::Contains("none was repeated"));
  CHECK_THAT(bad_input_line(gate("0.5")), Catch::Contains("--fail-slower"));
  CHECK_THAT(bad_input_line(compare(place, "new/c", "slow/c", {"--fail-unjudged"})), Catch::Contains("--fail-unjudged"));

  const auto cells = read_results(place / "slow/c");
  auto json = cells.at(jacobi_cell).json;
  json["runs"].push_back(json["runs"].back());  // a sixth, which is busy and does not count
  json["runs"].back()["busy"] = "another program took 40 % of a core";
  write_cell(cells.at(jacobi_cell).folder, json);
  CHECK_THAT(gate("1.2").err, Catch::Contains(jacobi_cell + ": takes") && !Catch::Contains("not judged"));

  set_busy(place, "slow/c", {jacobi_cell});
  const Answer busy = gate("1.2");
  CHECK(busy.code == 1);  // by the other cell
  CHECK_THAT(busy.err, Catch::Contains("not judged") && !Catch::Contains(jacobi_cell + ": takes"));
  CHECK_THAT(compare(place, "new/c", "slow/c").out, Catch::Contains("left out (busy)"));
  CHECK(gate("5000").code == 0);
  CHECK(gate("5000", {"--fail-unjudged"}).code == 1);
  CHECK_THAT(gate("5000", {"--format", "junit"}).out, Catch::Contains("skipped=\"1\"") && Catch::Contains("not judged"));
  CHECK_THAT(gate("5000", {"--format", "annotations"}).out, Catch::StartsWith("::warning title=c%3A " + jacobi_cell));
  CHECK_THAT(gate("5000", {"--format", "annotations", "--fail-unjudged"}).out,
             Catch::StartsWith("::error title=c%3A " + jacobi_cell));
  std::set<std::string> all;
  for (const auto& [id, cell] : cells) all.insert(id);
  set_busy(place, "slow/c", all);
  CHECK_THAT(bad_input_line(gate("1.2")), Catch::Contains("can judge no cell"));
}

TEST_CASE("a trace that is cut off cannot be compared, nor become a baseline") {
  const Workplace place;
  small_stack(place);
  REQUIRE(run_stack(place, "old").code == 0);
  REQUIRE(run_program(place, {"compare", place.text("old/c"), "--baseline", place.text("own"), "--update"}).code == 0);
  const fs::path trace = read_results(place / "old/c").at(jacobi_cell).folder / "trace.csv";
  const std::string whole = read_text(trace);
  const std::string cell = read_text(trace.parent_path() / "cell.json");
  auto json = nlohmann::json::parse(cell);
  json["files"]["trace.csv"] = ccp::sha256_hex(whole.substr(0, whole.find("\n20,") + 1)).substr(0, 16);
  write_cell(trace.parent_path(), json);
  std::ofstream(trace) << whole.substr(0, whole.find("\n20,") + 1);
  for (const Arguments& more : {Arguments{}, Arguments{"--update"}}) {
    Arguments arguments = {"compare", place.text("old/c"), "--baseline", place.text("own")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    CHECK_THAT(bad_input_line(run_program(place, arguments)),
               Catch::Contains("trace.csv: ends before its last iteration 40"));
  }
  std::ofstream(trace) << whole;
  std::ofstream(trace.parent_path() / "cell.json") << cell;
  CHECK(run_program(place, {"compare", place.text("old/c"), "--baseline", place.text("own")}).code == 0);
  fs::remove(trace.parent_path() / "cell.json");
  CHECK_THAT(bad_input_line(run_program(place, {"compare", place.text("old/c"), "--baseline", place.text("own")})),
             Catch::Contains("cell.json"));
}

TEST_CASE("compare refuses a side without traces, but for what is asked for") {
  const Workplace place;
  small_stack(place);
  REQUIRE(run_stack(place, "old").code == 0);
  REQUIRE(run_program(place, {"compare", place.text("old/c"), "--baseline", place.text("own"), "--update"}).code == 0);
  fs::copy(place / "old", place / "bare", fs::copy_options::recursive);
  for (const auto& [id, cell] : read_results(place / "bare/c")) fs::remove(cell.folder / "trace.csv");
  const std::string lacks = "bare/c: has no traces of 2 of its 2 cells (odd_mass_stack/ccp/", asked = "--without-traces";
  for (const Arguments& sides :
       {Arguments{place.text("old/c"), place.text("bare/c")}, Arguments{place.text("bare/c"), place.text("old/c")},
        Arguments{place.text("bare/c"), "--baseline", place.text("own")}}) {
    Arguments arguments = {"compare"};
    arguments.insert(arguments.end(), sides.begin(), sides.end());
    CHECK_THAT(bad_input_line(run_program(place, arguments)), Catch::Contains(lacks) && Catch::Contains(asked));
    arguments.push_back(asked);
    const Answer answer = run_program(place, arguments);
    CHECK(answer.code == 0);
    CHECK_THAT(answer.err, Catch::Contains("the curves of 2 cells are not compared"));
  }
  const std::string before = read_text(place / "own/c/baseline.json");
  Arguments update = {"compare", place.text("bare/c"), "--baseline", place.text("own"), "--update"};
  CHECK_THAT(bad_input_line(run_program(place, update)), Catch::Contains(lacks) && Catch::Contains("would have no curves"));
  CHECK(read_text(place / "own/c/baseline.json") == before);
  update.push_back(asked);
  CHECK(run_program(place, update).code == 0);
  CHECK_FALSE(fs::exists(place / "own/c/usual_Jacobi_with_relaxation_as_in_the_paper.csv"));
  CHECK_THAT(bad_input_line(run_program(place, {"compare", place.text("old/c"), "--baseline", place.text("own")})),
             Catch::Contains("own/c: has no traces of 2 of its 2 cells") && Catch::Contains(asked));
}

TEST_CASE("a smaller run, or one of another size, takes the place of a baseline only where that is asked for") {
  const Workplace place;
  place.write("c.json", R"x({"name": "c", "stop": {"max_iterations": 40},
    "problems": [{"scene": "odd_mass_stack", "parameters": {"spheres": 5, "heavy_index": 3}}],
    "solvers": [{"solver": "jacobi", "label": "A"}, {"solver": "jacobi", "label": "B", "parameters": {"omega": 0.25}}],
    "sizes": {"small": {"/stop/max_iterations": 30}}})x");
  REQUIRE(run_stack(place, "all").code == 0);
  REQUIRE(run_stack(place, "part", {"--only", "*/B"}).code == 0);
  REQUIRE(run_stack(place, "small", {"--size", "small"}).code == 0);
  const auto update = [&](const std::string& results, const Arguments& more = {}) {
    Arguments arguments = {"compare", place.text(results), "--baseline", place.text("own"), "--update"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(place, arguments);
  };
  REQUIRE(update("all/c").code == 0);
  const auto stored = [&] { return read_text(place / "own/c/baseline.json") + read_text(place / "own/c/A.csv"); };
  const std::string before = stored();
  CHECK_THAT(bad_input_line(update("part/c")),
             Catch::Contains("part/c: lacks 1 of the 2 cells of the baseline (odd_mass_stack/ccp/A); --replace"));
  CHECK_THAT(bad_input_line(update("small/c")),
             Catch::Contains("the baseline is of the config as written, the results are of size 'small'; --replace"));
  CHECK(stored() == before);
  CHECK(update("small/c", {"--replace"}).code == 0);
  CHECK_THAT(bad_input_line(update("all/c")), Catch::Contains("the baseline is of size 'small'"));
  CHECK(update("part/c", {"--replace"}).code == 0);
  CHECK_FALSE(fs::exists(place / "own/c/A.csv"));
  CHECK(update("all/c").code == 0);  // more cells than before
  CHECK(stored() == before);
  CHECK_THAT(
      bad_input_line(run_program(place, {"compare", place.text("all/c"), "--baseline", place.text("own"), "--replace"})),
      Catch::Contains("--update"));
}

TEST_CASE("a flipped digit in a trace or in a cell is noticed by who reads it, and the next run mends it") {
  const Workplace place;
  small_stack(place);
  REQUIRE(run_stack(place, "old").code == 0);
  REQUIRE(run_stack(place, "new").code == 0);
  const auto cell = read_results(place / "new/c").at(jacobi_cell);
  for (const std::string name : {"trace.csv", "cell.json"}) {
    const fs::path file = cell.folder / name;
    const std::string whole = read_text(file);
    std::string flipped = whole;
    char& digit = flipped[name == "trace.csv" ? whole.find("\n20,") + 1 : whole.find("\"objective\": -") + 14];
    REQUIRE((digit >= '0' && digit <= '9'));
    digit = digit == '9' ? '8' : static_cast<char>(digit + 1);
    std::ofstream(file) << flipped;
    const std::string damaged = name + ": is damaged: its checksum is not that of when it was written; `ccpbench run`";
    CHECK_THAT(bad_input_line(run_program(place, {"compare", place.text("old/c"), place.text("new/c")})),
               Catch::Contains(damaged));
    CHECK_THAT(run_program(place, {"run", place.text("c.json"), "--out", place.text("new")}).err,
               Catch::Contains("is damaged"));
    CHECK(run_program(place, {"compare", place.text("old/c"), place.text("new/c")}).code == 0);
  }
}

TEST_CASE("a flipped digit in summary.csv is noticed by who reads it, and the next run writes it again") {
  const Workplace place;
  small_stack(place);
  REQUIRE(run_stack(place, "old").code == 0);
  const fs::path file = place / "old/c/summary.csv", manifest = place / "old/c/manifest.json";
  const std::string whole = read_text(file);
  std::string flipped = whole;
  char& digit = flipped[whole.find_last_of("12345678")];
  digit = static_cast<char>(digit + 1);
  std::ofstream(file) << flipped;
  const std::string damaged = "summary.csv: is damaged: its checksum is not that of when it was written; `ccpbench run`";
  CHECK_THAT(bad_input_line(run_program(place, {"compare", place.text("old/c"), place.text("old/c")})),
             Catch::Contains(damaged));
  CHECK_THAT(run_program(place, {"run", place.text("c.json"), "--out", place.text("old")}).err, Catch::Contains(damaged));
  CHECK(read_text(file) == whole);
  CHECK(run_program(place, {"compare", place.text("old/c"), place.text("old/c")}).code == 0);
  // So is that of a backup.
  fs::copy(place / "old", place / "other", fs::copy_options::recursive);
  std::ofstream(place / "other/c/summary.csv") << flipped;
  REQUIRE(run_stack(place, "old", {"--set", "/stop/max_iterations=30"}).code == 0);
  const fs::path earlier = fs::directory_iterator(place / "old/c/earlier")->path() / "summary.csv";
  REQUIRE(read_text(earlier) == whole);
  std::ofstream(earlier) << flipped;
  CHECK_THAT(bad_input_line(run_program(place, {"compare", place.text("old/c"), place.text("old/c")})),
             Catch::Contains("earlier/") && Catch::Contains(damaged));
  // That of a run which goes on is not listed, and is read.
  fs::remove_all(place / "old");
  fs::rename(place / "other", place / "old");
  auto json = nlohmann::json::parse(read_text(manifest));
  CHECK(json.erase("files") == 1);
  std::ofstream(manifest) << json;
  CHECK(run_program(place, {"compare", place.text("old/c"), place.text("old/c")}).code == 0);
}

TEST_CASE("labels that 80 columns would make equal are shown whole") {
  const Workplace place;
  small_stack(place);
  REQUIRE(run_stack(place, "old").code == 0);
  REQUIRE(run_stack(place, "new", {"--set", "/stop/max_iterations=30"}).code == 0);
  const Answer answer = run_program(place, {"compare", place.text("old/c"), place.text("new/c")}, {{"COLUMNS", "80"}});
  std::string first_column;
  for (const std::string& line : lines_of(answer.out)) {
    CHECK(line.find("…") == std::string::npos);
    if (line.rfind("  ", 0) == 0 && !contains(line, "input")) first_column += line.substr(2, line.find("  ", 2) - 2);
  }
  INFO(answer.out);
  first_column.erase(std::remove(first_column.begin(), first_column.end(), ' '), first_column.end());
  CHECK_THAT(first_column, Catch::Contains("usualJacobiwith") && Catch::Contains("otherJacobiwith"));
}
