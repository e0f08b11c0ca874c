#include <catch2/catch.hpp>
#include <string>

#include "cli/program.hpp"

/// Which kernels OpenBLAS says it has loaded: the last line "Core: NAME" of stderr.
using namespace ccp::testing;

namespace {

std::string loaded_core(const Environment& environment) {
  const Workplace place;
  Environment verbose = environment;
  verbose.emplace_back("OPENBLAS_VERBOSE", "2");
  const Answer answer = run_program(place, {"--version"}, verbose);
  CHECK(answer.code == 0);
  CHECK(lines_of(answer.out).size() == 1);
  std::string core;
  for (const std::string& line : lines_of(answer.err))
    if (line.rfind("Core: ", 0) == 0) core = line.substr(6);
  return core;
}

}  // namespace

TEST_CASE("the kernels of OpenBLAS are the same on every machine, unless the user wants others") {
  const std::string chosen = loaded_core({{"OPENBLAS_CORETYPE", "Nehalem"}});
  if (chosen.empty()) {
    WARN("skipped: the BLAS of this machine is not OpenBLAS, or has the kernels of one machine only");
    return;
  }
  CHECK(chosen == "Nehalem");
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) CHECK(loaded_core({}) == "Haswell");
#endif
}
