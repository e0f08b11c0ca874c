#include <catch2/catch.hpp>
#include <map>
#include <sstream>

#include "io/fclib_reader.hpp"
#include "io/fclib_writer.hpp"
#include "support/skip.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

std::vector<std::filesystem::path> dumps(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".hdf5") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// Contacts by problem, from the first two columns of the reference tables.
std::map<std::string, Index> contact_counts(const std::filesystem::path& folder) {
  std::map<std::string, Index> counts;
  for (const char* name : {"siconos-4.4.csv", "ccp-reference.csv"}) {
    std::istringstream stream(read_text(folder / name));
    std::string line, problem, contacts;
    std::getline(stream, line);
    while (std::getline(stream, line)) {
      std::istringstream fields(line);
      std::getline(fields, problem, ',');
      std::getline(fields, contacts, ',');
      const Index count = std::stol(contacts);
      if (!counts.emplace(problem, count).second) CHECK(counts[problem] == count);
    }
  }
  return counts;
}

}  // namespace

TEST_CASE("real dumps: every 2D and 3D file is read, with the right number of contacts", "[slow]") {
  const std::string folder = fclib_dumps();
  if (folder.empty()) return;
  const std::map<std::string, Index> counts = contact_counts(folder);
  std::size_t known = 0;
  for (const std::filesystem::path& path : dumps(folder)) {
    INFO(path.filename().string());
    const FclibFile file = read_fclib(path);
    REQUIRE(file.problem);
    CHECK(file.contacts > 0);
    CHECK(file.problem->constraints().contacts() == file.contacts);
    if (const auto found = counts.find(path.stem().string()); found != counts.end()) {
      CHECK(file.contacts == found->second);
      ++known;
    }
  }
  CHECK(known > 0);
}

TEST_CASE("real dumps: what is special about each is seen", "[slow]") {
  const std::string folder = fclib_dumps();
  if (folder.empty()) return;
  for (const std::filesystem::path& path : dumps(folder)) {
    const std::string name = path.stem().string();
    INFO(name);
    const FclibFile file = read_fclib(path);
    const auto remarks = [&](const std::string& text) {
      return std::count_if(file.remarks.begin(), file.remarks.end(),
                           [&](const std::string& remark) { return remark.find(text) != std::string::npos; });
    };
    // Newton-Euler simulations give a W that is not symmetric, by 5e-6 to 2.5e-3.
    bool newton_euler = false;
    for (const char* origin : {"Capsules", "RockPile", "OneObject", "Rover"})
      newton_euler = newton_euler || name.starts_with(origin);
    if (newton_euler) {
      CHECK(file.problem->symmetry_defect() >= 5e-6);
      CHECK(file.problem->symmetry_defect() <= 2.6e-3);
      CHECK(remarks("W is not symmetric") == 1);
    }
    if (name == "RockPile_tob1") CHECK(file.problem->symmetry_defect() == Approx(2.5e-3).epsilon(0.05));
    if (name == "CubeH8" || name.starts_with("LMGC_Global")) {
      CHECK(remarks("M stores only its upper triangle; completed by symmetry") == 1);
      const SparseMatrix& H = file.problem->global().H;
      CHECK(DenseMatrix(H) == DenseMatrix(H.transpose()));
      CHECK(H.coeffs().maxCoeff() == Approx(2.56e8).epsilon(0.01));
    }
    if (name.starts_with("LMGC_100_PR_PerioBox")) CHECK(remarks("W: 1728 of 9576 stored entries are zero") == 1);
    if (name.starts_with("Chute")) CHECK(file.form == FclibForm::global_rolling);
    if (file.solution) CHECK(remarks("the stored solution has r = 0") == 1);
  }
}

TEST_CASE("real dumps: what is read can be written and read again, unchanged", "[slow]") {
  const std::string folder = fclib_dumps();
  if (folder.empty()) return;
  const TemporaryFolder temporary;
  for (const std::filesystem::path& path : dumps(folder)) {
    INFO(path.filename().string());
    const FclibFile file = read_fclib(path);
    if (!file.problem) continue;
    write_fclib(temporary / "copy.hdf5", *file.problem, file.form, file.info);
    const FclibFile copy = read_fclib(temporary / "copy.hdf5");
    CHECK(copy.info == file.info);
    CHECK(copy.problem->constraints() == file.problem->constraints());
    const auto equal = [](const SparseMatrix& a, const SparseMatrix& b) {
      return a.rows() == b.rows() && a.cols() == b.cols() && SparseMatrix(a - b).norm() == 0.0;
    };
    if (file.problem->constraints().has_moments()) {  // in lengths: there and back rounds
      CHECK(SparseMatrix(copy.problem->local().N - file.problem->local().N).norm() <= 1e-15 * file.problem->local().N.norm());
      CHECK((copy.problem->local().r - file.problem->local().r).norm() <= 1e-15 * file.problem->local().r.norm());
      continue;
    }
    if (file.form == FclibForm::global) {
      CHECK(equal(copy.problem->global().H, file.problem->global().H));
      CHECK(equal(copy.problem->global().D, file.problem->global().D));
      CHECK(copy.problem->global().k == file.problem->global().k);
      CHECK(copy.problem->global().b == file.problem->global().b);
    } else {
      CHECK(equal(copy.problem->local().N, file.problem->local().N));
      CHECK(copy.problem->local().r == file.problem->local().r);
    }
  }
}
