#pragma once

namespace ccp::cli {

/// Makes OpenBLAS use the same kernels on every x86-64 that has AVX2 and FMA, so that counts and curves can be compared
/// between machines: those of Haswell, and with them also the cores that OpenBLAS would give wider ones. OpenBLAS reads
/// OPENBLAS_CORETYPE when it is loaded, before main(): where the variable is not set, this process starts itself once more
/// with it. A value of the user's stays. Returns when there is nothing to do, or it cannot be done.
void fix_blas_kernels(char** argv);

}  // namespace ccp::cli
