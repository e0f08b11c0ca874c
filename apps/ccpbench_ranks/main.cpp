#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/error.hpp"
#include "distributed/mpi/network_times.hpp"
#include "distributed/mpi/product_times.hpp"
#include "distributed/mpi/rank_program.hpp"
#include "linalg/direct/backends.hpp"
#include "problems/registry.hpp"

/// The sequential MUMPS has an MPI of its own, with the names of the real one, so that no rank may have it. Ranks need none:
/// their H splits into bodies.
std::unique_ptr<ccp::LinearSolver> ccp::linalg::make_mumps(MatrixKind) {
  throw InputError("there is no MUMPS in ccpbench-ranks");
}

#ifdef __SANITIZE_ADDRESS__
/// Open MPI and PETSc keep memory until the process ends.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
#endif

namespace {

constexpr const char* usage =
    "ccpbench-ranks: started by ccpbench, with --ranks. By itself: ccpbench-ranks version, or\n"
    "mpiexec -n P ccpbench-ranks network, which measures messages and sums, or\n"
    "mpiexec -n P ccpbench-ranks products [--contacts N] [--repeat N], which measures products\n";

/// The numbers behind `products`, by their names; nothing where there are other arguments.
std::optional<std::map<std::string, int>> product_options(int count, char** arguments) {
  std::map<std::string, int> options{{"--contacts", 120000}, {"--repeat", 20}};
  for (int i = 2; i < count; i += 2) {
    const auto option = options.find(arguments[i]);
    if (option == options.end() || i + 1 == count) return std::nullopt;
    const char* end = arguments[i + 1] + std::strlen(arguments[i + 1]);
    if (const auto [read, error] = std::from_chars(arguments[i + 1], end, option->second);
        error != std::errc{} || read != end)
      return std::nullopt;
  }
  return options;
}

/// The exit code of `ccpbench-ranks network` or `products`.
int measure(const std::function<std::string()>& measured) {
  try {
    std::fputs(measured().c_str(), stdout);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ccpbench-ranks: %s\n", error.what());
    return 2;
  }
}

}  // namespace

/// ccpbench starts it through mpiexec: ccpbench-ranks SOCKET RANKS. `ccpbench-ranks version` says what it was built with,
/// `mpiexec -n P ccpbench-ranks network` how long messages and sums take, `products` how long products do.
int main(int count, char** arguments) {
  const std::string first = count > 1 ? arguments[1] : "";
  if (count == 2 && first == "version") {
    std::puts(ccp::rank_versions().c_str());
    return 0;
  }
  if (count == 2 && first == "network") return measure([] { return ccp::network_times(); });
  if (first == "products") {
    if (const auto options = product_options(count, arguments))
      return measure(
          [&] { return ccp::product_times(ccp::scene_registry(), options->at("--contacts"), options->at("--repeat")); });
  } else if (count == 3) {
    return ccp::run_rank(first, std::atoi(arguments[2]), ccp::scene_registry());
  }
  std::fputs(usage, stderr);
  return 2;
}
