#pragma once

namespace ccp::cli {

/// Sets what libraries read from the environment when they are loaded, before main(): where a variable is missing, this
/// process starts itself once more with it. Values of the user's stay. Returns when there is nothing to do, or it cannot be
/// done.
///
/// OPENBLAS_CORETYPE: the same kernels on every x86-64 that has AVX2 and FMA, so that counts and curves can be compared
/// between machines: those of Haswell, and with them also the cores that OpenBLAS would give wider ones.
///
/// GOMP_SPINCOUNT: a thread that waits for the other of its team spins for some microseconds, then sleeps. The default of
/// libgomp, milliseconds, takes a busy machine away from the very thread that is waited for: an iteration on two threads has
/// been seen to take a hundred times as long as on one.
void fix_library_settings(char** argv);

}  // namespace ccp::cli
