#include "problem/problem_part.hpp"

#include <stdexcept>

#include "problem/problem_builder.hpp"

namespace ccp {
namespace {

/// H and k of the bodies kept. place: of each dof among theirs, −1 for the others.
SparseMatrix kept_mass(const SparseMatrix& H, const std::vector<int>& place, int dofs) {
  std::vector<Triplet> entries;
  for (Index c = 0; c < H.outerSize(); ++c)
    for (SparseMatrix::InnerIterator entry(H, c); place[uz(c)] >= 0 && entry; ++entry)
      entries.emplace_back(place[uz(entry.row())], place[uz(c)], entry.value());
  return from_triplets(dofs, dofs, entries);
}

}  // namespace

void ProblemPart::gather(const ConstraintSet& constraints, const Vector& whole, Vector& own) const {
  own.resize(problem.rows());
  for (std::size_t i = 0; i < blocks.size(); ++i)
    own.segment(problem.constraints().offset(static_cast<Index>(i)), constraints.rows(blocks[i])) =
        whole.segment(constraints.offset(blocks[i]), constraints.rows(blocks[i]));
}

void ProblemPart::scatter(const ConstraintSet& constraints, const Vector& own, Vector& whole) const {
  for (std::size_t i = 0; i < blocks.size(); ++i)
    whole.segment(constraints.offset(blocks[i]), constraints.rows(blocks[i])) =
        own.segment(problem.constraints().offset(static_cast<Index>(i)), constraints.rows(blocks[i]));
}

ProblemPart part_of(const ContactProblem& problem, const std::vector<char>& bodies, const std::vector<char>& blocks,
                    const Vector& k, const Vector& b) {
  if (!problem.has_factored() || problem.global().C.nonZeros() > 0)
    throw std::logic_error("no part of a problem with compliance, or whose H is not block-diagonal");
  const GlobalForm& form = problem.global();
  const ConstraintSet& set = problem.constraints();
  const BlockPartition& partition = problem.mass().blocks();
  std::vector<int> place(uz(form.H.rows()), -1);
  std::vector<double> own_k, own_b;
  for (Index body = 0; body < partition.count(); ++body)
    for (Index dof = partition.offset(body); bodies[uz(body)] != 0 && dof < partition.offset(body) + partition.size(body);
         ++dof) {
      place[uz(dof)] = static_cast<int>(own_k.size());
      own_k.push_back(k[dof]);
    }
  ConstraintSet own;
  std::vector<Index> kept;
  std::vector<Triplet> entries;
  for (Index i = 0; i < set.count(); ++i) {
    if (blocks[uz(i)] == 0) continue;
    kept.push_back(i);
    own.add(set.kind(i), set.friction(i));
    for (Index row = set.offset(i); row < set.offset(i) + set.rows(i); ++row) {
      for (SparseMatrix::InnerIterator entry(form.D, row); entry; ++entry)
        if (place[uz(entry.row())] >= 0)
          entries.emplace_back(place[uz(entry.row())], static_cast<int>(own_b.size()), entry.value());
      own_b.push_back(b[row]);
    }
  }
  const auto dofs = static_cast<int>(own_k.size()), rows = static_cast<int>(own_b.size());
  ProblemBuilder builder(problem.name());
  builder.global(kept_mass(form.H, place, dofs), Eigen::Map<const Vector>(own_k.data(), dofs),
                 from_triplets(dofs, rows, entries), Eigen::Map<const Vector>(own_b.data(), rows));
  return {builder.constraints(own).build(), std::move(kept)};
}

}  // namespace ccp
