#include <catch2/catch.hpp>
#include <map>

#include "core/error.hpp"
#include "io/fclib_reader.hpp"
#include "io/fclib_writer.hpp"
#include "io/sample_problems.hpp"
#include "support/places.hpp"
#include "support/skip.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

// Small files, which are also the seeds of the fuzzer.
std::filesystem::path small_text(const std::string& name) {
  return std::filesystem::path(source_folder) / "tests/fuzz/corpus/siconos" / (name + ".dat");
}

DenseMatrix rows(std::initializer_list<std::initializer_list<double>> values) {
  DenseMatrix matrix(static_cast<Index>(values.size()), static_cast<Index>(values.begin()->size()));
  Index i = 0;
  for (const auto& row : values) {
    Index j = 0;
    for (const double value : row) matrix(i, j++) = value;
    ++i;
  }
  return matrix;
}

Vector column(std::initializer_list<double> values) { return rows({values}).transpose(); }

// What is said of a small text after one change, without the name of the file.
std::string spoilt(const std::string& name, const std::string& part, const std::string& by) {
  const TemporaryFolder folder;
  std::string text = read_text(small_text(name));
  const std::size_t place = text.find(part);
  REQUIRE(place != std::string::npos);
  write_text(folder / "a.dat", text.replace(place, part.size(), by));
  try {
    read_fclib(folder / "a.dat");
  } catch (const InputError& error) {
    return std::string(error.what()).substr((folder / "a.dat").string().size() + 2);
  }
  return "";
}

}  // namespace

TEST_CASE("a local text of Siconos: dense matrices go column by column") {
  const FclibFile file = read_fclib(small_text("local_dense"));
  CHECK((file.form == FclibForm::local && file.spacedim == 3 && file.contacts == 1 && file.m == 3 && file.p == 0));
  CHECK((file.friction_min == 0.5 && file.friction_max == 0.5));
  REQUIRE(file.matrices.size() == 1);
  CHECK((file.matrices[0].name == "W" && file.matrices[0].storage == "dense" && file.matrices[0].nonzeros == 9));
  CHECK(dense(file.problem->local().N) == rows({{2, 0.25, 0.5}, {0.125, 3, -1}, {0.5, -1, 4}}));
  CHECK(file.problem->local().r == column({-1, 0.5, 0}));
  CHECK(file.problem->constraints() == [] {
    ConstraintSet set;
    set.add(contact, 0.5);
    return set;
  }());
  CHECK(file.remarks == std::vector<std::string>{"W is not symmetric (3.1e-02)"});
}

TEST_CASE("a local text of Siconos: blocks") {
  const FclibFile file = read_fclib(small_text("local_blocks"));
  CHECK((file.form == FclibForm::local && file.spacedim == 2 && file.contacts == 2));
  CHECK(file.matrices[0].storage == "blocks");
  CHECK(dense(file.problem->local().N) ==
        rows({{2, 0.5, 0.5, 0.125}, {0.25, 3, -0.25, 0}, {0.5, -0.25, 4, 0}, {0.125, 0, 0, 5}}));
  CHECK(file.problem->local().r == column({-1, 0.5, 0, -2}));
  CHECK(file.problem->constraints().friction(0) == 0.5);
  CHECK(file.problem->constraints().friction(1) == 0.0);
}

TEST_CASE("a global text of Siconos: triplets and compressed columns of CSparse") {
  const FclibFile file = read_fclib(small_text("global_csparse"));
  CHECK((file.form == FclibForm::global && file.spacedim == 2 && file.contacts == 1 && file.n == 3));
  REQUIRE(file.matrices.size() == 2);
  CHECK((file.matrices[0].name == "M" && file.matrices[0].storage == "triplets"));
  CHECK((file.matrices[1].name == "H" && file.matrices[1].storage == "compressed columns"));
  CHECK(dense(file.problem->global().H) == rows({{2, 0.5, 0}, {0.5, 3, 0}, {0, 0, 5}}));
  CHECK(dense(file.problem->global().D) == rows({{1, 0}, {0, 1}, {-0.5, 0}}));
  CHECK(file.problem->global().k == column({1, 2, 3}));
  CHECK(file.problem->global().b == column({0.1, 0.2}));
  CHECK(file.remarks == std::vector<std::string>{"M: 1 entries name a place again and are summed",
                                                 "M stores only its upper triangle; completed by symmetry"});
}

