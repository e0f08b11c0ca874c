#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/program.hpp"
#include "cli/results.hpp"
#include "problems/registry.hpp"
#include "solvers/registry.hpp"

/// --format and --json: what commands print for programs, spreadsheets and papers.
using namespace ccp;
using namespace ccp::testing;
using nlohmann::json;

namespace {

using Rows = std::vector<std::vector<std::string>>;

/// CSV as of RFC 4180.
Rows parse_quoted(const std::string& text) {
  Rows rows(1, {""});
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"')
      rows.back().back() += text[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && c == ',')
      rows.back().emplace_back();
    else if (!quoted && c == '\n')
      rows.push_back({""});
    else
      rows.back().back() += c;
  }
  rows.pop_back();
  return rows;
}

std::string output(const Workplace& place, Arguments arguments, const std::string& format, int code = 0) {
  arguments.insert(arguments.end(), {"--format", format});
  const Answer answer = run_program(place, arguments, {{"CCPBENCH_FCLIB_DIR", ""}});
  INFO(answer.out << answer.err);
  CHECK(answer.code == code);
  return answer.out;
}

/// The table is the same in all formats: as many rows, the same columns. Gives the JSON.
json same_in_all_formats(const Workplace& place, const Arguments& arguments, int code = 0) {
  INFO(arguments.back());
  const Rows csv = parse_quoted(output(place, arguments, "csv", code));
  REQUIRE_FALSE(csv.empty());
  for (const auto& row : csv) CHECK(row.size() == csv.front().size());
  const auto markdown = lines_of(output(place, arguments, "markdown", code));
  CHECK(markdown.size() == csv.size() + 1);
  for (const std::string& line : markdown) CHECK((line.front() == '|' && line.back() == '|'));
  const auto latex = lines_of(output(place, arguments, "latex", code));
  CHECK(latex.size() == csv.size() + 6);
  for (const std::string& line : latex)
    if (contains(line, "\\\\")) {
      std::size_t columns = 1;
      for (std::size_t i = 0; i < line.size(); ++i) columns += line[i] == '&' && (i == 0 || line[i - 1] != '\\') ? 1 : 0;
      CHECK(columns == csv.front().size());
    }
  const std::string text = output(place, arguments, "json", code);
  Arguments short_form = arguments;
  short_form.emplace_back("--json");
  CHECK(json::accept(run_program(place, short_form, {{"CCPBENCH_FCLIB_DIR", ""}}).out));
  return json::parse(text);
}

std::string tiny_config(const Workplace& place) {
  std::filesystem::create_directory(place / "configs");
  return place.write("configs/tiny.json", R"x({"name": "tiny", "title": "50 % of a_b & |c|",
    "problems": [{"scene": "odd_mass_stack", "parameters": {"spheres": 5, "heavy_index": 3}}],
    "solvers": [{"solver": "admm", "label": "A_1 & {B} 2e-8 γ ≤ 3 0.0001 -0.00025 0.001"},
                {"solver": "jacobi", "label": "a, \"b\" | c"}],
    "stop": {"max_iterations": 40},
    "claims": [{"id": "c", "must": true, "says": "s", "where": "P, sec. 1", "metric": "iterations_to", "at": 1e-4, "of": "A*",
                "at_most": 30},
               {"id": "never", "says": "s", "where": "P, sec. 1", "metric": "iterations_to", "at": 1e-8, "of": "a,*", "at_most": 30}]})x");
}

}  // namespace

TEST_CASE("list gives every topic in every format") {
  const Workplace place;
  tiny_config(place);
  for (const char* topic : {"scenes", "measures", "metrics", "statuses", "linear-solvers", "configs", "config"})
    CHECK(same_in_all_formats(place, {"list", topic}).is_array());
  const json solvers = json::parse(output(place, {"list", "solvers"}, "json"));
  for (const std::string& name : solver_names())
    CHECK(std::any_of(solvers.begin(), solvers.end(), [&](const json& solver) { return solver["name"] == name; }));
  const json admm = same_in_all_formats(place, {"list", "solvers", "admm"});
  CHECK(admm["settings"].size() == make_solver("admm")->settings().fields().size());
  CHECK(admm["trace_columns"].size() == make_solver("admm")->info().native.size());
  const json scene = same_in_all_formats(place, {"list", "scenes", "odd_mass_stack"});
  CHECK(scene["parameters"][0]["name"] == make_scene("odd_mass_stack")->parameters().fields().front().name);
  CHECK(same_in_all_formats(place, {"list", "config", "stop"})[0]["keys"].size() > 3);
}

