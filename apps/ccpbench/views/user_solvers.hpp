#pragma once

#include <memory>
#include <string>

#include "bench/config/config.hpp"

/// Solvers of users, which a command starts to hear what they are.
namespace ccp::cli {

/// The solver of this name. One of the user, by its path from here, is started, and answers what it is. Throws InputError
/// for an unknown name, and where there is no answer.
std::unique_ptr<Solver> solver_named(const std::string& name);

/// Starts the solvers of the user among those of the config, and says so first. False without any. One that does not answer
/// is a matter of its runs.
bool start_user_solvers(const Config& config);

}  // namespace ccp::cli
