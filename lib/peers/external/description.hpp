#pragma once

#include <string>
#include <vector>

#include "core/constraints.hpp"
#include "core/fields.hpp"
#include "problem/model.hpp"
#include "solvers/monitor.hpp"

namespace ccp {

/// The description that a solver of the user gives of itself.
struct ExternalDescription {
  std::string text;  ///< the JSON it was read from
  std::string name, version, title, reference;
  std::vector<Model> models = {Model::ncp};
  std::vector<ConstraintKind> constraints = {ConstraintKind::contact};  ///< kinds that it takes
  bool local = true, global = false;                                    ///< forms that it wants
  bool warm_start = true, deterministic = true;
  std::vector<NativeColumn> columns;  ///< of its traces, as "own_NAME": its error, its iterations, then those declared
  std::vector<Field> settings;        ///< bound to nothing
};

/// Throws InputError that says which key is wrong, and what was expected.
ExternalDescription parse_description(const std::string& text);

/// The names of the kinds, in the order of ConstraintKind.
const std::vector<std::string>& constraint_names();

}  // namespace ccp
