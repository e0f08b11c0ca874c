#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "cli/program.hpp"
#include "support/temporary_folder.hpp"

/// profile under a deadline, and at accuracies that runs were asked for.
using namespace ccp::testing;

namespace {

constexpr const char* four_spheres =
    R"({"name": "stack", "problems": [{"scene": "odd_mass_stack", "parameters": {"spheres": 4, "heavy_index": 2}}],
    "solvers": [{"solver": "proximal_newton", "label": "N"}, {"solver": "jacobi", "label": "J"}],
    "stop": {"tolerance": 1e-6, "max_iterations": 20}})";

/// The rows by solver.
nlohmann::json rows_by_solver(const Workplace& place, const std::string& results, const std::string& budget) {
  const Answer answer = run_program(place, {"profile", results, "--budget", budget, "--json"});
  INFO(answer.err);
  REQUIRE(answer.code == 0);
  nlohmann::json rows;
  for (const auto& row : nlohmann::json::parse(answer.out)) rows[row.at("solver").get<std::string>()] = row;
  return rows;
}

}  // namespace

TEST_CASE("a budget tells what is solved within it and the residual that is reached") {
  const Workplace place;
  REQUIRE(run_program(place, {"run", place.write("stack.json", four_spheres), "--quiet", "--out", place.text("out")}).code ==
          0);
  const std::string results = place.text("out/stack");
  const auto ample = rows_by_solver(place, results, "1000s");
  CHECK(ample.at("N").at("solved") == 1);
  CHECK(ample.at("N").at("runs") == 1);
  CHECK(ample.at("N").at("worst_residual").get<double>() <= 1e-6);
  CHECK(ample.at("N").at("unsolved") == false);
  CHECK(ample.at("J").at("solved") == 0);
  CHECK(ample.at("J").at("unsolved") == true);
  CHECK(ample.at("J").at("worst_residual").get<double>() > 1e-6);
  const auto none = rows_by_solver(place, results, "0.001us");  // no iterate by then
  CHECK(none.at("N").at("solved") == 0);
  CHECK(none.at("N").at("worst_s") == ample.at("N").at("worst_s"));
  CHECK(none.at("N").at("worst_residual").is_null());
  CHECK(none.at("J").at("worst_s").is_null());  // it never ends
  const Answer text = run_program(place, {"profile", results, "--budget", "0.001us"});
  CHECK(contains(text.out, "within 0.001us, solved: relative_residual ≤ 1e-06"));
  CHECK(contains(text.out, "none"));
  CHECK(contains(run_program(place, {"profile", results, "--budget", "0.001us", "--format", "markdown"}).out, "| none |"));
  CHECK(contains(text.out, ">: some runs ended unsolved."));
  for (const char* budget : {"1", "ms", "-1ms", "1 parsec", "1msx"})
    CHECK(contains(bad_input_line(run_program(place, {"profile", results, "--budget", budget})),
                   std::string("--budget: '") + budget + "' is no time, expected one such as 500us, 1ms or 2s"));
}

TEST_CASE("a budget takes accuracies, and refuses what it has no use for") {
  const Workplace place;
  REQUIRE(run_program(place, {"run", place.write("stack.json", four_spheres), "--quiet", "--out", place.text("out")}).code ==
          0);
  const Arguments budget = {"profile", place.text("out/stack"), "--budget", "1000s"};
  const auto with = [&](const Arguments& more) {
    Arguments all = budget;
    all.insert(all.end(), more.begin(), more.end());
    return run_program(place, all);
  };
  const auto rows = nlohmann::json::parse(with({"--at", "1e-2", "--at", "1e-8", "--json"}).out);
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].at("accuracy") == 1e-2);
  CHECK(rows[0].at("solved") == 1);
  CHECK(rows[2].at("accuracy") == 1e-8);
  CHECK(rows[3].at("solved") == 0);
  const Answer beyond = with({"--at", "1e-8"});
  CHECK(contains(beyond.out, "solved: relative_residual ≤ 1e-08"));
  CHECK(contains(beyond.err, "1e-08: nobody was asked for it"));
  for (const Arguments& option : {Arguments{"--by", "iterations"}, Arguments{"--measure", "natural_map"},
                                  Arguments{"--shift", "1"}, Arguments{"--out", "curves"}})
    CHECK_THAT(bad_input_line(with(option)), Catch::Contains(option[0] + ": does not go with --budget"));
}

