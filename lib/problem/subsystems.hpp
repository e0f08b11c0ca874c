#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/constraints.hpp"
#include "core/types.hpp"

namespace ccp {

/// How the generalised velocities of a problem belong together (Lee et al. 2025, sec. VI-A): subsystems that H does not
/// couple, each of them trees of dofs along which H couples, and the columns of D in parts, one for each body side that a
/// constraint acts on. A free body is a chain of six dofs; a robot is a tree with the dofs of a joint behind those of the
/// joint before it. Optional data of a ContactProblem, checked by ProblemBuilder::subsystems.
struct Subsystems {
  std::vector<Index> start{0};  ///< subsystem j owns the dofs start[j] … start[j + 1] − 1, any number
  std::vector<int> parent;      ///< n; of each dof a lower one of its subsystem, −1 at a root
  Vector mass;                  ///< n or empty; kg, at the last dof of each body that has parts; other entries are not read

  /// The parts, in ascending order of the constraints: the block that each is a part of, and the last dof of its body.
  std::vector<Index> constraint;
  std::vector<int> last;
  std::vector<std::size_t> first{0};  ///< of each part in the two lists below, and their end
  std::vector<int> dof;      ///< the dofs that a part acts on, ascending, all on the path from its last dof to the root
  std::vector<Vector3> row;  ///< its entries of D there, zero beyond the rows of the constraint

  Index count() const { return std::ssize(start) - 1; }
  Index size(Index subsystem) const { return start[uz(subsystem) + 1] - start[uz(subsystem)]; }
  Index parts() const { return std::ssize(constraint); }
  /// The subsystem of each dof.
  std::vector<int> owner() const;

  /// Adds a part. dofs: ascending; columns: dofs × rows of the constraint (at most 3). Throws std::logic_error where the
  /// sizes differ.
  void add_part(Index constraint_block, int last_dof, const std::vector<int>& dofs,
                const Eigen::Ref<const DenseMatrix>& columns);
};

/// Why the data does not fit the problem, one message per kind of defect: ranges that are not those of H, a parent that is
/// not lower (a cycle), entries of H between subsystems or between branches, parts off the path to their root, parts that
/// do not add up to D (1e-12 of the largest entry of the block), bodies with contacts and without mass. Empty when it does.
std::vector<std::string> subsystem_defects(const Subsystems& subsystems, const ConstraintSet& constraints,
                                           const SparseMatrix& H, const SparseMatrix& D);

/// The data with these ranges: each subsystem one chain, and for each one that a constraint acts on a part with all its
/// columns of D there. D: n×m.
Subsystems chain_subsystems(const ConstraintSet& constraints, const SparseMatrix& D, std::vector<Index> start);

}  // namespace ccp
