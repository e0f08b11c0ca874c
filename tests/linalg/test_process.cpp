#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "linalg/matrices.hpp"

using namespace ccp;
using namespace ccp::testing;

TEST_CASE("linear solvers: the BLAS runs on one thread") {
  const auto get = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
  const auto set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  if (!get || !set) {
    WARN("no OpenBLAS behind MUMPS here: only checked that nothing breaks");
    CHECK_NOTHROW(use_single_blas_thread());
    return;
  }
  set(2);
  REQUIRE(get() == 2);
  use_single_blas_thread();
  CHECK(get() == 1);
  set(2);
  make_linear_solver("mumps", MatrixKind::spd);
  CHECK(get() == 1);
}

TEST_CASE("linear solvers: MUMPS is the sequential one") {
  std::stringstream maps;
  maps << std::ifstream("/proc/self/maps").rdbuf();
  REQUIRE_FALSE(maps.str().empty());
  CHECK(maps.str().find("libmpi.so") == std::string::npos);
  CHECK(maps.str().find("libdmumps-") == std::string::npos);
}

TEST_CASE("linear solvers: a forked child can go on with its parent's objects") {
  for (const auto& [backend, kind] : all_solver_cases()) {
    CAPTURE(backend, kind_name(kind));
    const SparseMatrix matrix = laplacian(120);  // fronts large enough for threads, where a backend would start some
    const Vector rhs = Vector::Ones(matrix.rows());
    Vector expected(matrix.rows());
    const auto solver = make_linear_solver(backend, kind);
    REQUIRE(solver->analyze(matrix) == LinearStatus::ok);
    REQUIRE(solver->factorize(matrix) == LinearStatus::ok);
    REQUIRE(solver->solve(rhs, expected) == LinearStatus::ok);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      alarm(60);  // a child that waits for threads it does not have would wait for ever
      Vector x(matrix.rows());
      const bool same =
          solver->factorize(matrix) == LinearStatus::ok && solver->solve(rhs, x) == LinearStatus::ok && x == expected;
      _exit(same ? 0 : 1);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
}
