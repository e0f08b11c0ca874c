#include <algorithm>
#include <catch2/catch.hpp>

#include "io/fclib_reader.hpp"
#include "io/sample_problems.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

bool has_remark(const FclibFile& file, const std::string& text) {
  return std::any_of(file.remarks.begin(), file.remarks.end(),
                     [&](const std::string& remark) { return remark.find(text) != std::string::npos; });
}

Vector list(std::initializer_list<double> values) {
  Vector vector(static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), vector.begin());
  return vector;
}

// The small local file with another W, and what it is read as.
DenseMatrix read_W(int nz, const std::vector<int>& p, const std::vector<int>& i, const std::vector<double>& x,
                   FclibFile* read = nullptr) {
  const TemporaryFolder folder;
  write_small_local(folder / "a.hdf5");
  {
    Hdf5Editor file(folder / "a.hdf5");
    file.integer("/fclib_local/W/nz", nz);
    file.integer("/fclib_local/W/nzmax", static_cast<int>(i.size()));
    file.integers("/fclib_local/W/p", p);
    file.integers("/fclib_local/W/i", i);
    file.reals("/fclib_local/W/x", x);
  }
  const FclibFile file = read_fclib(folder / "a.hdf5");
  if (read != nullptr) *read = file;
  return dense(file.problem->local().N);
}

}  // namespace

TEST_CASE("a local file becomes N and r") {
  const TemporaryFolder folder;
  write_small_local(folder / "one contact.hdf5");
  const FclibFile file = read_fclib(folder / "one contact.hdf5");
  CHECK(file.form == FclibForm::local);
  CHECK(file.spacedim == 3);
  CHECK((file.n == 0 && file.m == 3 && file.p == 0 && file.contacts == 1));
  CHECK((file.friction_min == 0.5 && file.friction_max == 0.5));
  REQUIRE(file.matrices.size() == 1);
  CHECK((file.matrices[0].name == "W" && file.matrices[0].nonzeros == 3 && file.matrices[0].storage == "compressed rows"));
  CHECK(file.remarks.empty());
  CHECK(file.guesses.empty());
  CHECK_FALSE(file.solution);
  REQUIRE(file.problem);
  CHECK(file.problem->name() == "one contact");
  CHECK_FALSE(file.problem->given_global());
  CHECK(file.problem->constraints() == [] {
    ConstraintSet set;
    set.add(ConstraintKind::contact, 0.5);
    return set;
  }());
  CHECK(dense(file.problem->local().N) == DenseMatrix(list({2, 3, 4}).asDiagonal()));
  CHECK(file.problem->local().r == list({-1, 0.5, 0}));
}

TEST_CASE("a global file becomes H, D, k and b, with i as row and p as column of triplets") {
  const TemporaryFolder folder;
  write_small_global(folder / "a.hdf5");
  const FclibFile file = read_fclib(folder / "a.hdf5");
  CHECK(file.form == FclibForm::global);
  CHECK((file.spacedim == 2 && file.n == 3 && file.m == 2 && file.p == 1 && file.contacts == 1));
  REQUIRE(file.problem);
  const GlobalForm& form = file.problem->global();
  CHECK(dense(form.H) == DenseMatrix(list({2, 2, 5}).asDiagonal()));
  DenseMatrix D(3, 3);
  D << 1, 0, 0, 0, -1, 0, 0, 0, 3;
  CHECK(dense(form.D) == D);
  CHECK(form.k == list({1, 2, 3}));
  CHECK(form.b == list({0.1, 0.2, 0.3}));
  CHECK(file.problem->constraints().kind(0) == ConstraintKind::contact2d);
  CHECK(file.problem->constraints().friction(0) == 0.25);
  CHECK(file.problem->constraints().kind(1) == ConstraintKind::bilateral);
}

