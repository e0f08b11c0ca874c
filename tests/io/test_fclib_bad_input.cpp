#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <functional>
#include <limits>

#include "core/error.hpp"
#include "io/fclib_reader.hpp"
#include "io/sample_problems.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

// What reading says, "" when nothing; and what else it must not do: leave handles open, print, break the line.
std::string read_error(const std::filesystem::path& path) {
  const TemporaryFolder folder;
  const std::filesystem::path printed = folder / "stderr";
  const int saved = ::dup(STDERR_FILENO), capture = ::open(printed.c_str(), O_WRONLY | O_CREAT, 0600);
  ::dup2(capture, STDERR_FILENO);
  ::close(capture);
  std::string error;
  try {
    read_fclib(path);
  } catch (const InputError& caught) {
    error = caught.what();
  }
  ::dup2(saved, STDERR_FILENO);
  ::close(saved);
  CHECK(read_text(printed).empty());
  CHECK(H5Fget_obj_count(static_cast<hid_t>(H5F_OBJ_ALL), H5F_OBJ_ALL) == 0);
  CHECK(error.find('\n') == std::string::npos);
  const std::string prefix = path.string() + ": ";
  if (error.empty()) return "";
  CHECK(error.starts_with(prefix));
  return error.substr(std::min(prefix.size(), error.size()));
}

struct BadFile {
  std::function<void(Hdf5Editor&)> spoil;
  std::string expected;  // the whole message after the name of the file, or its beginning
};

void check_all(void (*write_good)(const std::filesystem::path&), const std::vector<BadFile>& cases) {
  for (const BadFile& bad : cases) {
    const TemporaryFolder folder;
    write_good(folder / "a.hdf5");
    REQUIRE(read_error(folder / "a.hdf5").empty());
    {
      Hdf5Editor file(folder / "a.hdf5");
      bad.spoil(file);
    }
    const std::string error = read_error(folder / "a.hdf5");
    CHECK_THAT(error, Catch::StartsWith(bad.expected));
  }
}

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
const std::string W = "/fclib_local/W/", vectors = "/fclib_local/vectors/";

}  // namespace

TEST_CASE("what is no HDF5 file is refused") {
  const TemporaryFolder folder;
  CHECK(read_error(folder / "none.hdf5") == "no such file");
  CHECK(read_error(folder.path()) == "is a folder, expected an HDF5 file");
  std::ofstream(folder / "empty.hdf5").flush();
  CHECK(read_error(folder / "empty.hdf5") == "is empty, expected an HDF5 file");
  std::ofstream(folder / "text.hdf5") << "3\n1 2 3\n";
  CHECK(read_error(folder / "text.hdf5") == "is not an HDF5 file");
  ::mkfifo((folder / "pipe.hdf5").c_str(), 0600);
  CHECK(read_error(folder / "pipe.hdf5") == "is not a regular file, expected an HDF5 file");
  if (::geteuid() != 0) {
    write_small_local(folder / "closed.hdf5");
    std::filesystem::permissions(folder / "closed.hdf5", std::filesystem::perms::none);
    CHECK(read_error(folder / "closed.hdf5") == "cannot be opened (Permission denied)");
  }
}

TEST_CASE("a file cut off anywhere is refused") {
  const TemporaryFolder folder;
  write_small_local(folder / "a.hdf5");
  const std::string bytes = read_text(folder / "a.hdf5");
  for (std::size_t size = 1; size < bytes.size(); size += 97) {
    std::ofstream(folder / "cut.hdf5", std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(size));
    INFO("cut to " << size << " of " << bytes.size());
    CHECK_THAT(read_error(folder / "cut.hdf5"), Catch::Equals("is not an HDF5 file") ||
                                                    Catch::Equals("is damaged or truncated, expected a complete HDF5 file"));
  }
}

