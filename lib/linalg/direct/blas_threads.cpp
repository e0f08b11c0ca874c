#include <dlfcn.h>

#include "linalg/linear_solver.hpp"

namespace ccp {

// The BLAS is whatever the system's alternatives put behind MUMPS and CHOLMOD, so it cannot be known at link time. A
// reference BLAS has none of these functions and no threads either.
void use_single_blas_thread() {
  const auto call = [](const char* name, auto count) {
    if (void* symbol = dlsym(RTLD_DEFAULT, name)) reinterpret_cast<void (*)(decltype(count))>(symbol)(count);
  };
  call("openblas_set_num_threads", 1);
  call("MKL_Set_Num_Threads", 1);
  call("bli_thread_set_num_threads", 1L);  // BLIS: dim_t, 64 bits
}

}  // namespace ccp
