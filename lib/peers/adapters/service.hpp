#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <functional>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "core/resident_heap.hpp"
#include "peers/external/skeletons/ccpbench_solver.h"

/// What the adapters in C++ share, on top of the header that solvers of users include: the service of one problem on the
/// socket that is standard input. An adapter is a file with
///
///     int main(int count, char** words) {
///       return ccp::serve(count, words, "dart 6.12.1", [](const std::string& id, ccp::AdapterService& service) { … });
///     }
///
/// whose function prepares its matrices, calls ready(), and runs its solver with the clock on.
namespace ccp {

/// Maps what the libraries have on disk, and as much of the heap as ccpbench gives its own methods before it times
/// them.
inline void make_pages_resident() {
  constexpr int populate_read = 22, populate_write = 23;  // MADV_POPULATE_READ and _WRITE of Linux 5.14
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    char rights[5] = "";
    if (line.find(".so") == std::string::npos || std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, rights) != 3)
      continue;
    if (rights[0] == 'r')
      ::madvise(reinterpret_cast<void*>(begin), end - begin, rights[1] == 'w' ? populate_write : populate_read);
  }
  extend_heap(resident_heap);
}

class AdapterService {
 public:
  int contacts = 0;
  double tolerance = 0.0;           ///< of the peer's own criterion
  std::int64_t max_iterations = 0;  ///< may exceed an int
  std::vector<double> r, friction, start;

  int rows() const { return 3 * contacts; }

  void read_problem() {
    const ccpbench_problem problem = ccpbench_read("{}", 0);
    contacts = problem.constraints;
    max_iterations = problem.max_iterations;
    tolerance = problem.settings[0];
    N_ = problem.N;
    r.assign(problem.r, problem.r + rows());
    friction.assign(problem.mu, problem.mu + contacts);
    start.assign(problem.start, problem.start + rows());
  }

  /// Calls put(row, column, value) for each stored entry of N, block by block, each by columns.
  template <typename Put>
  void for_entries(const Put& put) const {
    for (int first = 0; first < rows(); first += 3)
      for (int k = 0; k < N_.row_start[first + 1] - N_.row_start[first]; ++k)
        for (int row = first; row < first + 3; ++row) {
          const int entry = N_.row_start[row] + k;
          put(row, N_.column[entry], N_.value[entry]);
        }
  }

  /// N as a dense matrix by rows, each `stride` long.
  std::vector<double> dense(int stride) const {
    std::vector<double> matrix(static_cast<std::size_t>(rows()) * static_cast<std::size_t>(stride), 0.0);
    for_entries([&](int row, int at, double value) {
      matrix[static_cast<std::size_t>(row) * static_cast<std::size_t>(stride) + static_cast<std::size_t>(at)] = value;
    });
    return matrix;
  }

  /// whole_runs: each iterate is a run of its own from the start, whose time is that of the whole run.
  void ready(bool whole_runs = false) {
    make_pages_resident();
    ccpbench_ready(whole_runs ? 1 : 0);
  }

  void clock_on() { ccpbench_clock_on(); }
  void clock_off() { ccpbench_clock_off(); }
  /// For whole runs: the next one counts from zero.
  void clock_reset() {
    longest_ = std::max(longest_, ccpbench_own()->seconds);
    ccpbench_own()->seconds = 0.0;
  }

  /// Shows an iterate, with the clock off, and waits until the program has judged it.
  void show(std::int64_t iterations, double error, const std::vector<double>& reaction) {
    take_longest();
    ccpbench_show(reaction.data(), iterations, error, 0, nullptr);  // the program compares the error with the tolerance
  }
  void end(std::int64_t iterations, int info, double error, const std::vector<double>& reaction) {
    take_longest();
    ccpbench_frame_out(CCPBENCH_END, iterations, info, error, reaction.data(), nullptr);
  }

  /// An iteration whose state is the iterate alone, by a solver that shows none: shows it after 1, 2, 4, … sweeps.
  /// advance(x, sweeps) goes on from x, with the clock on, and says whether the solver calls it converged.
  void show_doubling(const std::function<bool(std::vector<double>&, int)>& advance) {
    std::vector<double> x = start;
    std::int64_t done = 0;
    int sweeps = 1;
    while (true) {
      sweeps = static_cast<int>(std::min<std::int64_t>(sweeps, max_iterations - done));
      clock_on();
      const bool converged = advance(x, sweeps);
      clock_off();
      done += sweeps;
      if (converged || done >= max_iterations) return end(done, converged ? 0 : 1, unknown, x);
      show(done, unknown, x);
      sweeps = static_cast<int>(std::min<std::int64_t>(done, 1 << 20));
    }
  }

  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

 private:
  /// The clock of whole runs is that of the longest one.
  void take_longest() { ccpbench_own()->seconds = longest_ = std::max(longest_, ccpbench_own()->seconds); }

  ccpbench_matrix N_{};
  double longest_ = 0.0;
};

/// The main function of an adapter: "version", or "solve ID".
inline int serve(int count, char** words, const std::string& version,
                 const std::function<void(const std::string& id, AdapterService&)>& solve) {
  if (count == 2 && std::strcmp(words[1], "version") == 0) {
    std::puts(version.c_str());
    return 0;
  }
  if (count < 3 || std::strcmp(words[1], "solve") != 0) {
    std::fprintf(stderr, "usage: %s version | solve ID; started by ccpbench, which talks to it on standard input\n",
                 words[0]);
    return 2;
  }
  AdapterService service;
  try {
    service.read_problem();
    solve(words[2], service);
  } catch (const std::bad_alloc&) {
    ccpbench_fail("std::bad_alloc", 1);
  } catch (const std::exception& error) {
    ccpbench_fail(error.what(), 0);
  }
  std::fflush(nullptr);
  ::_exit(0);  // without the destructors of the libraries, which may fail
}

}  // namespace ccp