TEST_CASE("the equality block of a local file stands after the contacts") {
  const TemporaryFolder folder;
  write_small_local(folder / "a.hdf5");
  {
    Hdf5Editor file(folder / "a.hdf5");
    for (const std::string group : {"/fclib_local/V/", "/fclib_local/R/"}) {
      file.integer(group + "nzmax", 1);
      file.integer(group + "m", group == "/fclib_local/V/" ? 3 : 1);
      file.integer(group + "n", 1);
      file.integer(group + "nz", 1);
      file.integers(group + "i", {group == "/fclib_local/V/" ? 2 : 0});
      file.integers(group + "p", {0});
      file.reals(group + "x", {7});
    }
    file.reals("/fclib_local/vectors/s", {9});
  }
  const FclibFile file = read_fclib(folder / "a.hdf5");
  DenseMatrix N = DenseMatrix::Zero(4, 4);
  N.diagonal() << 2, 3, 4, 7;
  N(2, 3) = N(3, 2) = 7;
  CHECK(file.p == 1);
  CHECK(dense(file.problem->local().N) == N);
  CHECK(file.problem->local().r == list({-1, 0.5, 0, 9}));
}

TEST_CASE("the three storages of a matrix, unsorted, repeated and zero entries") {
  DenseMatrix W(3, 3);
  W << 2, 5, 0, 0, 3, 0, 1, 0, 4;
  CHECK(read_W(-2, {0, 2, 3, 5}, {1, 0, 1, 2, 0}, {5, 2, 3, 4, 1}) == W);
  CHECK(read_W(-1, {0, 2, 4, 5}, {2, 0, 0, 1, 2}, {1, 2, 5, 3, 4}) == W);
  // Triplets: p is the column and i the row.
  CHECK(read_W(5, {1, 0, 1, 2, 0}, {0, 0, 1, 2, 2}, {5, 2, 3, 4, 1}) == W);

  FclibFile file;
  CHECK(read_W(7, {1, 0, 1, 2, 0, 0, 2}, {0, 0, 1, 2, 2, 2, 1}, {5, 2, 3, 4, 3, -2, 0}, &file) == W);
  CHECK(has_remark(file, "1 of 7 stored entries are zero"));
  CHECK(has_remark(file, "1 entries name a place again"));
  CHECK(file.matrices[0].nonzeros == 5);
  CHECK(file.matrices[0].storage == "triplets");
  CHECK(has_remark(file, "W is not symmetric (1.0e+00)"));
  CHECK(file.problem->local().N.nonZeros() == 5);

  // Only p[last] entries count in compressed storage, and only nz in triplets, however long the lists are.
  CHECK(read_W(-2, {0, 2, 3, 5}, {1, 0, 1, 2, 0, 99, -7}, {5, 2, 3, 4, 1, 0, 0}) == W);
  CHECK(read_W(-2, {0, 1, 1, 1}, {0}, {2}).sum() == 2.0);
}

