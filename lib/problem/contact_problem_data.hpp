#pragma once

#include <memory>
#include <optional>

#include "problem/contact_problem.hpp"
#include "problem/shared_form.hpp"
#include "problem/subsystems.hpp"

namespace ccp {

/// The data that copies of a ContactProblem share: the given form and the caches. Private to lib/problem.
struct ContactProblem::Data {
  std::string name;
  ConstraintSet constraints;
  bool given_global = false;
  Vector impulse_shift;
  std::optional<Subsystems> subsystems;
  std::shared_ptr<SharedForm> shared;
  double mass_asymmetry = 0.0;
  double symmetry_defect = 0.0;
  double clipped = 0.0;

  std::optional<GlobalForm> global;
  std::optional<LocalForm> local;
  std::optional<Vector> free_velocity;
  std::unique_ptr<MassMatrix> mass;
  std::unique_ptr<AssembledDelassus> assembled;
  std::unique_ptr<FactoredDelassus> factored;
  std::optional<std::vector<BlockSquare>> diagonal_blocks;
  std::unique_ptr<SolvedDelassus> solved;
  std::shared_ptr<Data> symmetrised;
  /// Shared with the symmetrised copy, so that its conversions are the problem's own.
  std::shared_ptr<std::vector<Conversion>> conversions = std::make_shared<std::vector<Conversion>>();
};

}  // namespace ccp
