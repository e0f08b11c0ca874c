#pragma once

#include <memory>
#include <string>
#include <vector>

#include "peers/peer_solver.hpp"

/// Solvers of Siconos (https://nonsmooth.gricad-pages.univ-grenoble-alpes.fr/siconos), each in its own adapter process,
/// judged like all others. The clock counts Siconos' solve call, by the steady clock of the adapter, and the forming of N of
/// a problem in global form. It does not count the start of Python, the transfer of the problem and the judging.
namespace ccp {

/// "siconos/nsgs" and so on, whether or not Siconos is there.
std::vector<std::string> siconos_solver_names();

/// Null for a name that is none of these.
std::unique_ptr<PeerSolver> make_siconos_solver(const std::string& name);

/// The interpreter that runs the adapter: CCPBENCH_SICONOS_PYTHON, else that of the system, for which Debian packages
/// Siconos.
std::string siconos_interpreter();

}  // namespace ccp
