#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include "cli/program.hpp"
#include "cli/results.hpp"
#include "support/places.hpp"
#include "support/skip.hpp"
#include "support/temporary_folder.hpp"

/// Every config of the project at its small size, and what the fclib config has to show on real dumps.
using namespace ccp::testing;
namespace fs = std::filesystem;

namespace {

/// The rows of a CSV file with quoted fields in its last columns at most, as name -> text of the leading ones.
std::vector<std::vector<std::string>> leading_fields(const fs::path& path) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> row;
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) row.push_back(field);
    rows.push_back(row);
  }
  return rows;
}

/// Objective of the convex problem by name of the dump (ccp-reference.csv: problem, contacts, objective, …).
std::map<std::string, double> reference_objectives(const std::string& dumps) {
  std::map<std::string, double> objectives;
  const auto rows = leading_fields(fs::path(dumps) / "ccp-reference.csv");
  for (std::size_t i = 1; i < rows.size(); ++i) objectives[rows[i].at(0)] = std::stod(rows[i].at(2));
  return objectives;
}

/// Dumps that Siconos' NSGS solved to natural map 1e-4 (siconos-4.4.csv: problem, contacts, solver, tolerance, reached, …).
std::set<std::string> solved_by_siconos_nsgs(const std::string& dumps) {
  std::set<std::string> solved;
  for (const auto& row : leading_fields(fs::path(dumps) / "siconos-4.4.csv"))
    if (row.at(2) == "NSGS" && row.at(3) == "0.0001" && row.at(4) == "True") solved.insert(row.at(0));
  return solved;
}

/// The config fclib without its claims, which are about all of its cells.
nlohmann::json fclib_study() {
  nlohmann::json study = nlohmann::json::parse(read_text(config_file("fclib")), nullptr, true, true);
  study.erase("claims");
  return study;
}

std::string dump_name(const CellResult& cell) {
  return fs::path(cell.json.at("problem").at("name").get<std::string>()).filename().string();
}

}  // namespace

TEST_CASE("every config with scenes has a baseline, for which it runs at its small size") {
  // Those need MPI or a peer: test_small_config.py.
  const std::set<std::string> without = {"drum_scaling", "million", "ranks_communication", "ranks_scaling",
                                         "siconos_global"};
  int with_scenes = 0;
  for (const auto& entry : fs::directory_iterator(configs_folder())) {
    if (entry.path().extension() != ".json" || read_text(entry.path()).find("\"fclib\":") != std::string::npos) continue;
    CAPTURE(entry.path());
    const bool stored = fs::exists(fs::path(baselines_folder()) / entry.path().stem() / "baseline.json");
    CHECK(stored == (without.count(entry.path().stem()) == 0));
    ++with_scenes;
  }
  CHECK(with_scenes >= 12);
}

namespace {

/// Looks at one model of the fclib config at its small size: every cell has an honest status, solved convex ones the
/// objective of the reference. Gives the number of cells looked at.
int look_at_dumps(const std::string& dumps, const std::string& model) {
  const Workplace place;
  const Answer answer =
      run_program(place, {"run", config_file("fclib"), "--size", "small", "--fclib", dumps, "--out", place.text("out"),
                          "--jobs", "2", "--only", "*/" + model + "/[A-Z]*", "--set", "/stop/time_limit_s=0.05"});
  INFO(answer.err);
  CHECK(answer.code == 0);
  const auto objectives = reference_objectives(dumps);
  int cells = 0;
  for (const auto& [id, cell] : read_results(place / "out/fclib")) {
    CAPTURE(id);
    ++cells;
    const std::string status = cell.json.at("status");
    CHECK((status == "solved" || status == "iteration_limit" || status == "time_limit" || status == "stalled" ||
           status == "diverged" || status == "unsupported" || status == "below_rounding"));
    // Chute is the one rolling problem, which not all methods take.
    CHECK((status != "unsupported" || id.find("Chute") != std::string::npos));
    const std::string name = dump_name(cell);
    if (status != "solved" || model != "ccp" || objectives.count(name) == 0) continue;
    const double objective = cell.json.at("measures").at("objective");
    CHECK(std::abs(objective - objectives.at(name)) <= 1e-6 * std::abs(objectives.at(name)));
  }
  return cells;
}

}  // namespace

TEST_CASE("fclib: every dump is read as ncp, and nothing converges falsely", "[large]") {
  const std::string dumps = fclib_dumps();
  if (dumps.empty()) return;
  CHECK(look_at_dumps(dumps, "ncp") >= 24 * 20);
}

TEST_CASE("fclib: every dump is read as ccp, nothing converges falsely, objectives are those of the reference", "[large]") {
  const std::string dumps = fclib_dumps();
  if (dumps.empty()) return;
  CHECK(look_at_dumps(dumps, "ccp") >= 24 * 14);
}

TEST_CASE("fclib: proximal Newton has the objectives of the reference") {
  const std::string dumps = fclib_dumps();
  if (dumps.empty()) return;
  const auto objectives = reference_objectives(dumps);
  const Workplace place;
  // Bounded by iterations that no machine is too slow for.
  const Answer answer =
      run_program(place, {"run", config_file("fclib"), "--fclib", dumps, "--out", place.text("out"), "--jobs", "2", "--only",
                          "*/ccp/Proximal*", "--set", "/stop/max_iterations=10000"});
  CHECK(answer.code == 0);
  std::set<std::string> compared;
  for (const auto& [id, cell] : read_results(place / "out/fclib")) {
    const std::string name = dump_name(cell);
    if (cell.json.at("status") != "solved" || objectives.count(name) == 0) continue;
    CAPTURE(id);
    const double objective = cell.json.at("measures").at("objective");
    CHECK(std::abs(objective - objectives.at(name)) <= 1e-6 * std::abs(objectives.at(name)));
    compared.insert(name);
  }
  CHECK(compared.size() >= 16);
}

