#include "distributed/small_bodies.hpp"

#include <Eigen/Cholesky>
#include <vector>

#include "core/error.hpp"

namespace ccp {
namespace {

constexpr Index piece = BlockPartition::max_block;

Index end_of_piece(Index number) { return (number + piece - 1) / piece * piece; }

/// Where the w of each group begin; small groups share a piece.
std::vector<Index> places_of(const BlockPartition& groups) {
  std::vector<Index> place;
  Index end = 0;
  for (Index g = 0; g < groups.count(); ++g) {
    const bool fits = end % piece + groups.size(g) <= piece;
    place.push_back(fits ? end : end_of_piece(end));
    end = place.back() + groups.size(g);
  }
  place.push_back(end_of_piece(end));
  return place;
}

/// L⁻¹ of each group.
std::vector<DenseMatrix> inverse_roots(const SparseMatrix& H, const BlockPartition& groups) {
  std::vector<DenseMatrix> roots;
  for (Index g = 0; g < groups.count(); ++g) {
    const Index first = groups.offset(g), size = groups.size(g);
    const Eigen::LLT<DenseMatrix> cholesky(DenseMatrix(H.block(first, first, size, size)));
    if (cholesky.info() != Eigen::Success) throw InputError("H is not positive definite");
    roots.emplace_back(cholesky.matrixL().solve(DenseMatrix::Identity(size, size)));
  }
  return roots;
}

}  // namespace

GlobalForm with_small_bodies(GlobalForm form) {
  if (form.H.rows() == 0 || !find_body_blocks(form.H).empty()) return form;
  const BlockPartition groups = finest_groups(form.H);
  if (!GroupInverse::suits(groups)) throw InputError("ranks take an H that splits into bodies of at most 32 velocities");
  const std::vector<Index> place = places_of(groups);
  const std::vector<DenseMatrix> roots = inverse_roots(form.H, groups);
  const std::vector<int> owner = groups.owner();
  GlobalForm unit{SparseMatrix(place.back(), place.back()), {}, form.C, Vector::Zero(place.back()), form.b};
  unit.H.setIdentity();
  for (Index g = 0; g < groups.count(); ++g)
    unit.k.segment(place[uz(g)], groups.size(g)) = roots[uz(g)] * form.k.segment(groups.offset(g), groups.size(g));
  std::vector<Triplet> entries;
  Vector part;
  for (Index j = 0; j < form.D.cols(); ++j)
    for (SparseMatrix::InnerIterator entry(form.D, j); entry;) {
      const int g = owner[uz(entry.row())];
      part.setZero(groups.size(g));
      for (; entry && owner[uz(entry.row())] == g; ++entry)
        part += entry.value() * roots[uz(g)].col(entry.row() - groups.offset(g));
      for (Index r = 0; r < part.size(); ++r)
        if (part[r] != 0.0) entries.emplace_back(static_cast<int>(place[uz(g)] + r), static_cast<int>(j), part[r]);
    }
  unit.D = from_triplets(place.back(), form.D.cols(), entries);
  return unit;
}

}  // namespace ccp