TEST_CASE("texts are written so that each format reads them back") {
  const Workplace place;
  tiny_config(place);
  const json config = same_in_all_formats(place, {"list", "configs", "tiny"});
  CHECK(config["title"] == "50 % of a_b & |c|");
  const Rows csv = parse_quoted(output(place, {"list", "configs", "tiny"}, "csv"));
  REQUIRE(csv.size() == 3);
  CHECK(csv[2][0] == "a, \"b\" | c");
  CHECK_THAT(output(place, {"list", "configs", "tiny"}, "markdown"), Catch::Contains("| a, \"b\" \\| c | jacobi |"));
  const std::string latex = output(place, {"list", "configs", "tiny"}, "latex");
  CHECK_THAT(latex, Catch::Contains(
                        "A\\_1 \\& \\{B\\} $2\\cdot10^{-8}$ $\\gamma$ $\\le$ 3 $10^{-4}$ $-2.5\\cdot10^{-4}$ 0.001 & admm"));
  CHECK_THAT(latex, Catch::Contains("\\toprule\n") && Catch::Contains("\\midrule\n") && Catch::Contains("\\bottomrule\n"));
}

TEST_CASE("profile, compare and claims give their numbers in every format") {
  const Workplace place;
  const std::string config = tiny_config(place);
  for (const char* out : {"a", "b"}) {
    Arguments run = {"run", config, "--quiet", "--out", place.text(out)};
    if (out[0] == 'b') run.insert(run.end(), {"--set", "/stop/max_iterations=20"});
    REQUIRE(run_program(place, run).code == 0);
  }
  const json profile = same_in_all_formats(place, {"profile", "a/tiny", "--by", "iterations", "--at", "1e-4"});
  REQUIRE(profile.size() == 2);
  CHECK((profile[0]["accuracy"] == 1e-4 && profile[0]["solved"] == 1 && profile[0]["mean"].is_number()));
  CHECK((profile[1]["solver"] == "a, \"b\" | c" && profile[1]["solved"] == 0 && profile[1]["low"].is_null()));
  const json changes = same_in_all_formats(place, {"compare", "a/tiny", "b/tiny"}, 1);
  CHECK((changes["same"] == false && changes["inputs"][0]["name"] == "max_iterations"));
  CHECK(changes["differences"].size() > 0);
  CHECK(same_in_all_formats(place, {"compare", "a/tiny", "a/tiny"})["same"] == true);
  const json claims = same_in_all_formats(place, {"claims", "a/tiny"});
  CHECK((claims[0]["config"] == "tiny" && claims[0]["claims"][0]["verdict"] == "met"));
  CHECK(claims[0]["claims"][0]["measured"].get<double>() <= 30.0);
  CHECK((claims[0]["claims"][1]["measured"].is_null() && claims[0]["claims"][1]["measured_text"] == "never"));
  CHECK_THAT(bad_input_line(run_program(place, {"compare", "a/tiny", "--baseline", "x", "--update", "--json"})),
             Catch::Contains("--update"));
}

TEST_CASE("tables for people have one unit in a column of times, bounds of unsolved runs, and plain counts") {
  const Workplace place;
  const std::string config = tiny_config(place);
  const Answer run = run_program(place, {"run", config, "--quiet", "--out", place.text("a"), "--format", "latex"});
  REQUIRE(run.code == 0);
  CHECK_THAT(run.out, Catch::Contains(" & time (ms) & ") || Catch::Contains(" & time ($\\mu$s) & ") ||
                          Catch::Contains(" & time (s) & "));
  CHECK_THAT(run.out, Catch::Contains(" & solved & ") && Catch::Contains(" & iteration limit & $>$ 40 & $>$ "));
  CHECK_THAT(run.out, !Catch::Contains("s & $") && !Catch::Contains("iteration\\_limit"));  // no unit in a row
  const std::string csv = run_program(place, {"run", config, "--quiet", "--out", place.text("a"), "--format", "csv"}).out;
  CHECK_THAT(csv, Catch::Contains(",iteration_limit,40,"));
  const std::string profile = output(place, {"profile", "a/tiny", "--by", "iterations", "--at", "1e-4"}, "latex");
  CHECK_THAT(profile, Catch::Contains("& shifted geometric mean of iterations &") && !Catch::Contains("10^{1}"));
  CHECK_THAT(output(place, {"profile", "a/tiny", "--at", "1e-4"}, "markdown"),
             Catch::Contains("| shifted geometric mean of the time ("));
}

