#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ccp {

/// What the program sends first, in the byte order of the machine; after it row_start (int32, contacts + 1), column (int32,
/// blocks), W (9 doubles a block, by columns), q (3·contacts), μ (contacts) and the start reaction (3·contacts).
struct AdapterRequest {
  std::int64_t contacts = 0, blocks = 0;
  std::int64_t max_iterations = 0;
  double tolerance = 0.0;  ///< of the peer's own criterion
};

/// What an adapter answers, each followed by `bytes` of payload. It waits for one byte after `ready` and after each
/// `iterate`, so that it and the judge never work at the same time.
struct AdapterFrame {
  enum Kind : std::int32_t {
    ready = 1,    ///< the problem is read; info: 1 when iterates are whole runs from the start, 0 when they are iterations
    iterate = 2,  ///< payload: reaction
    end = 3,      ///< the peer is done; info: its return value, 0 for converged; payload: reaction
    failure = 4   ///< payload: why, as text; info: 1 for lack of memory
  };
  std::int32_t kind = 0;
  std::int32_t bytes = 0;
  std::int64_t iterations = 0;  ///< of the peer
  std::int64_t info = 0;
  double seconds = 0.0;  ///< spent in the peer's solve call so far, by the adapter's steady clock
  double error = 0.0;    ///< the peer's own residual
};

/// A child process with a socket as its standard input; what it prints goes to memory. It dies with this process, and its
/// end is waited for by the destructor, which kills it.
class AdapterProcess {
 public:
  /// arguments: the program (looked up in PATH) and its arguments. threads: for the BLAS of the child. Throws
  /// std::system_error when no process can be made.
  AdapterProcess(const std::vector<std::string>& arguments, int threads);
  ~AdapterProcess();
  AdapterProcess(const AdapterProcess&) = delete;
  AdapterProcess& operator=(const AdapterProcess&) = delete;

  enum class Reading { done, timed_out, closed };

  /// Sends all bytes; false when the child does not take them any more.
  bool send(const void* data, std::size_t bytes);
  /// Reads exactly so many bytes, for at most `longest`.
  Reading receive(void* data, std::size_t bytes, std::chrono::duration<double> longest);

  /// How it ended, waited for: "exit code 1: the last line it printed", "SIGSEGV: …", or either without a line. Call after
  /// Reading::closed.
  std::string epitaph();
  /// Exit code, waited for; nothing when a signal ended it.
  std::optional<int> exit_code();
  /// Last line it printed that says something.
  std::string last_line() const;

 private:
  void wait();

  pid_t pid_ = -1;
  int socket_ = -1, printed_ = -1;
  int status_ = 0;
};

}  // namespace ccp
