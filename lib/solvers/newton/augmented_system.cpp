#include "solvers/newton/augmented_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "solvers/linear_work.hpp"

namespace ccp {

AugmentedSystem::AugmentedSystem(const ContactProblem& problem, bool symmetric, Monitor& monitor)
    : problem_(problem), symmetric_(symmetric) {
  load_jacobian();
  build_pattern();
  column_.assign(static_cast<std::size_t>(matrix_.cols()), 0.0);
  solver_ = make_linear_solver("auto", symmetric ? MatrixKind::spd : MatrixKind::unsymmetric);
  solver_->set_refinement_steps(1);
  const LinearWork counted(*solver_, monitor.counters());
  if (solver_->analyze(matrix_) != LinearStatus::ok)
    throw std::runtime_error(fmt::format("{} cannot analyse the system: {}", solver_->backend(), solver_->info().message));
}

/// D by constraints: the velocities each acts on, with their three numbers.
void AugmentedSystem::load_jacobian() {
  const ConstraintSet& set = problem_.constraints();
  const SparseMatrix& D = problem_.global().D;
  std::vector<int> place(static_cast<std::size_t>(D.rows()), -1);
  dof_start_.push_back(0);
  for (Index i = 0; i < set.count(); ++i) {
    const std::size_t first = dof_.size();
    for (Index c = 0; c < set.rows(i); ++c)
      for (SparseMatrix::InnerIterator entry(D, set.offset(i) + c); entry; ++entry) {
        int& at = place[static_cast<std::size_t>(entry.row())];
        if (at < 0) {
          at = static_cast<int>(dof_.size());
          dof_.push_back(static_cast<int>(entry.row()));
          row_.push_back(Vector3::Zero());
          owner_.push_back(static_cast<int>(i));
        }
        row_[static_cast<std::size_t>(at)][c] = entry.value();
      }
    for (std::size_t k = first; k < dof_.size(); ++k) place[static_cast<std::size_t>(dof_[k])] = -1;
    dof_start_.push_back(static_cast<int>(dof_.size()));
  }
  user_start_.assign(static_cast<std::size_t>(D.rows()) + 1, 0);
  for (const int dof : dof_) ++user_start_[static_cast<std::size_t>(dof) + 1];
  for (std::size_t j = 1; j < user_start_.size(); ++j) user_start_[j] += user_start_[j - 1];
  user_.resize(dof_.size());
  std::vector<int> next(user_start_.begin(), user_start_.end() - 1);
  for (std::size_t k = 0; k < dof_.size(); ++k)
    user_[static_cast<std::size_t>(next[static_cast<std::size_t>(dof_[k])]++)] = static_cast<int>(k);
}

/// The pattern of H + D Dᵀ by constraints: two velocities meet where a constraint acts on both.
void AugmentedSystem::build_pattern() {
  const SparseMatrix& H = problem_.global().H;
  std::vector<Triplet> entries;
  for (std::size_t k = 0; k < dof_.size(); ++k) entries.emplace_back(dof_[k], owner_[k], 1.0);
  SparseMatrix touches(H.rows(), problem_.constraints().count());
  touches.setFromTriplets(entries.begin(), entries.end());
  SparseMatrix unit(H.rows(), H.cols());
  unit.setIdentity();
  SparseMatrix pattern = SparseMatrix(H.cwiseAbs()) + unit + SparseMatrix(touches * SparseMatrix(touches.transpose()));
  if (symmetric_) pattern = SparseMatrix(pattern.triangularView<Eigen::Lower>());
  matrix_ = pattern;
  matrix_.makeCompressed();
  mass_.assign(static_cast<std::size_t>(matrix_.nonZeros()), 0.0);
  std::vector<double> column(static_cast<std::size_t>(H.rows()), 0.0);
  for (int j = 0; j < H.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator entry(H, j); entry; ++entry)
      column[static_cast<std::size_t>(entry.row())] = entry.value();
    for (int p = matrix_.outerIndexPtr()[j]; p < matrix_.outerIndexPtr()[j + 1]; ++p)
      mass_[static_cast<std::size_t>(p)] = column[static_cast<std::size_t>(matrix_.innerIndexPtr()[p])];
    for (SparseMatrix::InnerIterator entry(H, j); entry; ++entry) column[static_cast<std::size_t>(entry.row())] = 0.0;
  }
}

void AugmentedSystem::add_column(int column, const std::vector<Matrix3>& blocks) {
  const auto j = static_cast<std::size_t>(column);
  for (int u = user_start_[j]; u < user_start_[j + 1]; ++u) {
    const auto own = static_cast<std::size_t>(user_[static_cast<std::size_t>(u)]);
    const auto i = static_cast<std::size_t>(owner_[own]);
    if (blocks[i].isZero(0.0)) continue;
    const Vector3 weighted = blocks[i] * row_[own];
    for (auto k = static_cast<std::size_t>(dof_start_[i]); k < static_cast<std::size_t>(dof_start_[i + 1]); ++k)
      column_[static_cast<std::size_t>(dof_[k])] += row_[k].dot(weighted);
  }
  for (int p = matrix_.outerIndexPtr()[column]; p < matrix_.outerIndexPtr()[column + 1]; ++p)
    matrix_.valuePtr()[p] =
        mass_[static_cast<std::size_t>(p)] + column_[static_cast<std::size_t>(matrix_.innerIndexPtr()[p])];
  for (int u = user_start_[j]; u < user_start_[j + 1]; ++u) {
    const auto i = static_cast<std::size_t>(owner_[static_cast<std::size_t>(user_[static_cast<std::size_t>(u)])]);
    for (auto k = static_cast<std::size_t>(dof_start_[i]); k < static_cast<std::size_t>(dof_start_[i + 1]); ++k)
      column_[static_cast<std::size_t>(dof_[k])] = 0.0;
  }
}

bool AugmentedSystem::factorize(const std::vector<Matrix3>& blocks, Monitor& monitor) {
  for (int j = 0; j < matrix_.outerSize(); ++j) add_column(j, blocks);
  const LinearWork counted(*solver_, monitor.counters());
  return solver_->factorize(matrix_) == LinearStatus::ok;
}

bool AugmentedSystem::solve(const Vector& rhs, Vector& x, Monitor& monitor) {
  const LinearWork counted(*solver_, monitor.counters());
  return solver_->solve(rhs, x) == LinearStatus::ok;
}

}  // namespace ccp
