#include "blas_kernels.hpp"

#include <unistd.h>

#include <cstdlib>

namespace ccp::cli {

void fix_blas_kernels(char** argv) {
#if defined(__x86_64__)
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr) return;
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return;
  if (::setenv("OPENBLAS_CORETYPE", "Haswell", 1) != 0) return;
  ::execv("/proc/self/exe", argv);
#else
  static_cast<void>(argv);
#endif
}

}  // namespace ccp::cli