TEST_CASE("M with one triangle is completed, and small asymmetry is taken out") {
  const TemporaryFolder folder;
  const auto read_M = [&](double above, double below) {
    std::filesystem::remove(folder / "a.hdf5");
    write_small_global(folder / "a.hdf5");
    {
      Hdf5Editor file(folder / "a.hdf5");
      const std::string group = "/fclib_global/M/";
      std::vector<int> rows = {0, 1, 2}, columns = {0, 1, 2};
      std::vector<double> values = {2, 2, 5};
      if (above != 0.0) rows.push_back(0), columns.push_back(1), values.push_back(above);
      if (below != 0.0) rows.push_back(1), columns.push_back(0), values.push_back(below);
      for (const char* name : {"nz", "nzmax"}) file.integer(group + name, static_cast<int>(values.size()));
      file.integers(group + "i", rows);
      file.integers(group + "p", columns);
      file.reals(group + "x", values);
    }
    return read_fclib(folder / "a.hdf5");
  };
  DenseMatrix M(3, 3);
  M << 2, 0.5, 0, 0.5, 2, 0, 0, 0, 5;
  const FclibFile upper = read_M(0.5, 0.0), lower = read_M(0.0, 0.5), full = read_M(0.5, 0.5), off = read_M(0.5, 0.501);
  for (const FclibFile* file : {&upper, &lower, &full}) CHECK(dense(file->problem->global().H) == M);
  CHECK(has_remark(upper, "M stores only its upper triangle; completed by symmetry"));
  CHECK(has_remark(lower, "M stores only its lower triangle; completed by symmetry"));
  CHECK(full.remarks.empty());
  CHECK(has_remark(off, "M is not symmetric (2.0e-04)"));
  CHECK(off.problem->global().H.coeff(0, 1) == Approx(0.5005).epsilon(1e-15));
  CHECK(off.problem->global().H.coeff(0, 1) == off.problem->global().H.coeff(1, 0));
  const FclibFile unsymmetric = read_M(0.5, 1.0);
  CHECK(has_remark(unsymmetric, "M is not symmetric (max|M - M^T| = 1.0e-01 max|M|), and is taken as it is"));
  M(1, 0) = 1.0;
  CHECK(dense(unsymmetric.problem->global().H) == M);
  CHECK(unsymmetric.problem->mass_asymmetry() == 0.25);
  CHECK_THROWS_WITH(read_M(0.5, 4.0), Catch::Contains("H is not positive definite: its symmetric part"));
}

TEST_CASE("W with one triangle is completed, whatever its storage") {
  DenseMatrix W(3, 3);
  W << 2, 1, 0, 1, 3, -1, 0, -1, 4;
  FclibFile upper, lower, zeros, noise, twice;
  CHECK(read_W(-2, {0, 2, 4, 5}, {0, 1, 1, 2, 2}, {2, 1, 3, -1, 4}, &upper) == W);
  CHECK(read_W(-1, {0, 2, 4, 5}, {0, 1, 1, 2, 2}, {2, 1, 3, -1, 4}, &lower) == W);
  // The other triangle may be there as zeros, or as entries of one place that cancel, or as what rounding left.
  CHECK(read_W(7, {0, 1, 2, 1, 2, 0, 1}, {0, 1, 2, 0, 1, 1, 2}, {2, 3, 4, 1, -1, 0, 0}, &zeros) == W);
  CHECK(read_W(7, {0, 1, 2, 1, 2, 0, 0}, {0, 1, 2, 0, 1, 1, 1}, {2, 3, 4, 1, -1, 7, -7}, &twice) == W);
  CHECK(read_W(6, {0, 1, 2, 1, 2, 0}, {0, 1, 2, 0, 1, 1}, {2, 3, 4, 1, -1, 1e-16}, &noise) == W);
  for (const FclibFile* file : {&upper, &zeros, &twice, &noise})
    CHECK(has_remark(*file, "W stores only its upper triangle; completed by symmetry"));
  CHECK(has_remark(lower, "W stores only its lower triangle; completed by symmetry"));
  CHECK(upper.problem->symmetry_defect() == 0.0);
  CHECK(upper.matrices[0].nonzeros == 5);  // as stored
}

TEST_CASE("a W that is symmetric, diagonal or so up to rounding stays as it is, to the bit") {
  FclibFile diagonal, symmetric, noise;
  read_W(-2, {0, 1, 2, 3}, {0, 1, 2}, {2, 3, 4}, &diagonal);
  read_W(5, {0, 1, 2, 1, 0}, {0, 1, 2, 0, 1}, {2, 3, 4, 1, 1}, &symmetric);
  DenseMatrix W = DenseMatrix(list({2, 3, 4}).asDiagonal());
  W(0, 1) = 1e-16;  // its partner has cancelled to zero
  CHECK(read_W(4, {0, 1, 2, 1}, {0, 1, 2, 0}, {2, 3, 4, 1e-16}, &noise) == W);
  for (const FclibFile* file : {&diagonal, &symmetric, &noise}) CHECK(file->remarks.empty());
}