TEST_CASE("a name that is no folder of results is one below results/") {
  const Workplace place;
  REQUIRE(run_program(place, {"run", tiny_config(place), "--quiet"}).code == 0);
  for (const char* command : {"profile", "plot", "report", "compare"}) {
    Arguments arguments = {command, "tiny"};
    if (std::string(command) == "compare") arguments.emplace_back("results/tiny");
    CHECK_THAT(bad_input_line(run_program(place, arguments)), Catch::Contains("did you mean results/tiny?"));
  }
  CHECK_THAT(bad_input_line(run_program(place, {"profile", "none"})), !Catch::Contains("did you mean"));
}

TEST_CASE("inspect and check give a row for each file, and errors on stderr or in the row") {
  const Workplace place;
  const std::string config = tiny_config(place);
  REQUIRE(run_program(place, {"generate", "odd_mass_stack", "--set", "spheres=5", "--set", "heavy_index=3"}).code == 0);
  const json dumps = same_in_all_formats(place, {"inspect", "odd_mass_stack.local.hdf5", "odd_mass_stack.local.hdf5"});
  REQUIRE(dumps.size() == 2);
  CHECK((dumps[0]["contacts"] == 6 && dumps[0]["delassus"]["rank"] == 18 && dumps[0]["has_solution"] == true));
  CHECK(dumps[0]["points"].size() == 4);
  CHECK(same_in_all_formats(place, {"inspect", "odd_mass_stack.local.hdf5", "none.hdf5"}, 2).size() == 1);
  const json checked = same_in_all_formats(place, {"check", config, "none.json"}, 2);
  CHECK((checked[0]["valid"] == true && checked[0]["cells"] == 2 && checked[0]["mistakes"].empty()));
  REQUIRE(checked[1]["mistakes"].size() == 1);
  CHECK((checked[1]["valid"] == false && checked[1]["mistakes"][0]["file"] == "none.json"));
}

TEST_CASE("solve ranks several solvers: the solved ones by time, then the others by what they came to") {
  const Workplace place;
  const Arguments base = {"solve",    "scene:odd_mass_stack:spheres=5,heavy_index=3",
                          "--solver", "jacobi",
                          "--solver", "ipm_qp",
                          "--solver", "admm:rho=0.5,preconditioner=diagonal",
                          "--solver", "jacobi:omega=0.01",
                          "--solver", "admm"};
  const json ranking = same_in_all_formats(place, base, 3);
  REQUIRE(ranking["solvers"].size() == 5);
  std::vector<std::string> settings;
  double time = 0.0, residual = 0.0;
  for (std::size_t i = 0; i < 5; ++i) {
    const json& run = ranking["solvers"][i];
    CHECK(run["rank"] == i + 1);
    CHECK((run["status"] == "solved") == (i < 2));
    CHECK((run["status"] == "unsupported") == (i == 4));
    if (i < 2) CHECK(run["time_s"].get<double>() >= std::exchange(time, run["time_s"].get<double>()));
    if (i == 2 || i == 3) {
      const double now = run["measures"]["relative_residual"].get<double>();
      CHECK(now > std::exchange(residual, now));
    }
    settings.push_back(run["settings"]);
  }
  CHECK(std::count(settings.begin(), settings.end(), "rho=0.5, preconditioner=diagonal") == 1);
  CHECK((ranking["model"] == "ccp" && ranking["problem"]["contacts"] == 6));
  const Answer page = run_program(place, base);
  CHECK(page.code == 3);
  CHECK_THAT(page.out, Catch::Contains("Ranking, model ccp") && Catch::Contains("5  ipm_qp") && Catch::Contains("\nWhy\n"));
}

TEST_CASE("solve takes the settings of each solver, and files of one solver only") {
  const Workplace place;
  const std::string scene = "scene:odd_mass_stack:spheres=5,heavy_index=3";
  const Answer answer = run_program(place, {"solve", scene, "--solver", "admm:rho=0.2"});
  CHECK(answer.code == 0);
  CHECK_THAT(answer.out, Catch::Contains("rho = 0.2 (default 0.1)"));
  CHECK_THAT(bad_input_line(run_program(place, {"solve", scene, "--solver", "admm:roh=0.2"})),
             Catch::Contains("--solver admm:roh=0.2") && Catch::Contains("did you mean 'rho'?"));
  CHECK_THAT(bad_input_line(run_program(place, {"solve", scene, "--solver", "admm", "--solver", "nsgs", "--set", "rho=1"})),
             Catch::Contains("--set, of nsgs"));
  for (const char* option : {"--trace", "--save-solution"})
    CHECK_THAT(bad_input_line(run_program(place, {"solve", scene, "--solver", "admm", "--solver", "nsgs", option, "x"})),
               Catch::Contains(option));
  CHECK(place.listing().empty());
}

