#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <vector>

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

/// One subcommand: its options, and what it does when chosen (the exit code). Throws InputError for bad input.
struct Command {
  CLI::App* app;
  std::function<int()> action;
};

Command add_run(CLI::App& program);
Command add_solve(CLI::App& program);
Command add_check(CLI::App& program);
Command add_list(CLI::App& program);
Command add_inspect(CLI::App& program);
Command add_generate(CLI::App& program);
Command add_report(CLI::App& program);
Command add_claims(CLI::App& program);
Command add_compare(CLI::App& program);
Command add_profile(CLI::App& program);

}  // namespace ccp::cli