TEST_CASE("W with one triangle of blocks is completed, and R with one of entries") {
  const TemporaryFolder folder;
  const auto matrix = [](Hdf5Editor& file, const std::string& group, const DenseMatrix& values) {
    std::vector<int> rows, columns;
    std::vector<double> x;
    for (Index i = 0; i < values.rows(); ++i)
      for (Index j = 0; j < values.cols(); ++j)
        if (values(i, j) != 0.0)
          rows.push_back(static_cast<int>(i)), columns.push_back(static_cast<int>(j)), x.push_back(values(i, j));
    for (const char* name : {"nz", "nzmax"}) file.integer(group + name, static_cast<int>(x.size()));
    file.integer(group + "m", static_cast<int>(values.rows()));
    file.integer(group + "n", static_cast<int>(values.cols()));
    file.integers(group + "i", rows);
    file.integers(group + "p", columns);
    file.reals(group + "x", x);
  };
  const auto read = [&](const DenseMatrix& W, const DenseMatrix& R) {
    std::filesystem::remove(folder / "a.hdf5");
    {
      Hdf5Editor file(folder / "a.hdf5");
      file.integer("/fclib_local/spacedim", 3);
      matrix(file, "/fclib_local/W/", W);
      matrix(file, "/fclib_local/V/", DenseMatrix::Zero(6, 2));
      matrix(file, "/fclib_local/R/", R);
      file.reals("/fclib_local/vectors/q", std::vector<double>(6, -1.0));
      file.reals("/fclib_local/vectors/s", {1, 2});
      file.reals("/fclib_local/vectors/mu", {0.5, 0.5});
    }
    return read_fclib(folder / "a.hdf5");
  };
  SampleProblems samples(7);
  const DenseMatrix W = samples.spd(6), R = samples.spd(2);
  DenseMatrix upper_W = W, off_W = W, within_W = W, lower_R = R;
  upper_W.bottomLeftCorner(3, 3).setZero();
  off_W = upper_W;
  off_W(0, 1) += 0.5;
  within_W = DenseMatrix::Zero(6, 6);
  for (const Index first : {0, 3}) within_W.block(first, first, 3, 3) = W.block(first, first, 3, 3);
  lower_R(0, 1) = 0.0;

  const FclibFile whole = read(W, R), half = read(upper_W, lower_R), off = read(off_W, R), blocks = read(within_W, R);
  CHECK(dense(half.problem->local().N) == dense(whole.problem->local().N));
  CHECK(has_remark(half, "W stores only its upper triangle of 3×3 blocks; completed by symmetry"));
  CHECK(has_remark(half, "R stores only its lower triangle; completed by symmetry"));
  CHECK(whole.remarks.empty());
  // Blocks that are not symmetric, and blocks of bodies that do not touch each other, are nobody's triangle.
  CHECK(dense(off.problem->local().N).topLeftCorner(6, 6) == off_W);
  CHECK(has_remark(off, "W is not symmetric"));
  CHECK(dense(blocks.problem->local().N).topLeftCorner(6, 6) == within_W);
  CHECK(blocks.remarks.empty());
}

TEST_CASE("every number type, byte order and packing is read") {
  const TemporaryFolder folder;
  write_small_local(folder / "a.hdf5");
  {
    Hdf5Editor file(folder / "a.hdf5");
    file.integers("/fclib_local/W/p", {0, 1, 2, 3}, H5T_STD_I64BE);
    file.integers("/fclib_local/W/i", {0, 1, 2}, H5T_STD_U8LE);
    file.integers("/fclib_local/W/m", {3}, H5T_STD_U64BE);
    file.reals("/fclib_local/W/n", {3.0});  // a whole number in a real type
    file.reals("/fclib_local/W/x", {2, 3, 4}, H5T_IEEE_F64BE);
    file.reals("/fclib_local/vectors/q", {-1, 0.5, 0}, H5T_IEEE_F32LE);
    const std::vector<int> friction = {1};
    file.put("/fclib_local/vectors/mu", H5T_STD_I16BE, {1, 1}, H5T_NATIVE_INT, friction.data());
    const int spacedim = 3;
    file.put("/fclib_local/spacedim", H5T_STD_I32BE, {}, H5T_NATIVE_INT, &spacedim);
  }
  const FclibFile file = read_fclib(folder / "a.hdf5");
  CHECK(dense(file.problem->local().N) == DenseMatrix(list({2, 3, 4}).asDiagonal()));
  CHECK(file.problem->local().r == list({-1, 0.5, 0}));
  CHECK(file.friction_max == 1.0);
}

