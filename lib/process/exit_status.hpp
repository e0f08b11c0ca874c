#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

namespace ccp {

/// How a process ended: with an exit code, or by a signal.
struct ExitStatus {
  std::optional<int> code;  ///< nothing when a signal ended it
  int signal = 0;           ///< 0: none

  /// "exit code 3", "SIGSEGV"; "signal 40" for one without a name
  std::string text() const;
};

/// Takes apart what waitpid gives.
ExitStatus exit_status(int status);

/// Waits for the end of a child of this process.
ExitStatus wait_for(pid_t child);

/// The last line that is not blank of what a process printed: at most its first 300 bytes, without blanks at its end.
std::string last_line(std::string_view printed);

}  // namespace ccp
