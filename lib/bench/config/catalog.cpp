#include "bench/config/catalog.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"
#include "peers/external/external_name.hpp"
#include "peers/external/external_solver.hpp"
#include "peers/peers.hpp"
#include "solvers/registry.hpp"

namespace ccp {

const std::optional<std::vector<std::string>>& FactNames::of(const Scene& scene, const SceneRegistry& scenes) const {
  if (const auto known = names_.find(scene.info().name); known != names_.end()) return known->second;
  std::optional<std::vector<std::string>> names;
  // With the parameters of a problem it can have millions of bodies.
  if (const auto motion = scenes.make(scene.info().name)->motion(0)) {
    names.emplace();
    for (const MotionFact& fact : motion->facts()) names->push_back(fact.name);
  }
  return names_.emplace(scene.info().name, std::move(names)).first->second;
}

Catalog standard_catalog(SceneRegistry scenes) {
  Catalog catalog;
  catalog.scenes = std::move(scenes);
  catalog.solver_names = solver_names();
  const std::vector<std::string> peers = peer_solver_names();
  catalog.solver_names.insert(catalog.solver_names.end(), peers.begin(), peers.end());
  catalog.make_solver = [names = catalog.solver_names](const std::string& name) -> std::unique_ptr<Solver> {
    if (is_external_name(name)) return std::make_unique<ExternalSolver>(name);
    if (auto peer = make_peer_solver(name)) return peer;
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw InputError("unknown solver '" + name + "'" + suggestion(name, names));
    return make_solver(name);
  };
  return catalog;
}

}  // namespace ccp