TEST_CASE("packed datasets are read, even those that pack very well") {
  const TemporaryFolder folder;
  const int contacts = 100000, m = 3 * contacts;
  {
    Hdf5Editor file(folder / "a.hdf5");
    const std::vector<int> pointers(static_cast<std::size_t>(m) + 1, 0), none(1, 0);
    const std::vector<double> zeros(static_cast<std::size_t>(m), 0.0), value(1, 1.0);
    file.integer("/fclib_local/spacedim", 3);
    file.integer("/fclib_local/W/nzmax", 1);
    file.integer("/fclib_local/W/m", m);
    file.integer("/fclib_local/W/n", m);
    file.integer("/fclib_local/W/nz", -1);
    file.put("/fclib_local/W/p", H5T_NATIVE_INT, {pointers.size()}, H5T_NATIVE_INT, pointers.data(),
             Hdf5Editor::chunked(100000, 9));
    file.integers("/fclib_local/W/i", none);
    file.reals("/fclib_local/W/x", value);
    file.put("/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, {zeros.size()}, H5T_NATIVE_DOUBLE, zeros.data(),
             Hdf5Editor::chunked(100000, 9));
    file.put("/fclib_local/vectors/mu", H5T_NATIVE_DOUBLE, {zeros.size() / 3}, H5T_NATIVE_DOUBLE, zeros.data(),
             Hdf5Editor::chunked(100000, 9));
  }
  CHECK(std::filesystem::file_size(folder / "a.hdf5") < 20000);
  const FclibFile file = read_fclib(folder / "a.hdf5");
  CHECK(file.contacts == contacts);
  CHECK(file.problem->local().N.nonZeros() == 0);
}

TEST_CASE("texts are kept as bytes, and damaged ones are only a remark") {
  const TemporaryFolder folder;
  write_small_local(folder / "a.hdf5");
  {
    Hdf5Editor file(folder / "a.hdf5");
    file.text("/fclib_local/info/title", "");
    file.text("/fclib_local/info/description", "\xA8 hexahedra\n");
    file.variable_text("/fclib_local/info/math_info", "\xC3\xA9tude");
    file.text("/fclib_local/info/ccpbench_scene", "odd_mass_stack");
    file.text("/fclib_local/info/ccpbench_seed", "18446744073709551615");
    file.reals("/fclib_local/info/ccpbench_parameters", {1.0});
  }
  const FclibFile file = read_fclib(folder / "a.hdf5");
  CHECK(file.info.title.empty());
  CHECK(file.info.description == "\xA8 hexahedra\n");
  CHECK(printable_text(file.info.description) == "? hexahedra ");
  CHECK(file.info.math_info == "\xC3\xA9tude");
  CHECK(file.info.scene == "odd_mass_stack");
  CHECK(file.info.seed == std::uint64_t{18446744073709551615ULL});
  CHECK(file.info.parameters.empty());
  REQUIRE(file.remarks.size() == 1);
  CHECK(file.remarks[0] == "text left out: /fclib_local/info/ccpbench_parameters: holds real numbers, expected text");
}

