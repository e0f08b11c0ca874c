#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/config/catalog.hpp"
#include "bench/config/plan.hpp"
#include "core/fields.hpp"

/// What several subcommands read from their arguments.
namespace ccp::cli {

/// Puts NAME=VALUE texts into a table. Throws InputError at `option`.
void set_fields(FieldTable& table, const std::vector<std::string>& assignments, const std::string& option);
/// "2/8". Throws InputError at --shard.
Shard parse_shard(const std::string& text);

/// Calls `action` for each file. Reports one that is bad input, and goes on with the others. Returns the exit code.
int for_each_file(const std::vector<std::string>& files, const std::function<void(const std::string&)>& action);

/// The solvers and scenes of the program.
const Catalog& catalog();

}  // namespace ccp::cli
