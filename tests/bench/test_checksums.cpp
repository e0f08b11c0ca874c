#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "bench/fake_catalog.hpp"
#include "bench/results/cell_file.hpp"
#include "bench/results/checksum.hpp"
#include "bench/results/summary_file.hpp"
#include "bench/runs.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp;
using namespace ccp::testing;
using Catch::Contains;

namespace fs = std::filesystem;

namespace {

const std::string says_damaged =
    "is damaged: its checksum is not that of when it was written; `ccpbench run` of the config ";

void write_rows(const fs::path& folder, const std::string& rows) {
  write_summary_file(folder, [&](const auto& put) { put("label,iterations\n" + rows); });
}

nlohmann::json manifest_of(const fs::path& folder) { return nlohmann::json::parse(read_text(folder / "manifest.json")); }

}  // namespace

TEST_CASE("A summary is written with its checksum, and the manifest has none meanwhile") {
  const TemporaryFolder folder;
  const fs::path manifest = folder / "manifest.json";
  write_text(manifest, R"({"config": {"name": "x"}, "files": {"summary.csv": "0123456789abcdef"}})");
  write_summary_file(folder.path(), [&](const auto& put) {
    CHECK(checksums_in(manifest_of(folder.path())).empty());
    put("label,iterations\nA,12\n");
  });
  CHECK(manifest_of(folder.path())["config"]["name"] == "x");
  // The digits are those of `sha256sum`.
  CHECK(manifest_of(folder.path())["files"]["summary.csv"] == "04de1453f0b326f2");
  CHECK(read_summary_file(folder.path()).number(0, "iterations") == 12.0);
  CHECK(damage_of_summary(folder.path()).empty());
}

TEST_CASE("A summary whose writing was interrupted is the last one, and not damaged") {
  const TemporaryFolder folder;
  write_text(folder / "manifest.json", "{}");
  write_rows(folder.path(), "A,12\n");
  CHECK_THROWS(write_summary_file(folder.path(), [](const auto&) { throw std::runtime_error("killed"); }));
  CHECK(damage_of_summary(folder.path()).empty());
  CHECK(read_summary_file(folder.path()).number(0, "iterations") == 12.0);
}

TEST_CASE("A summary that was changed is refused, and one without a checksum is read") {
  const TemporaryFolder folder;
  const fs::path summary = folder / "summary.csv", manifest = folder / "manifest.json";
  CHECK(damage_of_summary(folder.path()).empty());  // not there
  write_rows(folder.path(), "A,12\n");
  CHECK_FALSE(fs::exists(manifest));
  CHECK(read_summary_file(folder.path()).number(0, "iterations") == 12.0);
  write_text(manifest, "no JSON");
  write_rows(folder.path(), "A,13\n");
  CHECK(read_text(manifest) == "no JSON");
  CHECK(read_summary_file(folder.path()).number(0, "iterations") == 13.0);
  write_text(manifest, "{}");
  write_rows(folder.path(), "A,14\n");
  write_text(summary, "label,iterations\nA,24\n");
  CHECK_THROWS_WITH(read_summary_file(folder.path()), summary.string() + ": " + says_damaged + "writes it again");
  CHECK(damage_of_summary(folder.path()) == summary.string() + ": " + says_damaged + "writes it again");
  fs::remove(summary);
  const std::string missing =
      summary.string() + ": is missing, though manifest.json lists it; `ccpbench run` of the config writes it again";
  CHECK_THROWS_WITH(read_summary_file(folder.path()), missing);
  CHECK(damage_of_summary(folder.path()) == missing);
}

TEST_CASE("A cell has checksums of itself, its traces and its steps, not of its logs") {
  const TemporaryFolder folder;
  const fs::path place = folder.path();
  const Plan plan = make_plan(parse_config(solvers_config({"good"}), "c.json", fake_catalog()));
  const auto write = [&] {
    for (const char* name : {"trace.csv", "trace.000007.csv", "steps.csv", "log.txt"}) write_text(place / name, "1,2,3\n");
    write_cell(place, plan.cells.at(0), CellRecord{});
  };
  for (const std::string name : {"trace.csv", "trace.000007.csv", "steps.csv"}) {
    CAPTURE(name);
    write();
    CHECK(damage_of_cell(place).empty());
    CHECK(read_beside_cell(place, name) == "1,2,3\n");
    write_text(place / name, "1,2,4\n");
    const std::string damaged = (place / name).string() + ": " + says_damaged + "runs the cell again";
    CHECK(damage_of_cell(place) == damaged);
    CHECK_THROWS_WITH(read_beside_cell(place, name), damaged);
  }
  write();
  write_text(place / "log.txt", "1,2,4\n");
  CHECK(damage_of_cell(place).empty());
  for (const std::string name : {"trace.csv", "trace.000007.csv", "steps.csv"}) {
    CAPTURE(name);
    write();
    CHECK_NOTHROW(check_cell(place));
    fs::remove(place / name);
    const std::string missing = (place / name).string() +
                                ": is missing, though cell.json lists it; `ccpbench run` of the config runs the cell again";
    CHECK(damage_of_cell(place) == missing);
    CHECK_THROWS_WITH(find_beside_cell(place, name), missing);
    CHECK_THROWS_WITH(read_beside_cell(place, name), missing);
    CHECK_THROWS_WITH(check_cell(place), missing);
  }
  CHECK_FALSE(find_beside_cell(place, "trace.000008.csv").has_value());  // neither there nor listed
  write();
  std::string cell = read_text(place / "cell.json");
  const std::size_t digit = cell.find("\"threads\": 1");
  REQUIRE(digit != std::string::npos);
  cell.replace(digit, 12, "\"threads\": 2");
  write_text(place / "cell.json", cell);
  CHECK_THAT(damage_of_cell(place), Contains("cell.json: " + says_damaged + "runs the cell again"));
  CHECK_THROWS_WITH(read_cell(place), Contains(says_damaged));
  for (const std::size_t left : {cell.size() - 1, cell.size() / 2, std::size_t{0}}) {  // cut off
    write_text(place / "cell.json", cell.substr(0, left));
    CHECK_THAT(damage_of_cell(place), Contains("cell.json: " + says_damaged));
    CHECK_THROWS_WITH(check_cell(place), Contains(says_damaged));
  }
  fs::remove(place / "cell.json");
  CHECK(damage_of_cell(place).empty());  // no result
  CHECK_THROWS_WITH(check_cell(place), Contains("cell.json: is missing, though summary.csv lists the cell"));
}
