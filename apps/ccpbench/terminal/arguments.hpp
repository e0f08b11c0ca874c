#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench/config/catalog.hpp"
#include "bench/config/plan.hpp"
#include "core/fields.hpp"

/// Options the subcommands share, and their errors in the words of the program.
namespace ccp::cli {

/// Options that are read and checked while the command line is parsed. Throw InputError("", name, ...). value: how the help
/// page shows the value. The default is added to the meaning.
CLI::Option* add_integer(CLI::App& app, const std::string& name, int* target, Range range, const std::string& value,
                         const std::string& meaning);
CLI::Option* add_real(CLI::App& app, const std::string& name, double* target, Range range, const std::string& value,
                      const std::string& meaning);
/// One of a list of names; the nearest one is offered for another.
CLI::Option* add_choice(CLI::App& app, const std::string& name, std::string* target, const std::vector<std::string>& choices,
                        const std::string& meaning);
/// An option that may be given several times, one value each.
CLI::Option* add_repeated(CLI::App& app, const std::string& name, std::vector<std::string>* target, const std::string& value,
                          const std::string& meaning);

/// "NAME=VALUE" in two. Throws InputError at `option`.
std::pair<std::string, std::string> split_assignment(const std::string& text, const std::string& option);
/// Puts NAME=VALUE texts into a table. Throws InputError at `option`.
void set_fields(FieldTable& table, const std::vector<std::string>& assignments, const std::string& option);
/// "2/8". Throws InputError at --shard.
Shard parse_shard(const std::string& text);

/// The solvers and scenes of the program.
const Catalog& catalog();

/// What a person should read instead of CLI11's own words: the nearest command or option for an unknown one.
std::string parse_message(const CLI::App& program, const CLI::ParseError& error);

}  // namespace ccp::cli