TEST_CASE("missing and misplaced parts are named") {
  const std::string none = "/: has none of the groups fclib_local, fclib_global and fclib_global_rolling";
  std::vector<BadFile> cases = {
      {[](Hdf5Editor& file) { file.remove("/fclib_local"); }, none},
      {[](Hdf5Editor& file) { file.reals("/fclib_local", {1}); }, "/fclib_local: is a dataset, expected a group"},
      {[](Hdf5Editor& file) { file.remove("/fclib_local/W"); }, "/fclib_local/W: is missing, expected a group"},
      {[](Hdf5Editor& file) { file.reals("/fclib_local/W", {1}); }, "/fclib_local/W: is a dataset, expected a group"},
      {[](Hdf5Editor& file) { file.remove("/fclib_local/vectors"); }, "/fclib_local/vectors: is missing, expected a group"},
      {[](Hdf5Editor& file) { file.remove(W + "x"), file.group(W + "x"); }, W + "x: is a group, expected a dataset"},
      {[](Hdf5Editor& file) { file.soft_link("/nowhere", W + "x"); },
       W + "x: cannot be opened (damaged, a dangling or cyclic"},
      {[](Hdf5Editor& file) { file.soft_link("/fclib_local/W", "/fclib_local/W"); }, "/fclib_local/W: cannot be opened"},
      {[](Hdf5Editor& file) {
         file.soft_link("/a", "/b"), file.soft_link("/b", "/a"), file.soft_link("/a", "/fclib_local");
       },
       "/fclib_local: cannot be opened"},
      {[](Hdf5Editor& file) { file.external_link("/etc/passwd", "/x", W + "x"); }, W + "x: cannot be opened"},
  };
  for (const std::string& name : {W + "m", W + "n", W + "nz", W + "nzmax", W + "p", W + "i", W + "x", vectors + "q",
                                  vectors + "mu", std::string("/fclib_local/spacedim")})
    cases.push_back({[name](Hdf5Editor& file) { file.remove(name); }, name + ": is missing, expected a dataset"});
  check_all(write_small_local, cases);
}

TEST_CASE("a link to another FCLib file is not followed") {
  const TemporaryFolder folder;
  write_small_local(folder / "a.hdf5");
  { Hdf5Editor(folder / "b.hdf5").external_link((folder / "a.hdf5").string(), "/fclib_local", "/fclib_local"); }
  CHECK_THAT(read_error(folder / "b.hdf5"), Catch::StartsWith("/fclib_local: cannot be opened"));
}

TEST_CASE("wrong types are named") {
  check_all(
      write_small_local,
      {
          {[](Hdf5Editor& file) { file.text(W + "x", "2 3 4"); }, W + "x: holds text, expected numbers"},
          {[](Hdf5Editor& file) { file.text(W + "m", "3"); }, W + "m: holds text, expected numbers"},
          {[](Hdf5Editor& file) {
             file.reals(W + "i", {0, 1, 1.5});
           },
           W + "i: entry 2 is 1.5, expected a whole number of 32 bits"},
          {[](Hdf5Editor& file) {
             file.reals(W + "i", {0, nan_value, 2});
           },
           W + "i: entry 1 is nan, expected a whole number"},
          {[](Hdf5Editor& file) { file.reals(W + "m", {3e300}); }, W + "m: entry 0 is 3e+300, expected a whole number"},
          {[](Hdf5Editor& file) {
             const long long big = (1LL << 32) + 3;
             file.put(W + "m", H5T_NATIVE_LLONG, {1}, H5T_NATIVE_LLONG, &big);
           },
           W + "m: entry 0 is 4294967299, expected a whole number of 32 bits"},
          {[](Hdf5Editor& file) {
             const unsigned long long big = ~0ULL;
             file.put(W + "m", H5T_NATIVE_ULLONG, {1}, H5T_NATIVE_ULLONG, &big);
           },
           W + "m: entry 0 is 9223372036854775807, expected a whole number of 32 bits"},
          {[](Hdf5Editor& file) {
             file.reals(W + "x", {2, 3, 4}, H5T_NATIVE_LDOUBLE);
           },
           W + "x: holds numbers of 16 bytes, expected 1, 2, 4 or 8"},
          {[](Hdf5Editor& file) { file.put(W + "x", H5T_NATIVE_B64, {3}, H5T_NATIVE_B64, nullptr); },
           W + "x: holds data of an unexpected type, expected numbers"},
          {[](Hdf5Editor& file) {
             const std::vector<double> square(9, 1.0);
             file.put(vectors + "q", H5T_NATIVE_DOUBLE, {3, 3}, H5T_NATIVE_DOUBLE, square.data());
           },
           vectors + "q: is a table of 2 dimensions, expected a list"},
          {[](Hdf5Editor& file) {
             file.integers("/fclib_local/spacedim", {3, 3});
           },
           "/fclib_local/spacedim: has 2 entries, expected one number"},
          {[](Hdf5Editor& file) { file.integers("/fclib_local/spacedim", {}); },
           "/fclib_local/spacedim: has 0 entries, expected one number"},
      });
}