TEST_CASE("a global text of Siconos: blocks, the last block row empty") {
  const FclibFile file = read_fclib(small_text("global_blocks"));
  CHECK((file.form == FclibForm::global && file.spacedim == 3 && file.contacts == 1 && file.n == 6));
  CHECK(dense(file.problem->global().H) == DenseMatrix(column({2, 2, 2, 5, 5, 5}).asDiagonal()));
  CHECK(dense(file.problem->global().D) == rows({{1, 2, 3}, {0, 1, 4}, {0, 0, 1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}));
  CHECK(file.problem->global().b == column({-1, 0, 0.5}));
}

TEST_CASE("a text of Siconos with a global matrix as large as its contacts is still global") {
  const TemporaryFolder folder;  // n = m = 2: only the matrix that follows tells
  write_text(folder / "a.dat", "2 1  0 2 2 2 2 1 0 0 1  0 2 2 2 2 1 0 0 1  1.5 2.5  -1 0.5  0.25");
  const FclibFile file = read_fclib(folder / "a.dat");
  CHECK(file.form == FclibForm::global);
  CHECK(file.problem->global().k == column({1.5, 2.5}));
}

TEST_CASE("damaged texts of Siconos: the line, what was found, and what was expected") {
  const auto found = [](const char* line, const char* word, const char* expected) {
    return std::string("line ") + line + ": found '" + word + "', expected " + expected;
  };
  CHECK(spoilt("local_dense", "3\n1", "4\n1") == found("1", "4", "2 or 3 rows of a contact, or 5 with rolling friction"));
  CHECK(spoilt("local_dense", "3\n1", "3\n-1") ==
        found("2", "-1", "number of contacts of the file, a whole number from 0 to 450"));
  CHECK(spoilt("local_dense", "\n0\n3\n", "\n7\n3\n") ==
        found("3", "7", "storage of the first matrix, a whole number from 0 to 2"));
  CHECK(spoilt("local_dense", "3\t3", "3\t4") == found("6", "4", "3, columns of the first matrix"));
  CHECK(spoilt("local_dense", "3.0", "x.0") ==
        found("8", "x.000000000000000000000000e+00", "entry 4 of the first matrix, a finite number"));
  CHECK(spoilt("local_dense", "3.0000000000000000", "nan") ==
        found("8", "nan00000000e+00", "entry 4 of the first matrix, a finite number"));
  CHECK(spoilt("local_dense", "5.000000000000000000000000e-01 \n1", "-0.5") ==
        found("11", "-0.5", "entry 0 of mu, a number >= 0"));
  CHECK(spoilt("local_dense", "-01 \n1", "-01 0.25 7") == found("11", "7", "the end of the file"));
  CHECK(spoilt("local_blocks", "0\t1\t0\t1", "0\t1\t0\t2") ==
        found("14", "2", "block column of a block of the first matrix, a whole number from 0 to 1"));
  CHECK(spoilt("local_blocks", "0\t2\t4", "0\t2\t3") == found("13", "3", "4, start of a block row of the first matrix"));
  CHECK(spoilt("local_blocks", "2\t4", "5\t4") ==
        found("9", "5", "end of a block row of the first matrix, a whole number from 1 to 4"));
  CHECK(spoilt("global_csparse", "3-by-3", "3-by-2") == found("8", "3-by-2", "the size 3-by-3"));
  CHECK(spoilt("global_csparse", "\n2\n3\n2\n2", "\n2\n3\n2\n3") ==
        found("17", "3", "triplets (1 or 4) or compressed columns (2)"));
  CHECK(spoilt("global_csparse", "locations 0 to 1", "locations 0 to 3") ==
        found("20", "3", "last entry of the column of H, a whole number from -1 to 2"));
  CHECK(spoilt("global_csparse", "  1 1 : 3", "  1 3 : 3") ==
        found("11", "3", "column of the first matrix, a whole number from 0 to 2"));
  CHECK(spoilt("global_csparse", "nnz: 5", "nnz: 6") ==
        found("15", "3", "column of the first matrix, a whole number from 0 to 2"));
  CHECK(spoilt("global_csparse", "0 0 : 2", "0 0 : -2") ==
        "H(0,0) is -2, expected a positive number (where H = M, D = [H G], k = f and b = [w; b])");
}

TEST_CASE("a text of Siconos that is cut off anywhere is refused by its last line") {
  const TemporaryFolder folder;
  for (const char* name : {"local_dense", "local_blocks", "global_csparse", "global_blocks"}) {
    const std::string text = read_text(small_text(name));
    const std::size_t friction = text.find_last_of('.') - 2;
    for (std::size_t size = 0; size < friction; size += 7) {
      INFO(name << " cut to " << size);
      write_text(folder / "cut.dat", text.substr(0, size));
      CHECK_THROWS_WITH(read_fclib(folder / "cut.dat"), Catch::Contains(": line "));
    }
  }
}

TEST_CASE("a local text of Siconos with rolling friction: five rows, their coefficients, and moments divided by a length") {
  const TemporaryFolder folder;
  write_text(folder / "a.dat",
             "5 1  0 5 5 5 5  2 0 0 0 0  0 2 0 0 0  0 0 2 0 0  0 0 0 8 0  0 0 0 0 8  -1 0.5 0 4 0  0.5  0.25");
  const FclibFile file = read_fclib(folder / "a.dat");
  CHECK((file.form == FclibForm::local_rolling && file.spacedim == 5 && file.contacts == 1 && file.m == 5));
  CHECK((file.rolling_friction_min == 0.25 && file.rolling_friction_max == 0.25));
  const ConstraintSet& set = file.problem->constraints();
  CHECK((set.kind(0) == ConstraintKind::rolling && set.friction(0) == 0.5));
  CHECK((set.moments(0).length == 0.5 && set.moments(0).rolling == 0.5));
  CHECK(dense(file.problem->local().N) == DenseMatrix(column({2, 2, 2, 2, 2}).asDiagonal()));
  CHECK(file.problem->local().r == column({-1, 0.5, 0, 2, 0}));
  CHECK(file.problem->given_impulse(column({1, 1, 1, 1, 1})) == column({1, 1, 1, 0.5, 0.5}));
}

TEST_CASE("texts of Siconos with rolling friction in the plane: three rows, and coefficients behind those of sliding") {
  const TemporaryFolder folder;
  write_text(folder / "local.dat", "3 1  0 3 3 3 3  2 0 0  0 2 0  0 0 8  -1 0.5 4  0.5  0.25\n");
  const FclibFile local = read_fclib(folder / "local.dat");
  CHECK((local.form == FclibForm::local_rolling && local.spacedim == 3 && local.rolling_friction_max == 0.25));
  CHECK(local.problem->constraints().kind(0) == ConstraintKind::rolling2d);
  CHECK(local.problem->local().r == column({-1, 0.5, 2}));
  write_text(folder / "global.dat", "3 1  0 2 2 2 2  2 0  0 2  0 2 3 2 3  1 0  0 1  0 1  1 1  0 0 0  0.5  0.25\n");
  CHECK(read_fclib(folder / "global.dat").form == FclibForm::global_rolling);
  write_text(folder / "space.dat", "3 1  0 3 3 3 3  2 0 0  0 2 0  0 0 8  -1 0.5 4  0.5\n1\n");  // the mark of older versions
  CHECK(read_fclib(folder / "space.dat").problem->constraints().kind(0) == ConstraintKind::contact);
}

TEST_CASE("a text of Siconos whose last number may be cut off is read with a remark") {
  const TemporaryFolder folder;
  const std::string text = "3 1  0 3 3 3 3  2 0 0  0 2 0  0 0 8  -1 0.5 4  5e-01";
  for (const char* end : {"\n", ""}) {
    write_text(folder / "a.dat", text + end);
    const auto remarks = read_fclib(folder / "a.dat").remarks;
    CHECK(remarks.size() == (*end == '\0' ? 1 : 0));
  }
}

TEST_CASE("real texts of Siconos: all are read, and written as HDF5 unchanged") {
  const std::string folder = fclib_dumps();
  if (folder.empty()) return;
  const std::map<std::string, Index> contacts = {{"Confeti-ex13-4contact-Fc3D-SBM", 4},
                                                 {"FrictionContactProblem00394", 6},
                                                 {"GFC3D_Example0_SBM", 1},
                                                 {"GFC3D_OneContact", 1},
                                                 {"GRFC3D_Chute-ndof-768-nc-4-3", 4},
                                                 {"RFC3D_cube_1", 2},
                                                 {"RFC3D_sphere_1", 1},
                                                 {"rockfall_14_25792", 14},
                                                 {"Rover4396", 2},
                                                 {"fc2d_granularflowonwall_02020_00213", 2020},
                                                 {"gfc2d_granularflowonwall_00069_00350", 69}};
  const TemporaryFolder temporary;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(folder) / "siconos-dat")) {
    INFO(entry.path());
    const auto known = contacts.find(entry.path().stem().string());
    REQUIRE(known != contacts.end());
    const FclibFile file = read_fclib(entry.path());
    CHECK(file.contacts == known->second);
    CHECK(is_global(file.form) == (known->first.find("G") == 0 || known->first.find("gfc") == 0));
    CHECK(is_rolling(file.form) == file.problem->constraints().has_moments());
    write_fclib(temporary / "copy.hdf5", *file.problem, file.form);
    const FclibFile copy = read_fclib(temporary / "copy.hdf5");
    if (!is_rolling(file.form)) CHECK(copy.problem->constraints() == file.problem->constraints());
    const double rounding = is_rolling(file.form) ? 1e-15 : 0.0;  // of ℓ
    if (is_global(file.form)) {
      const SparseMatrix &D = file.problem->global().D, &other = copy.problem->global().D;
      CHECK(SparseMatrix(copy.problem->global().H - file.problem->global().H).norm() == 0.0);
      CHECK(SparseMatrix(other - D).norm() <= rounding * D.norm());
    } else {
      const SparseMatrix &N = file.problem->local().N, &other = copy.problem->local().N;
      CHECK(SparseMatrix(other - N).norm() <= rounding * N.norm());
    }
  }
}
