#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "process/exit_status.hpp"

namespace ccp {

/// Whether the standard output of a child program goes to memory, or is the socket, as its standard input is.
enum class Answers { on_input, on_output };

/// A program that runs as a child and talks to this process over a socket, its standard input; what it prints goes to
/// memory. It dies with this process. The destructor kills it and waits for its end.
class ChildProgram {
 public:
  /// arguments: the program (looked up in PATH) and its arguments. threads: for the BLAS of the child. Throws
  /// std::system_error when no process can be made.
  ChildProgram(const std::vector<std::string>& arguments, int threads, Answers answers = Answers::on_input);
  ~ChildProgram();
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;

  /// A variable in its environment, and in that of all it starts: "NAME=value", of no other process.
  const std::string& mark() const { return mark_; }

  enum class Transfer { done, timed_out, closed };

  /// Sends all bytes, for at most `longest`: a child that does not read blocks no one.
  Transfer send(const void* data, std::size_t bytes, std::chrono::duration<double> longest);
  /// Reads exactly so many bytes, for at most `longest`.
  Transfer receive(void* data, std::size_t bytes, std::chrono::duration<double> longest);

  /// How it ended. Waits for the end: call after Transfer::closed.
  const ExitStatus& exit();
  /// The same with the last line it printed: "exit code 1: …", "SIGSEGV: …", or either without a line.
  std::string exit_text();
  /// Time in which it was ready to run and had no core, s; NaN where the system does not say.
  double core_wait_s() const;
  /// Asks it to end (SIGTERM).
  void ask_to_end() const;
  /// Ends it and copies all that it printed to standard error.
  void pass_on_printed();
  /// The last line it printed that says something.
  std::string last_line() const;

 private:
  void end();
  Transfer wait_for_socket(short event, std::chrono::steady_clock::time_point end) const;

  pid_t pid_ = -1;  ///< −1 once its end is known
  int socket_ = -1, printed_ = -1;
  std::string mark_;
  ExitStatus exit_;
};

}  // namespace ccp