TEST_CASE("fclib: nsgs and pqn solve what Siconos' NSGS solves at natural map 1e-4", "[large]") {
  const std::string dumps = fclib_dumps();
  if (dumps.empty()) return;
  const std::set<std::string> siconos = solved_by_siconos_nsgs(dumps);
  CHECK(siconos.size() == 18);
  const Workplace place;
  nlohmann::json study = fclib_study();
  study["problems"] = nlohmann::json::array();
  for (const std::string& name : siconos) study["problems"].push_back({{"fclib", "*" + name + ".hdf5"}});
  // Bounded by iterations, so that the answer does not depend on the speed of the machine.
  study["stop"] = {{"measure", "natural_map"}, {"tolerance", 1e-4}, {"max_iterations", 60000}, {"time_limit_s", 60.0}};
  const std::string path = place.write("siconos.json", study.dump());
  for (const std::string label : {"NSGS Newton", "PQN"}) {
    const Answer answer = run_program(
        place, {"run", path, "--fclib", dumps, "--out", place.text(label), "--jobs", "2", "--only", "*/ncp/" + label});
    INFO(answer.err);
    CHECK(answer.code == 0);
    std::set<std::string> solved;
    for (const auto& [id, cell] : read_results(place / label / "fclib"))
      if (cell.json.at("status") == "solved") solved.insert(dump_name(cell));
    for (const std::string& name : siconos) {
      CAPTURE(label, name);
      CHECK(solved.count(name) == 1);
    }
  }
}

TEST_CASE("fclib: the interior point has the objectives of the reference to 1e-9") {
  const std::string dumps = fclib_dumps();
  if (dumps.empty()) return;
  const Workplace place;
  const Answer answer =
      run_program(place, {"run", config_file("fclib"), "--fclib", dumps, "--out", place.text("out"), "--jobs", "2", "--only",
                          "*/ccp/Interior point", "--set", "/stop/time_limit_s=60"});
  INFO(answer.err);
  CHECK(answer.code == 0);
  const auto objectives = reference_objectives(dumps);
  int compared = 0;
  for (const auto& [id, cell] : read_results(place / "out/fclib")) {
    if (objectives.count(dump_name(cell)) == 0) continue;
    CAPTURE(id);
    const double reference = objectives.at(dump_name(cell)), objective = cell.json.at("measures").at("objective");
    CHECK(std::abs(objective - reference) <= 1e-9 * std::abs(reference));
    ++compared;
  }
  CHECK(compared >= 16);
}

TEST_CASE("fclib: an indefinite or unsymmetric N crashes nothing, fools nobody, and is reported") {
  const std::string dumps = fclib_dumps();
  if (dumps.empty()) return;
  const Workplace place;
  nlohmann::json study = fclib_study();
  study["problems"] = {{{"fclib", "*Confeti*.hdf5"}}, {{"fclib", "*Capsules*.hdf5"}}, {{"fclib", "*RockPile*.hdf5"}}};
  study["stop"] = {{"tolerance", 1e-8}, {"native", true}, {"max_iterations", 60}, {"time_limit_s", 2.0}};
  nlohmann::json ours = nlohmann::json::array();
  for (const auto& solver : study.at("solvers"))
    if (solver.at("solver").get<std::string>().find('/') == std::string::npos) ours.push_back(solver);
  study["solvers"] = ours;
  const std::string path = place.write("inexact.json", study.dump());
  const Answer answer = run_program(place, {"run", path, "--fclib", dumps, "--out", place.text("out"), "--jobs", "2"});
  INFO(answer.err);
  CHECK((answer.code == 0 || answer.code == 3));  // 3: some converged falsely
  int ended = 0;
  for (const auto& [id, cell] : read_results(place / "out/fclib")) {
    CAPTURE(id);
    const std::string status = cell.json.at("status");
    const auto& measures = cell.json.at("measures");
    CHECK((status != "crashed" && status != "failed" && status != "out_of_memory" && status != "unsupported"));
    const double residual =
        measures.at("relative_residual").is_number() ? measures.at("relative_residual").get<double>() : 1.0;
    if (status == "false_converged") CHECK(residual > 1e-8);
    if (status == "solved") CHECK(residual <= 1e-8);
    ++ended;
  }
  CHECK(ended >= 5 * static_cast<int>(ours.size()));
  const Answer confeti = run_program(place, {"inspect", dumps + "/converted/Confeti-ex03-Fc3D-SBM.hdf5"});
  CHECK(confeti.out.find("indefinite") != std::string::npos);
  const Answer pile = run_program(place, {"inspect", dumps + "/converted/RockPile_tob1.hdf5"});
  CHECK(pile.out.find("W is not symmetric (2.5e-03)") != std::string::npos);
  // Symmetry defects of all cells, by the column of summary.csv.
  const auto rows = leading_fields(place / "out/fclib/summary.csv");
  const auto column = std::find(rows.at(0).begin(), rows.at(0).end(), "symmetry_defect") - rows.at(0).begin();
  REQUIRE(column < static_cast<std::ptrdiff_t>(rows.at(0).size()));
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::size_t from_end = rows.at(0).size() - static_cast<std::size_t>(column);
    CAPTURE(rows[i].at(0));
    const double defect = std::stod(rows[i].at(rows[i].size() - from_end));
    CHECK((defect > 1e-4) == (rows[i].at(0).find("Confeti") == std::string::npos));
  }
}
