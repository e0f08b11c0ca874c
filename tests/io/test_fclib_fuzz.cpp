#include <catch2/catch.hpp>

#include "core/error.hpp"
#include "io/fclib_reader.hpp"
#include "io/fclib_writer.hpp"
#include "io/sample_problems.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp;
using namespace ccp::testing;

// HDF5 1.10 itself loses a little memory over some damaged files. Handles of ours that stay open are counted by the tests.
extern "C" const char* __lsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier): a hook of the sanitizer
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }  // NOLINT(bugprone-reserved-identifier)

namespace {

// True when the file is read or refused as bad input; everything else ends the test.
bool read_or_refused(const std::filesystem::path& path) {
  try {
    read_fclib(path);
  } catch (const InputError&) {
  }
  return H5Fget_obj_count(static_cast<hid_t>(H5F_OBJ_ALL), H5F_OBJ_ALL) == 0;
}

void overwrite(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string sample_bytes(const std::filesystem::path& path, FclibForm form) {
  SampleProblems samples(21);
  const ConstraintSet set = constraint_set({ConstraintKind::contact, ConstraintKind::bilateral});
  const ContactProblem problem = samples.global(set, 1).build();
  write_fclib(path, problem, form, FclibInfo(), {samples.vector(problem.rows()), {samples.vector(problem.rows())}});
  return read_text(path);
}

}  // namespace

TEST_CASE("a file with damaged bytes is read or refused", "[slow]") {
  const TemporaryFolder folder;
  for (const FclibForm form : {FclibForm::global, FclibForm::local}) {
    const std::string bytes = sample_bytes(folder / "a.hdf5", form);
    std::mt19937_64 random(22);
    for (int trial = 0; trial < 1000; ++trial) {
      std::string damaged = bytes;
      for (int flips = 1 + trial % 4; flips > 0; --flips) {
        const std::size_t place = random() % bytes.size();
        const unsigned kind = static_cast<unsigned>(random() % 3);
        damaged[place] = static_cast<char>(kind == 0 ? 0 : kind == 1 ? 0xFF : damaged[place] ^ (1 << random() % 8));
      }
      overwrite(folder / "a.hdf5", damaged);
      INFO("trial " << trial);
      REQUIRE(read_or_refused(folder / "a.hdf5"));
    }
  }
}

TEST_CASE("a file cut off or with a hole is read or refused") {
  const TemporaryFolder folder;
  const std::string bytes = sample_bytes(folder / "a.hdf5", FclibForm::global);
  for (std::size_t size = 0; size < bytes.size(); size += bytes.size() / 150) {
    overwrite(folder / "a.hdf5", bytes.substr(0, size));
    REQUIRE(read_or_refused(folder / "a.hdf5"));
    std::string hole = bytes;
    std::fill_n(hole.begin() + static_cast<std::ptrdiff_t>(size), std::min<std::size_t>(64, bytes.size() - size), '\0');
    overwrite(folder / "a.hdf5", hole);
    REQUIRE(read_or_refused(folder / "a.hdf5"));
  }
}
