#pragma once

#include <string>
#include <vector>

#include "terminal/command_line.hpp"

/// Each function adds one subcommand with its arguments and its action.
namespace ccp::cli {

void add_run(CommandLine& program);
void add_solve(CommandLine& program);
void add_check(CommandLine& program);
void add_list(CommandLine& program);
void add_inspect(CommandLine& program);
void add_generate(CommandLine& program);
void add_cite(CommandLine& program);
void add_rank(CommandLine& program);
void add_tune(CommandLine& program);
void add_merge(CommandLine& program);
void add_convert(CommandLine& program);
void add_report(CommandLine& program);
void add_publish(CommandLine& program);
void add_plot(CommandLine& program);
void add_claims(CommandLine& program);
void add_compare(CommandLine& program);
void add_history(CommandLine& program);
void add_profile(CommandLine& program);
void add_completion(CommandLine& program);
void add_man(CommandLine& program);
void add_new(CommandLine& program);
void add_new_solver(CommandLine& program);
void add_check_solver(CommandLine& program);

/// Prints what completes the last of these words of a command line.
void complete_line(const CommandLine& program, const std::vector<std::string>& words);

}  // namespace ccp::cli
