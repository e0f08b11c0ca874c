#include "solvers/splitting/subsystem_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/parallel.hpp"
#include "core/stopwatch.hpp"
#include "problem/block_partition.hpp"
#include "solvers/shared/jacobian_blocks.hpp"
#include "solvers/shared/linear_work.hpp"

namespace ccp {
namespace {

constexpr Index largest_chain = 200;  ///< dofs of a chain that is factorised as a dense matrix
constexpr Index free_body = 6;
constexpr Index largest_dense = 64;  ///< 1 to 8 robots of 18 dofs: a dense matrix is ahead up to 72 dofs, behind from 108 on
constexpr Index tree_grain = 64;     ///< subsystems that one thread takes at least

std::size_t slot(Index i) { return uz(i); }

/// The largest subsystem of the baselines that is factorised as a dense matrix.
Index dense_limit(SplitMatrix matrix, Index dofs) {
  switch (matrix) {
    case SplitMatrix::automatic: return largest_dense;
    case SplitMatrix::sparse: return free_body;
    case SplitMatrix::dense: return dofs;
  }
  return free_body;
}

/// The rows and columns [start, start + size) of H.
SparseMatrix diagonal_part(const SparseMatrix& H, Index start, Index size) {
  std::vector<Triplet> entries;
  for (Index j = start; j < start + size; ++j)
    for (SparseMatrix::InnerIterator entry(H, j); entry; ++entry)
      if (entry.row() >= start && entry.row() < start + size)
        entries.emplace_back(static_cast<int>(entry.row() - start), static_cast<int>(j - start), entry.value());
  return from_triplets(size, size, entries);
}

}  // namespace

Subsystems bodies_of(const ContactProblem& problem) {
  if (problem.subsystems() != nullptr) return *problem.subsystems();
  const GlobalForm& form = problem.global();
  std::vector<Index> start{0};
  if (!problem.given_global()) {
    if (form.H.rows() > 0) start.push_back(form.H.rows());
  } else {
    start = problem.has_factored() ? problem.mass().blocks().start : finest_groups(form.H).start;
  }
  return chain_subsystems(problem.constraints().narrow(), form.D, std::move(start));
}

Split split_problem(const ContactProblem& problem, const Subsystems& bodies, Splitting splitting, SplitMatrix matrix) {
  const GlobalForm& form = problem.global();
  Split split;
  if (splitting == Splitting::bodies) {
    split.parts = bodies;
    for (Index j = 0; j < bodies.count(); ++j)
      split.tree.push_back(problem.subsystems() != nullptr || bodies.size(j) <= largest_chain);
    return split;
  }
  std::vector<Index> start = bodies.start;
  if (splitting == Splitting::none && bodies.count() > 0) start = {0, form.H.rows()};
  split.parts = chain_subsystems(problem.constraints().narrow(), form.D, std::move(start));
  const Index limit = dense_limit(matrix, form.H.rows());
  for (Index j = 0; j < split.parts.count(); ++j) split.tree.push_back(split.parts.size(j) <= limit);
  return split;
}

SubsystemSystem::SubsystemSystem(const Split& split, const SparseMatrix& H, const std::string& backend, Monitor& monitor)
    : trees_(split.parts.start, split.parts.parent, split.tree), start_(split.parts.start) {
  std::vector<char> touched(slot(split.parts.count()), 0);
  const std::vector<int> owner = split.parts.owner();
  for (const int last : split.parts.last) touched[slot(owner[slot(last)])] = 1;
  for (Index j = 0; j < split.parts.count(); ++j) {
    if (!split.tree[slot(j)]) {
      add_sparse(split, j, H, backend, monitor);
      sparse_.back().touched = touched[slot(j)] != 0;
      continue;
    }
    tree_list_.push_back(j);
    touched_.push_back(touched[slot(j)]);
    double& flops = tree_flops_.emplace_back();  // of a row against each of its ancestors
    for (Index l = start_[slot(j)]; l < start_[slot(j) + 1]; ++l)
      flops += std::pow(static_cast<double>(trees_.path_size(static_cast<int>(l))), 2);
  }
  bad_.assign(tree_list_.size(), 0);
  gather_trees(split.parts, H);
}

void SubsystemSystem::gather_trees(const Subsystems& parts, const SparseMatrix& H) {
  H_.setZero(trees_.size());
  G_.setZero(trees_.size());
  L_.setZero(trees_.size());
  std::vector<char> tree(slot(H.cols()), 0);
  for (const Index j : tree_list_)
    for (Index l = start_[slot(j)]; l < start_[slot(j) + 1]; ++l) {
      tree[slot(l)] = 1;
      const auto dof = static_cast<int>(l);
      const int* const path = trees_.path(dof);
      const int* const end = path + trees_.path_size(dof);
      for (SparseMatrix::InnerIterator entry(H, l); entry; ++entry) {
        const auto other = static_cast<int>(entry.row());
        if (other <= dof && std::binary_search(path, end, other)) H_[trees_.place(dof, other)] = entry.value();
      }
    }
  for (Index p = 0; p < parts.parts(); ++p) {
    if (tree[slot(parts.last[slot(p)])] == 0) continue;
    for (std::size_t a = parts.first[slot(p)]; a < parts.first[slot(p) + 1]; ++a)
      for (std::size_t b = parts.first[slot(p)]; b <= a; ++b)
        G_[trees_.place(parts.dof[a], parts.dof[b])] += parts.row[a].dot(parts.row[b]);
  }
}

void SubsystemSystem::add_sparse(const Split& split, Index j, const SparseMatrix& H, const std::string& backend,
                                 Monitor& monitor) {
  const Subsystems& parts = split.parts;
  Sparse& one = sparse_.emplace_back();
  one.start = start_[slot(j)];
  one.size = parts.size(j);
  JacobianBlocks D;
  for (Index p = 0; p < parts.parts(); ++p) {
    const int last = parts.last[slot(p)];
    if (last < one.start || last >= one.start + one.size) continue;
    for (std::size_t e = parts.first[slot(p)]; e < parts.first[slot(p) + 1]; ++e) {
      D.dof.push_back(parts.dof[e] - static_cast<int>(one.start));
      D.row.push_back(parts.row[e]);
    }
    D.first.push_back(D.dof.size());
  }
  one.matrix = eliminated_pattern(diagonal_part(H, one.start, one.size), D, true);
  one.H.assign(one.matrix.valuePtr(), one.matrix.valuePtr() + one.matrix.nonZeros());
  one.G.assign(one.H.size(), 0.0);
  const std::vector<int> places = entry_places(one.matrix, D, true);
  auto entry = places.begin();
  for (std::size_t p = 0; p + 1 < D.first.size(); ++p)
    for (std::size_t b = D.first[p]; b < D.first[p + 1]; ++b)
      for (std::size_t a = b; a < D.first[p + 1]; ++a) one.G[slot(*entry++)] += D.row[a].dot(D.row[b]);
  one.solver = analysed_solver(backend, MatrixKind::spd, one.matrix, monitor);
}

bool SubsystemSystem::factorize(double beta, Monitor& monitor) {
  Stopwatch watch;
  watch.start();
  const bool all = std::exchange(first_, false);
  message_.clear();
  parallel_ranges(
      monitor.threads(), std::ssize(tree_list_),
      [&](Index begin, Index end) {
        for (Index t = begin; t < end; ++t) {
          if (!all && touched_[slot(t)] == 0) continue;
          const Index j = tree_list_[slot(t)];
          const Index from = trees_.place(static_cast<int>(start_[slot(j)]), static_cast<int>(start_[slot(j)]));
          const auto last = static_cast<int>(start_[slot(j) + 1]) - 1;
          const Index to = trees_.place(last, last) + 1;
          for (Index e = from; e < to; ++e) L_[e] = H_[e] + beta * G_[e];
          bad_[slot(t)] = trees_.factorize(j, L_.data()) ? 0 : 1;
        }
      },
      tree_grain);
  for (std::size_t t = 0; t < tree_list_.size(); ++t) {
    if (all || touched_[t] != 0) {
      ++factorizations_;
      monitor.counters().flops += tree_flops_[t];
    }
    if (bad_[t] != 0) message_ = fmt::format("the matrix of subsystem {} is not positive definite", tree_list_[t]);
  }
  for (Sparse& one : sparse_) {
    if (!all && !one.touched) continue;
    for (std::size_t e = 0; e < one.H.size(); ++e) one.matrix.valuePtr()[e] = one.H[e] + beta * one.G[e];
    const double before = one.solver->info().flops;
    if (message_.empty() && one.solver->factorize(one.matrix) != LinearStatus::ok) message_ = one.solver->info().message;
    monitor.counters().flops += one.solver->info().flops - before;
    ++factorizations_;
  }
  ++monitor.counters().factorizations;
  monitor.counters().factorization_s += watch.seconds();
  return message_.empty();
}

bool SubsystemSystem::solve(Vector& v, Monitor& monitor) {
  Stopwatch watch;
  watch.start();
  parallel_ranges(
      monitor.threads(), std::ssize(tree_list_),
      [&](Index begin, Index end) {
        for (Index t = begin; t < end; ++t) trees_.solve(tree_list_[slot(t)], L_.data(), v.data());
      },
      tree_grain);
  for (Sparse& one : sparse_) {
    auto part = v.segment(one.start, one.size);
    const double before = one.solver->info().flops;
    if (one.solver->solve(part, part) != LinearStatus::ok) message_ = one.solver->info().message;
    monitor.counters().flops += one.solver->info().flops - before;
  }
  ++monitor.counters().back_solves;
  monitor.counters().flops += 4.0 * static_cast<double>(trees_.size());
  monitor.counters().back_solve_s += watch.seconds();
  return message_.empty();
}

}  // namespace ccp