TEST_CASE("claims and comparisons are read by CI as JUnit and as annotations") {
  const Workplace place;
  place.write("c.json", R"x({"name": "c", "problems": [{"scene": "odd_mass_stack", "parameters": {"spheres": 3, "heavy_index": 2}}],
    "solvers": [{"solver": "jacobi", "label": "J<1>"}], "stop": {"max_iterations": 5}, "claims": [
      {"id": "met", "says": "a", "where": "ours", "must": true, "metric": "iterations", "of": "J<1>", "at_most": 5},
      {"id": "missed", "says": "100 % & more", "where": "ours", "must": true, "metric": "iterations", "of": "J<1>", "at_most": 4},
      {"id": "warns", "says": "b", "where": "ours", "metric": "iterations", "of": "J<1>", "at_most": 3}]})x");
  const std::string xml = output(place, {"claims", "c.json", "--quiet"}, "junit", 1);
  for (const char* part : {"<testsuite name=\"c\" tests=\"3\" failures=\"1\"", "name=\"met\"></testcase>",
                           "name=\"missed\"><failure message=\"", "100 % &amp; more", "name=\"warns\"><system-out>"})
    CHECK_THAT(xml, Catch::Contains(part));
  const auto lines = lines_of(output(place, {"claims", "c.json", "--quiet"}, "annotations", 1));
  REQUIRE(lines.size() == 2);
  CHECK_THAT(lines[0], Catch::StartsWith("::error title=c%3A missed::not met") && Catch::Contains("100 %25 & more"));
  CHECK_THAT(lines[1], Catch::StartsWith("::warning title=c%3A warns::not met"));

  REQUIRE(run_program(place, {"run", "c.json", "--quiet", "--out", "b", "--set", "/stop/max_iterations=4"}).code == 0);
  const std::string moved = output(place, {"compare", "b/c", "results/c"}, "junit", 1);
  CHECK_THAT(moved, Catch::Contains("name=\"inputs\"><failure message=\"max_iterations: 4 → 5") &&
                        Catch::Contains("name=\"odd_mass_stack/ccp/J&lt;1&gt;\"><failure message=\"objective"));
  CHECK(output(place, {"compare", "b/c", "b/c"}, "annotations").empty());
}

TEST_CASE("cite names the papers behind a config, and ccpbench") {
  const Workplace place;
  const auto keys = [&](const Arguments& arguments) {
    const Answer answer = run_program(place, arguments);
    CHECK(answer.code == 0);
    std::vector<std::string> found;
    for (const std::string& line : lines_of(answer.out))
      if (line.starts_with("@")) found.push_back(line.substr(line.find('{') + 1));
    return found;
  };
  CHECK(keys({"cite"}) == std::vector<std::string>{"ccpbench,"});
  place.write("c.json", R"({"name": "c", "problems": [{"scene": "odd_mass_stack"}], "solvers": [{"solver": "pqn"}],
    "claims": [{"id": "a", "says": "b", "where": "Mangoni's thesis, sec. 5", "metric": "iterations", "of": "pqn", "at_most": 5}]})");
  CHECK(keys({"cite", "c.json"}) == std::vector<std::string>{"ccpbench,", "mangoni,", "koziara2017,"});
  REQUIRE(run_program(place, {"run", "c.json", "--quiet"}).code == 0);
  CHECK(keys({"cite", "results/c"}) == keys({"cite", "c.json"}));
  CHECK_THAT(bad_input_line(run_program(place, {"cite", "results"})), Catch::Contains("expected the results of a run"));
  CHECK_THAT(run_program(place, {"cite", "test1a"}).out, Catch::Contains("  year = {2021},\n  doi = {10.1002/nme.6693}\n}"));
  // Every paper that a method or a config names has an entry.
  for (const std::string& solver : solver_names()) {
    INFO(solver);
    place.write("s.json", R"({"name": "s", "model": "ncp", "problems": [{"scene": "odd_mass_stack"}], "solvers": [{"solver": ")" +
                              solver + "\"}]}");
    const std::string reference = make_solver(solver)->info().reference;
    CHECK((keys({"cite", "s.json"}).size() > 1) == (reference.find_first_of("12") != std::string::npos));
  }
}

TEST_CASE("formats that disagree are refused") {
  const Workplace place;
  CHECK_THAT(bad_input_line(run_program(place, {"list", "solvers", "--format", "csv", "--json"})),
             Catch::Contains("--json"));
  CHECK_THAT(bad_input_line(run_program(place, {"list", "solvers", "--format", "cvs"})), Catch::Contains("'csv'"));
}