TEST_CASE("sizes that disagree are named") {
  check_all(
      write_small_local,
      {
          {[](Hdf5Editor& file) { file.integer("/fclib_local/spacedim", 4); },
           "/fclib_local/spacedim: is 4, expected 2 or 3"},
          {[](Hdf5Editor& file) { file.integer("/fclib_local/spacedim", 5); },
           "/fclib_local/spacedim: is 5, expected 2 or 3"},
          {[](Hdf5Editor& file) { file.integer("/fclib_local/spacedim", -3); },
           "/fclib_local/spacedim: is -3, expected 2 or 3"},
          {[](Hdf5Editor& file) { file.integer("/fclib_local/spacedim", 2); },
           vectors + "q: has 3 entries, expected a multiple of spacedim = 2"},
          {[](Hdf5Editor& file) { file.reals(vectors + "q", std::vector<double>(6)); },
           vectors + "mu: has 1 entries, expected 2"},
          {[](Hdf5Editor& file) {
             file.reals(vectors + "mu", {0.5, 0.5, 0.5});
           },
           vectors + "mu: has 3 entries, expected 1 (one per contact, m / spacedim = 3 / 3)"},
          {[](Hdf5Editor& file) { file.integer(W + "m", 6); }, W + "m: is 6, expected 3 rows (as vectors/q)"},
          {[](Hdf5Editor& file) { file.integer(W + "n", 2); }, W + "n: is 2, expected 3 columns (as vectors/q)"},
          {[](Hdf5Editor& file) { file.integer(W + "nz", -3); }, W + "nz: is -3, expected -1 (compressed columns), -2"},
          {[](Hdf5Editor& file) { file.integer(W + "nz", 4); }, W + "nzmax: is 3, expected at least nz = 4"},
          {[](Hdf5Editor& file) { file.integer(W + "nz", 4), file.integer(W + "nzmax", 4); },
           W + "i: has 3 entries, expected 4"},
          {[](Hdf5Editor& file) {
             file.integers(W + "p", {0, 1, 2});
           },
           W + "p: has 3 entries, expected 4 (m + 1 for compressed rows)"},
          {[](Hdf5Editor& file) {
             file.integers(W + "p", {1, 1, 2, 3});
           },
           W + "p: entry 0 is 1, expected 0"},
          {[](Hdf5Editor& file) {
             file.integers(W + "p", {0, 2, 1, 3});
           },
           W + "p: entry 2 is 1, expected at least the entry before, 2"},
          {[](Hdf5Editor& file) {
             file.integers(W + "p", {0, 1, 2, 9});
           },
           W + "p: ends with 9, but i has 3 entries"},
          {[](Hdf5Editor& file) {
             file.reals(W + "x", {1, 2});
           },
           W + "x: has 2 entries, expected 3"},
          {[](Hdf5Editor& file) {
             file.integers(W + "i", {0, 1, 3});
           },
           W + "i: entry 2 is 3, expected an index from 0 to 2"},
          {[](Hdf5Editor& file) {
             file.integers(W + "i", {0, -1, 2});
           },
           W + "i: entry 1 is -1, expected an index from 0 to 2"},
          {[](Hdf5Editor& file) { file.group("/fclib_local/V"); }, vectors + "s: is missing, expected a dataset"},
          {[](Hdf5Editor& file) { file.group("/fclib_local/R"), file.reals(vectors + "s", {1}); },
           "/fclib_local/V: is missing, expected a group"},
      });
}

TEST_CASE("sizes that disagree in the global form are named") {
  const std::string H = "/fclib_global/H/", M = "/fclib_global/M/";
  check_all(write_small_global,
            {
                {[](Hdf5Editor& file) { file.remove("/fclib_global/vectors/b"); }, "/fclib_global/vectors/b: is missing"},
                {[](Hdf5Editor& file) {
                   file.reals("/fclib_global/vectors/b", {1, 2});
                 },
                 "/fclib_global/G/n: is 1, expected 2 columns (as vectors/f by vectors/b)"},
                {[](Hdf5Editor& file) {
                   file.reals("/fclib_global/vectors/f", {1, 2});
                 },
                 M + "m: is 3, expected 2 rows (as vectors/f)"},
                {[=](Hdf5Editor& file) {
                   file.integers(H + "i", {0, 3});
                 },
                 H + "i: entry 1 is 3, expected an index from 0 to 2"},
                {[=](Hdf5Editor& file) {
                   file.integers(H + "p", {0, 2});
                 },
                 H + "p: entry 1 is 2, expected an index from 0 to 1"},
                {[=](Hdf5Editor& file) { file.integers(H + "p", {0}); }, H + "p: has 1 entries, expected 2"},
                {[=](Hdf5Editor& file) {
                   file.reals(M + "x", {2, -2, 5});
                 },
                 "/fclib_global: H(1,1) is -2, expected a positive number (where H = M, D = [H G], k = f and b = [w; b])"},
            });
}

