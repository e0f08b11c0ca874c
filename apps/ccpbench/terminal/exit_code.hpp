#pragma once

namespace ccp::cli {

/// Exit codes of the program.
enum ExitCode : int {
  exit_done = 0,
  exit_different = 1,     ///< of `compare`
  exit_claim_failed = 1,  ///< of `claims`
  exit_bad_input = 2,
  exit_some_failed = 3,
  exit_internal_error = 70,  ///< a defect of the program, EX_SOFTWARE of sysexits.h
  exit_interrupted = 130     ///< 128 + SIGINT
};

}  // namespace ccp::cli
