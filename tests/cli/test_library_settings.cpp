#include <catch2/catch.hpp>
#include <string>

#include "cli/program.hpp"
#include "support/skip.hpp"

using namespace ccp::testing;

namespace {

/// What follows `start` in the last line of stderr that has it; the libraries say there what they are set to. Nothing else is
/// set than `environment`.
std::string said(const Environment& environment, const std::string& start) {
  const Workplace place;
  Environment whole = {{"OPENBLAS_CORETYPE", ""}, {"GOMP_SPINCOUNT", ""}};
  whole.insert(whole.end(), environment.begin(), environment.end());
  const Answer answer = run_program(place, {"--version"}, whole);
  CHECK(answer.code == 0);
  CHECK(lines_of(answer.out).size() == 1);
  std::string value;
  for (const std::string& line : lines_of(answer.err))
    if (const auto at = line.find(start); at != std::string::npos) value = line.substr(at + start.size());
  return value;
}

/// Which kernels OpenBLAS has loaded.
std::string loaded_core(const Environment& environment) {
  Environment verbose = environment;
  verbose.emplace_back("OPENBLAS_VERBOSE", "2");
  return said(verbose, "Core: ");
}

/// For how long the threads of libgomp spin.
std::string spin_count(const Environment& environment) {
  Environment verbose = environment;
  verbose.emplace_back("OMP_DISPLAY_ENV", "VERBOSE");
  return said(verbose, "GOMP_SPINCOUNT = ");
}

}  // namespace

TEST_CASE("the kernels of OpenBLAS are the same on every machine, unless the user wants others") {
  const std::string chosen = loaded_core({{"OPENBLAS_CORETYPE", "Nehalem"}});
  if (chosen.empty()) {
    return skip("the BLAS of this machine is not OpenBLAS, or has the kernels of one machine only");
  }
  CHECK(chosen == "Nehalem");
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) CHECK(loaded_core({}) == "Haswell");
#endif
}

TEST_CASE("threads that wait spin for a short while, unless the user wants it otherwise") {
  const std::string chosen = spin_count({{"GOMP_SPINCOUNT", "77"}});
  if (chosen.empty()) {
    return skip("the OpenMP library of this machine is not libgomp");
  }
  CHECK(chosen == "'77'");
  CHECK(spin_count({}) == "'1000'");
  CHECK(spin_count({{"OMP_WAIT_POLICY", "passive"}}) == "'0'");
}
