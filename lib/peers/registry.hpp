#pragma once

#include <memory>
#include <string>
#include <vector>

#include "peers/peer_solver.hpp"

/// The explicit list of peers: solvers of other programs, which run in a process of their own, where they are installed.
namespace ccp {

/// "siconos/nsgs" and so on, whether or not the other program is there.
std::vector<std::string> peer_names();

/// A peer with its default settings; null for a name that is none of these.
std::unique_ptr<PeerSolver> make_peer(const std::string& name);

}  // namespace ccp
