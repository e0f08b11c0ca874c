#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/fields.hpp"
#include "problem/scene.hpp"
#include "solvers/solver.hpp"

namespace ccp {

/// All parameters of a scene or a solver with their values, in the order of its table.
using Parameters = std::vector<std::pair<std::string, FieldValue>>;

/// The names a config may use, and how to make the scenes and solvers they name. The engine reaches scenes and solvers
/// through it alone.
struct Catalog {
  SceneRegistry scenes;
  std::vector<std::string> solver_names;
  /// Throws InputError for an unknown name.
  std::function<std::unique_ptr<Solver>(const std::string&)> make_solver;
  /// Solvers solve a small problem before their run (bench/run/warm_up.hpp); not for solvers that count their calls.
  bool warms_up = true;
};

/// The catalog of the program: the registered solvers and the scenes handed over.
Catalog standard_catalog(SceneRegistry scenes);

}  // namespace ccp
