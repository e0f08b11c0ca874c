#include "bench/catalog.hpp"

#include <utility>

#include "solvers/registry.hpp"

namespace ccp {

Catalog standard_catalog(SceneRegistry scenes) { return {std::move(scenes), solver_names(), make_solver}; }

}  // namespace ccp