TEST_CASE("printable text is well-formed UTF-8 without control characters") {
  CHECK(printable_text("") == "");
  CHECK(printable_text("plain") == "plain");
  CHECK(printable_text("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x99\x82") == "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x99\x82");
  CHECK(printable_text("a\tb\x1B[31m\x7F") == "a b [31m ");
  CHECK(printable_text("\xC2\x85") == " ");
  CHECK(printable_text("\xC3") == "?");                   // cut off
  CHECK(printable_text("\xE2\x82") == "??");              // cut off
  CHECK(printable_text("\xC0\xAF") == "??");              // overlong
  CHECK(printable_text("\xE0\x80\xAF") == "???");         // overlong
  CHECK(printable_text("\xED\xA0\x80") == "???");         // surrogate
  CHECK(printable_text("\xF4\x90\x80\x80") == "????");    // beyond U+10FFFF
  CHECK(printable_text("\xF0\x80\x80\x80x") == "????x");  // overlong
  CHECK(printable_text("\xFF") == "?");
}

TEST_CASE("guesses and solution are read where they fit, and otherwise only remarked on") {
  const TemporaryFolder folder;
  write_small_global(folder / "a.hdf5");
  {
    Hdf5Editor file(folder / "a.hdf5");
    file.reals("/solution/r", {0, 0});
    file.reals("/solution/u", {1, 2});
    file.reals("/solution/v", {1, 2, 3});
    file.reals("/solution/l", {4, 5});  // one too many
    file.integer("/guesses/number_of_guesses", 2000000000);
    file.reals("/guesses/1/r", {3, 1});
    file.reals("/guesses/1/l", {7});
    file.reals("/guesses/2/r", {3, std::nan("")});
  }
  const FclibFile file = read_fclib(folder / "a.hdf5");
  REQUIRE(file.solution);
  CHECK(*file.solution->u == list({1, 2}));
  CHECK(*file.solution->v == list({1, 2, 3}));
  CHECK_FALSE(file.solution->l);
  CHECK(*file.impulse(*file.solution) == list({0, 0, 0}));
  CHECK(has_remark(file, "/solution/l: has 2 entries, expected 1"));
  CHECK(has_remark(file, "the stored solution has r = 0"));
  REQUIRE(file.guesses.size() == 2);
  CHECK(*file.impulse(file.guesses[0]) == list({3, 1, 7}));
  CHECK_FALSE(file.impulse(file.guesses[1]));
  CHECK(has_remark(file, "/guesses/2/r: entry 1 is nan"));
  CHECK(has_remark(file, "number_of_guesses is 2000000000, 2 were read"));
}

TEST_CASE("damaged guesses do not keep a problem from being read") {
  const TemporaryFolder folder;
  write_small_local(folder / "a.hdf5");
  {
    Hdf5Editor file(folder / "a.hdf5");
    file.reals("/guesses", {1});
    file.soft_link("/nowhere", "/solution");
  }
  const FclibFile file = read_fclib(folder / "a.hdf5");
  CHECK(file.problem);
  CHECK(has_remark(file, "guesses left out: /guesses: is a dataset, expected a group"));
  CHECK(has_remark(file, "solution left out: /solution: cannot be opened"));
}

