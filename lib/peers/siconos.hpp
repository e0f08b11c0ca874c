#pragma once

#include <memory>
#include <string>
#include <vector>

#include "solvers/solver.hpp"

/// Solvers of Siconos (https://nonsmooth.gricad-pages.univ-grenoble-alpes.fr/siconos), each in an adapter process of its
/// own, judged like all others. Time is that of Siconos' solve call by the steady clock of the adapter; starting Python,
/// handing the problem over and judging are off the clock, forming N of a problem in global form is on it.
namespace ccp {

/// "siconos/nsgs" and so on, whether or not Siconos is there.
std::vector<std::string> siconos_solver_names();

/// Null for a name that is none of these.
std::unique_ptr<Solver> make_siconos_solver(const std::string& name);

/// The interpreter that runs the adapter: CCPBENCH_SICONOS_PYTHON, else that of the system, for which Debian packages
/// Siconos.
std::string siconos_interpreter();

}  // namespace ccp
