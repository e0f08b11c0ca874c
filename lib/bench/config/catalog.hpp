#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/fields.hpp"
#include "problem/scene.hpp"
#include "solvers/solver.hpp"

namespace ccp {

/// All parameters of a scene or a solver with their values, in the order of its table.
using Parameters = std::vector<std::pair<std::string, FieldValue>>;

/// The facts of the motion of a scene (Motion::facts), by name. A motion is made once for each scene, with its
/// default parameters, because that can take a while. One thread at a time.
class FactNames {
 public:
  /// Nothing for a scene that does not move.
  const std::optional<std::vector<std::string>>& of(const Scene& scene, const SceneRegistry& scenes) const;

 private:
  mutable std::map<std::string, std::optional<std::vector<std::string>>> names_;
};

/// The names a config may use, and how to make the scenes and solvers they name. The engine reaches scenes and solvers
/// through it alone.
struct Catalog {
  SceneRegistry scenes;
  std::vector<std::string> solver_names;
  /// Also of a solver of the user (peers/external/external_name.hpp), which this does not start. Throws InputError for an
  /// unknown name.
  std::function<std::unique_ptr<Solver>(const std::string&)> make_solver;
  /// Solvers solve a small problem before their run (bench/run/warm_up.hpp); not for solvers that count their calls.
  bool warms_up = true;
  FactNames facts;
};

/// The catalog of the program: the registered solvers and the scenes handed over.
Catalog standard_catalog(SceneRegistry scenes);

}  // namespace ccp