TEST_CASE("values that make no problem are named") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  check_all(write_small_local, {
                                   {[](Hdf5Editor& file) { file.reals(vectors + "mu", {-0.1}); },
                                    vectors + "mu: entry 0 is -0.1, expected a number >= 0"},
                                   {[](Hdf5Editor& file) { file.reals(vectors + "mu", {nan_value}); },
                                    vectors + "mu: entry 0 is nan, expected a finite number"},
                                   {[](Hdf5Editor& file) { file.reals(vectors + "mu", {infinity}); },
                                    vectors + "mu: entry 0 is inf, expected a finite number"},
                                   {[](Hdf5Editor& file) {
                                      file.reals(vectors + "q", {0, nan_value, 0});
                                    },
                                    vectors + "q: entry 1 is nan, expected a finite"},
                                   {[](Hdf5Editor& file) {
                                      file.reals(W + "x", {1, nan_value, 3});
                                    },
                                    W + "x: entry 1 (row 1, column 1) is nan, expected a finite number"},
                                   {[](Hdf5Editor& file) {
                                      file.reals(W + "x", {1, 2, -infinity});
                                    },
                                    W + "x: entry 2 (row 2, column 2) is -inf, expected a finite number"},
                               });
}

TEST_CASE("sizes that are claimed but not there are refused without taking the memory") {
  const int huge = std::numeric_limits<int>::max();
  const std::vector<BadFile> cases = {
      {[=](Hdf5Editor& file) { file.integer(W + "m", huge); }, W + "m: is 2147483647, expected 3 rows"},
      {[=](Hdf5Editor& file) { file.integer(W + "n", huge); }, W + "n: is 2147483647, expected 3 columns"},
      {[=](Hdf5Editor& file) { file.integer(W + "nzmax", huge); }, W + "nzmax: is 2147483647, but i has 3 entries"},
      {[=](Hdf5Editor& file) { file.integer(W + "nz", huge), file.integer(W + "nzmax", huge); },
       W + "i: has 3 entries, expected 2147483647"},
      {[=](Hdf5Editor& file) {
         file.integers(W + "p", {0, 1, 2, huge});
       },
       W + "p: ends with 2147483647, but i has 3 entries"},
      {[](Hdf5Editor& file) { file.put(vectors + "q", H5T_NATIVE_DOUBLE, {300000000}, H5T_NATIVE_DOUBLE, nullptr); },
       vectors + "q: claims 2400000000 bytes but takes 0 in the file"},
      {[](Hdf5Editor& file) {
         file.put(vectors + "q", H5T_NATIVE_DOUBLE, {300000000}, H5T_NATIVE_DOUBLE, nullptr, Hdf5Editor::chunked(1000, 6));
       },
       vectors + "q: claims 2400000000 bytes but takes 0 in the file"},
      {[](Hdf5Editor& file) {
         file.put(vectors + "q", H5T_NATIVE_DOUBLE, {hsize_t{1} << 40}, H5T_NATIVE_DOUBLE, nullptr,
                  Hdf5Editor::chunked(1000, 6));
       },
       vectors + "q: claims 1099511627776 entries, expected less than 2^31"},
      {[](Hdf5Editor& file) {
         file.put(W + "i", H5T_NATIVE_INT, {3}, H5T_NATIVE_INT, nullptr, Hdf5Editor::chunked(hsize_t{1} << 29, 6));
       },
       W + "i: claims chunks of 2147483648 bytes in a file of"},
      {[](Hdf5Editor& file) {
         file.put(vectors + "q", H5T_NATIVE_DOUBLE, {100000}, H5T_NATIVE_DOUBLE, nullptr, Hdf5Editor::chunked(1, 6));
       },
       vectors + "q: claims 100000 chunks in a file of"},
  };
  check_all(write_small_local, cases);

  // A chunk of data that packs well, in a dataset that claims far more of it.
  const TemporaryFolder folder;
  write_small_local(folder / "a.hdf5");
  {
    Hdf5Editor file(folder / "a.hdf5");
    file.put(vectors + "q", H5T_NATIVE_DOUBLE, {30000000}, H5T_NATIVE_DOUBLE, nullptr, Hdf5Editor::chunked(1000, 6));
    const hid_t dataset = H5Dopen2(file.file(), (vectors + "q").c_str(), H5P_DEFAULT);
    const hsize_t start = 0, count = 1000;
    const hid_t part = H5Dget_space(dataset), memory = H5Screate_simple(1, &count, nullptr);
    H5Sselect_hyperslab(part, H5S_SELECT_SET, &start, nullptr, &count, nullptr);
    const std::vector<double> ones(1000, 1.0);
    H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, part, H5P_DEFAULT, ones.data());
    H5Sclose(memory);
    H5Sclose(part);
    H5Dclose(dataset);
  }
  CHECK_THAT(read_error(folder / "a.hdf5"), Catch::StartsWith(vectors + "q: claims 240000000 bytes but takes "));
}

