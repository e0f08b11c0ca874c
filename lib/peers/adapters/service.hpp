#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
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

#include "peers/adapters/protocol.hpp"

/// What the adapters in C++ share: the service of one problem on the socket that is standard input. An adapter is a file
/// with
///
///     int main(int count, char** words) {
///       return ccp::serve(count, words, "dart 6.12.1", [](const std::string& id, ccp::AdapterService& service) { … });
///     }
///
/// whose function prepares its matrices, calls ready(), and runs its solver with the clock on.
namespace ccp {

constexpr int adapter_socket = 0;

inline void receive_bytes(void* data, std::size_t bytes) {
  for (char* at = static_cast<char*>(data); bytes > 0;) {
    const ssize_t got = ::read(adapter_socket, at, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) ::_exit(0);  // the program has closed its end
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

inline void send_bytes(const void* data, std::size_t bytes) {
  for (const char* at = static_cast<const char*>(data); bytes > 0;) {
    const ssize_t sent = ::write(adapter_socket, at, bytes);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) ::_exit(0);
    at += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
}

/// Maps what the libraries have on disk, as ccpbench does for its own methods before it times them.
inline void make_libraries_resident() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    char rights[5] = "";
    if (line.find(".so") == std::string::npos || std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, rights) != 3)
      continue;
    constexpr int populate_read = 22, populate_write = 23;  // MADV_POPULATE_READ and _WRITE of Linux 5.14
    if (rights[0] == 'r')
      ::madvise(reinterpret_cast<void*>(begin), end - begin, rights[1] == 'w' ? populate_write : populate_read);
  }
}

class AdapterService {
 public:
  int contacts = 0;
  double tolerance = 0.0;           ///< of the peer's own criterion
  std::int64_t max_iterations = 0;  ///< may exceed an int
  std::vector<int> row_start, column;
  std::vector<double> blocks;  ///< of N, 9 each, by columns
  std::vector<double> r, friction, start;

  int rows() const { return 3 * contacts; }

  void read_problem() {
    AdapterRequest request;
    receive_bytes(&request, sizeof request);
    contacts = static_cast<int>(request.contacts);
    tolerance = request.tolerance;
    max_iterations = request.max_iterations;
    const auto count = static_cast<std::size_t>(request.contacts), stored = static_cast<std::size_t>(request.blocks);
    receive(row_start, count + 1);
    receive(column, stored);
    receive(blocks, 9 * stored);
    receive(r, 3 * count);
    receive(friction, count);
    receive(start, 3 * count);
  }

  /// Calls put(row, column, value) for each stored entry of N.
  template <typename Put>
  void for_entries(const Put& put) const {
    for (int i = 0; i < contacts; ++i)
      for (int k = row_start[static_cast<std::size_t>(i)]; k < row_start[static_cast<std::size_t>(i) + 1]; ++k)
        for (int c = 0; c < 3; ++c)
          for (int row = 0; row < 3; ++row)
            put(3 * i + row, 3 * column[static_cast<std::size_t>(k)] + c,
                blocks[9 * static_cast<std::size_t>(k) + 3 * static_cast<std::size_t>(c) + static_cast<std::size_t>(row)]);
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
    make_libraries_resident();
    send(AdapterFrame::ready, 0, whole_runs ? 1 : 0, 0.0, nullptr);
    wait();
  }

  void clock_on() { began_ = Clock::now(); }
  void clock_off() { seconds_ += std::chrono::duration<double>(Clock::now() - began_).count(); }
  /// For whole runs: the next one counts from zero.
  void clock_reset() { seconds_ = 0.0; }

  /// Shows an iterate, with the clock off, and waits until the program has judged it.
  void show(std::int64_t iterations, double error, const std::vector<double>& reaction) {
    longest_ = std::max(longest_, seconds_);
    send(AdapterFrame::iterate, iterations, 0, error, &reaction);
    wait();
  }
  void end(std::int64_t iterations, int info, double error, const std::vector<double>& reaction) {
    longest_ = std::max(longest_, seconds_);
    send(AdapterFrame::end, iterations, info, error, &reaction);
  }
  void fail(const std::string& why, bool lack_of_memory) {
    AdapterFrame frame{AdapterFrame::failure,
                       static_cast<std::int32_t>(std::min<std::size_t>(why.size(), 1000)),
                       0,
                       lack_of_memory ? 1 : 0,
                       0.0,
                       0.0};
    send_bytes(&frame, sizeof frame);
    send_bytes(why.data(), static_cast<std::size_t>(frame.bytes));
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
  using Clock = std::chrono::steady_clock;

  template <typename Value>
  static void receive(std::vector<Value>& values, std::size_t count) {
    values.resize(count);
    receive_bytes(values.data(), count * sizeof(Value));
  }
  void send(AdapterFrame::Kind kind, std::int64_t iterations, int info, double error, const std::vector<double>* reaction) {
    const std::size_t bytes = reaction != nullptr ? reaction->size() * sizeof(double) : 0;
    const AdapterFrame frame{kind, static_cast<std::int32_t>(bytes), iterations, info, longest_, error};
    send_bytes(&frame, sizeof frame);
    if (reaction != nullptr) send_bytes(reaction->data(), bytes);
  }
  static void wait() {
    char go_on = 0;
    receive_bytes(&go_on, 1);
  }

  Clock::time_point began_;
  double seconds_ = 0.0, longest_ = 0.0;
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
    service.fail("std::bad_alloc", true);
  } catch (const std::exception& error) {
    service.fail(error.what(), false);
  }
  std::fflush(nullptr);
  ::_exit(0);  // without the destructors of the libraries, which may fail
}

}  // namespace ccp
