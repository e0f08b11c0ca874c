#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>

#include "core/error.hpp"
#include "distributed/mpi/network_times.hpp"
#include "distributed/mpi/rank_program.hpp"
#include "linalg/direct/backends.hpp"

/// The sequential MUMPS has an MPI of its own, with the names of the real one, so that no rank may have it. Ranks need none:
/// their H splits into bodies.
std::unique_ptr<ccp::LinearSolver> ccp::linalg::make_mumps(MatrixKind) {
  throw InputError("there is no MUMPS in ccpbench-ranks");
}

#ifdef __SANITIZE_ADDRESS__
/// Open MPI and PETSc keep memory until the process ends.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
#endif

/// ccpbench starts it through mpiexec: ccpbench-ranks SOCKET RANKS. `ccpbench-ranks version` says what it was built with,
/// `mpiexec -n P ccpbench-ranks network` how long messages and sums take.
int main(int count, char** arguments) {
  if (count == 2 && std::string(arguments[1]) == "version") {
    std::puts(ccp::rank_versions().c_str());
    return 0;
  }
  if (count == 2 && std::string(arguments[1]) == "network") try {
      std::fputs(ccp::network_times().c_str(), stdout);
      return 0;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "ccpbench-ranks: %s\n", error.what());
      return 2;
    }
  if (count != 3) {
    std::fputs(
        "ccpbench-ranks: started by ccpbench, with --ranks. By itself: ccpbench-ranks version, or\n"
        "mpiexec -n P ccpbench-ranks network, which measures messages and sums\n",
        stderr);
    return 2;
  }
  return ccp::run_rank(arguments[1], std::atoi(arguments[2]));
}
