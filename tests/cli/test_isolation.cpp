#include <signal.h>

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <sstream>

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

}  // namespace

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
