#pragma once

#include "core/block_rows.hpp"
#include "core/constraints.hpp"
#include "core/types.hpp"

/// The scale of a constraint block, from its diagonal block N_ii of the Delassus operator: the step ρ_i = rows(i)/tr(N_ii)
/// of (D.1), kg, and the mean t_i = tr(N_ii)/rows(i) of the diagonal, 1/kg. Both are 1 where the trace is not positive.
namespace ccp {

constexpr double block_step(double trace, Index rows) { return trace > 0.0 ? static_cast<double>(rows) / trace : 1.0; }
constexpr double block_mean(double trace, Index rows) { return trace > 0.0 ? trace / static_cast<double>(rows) : 1.0; }

/// tr(N_ii) from diag(N), m entries.
inline double block_trace(const ConstraintSet& set, const Vector& diagonal, Index i) {
  return diagonal.segment(set.offset(i), set.rows(i)).sum();
}

/// tr(N_ii). Of three rows in the order of a Matrix3, which is not that of a dynamic matrix: methods keep their bits.
inline double block_trace(const BlockSquare& block) {
  return block.rows() == 3 ? Matrix3(block).trace() : block.trace();
}

/// ρ_i of all blocks, from diag(N).
inline Vector block_steps(const ConstraintSet& set, const Vector& diagonal) {
  Vector steps(set.count());
  for (Index i = 0; i < set.count(); ++i) steps[i] = block_step(block_trace(set, diagonal, i), set.rows(i));
  return steps;
}

/// t_i of all blocks; trace_of(i) is tr(N_ii).
template <typename TraceOf>
Vector block_means(const ConstraintSet& set, const TraceOf& trace_of) {
  Vector means(set.count());
  for (Index i = 0; i < set.count(); ++i) means[i] = block_mean(trace_of(i), set.rows(i));
  return means;
}

/// t_i of all blocks, from diag(N).
inline Vector block_means(const ConstraintSet& set, const Vector& diagonal) {
  return block_means(set, [&](Index i) { return block_trace(set, diagonal, i); });
}

}  // namespace ccp
