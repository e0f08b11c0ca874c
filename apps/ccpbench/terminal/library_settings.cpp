#include "terminal/library_settings.hpp"

#include <unistd.h>

#include <cstdlib>

namespace ccp::cli {
namespace {

bool is_set(const char* name) { return std::getenv(name) != nullptr; }

/// Whether the variable was set here.
bool fix_blas_kernels() {
#if defined(__x86_64__)
  if (is_set("OPENBLAS_CORETYPE") || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return false;
  return ::setenv("OPENBLAS_CORETYPE", "Haswell", 1) == 0;
#else
  return false;
#endif
}

/// Whether the variable was set here.
bool limit_spinning() {
  if (is_set("GOMP_SPINCOUNT") || is_set("OMP_WAIT_POLICY")) return false;
  return ::setenv("GOMP_SPINCOUNT", "1000", 1) == 0;
}

}  // namespace

void fix_library_settings(char** argv) {
  const bool blas = fix_blas_kernels(), spinning = limit_spinning();
  if (blas || spinning) ::execv("/proc/self/exe", argv);
}

}  // namespace ccp::cli
