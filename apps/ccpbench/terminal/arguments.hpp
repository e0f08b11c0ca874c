#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/config/catalog.hpp"
#include "bench/config/plan.hpp"
#include "core/fields.hpp"

/// What several subcommands read from their arguments.
namespace ccp::cli {

/// "NAME=VALUE" in two. Throws InputError at `option`.
std::pair<std::string, std::string> split_assignment(const std::string& text, const std::string& option);
/// Puts NAME=VALUE texts into a table. Throws InputError at `option`.
void set_fields(FieldTable& table, const std::vector<std::string>& assignments, const std::string& option);
/// "2/8". Throws InputError at --shard.
Shard parse_shard(const std::string& text);

/// The solvers and scenes of the program.
const Catalog& catalog();

}  // namespace ccp::cli