TEST_CASE("steps of a sequence are runs under a budget, those without contacts are none") {
  const Workplace place;
  const std::string file = place.write("balls.json", R"({"name": "balls", "problems": [{"scene": "ball_box",
    "parameters": {"spheres": 8}, "sequence": {"steps": 60}}], "solvers": [{"solver": "apgd", "label": "A"}],
    "stop": {"tolerance": 1e-4, "max_iterations": 500}})");
  REQUIRE(run_program(place, {"run", file, "--quiet", "--out", place.text("out")}).code == 0);
  const auto rows = rows_by_solver(place, place.text("out/balls"), "1000s");
  CHECK(rows.at("A").at("runs") == 60);
  CHECK(rows.at("A").at("solved") == 60);
  const std::string falling =
      place.write("drum.json", R"({"name": "drum", "problems": [{"scene": "drum", "sequence": {"steps": 5}}],
    "solvers": [{"solver": "apgd", "label": "A"}], "stop": {"tolerance": 1e-4, "max_iterations": 500}})");
  REQUIRE(run_program(place, {"run", file, "--quiet", "--out", place.text("out"), "--repeat", "2"}).code == 0);
  CHECK(contains(run_program(place, {"profile", place.text("out/balls"), "--budget", "1s"}).err,
                 "the times of steps are those of the first run"));
  REQUIRE(run_program(place, {"run", falling, "--quiet", "--out", place.text("out")}).code == 0);
  CHECK(contains(bad_input_line(run_program(place, {"profile", place.text("out/drum"), "--budget", "1s"})),
                 "the results hold no run with a time"));
}

TEST_CASE("profiles leave out accuracies that nobody was asked for, unless they are named") {
  const Workplace place;
  REQUIRE(run_program(place, {"run", place.write("stack.json", four_spheres), "--quiet", "--out", place.text("out")}).code ==
          0);
  const std::string results = place.text("out/stack");
  const Answer usual = run_program(place, {"profile", results});
  CHECK(contains(usual.out, "accuracy 1e-04"));
  CHECK_FALSE(contains(usual.out, "accuracy 1e-08"));
  const Answer named = run_program(place, {"profile", results, "--at", "1e-8"});
  CHECK(contains(named.out, "accuracy 1e-08"));
  CHECK(contains(named.err, "1e-08: nobody was asked for it, runs stop at 1e-06"));
  REQUIRE(run_program(place, {"run", place.text("stack.json"), "--quiet", "--out", place.text("loose"), "--set",
                              "/stop/tolerance=0.003"})
              .code == 0);
  CHECK(contains(run_program(place, {"profile", place.text("loose/stack")}).out, "accuracy 0.01"));
  // A solver that solves nothing has no mean: ten times the dearest cost is a penalty, not a time.
  const auto rows = nlohmann::json::parse(run_program(place, {"profile", results, "--at", "1e-4", "--json"}).out);
  for (const auto& row : rows) CHECK(row.at("mean_s").is_null() == (row.at("solver") == "J"));
}

TEST_CASE("rank says which method to take, and keeps its results") {
  const Workplace place;
  Arguments arguments = {"rank", "--budget", "10s",      "--accuracy", "1e-4",     "--repeat",
                         "1",    "--quiet",  "--solver", "jacobi",     "--solver", "proximal_newton"};
  for (const char* spheres : {"2", "3", "4", "5", "6"})
    arguments.push_back(std::string("scene:odd_mass_stack:heavy_index=1,spheres=") + spheres);
  const Answer answer = run_program(place, arguments);
  INFO(answer.out << answer.err);
  CHECK(answer.code == 0);
  const auto lines = lines_of(answer.out);
  REQUIRE(lines.size() == 3);
  CHECK(lines[2] == "results: results/rank");
  arguments.insert(arguments.end(), {"--format", "json"});
  const auto rows = nlohmann::json::parse(run_program(place, arguments).out);
  REQUIRE(rows.size() == 2);
  for (const auto& row : rows) {
    CHECK((row.at("solved") == 5 && row.at("runs") == 5));
    CHECK((row.at("share_low") == 1.0 && row.at("share_high") == 1.0));
  }
  // Both solve all, so the faster one is first; which one that is depends on the machine.
  const auto name = [&](std::size_t k) { return rows[k].at("solver").get<std::string>(); };
  CHECK(std::set{name(0), name(1)} == std::set<std::string>{"jacobi", "proximal_newton"});
  CHECK(rows[0].at("median_s").get<double>() <= rows[1].at("median_s").get<double>());
  CHECK_THAT(lines[0],
             Catch::StartsWith("take " + name(0) +
                               ", model ccp: solves 5 of 5 to 0.0001 within 10s (100 %, 95 % interval 100 to 100 %)"));
  CHECK_THAT(lines[1], Catch::StartsWith("second is " + name(1) + ": solves 5 of 5"));
  CHECK(run_program(place, {"profile", "results/rank", "--budget", "10s"}).code == 0);
  for (const auto& [option, value] :
       {std::pair("--budget", "soon"), std::pair("--solver", "jacoby"), std::pair("--accuracy", "0")})
    CHECK_THAT(bad_input_line(run_program(place, {"rank", "scene:odd_mass_stack", option, value})), Catch::Contains(option));
}

