#include "bench/catalog.hpp"

#include <utility>

#include "solvers/registry.hpp"

namespace ccp {

Catalog standard_catalog(SceneRegistry scenes) {
  std::vector<std::string> names = solver_names();
  const std::vector<std::string> peers = peer_names();
  names.insert(names.end(), peers.begin(), peers.end());
  return {std::move(scenes), std::move(names), make_solver};
}

}  // namespace ccp
