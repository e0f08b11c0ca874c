#pragma once

#include <cstdint>

#include "problem/problem_builder.hpp"
#include "problem/subsystems.hpp"
#include "support/small_problems.hpp"
#include "support/uniform.hpp"

namespace ccp::testing {

/// A problem with subsystems, in the pieces that it is built from.
struct TreeProblem {
  DenseMatrix H, D;
  Vector k, b;
  Subsystems subsystems;
  ConstraintSet constraints;

  /// Without the subsystems.
  ProblemBuilder builder() const {
    ProblemBuilder builder("trees");
    builder.global(sparse(H), k, sparse(D), b).constraints(constraints);
    return builder;
  }
  ContactProblem problem() const { return builder().subsystems(subsystems).build(); }
};

/// Two trees: 0–1 with the branches 2–3 and 4–5, and the chain 6–7–8. Contacts between links of different trees (two parts),
/// between both branches of the first (two parts in one subsystem, which have dofs 0 and 1 in common), and with the floor; a
/// unilateral row on the last joint, a 2D contact and a bilateral row. H couples ancestors only.
inline TreeProblem branched_trees(std::uint64_t seed) {
  Uniform uniform(seed);
  TreeProblem tree;
  tree.subsystems.start = {0, 6, 9};
  tree.subsystems.parent = {-1, 0, 1, 2, 1, 4, -1, 6, 7};
  tree.subsystems.mass = Vector::Constant(9, 0.5) + 0.25 * uniform.vector(9);
  const auto& parent = tree.subsystems.parent;
  DenseMatrix L = DenseMatrix::Zero(9, 9);
  for (int l = 0; l < 9; ++l)
    for (int a = l; a != -1; a = parent[static_cast<std::size_t>(a)]) L(l, a) = a == l ? 1.5 + 0.5 * uniform() : uniform();
  tree.H = L.transpose() * L;
  struct Side {
    int constraint, last;
  };
  const ConstraintKind kinds[] = {ConstraintKind::contact,    ConstraintKind::contact,   ConstraintKind::contact,
                                  ConstraintKind::unilateral, ConstraintKind::contact2d, ConstraintKind::bilateral,
                                  ConstraintKind::contact};
  const Side sides[] = {{0, 5}, {0, 8}, {1, 3}, {1, 5}, {2, 8}, {3, 3}, {4, 2}, {4, 7}, {5, 6}, {6, 3}, {6, 8}};
  for (const ConstraintKind kind : kinds) tree.constraints.add(kind, 0.4);
  tree.D.setZero(9, tree.constraints.rows());
  for (const Side& side : sides) {
    std::vector<int> path;
    for (int a = side.last; a != -1; a = parent[static_cast<std::size_t>(a)]) path.insert(path.begin(), a);
    if (side.constraint == 3) path = {3};  // the limit of a joint acts on its own dof
    const Index rows = tree.constraints.rows(side.constraint), offset = tree.constraints.offset(side.constraint);
    const DenseMatrix columns = uniform.matrix(static_cast<Index>(path.size()), rows);
    tree.subsystems.add_part(side.constraint, side.last, path, columns);
    for (std::size_t e = 0; e < path.size(); ++e)
      tree.D.block(path[e], offset, 1, rows) += columns.row(static_cast<Index>(e));
  }
  tree.k = uniform.vector(9);
  tree.b.setZero(tree.constraints.rows());
  return tree;
}

}  // namespace ccp::testing
