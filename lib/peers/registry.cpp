#include "peers/registry.hpp"

#include "peers/siconos.hpp"

namespace ccp {

std::vector<std::string> peer_names() { return siconos_solver_names(); }

std::unique_ptr<PeerSolver> make_peer(const std::string& name) { return make_siconos_solver(name); }

}  // namespace ccp
