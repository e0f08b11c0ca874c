#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/config/catalog.hpp"
#include "bench/config/plan.hpp"
#include "core/fields.hpp"

/// What several subcommands read from their arguments.
namespace ccp::cli {

/// The method by default.
inline constexpr const char* default_solver = "proximal_newton";

/// Puts NAME=VALUE texts into a table. Throws InputError at `option`.
void set_fields(FieldTable& table, const std::vector<std::string>& assignments, const std::string& option);
/// "rho=0.5, restart=false": the values that are not the defaults of these fields.
std::string changed_values(const FieldTable& fields, const Parameters& values, const std::string& equals = "=");
/// "2/8". Throws InputError at --shard.
Shard parse_shard(const std::string& text);

/// Seconds of "90s", "10m", "2h" or "1h30m". Throws InputError at `option`.
double parse_duration(const std::string& text, const std::string& option);

/// Seconds of "500us", "1ms" or "2s". Throws InputError at `option`.
double parse_time(const std::string& text, const std::string& option);
/// The same, or plain seconds, "60", or a duration.
double parse_seconds(const std::string& text, const std::string& option);

/// Calls `action` for each file. Reports one that is bad input, and goes on with the others. Returns the exit code.
int for_each_file(const std::vector<std::string>& files, const std::function<void(const std::string&)>& action);

/// The solvers and scenes of the program.
const Catalog& catalog();

}  // namespace ccp::cli
