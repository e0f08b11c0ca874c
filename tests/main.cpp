#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "support/places.hpp"
#include "support/skip.hpp"

namespace ccp::testing {
namespace {

constexpr int skipped_code = 4;  // SKIP_RETURN_CODE in tests/CMakeLists.txt
bool skipped = false;

}  // namespace

void skip(const std::string& reason) {
  skipped = true;
  std::cout << "skipped: " << reason << "\n";
}

std::string fclib_dumps() {
  const char* named = std::getenv("CCPBENCH_FCLIB_DIR");
  const std::filesystem::path folder = named != nullptr ? named : std::string(source_folder) + "/../shared/fclib";
  if (std::filesystem::is_directory(folder)) return std::filesystem::canonical(folder).string();
  skip("no FCLib dumps in '" + folder.string() + "' (set CCPBENCH_FCLIB_DIR)");
  return "";
}

}  // namespace ccp::testing

int main(int argc, char** argv) {
  const int failed = Catch::Session().run(argc, argv);
  return failed == 0 && ccp::testing::skipped ? ccp::testing::skipped_code : failed;
}
