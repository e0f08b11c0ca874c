#include "solvers/splitting/eliminated_system.hpp"

#include <Eigen/LU>
#include <algorithm>

#include "solvers/shared/linear_work.hpp"

namespace ccp {

EliminatedSystem::EliminatedSystem(const ContactProblem& problem, bool eliminate, const std::string& backend, int refinement,
                                   Monitor& monitor)
    : form_(problem.global()), constraints_(problem.constraints()) {
  gather_blocks(eliminate);
  gather_compliance();
  make_pattern();
  find_places();
  rhs_.resize(size_);
  const MatrixKind kind = size_ == form_.H.rows() ? MatrixKind::spd : MatrixKind::quasi_definite;
  solver_ = analysed_solver(backend, kind, matrix_, monitor, refinement);
}

void EliminatedSystem::gather_blocks(bool eliminate) {
  size_ = static_cast<int>(form_.H.rows());
  for (Index i = 0; i < constraints_.count(); ++i) {
    Block block;
    block.offset = constraints_.offset(i);
    block.rows = static_cast<int>(constraints_.rows(i));
    if (!eliminate || constraints_.kind(i) == ConstraintKind::bilateral) {
      block.kept = size_;
      size_ += block.rows;
    }
    block.first = dofs_.size();
    for (int c = 0; c < block.rows; ++c)
      for (SparseMatrix::InnerIterator entry(form_.D, block.offset + c); entry; ++entry)
        dofs_.push_back(static_cast<int>(entry.row()));
    const auto first = dofs_.begin() + static_cast<std::ptrdiff_t>(block.first);
    std::sort(first, dofs_.end());
    dofs_.erase(std::unique(first, dofs_.end()), dofs_.end());
    block.count = dofs_.size() - block.first;
    coupling_.resize(3 * dofs_.size(), 0.0);
    for (int c = 0; c < block.rows; ++c)
      for (SparseMatrix::InnerIterator entry(form_.D, block.offset + c); entry; ++entry) {
        const auto dof =
            std::lower_bound(dofs_.begin() + static_cast<std::ptrdiff_t>(block.first), dofs_.end(), entry.row());
        coupling_[static_cast<std::size_t>(3 * (dof - dofs_.begin()) + c)] = entry.value();
      }
    blocks_.push_back(block);
  }
  inverse_.assign(blocks_.size(), Matrix3::Identity());
}

void EliminatedSystem::gather_compliance() {
  if (form_.C.nonZeros() == 0) return;
  compliance_.assign(blocks_.size(), Matrix3::Zero());
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    for (int c = 0; c < blocks_[i].rows; ++c)
      for (SparseMatrix::InnerIterator entry(form_.C, blocks_[i].offset + c); entry; ++entry)
        compliance_[i](entry.row() - blocks_[i].offset, c) += entry.value();
}

void EliminatedSystem::make_pattern() {
  const Index n = form_.H.rows();
  std::vector<std::vector<std::size_t>> touching(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    for (std::size_t d = blocks_[i].first; d < blocks_[i].first + blocks_[i].count; ++d)
      touching[static_cast<std::size_t>(dofs_[d])].push_back(i);
  std::vector<int> outer{0}, inner, last_column(static_cast<std::size_t>(size_), -1);
  for (int j = 0; j < n; ++j) {
    const std::size_t first = inner.size();
    const auto take = [&](int row) {
      int& seen = last_column[static_cast<std::size_t>(row)];
      if (row >= j && seen != j) inner.push_back(row);
      seen = j;
    };
    for (SparseMatrix::InnerIterator entry(form_.H, j); entry; ++entry) take(static_cast<int>(entry.row()));
    for (const std::size_t i : touching[static_cast<std::size_t>(j)]) {
      const Block& block = blocks_[i];
      if (block.kept < 0)
        std::for_each_n(dofs_.begin() + static_cast<std::ptrdiff_t>(block.first), block.count, take);
      else
        for (int c = 0; c < block.rows; ++c) take(block.kept + c);
    }
    std::sort(inner.begin() + static_cast<std::ptrdiff_t>(first), inner.end());
    outer.push_back(static_cast<int>(inner.size()));
  }
  for (const Block& block : blocks_)
    for (int c = 0; block.kept >= 0 && c < block.rows; ++c) {
      for (int r = c; r < block.rows; ++r) inner.push_back(block.kept + r);
      outer.push_back(static_cast<int>(inner.size()));
    }
  matrix_.resize(size_, size_);
  matrix_.resizeNonZeros(static_cast<Index>(inner.size()));
  std::copy(outer.begin(), outer.end(), matrix_.outerIndexPtr());
  std::copy(inner.begin(), inner.end(), matrix_.innerIndexPtr());
}

int EliminatedSystem::place(int row, int column) const {
  const int* inner = matrix_.innerIndexPtr();
  const int* found =
      std::lower_bound(inner + matrix_.outerIndexPtr()[column], inner + matrix_.outerIndexPtr()[column + 1], row);
  return static_cast<int>(found - inner);
}

void EliminatedSystem::find_places() {
  constant_.assign(static_cast<std::size_t>(matrix_.nonZeros()), 0.0);
  const auto constant = [&](int row, int column) -> double& {
    return constant_[static_cast<std::size_t>(place(row, column))];
  };
  for (int j = 0; j < form_.H.cols(); ++j)
    for (SparseMatrix::InnerIterator entry(form_.H, j); entry; ++entry)
      if (entry.row() >= j) constant(static_cast<int>(entry.row()), j) += entry.value();
  for (Block& block : blocks_) {
    block.places = places_.size();
    if (block.kept >= 0) {
      for (int c = 0; c < block.rows; ++c) {
        for (std::size_t d = block.first; d < block.first + block.count; ++d)
          constant(block.kept + c, dofs_[d]) = coupling_[3 * d + static_cast<std::size_t>(c)];
        for (int r = c; r < block.rows; ++r) places_.push_back(place(block.kept + r, block.kept + c));
      }
      continue;
    }
    for (std::size_t a = block.first; a < block.first + block.count; ++a)
      for (std::size_t b = block.first; b <= a; ++b) places_.push_back(place(dofs_[a], dofs_[b]));
  }
}

/// Θ_ii + C_ii, with the identity in the rows the block does not have.
Matrix3 EliminatedSystem::damping(const Vector& theta, std::size_t block) const {
  Matrix3 damping = Matrix3::Identity();
  for (int c = 0; c < blocks_[block].rows; ++c) damping(c, c) = theta[blocks_[block].offset + c];
  if (!compliance_.empty()) damping += compliance_[block];
  return damping;
}

void EliminatedSystem::write_eliminated(const Block& block, const Matrix3& inverse) {
  const double* D = coupling(block);
  const int* place = places_.data() + block.places;
  double* values = matrix_.valuePtr();
  for (std::size_t a = 0; a < block.count; ++a) {
    const Vector3 left = inverse * Eigen::Map<const Vector3>(D + 3 * a);
    for (std::size_t b = 0; b <= a; ++b) values[*place++] += left.dot(Eigen::Map<const Vector3>(D + 3 * b));
  }
}

bool EliminatedSystem::factorize(const Vector& theta, Monitor& monitor) {
  std::copy(constant_.begin(), constant_.end(), matrix_.valuePtr());
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    const Matrix3 damped = damping(theta, i);
    if (block.kept < 0) {
      inverse_[i] = compliance_.empty() ? Matrix3(damped.diagonal().cwiseInverse().asDiagonal()) : Matrix3(damped.inverse());
      write_eliminated(block, inverse_[i]);
      continue;
    }
    const int* place = places_.data() + block.places;
    for (int c = 0; c < block.rows; ++c)
      for (int r = c; r < block.rows; ++r) matrix_.valuePtr()[*place++] = -damped(r, c);
  }
  return factorize_matrix(*solver_, matrix_, monitor);
}

bool EliminatedSystem::solve(const Vector& g, Vector& gamma, Vector& v, Monitor& monitor) {
  const Index n = form_.H.rows();
  rhs_.head(n) = form_.k;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    Vector3 target = Vector3::Zero();
    for (int c = 0; c < block.rows; ++c) target[c] = g[block.offset + c] - form_.b[block.offset + c];
    if (block.kept >= 0) {
      for (int c = 0; c < block.rows; ++c) rhs_[block.kept + c] = target[c];
      continue;
    }
    const Vector3 impulse = inverse_[i] * target;
    const double* D = coupling(block);
    const int* dof = dofs_.data() + block.first;
    for (std::size_t d = 0; d < block.count; ++d) rhs_[dof[d]] += impulse.dot(Eigen::Map<const Vector3>(D + 3 * d));
  }
  if (!back_solve(*solver_, rhs_, monitor)) return false;
  v = rhs_.head(n);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    if (block.kept >= 0) {
      for (int c = 0; c < block.rows; ++c) gamma[block.offset + c] = -rhs_[block.kept + c];
      continue;
    }
    Vector3 rest = Vector3::Zero();
    for (int c = 0; c < block.rows; ++c) rest[c] = g[block.offset + c] - form_.b[block.offset + c];
    const double* D = coupling(block);
    const int* dof = dofs_.data() + block.first;
    for (std::size_t d = 0; d < block.count; ++d) rest -= v[dof[d]] * Eigen::Map<const Vector3>(D + 3 * d);
    const Vector3 impulse = inverse_[i] * rest;
    for (int c = 0; c < block.rows; ++c) gamma[block.offset + c] = impulse[c];
  }
  return true;
}

}  // namespace ccp
