#pragma once

#include <memory>
#include <string>

#include "bench/config/catalog.hpp"
#include "bench/config/config_json.hpp"

/// Where the solvers of the user are that a config names: relative paths are from its folder.
namespace ccp {

/// The name of a solver, with absolute paths where it is one of the user. Fails at `pointer` for a malformed name, and for
/// one whose files are not there unless they may be gone.
std::string located_solver(const std::string& name, bool may_be_gone, const std::string& pointer, const JsonSource& source);

/// The solver of this name. One of the user, by its path from here, is started, and answers what it is. Throws InputError
/// for an unknown name, and where there is no answer.
std::unique_ptr<Solver> solver_named(const std::string& name, const Catalog& catalog);

/// Whether an entry, of the solvers of a config or its driver, names a solver of the user.
bool names_external(const Json& entry);

/// Makes the paths that are seen from the folder of the config `file` absolute, so that its results name their files
/// wherever they are read: of states, of solvers of the user, and patterns of FCLib files that name their own folder.
void make_paths_absolute(Json& document, const std::string& file);

}  // namespace ccp