TEST_CASE("a chunk that is shorter than its header says is refused") {
  const TemporaryFolder folder;
  for (const unsigned skipped : {0U, 2U}) {  // bit 1: not deflated, so 24 bytes ought to be there
    std::filesystem::remove(folder / "a.hdf5");
    write_small_local(folder / "a.hdf5");
    {
      Hdf5Editor file(folder / "a.hdf5");
      file.put(vectors + "q", H5T_NATIVE_DOUBLE, {3}, H5T_NATIVE_DOUBLE, nullptr, Hdf5Editor::chunked(3, 6));
      const hid_t dataset = H5Dopen2(file.file(), (vectors + "q").c_str(), H5P_DEFAULT);
      const hsize_t start = 0;
      const std::string bytes(16, 'x');
      H5Dwrite_chunk(dataset, H5P_DEFAULT, skipped, &start, bytes.size(), bytes.data());
      H5Dclose(dataset);
    }
    CHECK(read_error(folder / "a.hdf5") ==
          vectors + "q: " +
              (skipped == 0 ? "its numbers cannot be read; damaged, or packed by a filter that is not available"
                            : "has an unpacked chunk of 16 bytes, expected 24"));
  }
}

TEST_CASE("data kept outside the file are refused") {
  const TemporaryFolder folder;
  std::ofstream(folder / "raw", std::ios::binary) << std::string(24, '\0');
  const std::string raw = (folder / "raw").string();
  check_all(write_small_local, {
                                   {[raw](Hdf5Editor& file) {
                                      const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
                                      H5Pset_external(creation, raw.c_str(), 0, 24);
                                      file.put(vectors + "q", H5T_NATIVE_DOUBLE, {3}, H5T_NATIVE_DOUBLE, nullptr, creation);
                                    },
                                    vectors + "q: keeps its data in another file, expected it in this one"},
                                   {[raw](Hdf5Editor& file) {
                                      const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
                                      const hsize_t size = 3;
                                      const hid_t space = H5Screate_simple(1, &size, nullptr);
                                      H5Pset_virtual(creation, space, raw.c_str(), "/x", space);
                                      H5Sclose(space);
                                      file.put(vectors + "q", H5T_NATIVE_DOUBLE, {3}, H5T_NATIVE_DOUBLE, nullptr, creation);
                                    },
                                    vectors + "q: is put together from other datasets, expected stored data"},
                               });
}

TEST_CASE("bad rolling files are refused as well") {
  const auto write_rolling = [](const std::filesystem::path& path) {
    Hdf5Editor file(path);
    file.integer("/fclib_global_rolling/spacedim", 5);
    file.reals("/fclib_global_rolling/vectors/f", {1});
    file.reals("/fclib_global_rolling/vectors/w", std::vector<double>(5, 0.0));
    file.reals("/fclib_global_rolling/vectors/mu", {0.5});
    file.reals("/fclib_global_rolling/vectors/mu_r", {0.1});
    for (const auto& [name, columns] : {std::pair("M", 1), std::pair("H", 5)}) {
      const std::string matrix = std::string("/fclib_global_rolling/") + name + "/";
      std::vector<int> starts(static_cast<std::size_t>(columns) + 1, 1);
      starts.front() = 0;
      file.integer(matrix + "nzmax", 1);
      file.integer(matrix + "m", 1);
      file.integer(matrix + "n", columns);
      file.integer(matrix + "nz", -1);
      file.integers(matrix + "p", starts);
      file.integers(matrix + "i", {0});
      file.reals(matrix + "x", {1.0});
    }
  };
  const std::string root = "/fclib_global_rolling/";
  check_all(write_rolling,
            {
                {[=](Hdf5Editor& file) { file.remove(root + "vectors/mu_r"); }, root + "vectors/mu_r: is missing"},
                {[=](Hdf5Editor& file) { file.reals(root + "vectors/mu_r", {-1}); }, root + "vectors/mu_r: entry 0 is -1"},
                {[=](Hdf5Editor& file) {
                   file.reals(root + "vectors/mu_r", {1, 1});
                 },
                 root + "vectors/mu_r: has 2 entries, expected 1"},
                {[=](Hdf5Editor& file) { file.integer(root + "spacedim", 2); }, root + "spacedim: is 2, expected 3 to 6"},
            });
}