TEST_CASE("rank names what it leaves out, and limits what hangs in its set-up") {
  const Workplace place;
  std::filesystem::create_directory(place / "dumps");
  for (const char* form : {"local", "global"})
    REQUIRE(run_program(place, {"generate", "odd_mass_stack", "--set", "spheres=3", "--set", "heavy_index=2", "--form", form,
                                "--no-solution", "--out", place.text("dumps/") + form + ".hdf5"})
                .code == 0);
  place.write("dumps/torn.dat", "3 1\n1 0\n");
  const Answer answer = run_program(place, {"rank", "dumps", "scene:drum", "--budget", "2s", "--accuracy", "1e-4", "--model",
                                            "ccp", "--repeat", "1", "--quiet", "--solver", "jacobi", "--solver", "nsgs"});
  INFO(answer.out << answer.err);
  REQUIRE(answer.code == 0);
  CHECK_THAT(answer.out, Catch::Contains("take jacobi, model ccp: solves 2 of 2"));
  CHECK_THAT(answer.err, Catch::Contains("scene:drum moves, and its first step is ranked") &&
                             Catch::Contains("left out: drum: no contacts") && Catch::Contains("left out: torn: ") &&
                             Catch::Contains("nsgs has no run of 2 problems that others have: nsgs does not solve"));
  const Answer profile = run_program(place, {"profile", "results/rank", "--budget", "2s"});
  CHECK_THAT(profile.out, Catch::Contains("0/0"));
  CHECK_THAT(profile.err, Catch::Contains("nsgs has no run of 2 problems"));
  const auto config = [&] { return nlohmann::json::parse(read_text(place / "results/rank/manifest.json")).at("config"); };
  CHECK(config().at("limits").at("wall_s") == 600);
  const Arguments small = {"rank", "dumps/local.hdf5", "--solver", "jacobi", "--repeat", "1", "--quiet", "--budget", "1ms"};
  REQUIRE(run_program(place, small).code == 0);
  CHECK(config().at("limits").at("wall_s") == 10);
  Arguments limited = small;
  limited.insert(limited.end(), {"--wall", "30s"});
  REQUIRE(run_program(place, limited).code == 0);
  CHECK(config().at("limits").at("wall_s") == 30);
  limited.back() = "soon";
  CHECK_THAT(bad_input_line(run_program(place, limited)), Catch::Contains("--wall: 'soon' is no time"));
}

TEST_CASE("rank refuses a config, a folder without dumps, an accuracy of no meaning and a value given twice") {
  const Workplace place;
  place.write("stack.json", four_spheres);
  std::filesystem::create_directory(place / "empty");
  const auto line = [&](const Arguments& more) {
    Arguments all = {"rank"};
    all.insert(all.end(), more.begin(), more.end());
    return bad_input_line(run_program(place, all));
  };
  CHECK_THAT(line({"stack.json"}), Catch::Contains("stack.json: is a config") && Catch::Contains("profile"));
  CHECK_THAT(line({"empty"}), Catch::Contains("empty: has no dumps"));
  CHECK_THAT(line({"scene:odd_mass_stack", "--accuracy", "2"}), Catch::Contains("--accuracy"));
  CHECK_THAT(line({"scene:odd_mass_stack", "--perturb", "noise=0.1,noise=0.2"}),
             Catch::Contains("--perturb: 'noise' is given twice"));
  CHECK_THAT(line({"scene:odd_mass_stack", "--solver", "admm:rho=1,rho=2"}), Catch::Contains("'rho' is given twice"));
}
