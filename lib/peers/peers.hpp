#pragma once

#include <memory>
#include <string>
#include <vector>

#include "peers/peer_solver.hpp"

/// The solvers of other programs, each in a process of its own: those of Siconos (siconos.hpp), of general optimisation
/// (CVXOPT, Ipopt) and of physics engines (DART, Simbody, Bullet). They are optional; where one is missing, its solvers are
/// listed and refuse every problem with the reason.
namespace ccp {

std::vector<std::string> peer_solver_names();

/// Null for a name that is none of these.
std::unique_ptr<PeerSolver> make_peer_solver(const std::string& name);

}  // namespace ccp