TEST_CASE("a rolling problem is read, with its moments divided by a length") {
  const TemporaryFolder folder;
  {
    Hdf5Editor file(folder / "a.hdf5");
    const std::string root = "/fclib_global_rolling/";
    file.integer(root + "spacedim", 5);
    for (const char* name : {"M", "H"}) {
      const bool mass = name == std::string("M");
      const int columns = mass ? 6 : 10, nonzeros = columns;
      std::vector<int> starts, rows;
      for (int j = 0; j <= columns; ++j) starts.push_back(j);
      for (int j = 0; j < columns; ++j) rows.push_back(mass ? j : j % 5);
      const std::string matrix = root + name + "/";
      file.integer(matrix + "nzmax", nonzeros);
      file.integer(matrix + "m", 6);
      file.integer(matrix + "n", columns);
      file.integer(matrix + "nz", -1);
      file.integers(matrix + "p", starts);
      file.integers(matrix + "i", rows);
      file.reals(matrix + "x", std::vector<double>(static_cast<std::size_t>(nonzeros), 2.0));
    }
    file.reals(root + "vectors/f", std::vector<double>(6, 1.0));
    file.reals(root + "vectors/w", std::vector<double>(10, 0.0));
    file.reals(root + "vectors/mu", {0.25, 0.5});
    file.reals(root + "vectors/mu_r", {0.125, 2.0});
  }
  const FclibFile file = read_fclib(folder / "a.hdf5");
  CHECK(file.form == FclibForm::global_rolling);
  CHECK((file.spacedim == 5 && file.contacts == 2 && file.n == 6 && file.m == 10));
  CHECK((file.friction_min == 0.25 && file.friction_max == 0.5));
  CHECK((file.rolling_friction_min == 0.125 && file.rolling_friction_max == 2.0));
  REQUIRE(file.problem);
  const ConstraintSet& set = file.problem->constraints();
  CHECK(set.count(ConstraintKind::rolling) == 2);
  CHECK((set.moments(0).length == 0.5 && set.moments(0).rolling == 0.25));
  CHECK((set.moments(1).length == 4.0 && set.moments(1).rolling == 0.5));
  CHECK(file.problem->global().D.coeff(2, 2) == 2.0);
  CHECK(file.problem->global().D.coeff(3, 3) == 1.0);
  CHECK(file.problem->global().D.coeff(3, 8) == 8.0);
}

TEST_CASE("of two forms in one file the global one is read") {
  const TemporaryFolder folder;
  write_small_local(folder / "a.hdf5");
  write_small_global(folder / "b.hdf5");
  {
    Hdf5Editor file(folder / "a.hdf5"), other(folder / "b.hdf5");
    H5Ocopy(other.file(), "/fclib_global", file.file(), "/fclib_global", H5P_DEFAULT, H5P_DEFAULT);
  }
  const FclibFile file = read_fclib(folder / "a.hdf5");
  CHECK(file.form == FclibForm::global);
  CHECK(has_remark(file, "also holds /fclib_local, which is not read; /fclib_global is"));
}

TEST_CASE("attributes, links inside the file and unknown members do not matter") {
  const TemporaryFolder folder;
  write_small_local(folder / "a.hdf5");
  {
    Hdf5Editor file(folder / "a.hdf5");
    const hid_t group = H5Gopen2(file.file(), "/fclib_local/W", H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(group, "cond", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT);
    const double value = std::nan("");
    H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Gclose(group);
    file.text("/fclib_local/W/comment", "full rank");
    file.hard_link("/fclib_local", "/fclib_local/itself");
    file.hard_link("/fclib_local/W", "/elsewhere");
    file.soft_link("/elsewhere", "/fclib_local/W");
  }
  CHECK(read_fclib(folder / "a.hdf5").problem);
}

TEST_CASE("μ = 0 stays a contact, and a file without contacts is a problem without rows") {
  const TemporaryFolder folder;
  write_small_local(folder / "a.hdf5");
  { Hdf5Editor(folder / "a.hdf5").reals("/fclib_local/vectors/mu", {0.0}); }
  const FclibFile file = read_fclib(folder / "a.hdf5");
  CHECK(file.problem->constraints().kind(0) == ConstraintKind::contact);
  CHECK(file.problem->constraints().friction(0) == 0.0);
  {
    Hdf5Editor editor(folder / "a.hdf5");
    for (const char* name : {"W/m", "W/n", "W/nzmax"}) editor.integer(std::string("/fclib_local/") + name, 0);
    editor.integers("/fclib_local/W/p", {0});
    editor.integers("/fclib_local/W/i", {});
    editor.reals("/fclib_local/W/x", {});
    editor.reals("/fclib_local/vectors/q", {});
    editor.reals("/fclib_local/vectors/mu", {});
  }
  const FclibFile empty = read_fclib(folder / "a.hdf5");
  CHECK(empty.contacts == 0);
  CHECK(std::isnan(empty.friction_min));
  CHECK(empty.problem->rows() == 0);
}
