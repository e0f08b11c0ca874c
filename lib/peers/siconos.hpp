#pragma once

#include <memory>
#include <string>
#include <vector>

#include "peers/peer_solver.hpp"

/// Solvers of Siconos (https://nonsmooth.gricad-pages.univ-grenoble-alpes.fr/siconos), behind an adapter in Python.
namespace ccp {

/// "siconos/nsgs" and so on, whether or not Siconos is there.
std::vector<std::string> siconos_solver_names();

/// Null for a name that is none of these.
std::unique_ptr<PeerSolver> make_siconos_solver(const std::string& name);

}  // namespace ccp
