#include "distributed/part_facts.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

namespace ccp {
namespace {

/// |k| + |D| (1, …, 1), with the columns of all blocks at the bodies.
Vector absolute_momentum(const RankPart& part) {
  Vector sum = part.k.cwiseAbs();
  for (const SparseMatrix* D : {&part.D_before, &part.D_own, &part.D_after})
    for (Index column = 0; column < D->cols(); ++column)
      for (SparseMatrix::InnerIterator entry(*D, column); entry; ++entry) sum[entry.row()] += std::abs(entry.value());
  return sum;
}

}  // namespace

PartFacts facts_of(const RankPart& part) {
  PartFacts facts;
  Vector velocity = absolute_momentum(part), load(std::ssize(part.body_start) - 1);
  for (Index body = 0; body < load.size(); ++body) {
    const Index first = part.body_start[uz(body)], size = part.body_start[uz(body) + 1] - first;
    DenseMatrix H = DenseMatrix::Zero(size, size);
    for (Index c = 0; c < size; ++c)
      for (SparseMatrix::InnerIterator entry(part.H, first + c); entry; ++entry) H(entry.row() - first, c) = entry.value();
    const DenseMatrix inverse = H.llt().solve(DenseMatrix::Identity(size, size));
    const auto k = part.k.segment(first, size);
    load[body] = k.dot(inverse * k);
    velocity.segment(first, size) = (inverse.cwiseAbs() * velocity.segment(first, size)).eval();
  }
  Index first = part.first_body;
  for (const Index bodies : part.bodies_of_cell) {
    facts.load_of_cell.push_back(load.segment(first, bodies).sum());
    first += bodies;
  }
  for (Index row = 0; row < part.D_own.cols(); ++row) {
    double sum = std::abs(part.b[row]);
    for (SparseMatrix::InnerIterator entry(part.D_own, row); entry; ++entry)
      sum += std::abs(entry.value()) * velocity[entry.row()];
    facts.unit_error = std::max(facts.unit_error, std::numeric_limits<double>::epsilon() * sum);
  }
  return facts;
}

}  // namespace ccp
