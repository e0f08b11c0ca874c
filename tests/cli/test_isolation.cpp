#include <signal.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "cli/program.hpp"
#include "cli/results.hpp"
#include "io/hdf5_editor.hpp"

using namespace ccp::testing;

namespace fs = std::filesystem;

namespace {

/// A dump whose W claims a million values in one packed piece that unpacks to eight bytes: HDF5 1.10 believes the header and
/// reads beyond the end of its memory.
void write_deadly_dump(const Workplace& place, const std::string& name) {
  REQUIRE(run_program(place, {"generate", "odd_mass_stack", "--form", "local", "--out", name}).code == 0);
  const std::string values = "/fclib_local/W/x";
  constexpr hsize_t count = 1000000;
  Hdf5Editor file(place / name);
  file.put(values, H5T_NATIVE_DOUBLE, {count}, H5T_NATIVE_DOUBLE, nullptr, Hdf5Editor::chunked(count, 6));
  const hid_t dataset = H5Dopen2(file.file(), values.c_str(), H5P_DEFAULT);
  const hsize_t start = 0;
  std::vector<unsigned char> packed = {120, 156, 99, 96, 128, 0, 0, 0, 8, 0, 1};  // eight zeros
  packed.resize(10000);  // what deflate could have made of eight million
  REQUIRE(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &start, packed.size(), packed.data()) >= 0);
  H5Dclose(dataset);
}

/// `cells` cells of a few milliseconds each.
std::string sweep_config(const Workplace& place, int cells) {
  std::ostringstream values;
  for (int i = 0; i < cells; ++i) values << (i == 0 ? "" : ", ") << 0.01 * (i + 1);
  return place.write("sweep.json", R"({ "name": "sweep", "model": "ccp", "stop": { "max_iterations": 300 },
    "problems": [ { "scene": "odd_mass_stack" } ], "solvers": [ { "solver": "jacobi" } ],
    "sweep": { "/solvers/0/parameters/omega": [ )" +
                                       values.str() + "] } }");
}

/// summary.csv without what a clock or the kernel has measured.
std::vector<std::string> timeless_summary(const fs::path& folder) {
  const Csv csv(folder / "summary.csv");
  std::vector<std::string> lines;
  for (std::size_t row = 0; row < csv.rows(); ++row) {
    std::string line;
    for (const std::string& column : csv.columns()) {
      const bool measured = column.ends_with("_s") || column.starts_with("solve_s_") || column.starts_with("time_to_") ||
                            column == "peak_memory_mb" || column == "busy_runs" || column == "instructions";
      if (!measured) line += csv.text(row, column) + ",";
    }
    lines.push_back(line);
  }
  return lines;
}

/// Cells that have a result, with when it was written.
std::map<std::string, fs::file_time_type> finished_cells(const fs::path& folder) {
  std::map<std::string, fs::file_time_type> cells;
  if (!fs::is_directory(folder / "cells")) return cells;
  for (const auto& entry : fs::directory_iterator(folder / "cells"))
    if (fs::exists(entry.path() / "cell.json"))
      cells[entry.path().filename()] = fs::last_write_time(entry.path() / "cell.json");
  return cells;
}

/// Lines on stderr that report a finished cell.
std::size_t cells_reported(const Answer& answer) {
  std::size_t count = 0;
  for (const std::string& line : lines_of(answer.err)) {
    const bool numbered = line.find_first_of("0123456789") == line.find_first_not_of(' ');  // not a warning that names one
    count += numbered && line.find("odd_mass_stack/ccp/") != std::string::npos;
  }
  return count;
}

}  // namespace

TEST_CASE("A sweep of 200 cells whose runner is killed goes on where it was, and ends the same") {
  const Workplace place;
  const std::string config = sweep_config(place, 200);
  REQUIRE(run_program(place, {"run", config, "--out", "whole", "--jobs", "2", "--quiet"}).code == 0);

  Program program(place, {"run", config, "--out", "killed", "--jobs", "2", "--quiet"});
  REQUIRE(wait_until([&] { return finished_cells(place / "killed/sweep").size() >= 60 || !program.running(); }));
  REQUIRE(program.running());
  program.send(SIGKILL);
  CHECK(program.wait().code == -SIGKILL);
  std::map<std::string, fs::file_time_type> before;
  wait_until([&] {  // a worker may write its result while it is being killed
    const auto now = finished_cells(place / "killed/sweep");
    return std::exchange(before, now) == now;
  });
  REQUIRE(before.size() >= 60);
  REQUIRE(before.size() < 200);

  const Answer again = run_program(place, {"run", config, "--out", "killed", "--jobs", "2"});
  CHECK(again.code == 0);
  CHECK_THAT(again.err, Catch::Contains(std::to_string(before.size()) + " there already"));
  CHECK(cells_reported(again) == 200 - before.size());
  const auto after = finished_cells(place / "killed/sweep");
  CHECK(after.size() == 200);
  for (const auto& [cell, time] : before) CHECK(after.at(cell) == time);
  CHECK(timeless_summary(place / "killed/sweep") == timeless_summary(place / "whole/sweep"));
  for (const std::string& name : place.listing()) {
    INFO(name);
    CHECK(name.find(".tmp") == std::string::npos);
    CHECK(name.find(".part") == std::string::npos);
  }
}

TEST_CASE("merge puts shards together, leaves out what is damaged, and takes one config only") {
  const Workplace place;
  const std::string config = sweep_config(place, 6);
  REQUIRE(run_program(place, {"run", config, "--out", "whole", "--quiet"}).code == 0);
  for (const std::string shard : {"1", "2"})
    REQUIRE(run_program(place, {"run", config, "--out", "part" + shard, "--shard", shard + "/2", "--quiet"}).code == 0);
  const auto merge = [&](const Arguments& folders) {
    Arguments arguments = {"merge", "--out", "merged/sweep"};
    arguments.insert(arguments.end(), folders.begin(), folders.end());
    return run_program(place, arguments);
  };
  const Answer half = merge({"part1/sweep"});
  INFO(half.out << half.err);
  CHECK(half.code == 0);
  CHECK_THAT(half.out, Catch::Contains("3 cells copied, 0 there already, 3 missing"));
  CHECK_THAT(half.err, Catch::Contains("3 cells of the config have no result yet"));

  const fs::path damaged = read_results(place / "part2/sweep").begin()->second.folder;
  const std::string trace = read_text(damaged / "trace.csv");
  fs::remove(damaged / "trace.csv");
  const Answer rest = merge({"part1/sweep", "part2/sweep"});
  CHECK(rest.code == 3);
  CHECK_THAT(rest.out, Catch::Contains("2 cells copied, 3 there already, 1 missing"));
  CHECK_THAT(rest.err, Catch::Contains("left out: ") && Catch::Contains("trace.csv"));
  std::ofstream(damaged / "trace.csv") << trace;
  auto other = nlohmann::json::parse(read_text(place / "part2/sweep/manifest.json"));
  other["environment"]["cpu"] = "Another CPU";
  other["warnings"].push_back("it was hot");
  std::ofstream(place / "part2/sweep/manifest.json") << other.dump();
  CHECK(merge({"part2/sweep"}).code == 0);
  CHECK(timeless_summary(place / "merged/sweep") == timeless_summary(place / "whole/sweep"));
  const auto manifest = nlohmann::json::parse(read_text(place / "merged/sweep/manifest.json"));
  CHECK(manifest["complete"] == true);
  REQUIRE(manifest["machines"].size() == 2);
  CHECK(manifest["machines"][1]["cpu"] == "Another CPU");
  CHECK_THAT(manifest["warnings"].dump(), Catch::Contains("it was hot") && Catch::Contains("on different machines"));
  CHECK(cells_reported(run_program(place, {"run", config, "--out", "merged"})) == 0);

  REQUIRE(run_program(place, {"run", config, "--out", "other", "--quiet", "--set", "/stop/max_iterations=7"}).code == 0);
  fs::remove_all(place / "part1/sweep/cells");
  CHECK_THAT(bad_input_line(run_program(place, {"merge", "part1/sweep", "--out", "empty/sweep"})),
             Catch::Contains("no finished cell"));
  CHECK_FALSE(fs::exists(place / "empty"));
  const auto before = place.listing();
  CHECK_THAT(bad_input_line(merge({"part1/sweep", "other/sweep"})), Catch::Contains("not of the same cells"));
  CHECK_THAT(bad_input_line(merge({"part3/sweep"})), Catch::Contains("part3/sweep/manifest.json"));
  CHECK(place.listing() == before);
}

TEST_CASE("Shards in folders of their own are merged by copying their cells") {
  const Workplace place;
  const std::string config = sweep_config(place, 20);
  REQUIRE(run_program(place, {"run", config, "--out", "whole", "--quiet"}).code == 0);
  for (const std::string shard : {"1", "2", "3"}) {
    REQUIRE(run_program(place, {"run", config, "--out", "part" + shard, "--shard", shard + "/3", "--quiet"}).code == 0);
    fs::create_directories(place / "merged/sweep");
    fs::copy(place / ("part" + shard + "/sweep/cells"), place / "merged/sweep/cells", fs::copy_options::recursive);
  }
  const auto before = finished_cells(place / "merged/sweep");
  CHECK(before.size() == 20);
  const Answer answer = run_program(place, {"run", config, "--out", "merged"});
  CHECK(answer.code == 0);
  CHECK(cells_reported(answer) == 0);
  CHECK(finished_cells(place / "merged/sweep") == before);
  CHECK(timeless_summary(place / "merged/sweep") == timeless_summary(place / "whole/sweep"));
}

TEST_CASE("A dump that ends its reader inside HDF5 is bad input, and in a run a failure of its own cells") {
  const Workplace place;
  write_deadly_dump(place, "deadly.hdf5");
  REQUIRE(run_program(place, {"generate", "odd_mass_stack", "--form", "local", "--out", "good.hdf5"}).code == 0);
  const auto before = place.listing();
  for (const Arguments& arguments :
       {Arguments{"inspect", "deadly.hdf5"}, Arguments{"solve", "deadly.hdf5", "--solver", "jacobi"}})
    CHECK_THAT(bad_input_line(run_program(place, arguments)), Catch::Contains("deadly.hdf5"));
  CHECK(place.listing() == before);

  const std::string config = place.write("c.json", R"({ "name": "c", "problems": [ { "fclib": "*.hdf5" } ], "model": "ccp",
    "solvers": [ { "solver": "jacobi" }, { "solver": "gauss_seidel" } ], "stop": { "max_iterations": 5 } })");
  const Answer answer = run_program(place, {"run", config, "--fclib", ".", "--out", "out"});
  INFO(answer.err << answer.out);
  CHECK(answer.code == 3);
  const auto results = read_results(place / "out/c");
  REQUIRE(results.size() == 4);
  for (const std::string solver : {"jacobi", "gauss_seidel"}) {
    const auto& deadly = results.at("deadly/ccp/" + solver).json;
    const std::string status = deadly["status"];
    CHECK((status == "crashed" || status == "failed"));  // by the version of HDF5
    CHECK_THAT(deadly["reason"].get<std::string>(), Catch::StartsWith("the problem cannot be built: "));
    CHECK(results.at("good/ccp/" + solver).json["status"] == "iteration_limit");
  }
}
