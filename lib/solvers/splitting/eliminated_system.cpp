#include <Eigen/LU>
#include <algorithm>

#include "problem/share.hpp"
#include "solvers/shared/jacobian_blocks.hpp"
#include "solvers/shared/linear_work.hpp"
#include "solvers/splitting/admm_system.hpp"

namespace ccp {
namespace {

/// k and H of a whole problem; in a shared one those of the velocities of this rank, zero for the others, which their ranks
/// add.
Vector own_momentum(const ContactProblem& problem) {
  Vector k = problem.global().k;
  if (problem.share() == nullptr) return k;
  const auto [first, end] = problem.share()->own_velocities();
  k.head(first).setZero();
  k.tail(k.size() - end).setZero();
  return k;
}
SparseMatrix own_mass(const ContactProblem& problem) {
  SparseMatrix H = problem.global().H;
  if (problem.share() == nullptr) return H;
  const auto [first, end] = problem.share()->own_velocities();
  for (Index j = 0; j < H.cols(); ++j)
    for (SparseMatrix::InnerIterator entry(H, j); entry && (j < first || j >= end); ++entry) entry.valueRef() = 0.0;
  return H;
}

/// The system of a problem in global form with a set E of constraint blocks eliminated and the others (B) kept (G.17):
///
///     [H + D_E (Θ_E + C_E)⁻¹ D_Eᵀ   D_B        ] {  v   }   { k + D_E (Θ_E + C_E)⁻¹ g'_E }
///     [D_Bᵀ                       −(Θ_B + C_B)] { −γ_B } = { g'_B                       },   g' = g − b,
///     γ_E = (Θ_E + C_E)⁻¹ (g'_E − D_Eᵀ v).
///
/// With every block kept this is the saddle form, with none the normal form, else the mixed form. The pattern is found and
/// analysed once; a new Θ writes the values in place. With a symmetric H these are those of the lower triangle.
class EliminatedSystem final : public AdmmSystem {
 public:
  EliminatedSystem(const ContactProblem& problem, bool eliminate, const std::string& backend, int refinement,
                   Monitor& monitor)
      : form_(problem.global()),
        constraints_(problem.constraints().narrow()),
        symmetric_(problem.symmetric_mass()),
        D_(jacobian_blocks(constraints_, form_.D)),
        k_(own_momentum(problem)) {
    auto size = static_cast<int>(form_.H.rows());
    for (Index i = 0; i < constraints_.count(); ++i) {
      const bool keep = !eliminate || constraints_.kind(i) == ConstraintKind::bilateral;
      kept_.push_back(keep ? size : -1);
      if (keep) size += rows(kept_.size() - 1);
    }
    inverse_.assign(kept_.size(), Matrix3::Identity());
    gather_compliance();
    matrix_ = eliminated_pattern(own_mass(problem), D_, symmetric_, constraints_, kept_);
    find_places();
    rhs_.resize(size);
    const MatrixKind symmetric_kind = size == form_.H.rows() ? MatrixKind::spd : MatrixKind::quasi_definite;
    const MatrixKind kind = symmetric_ ? symmetric_kind : MatrixKind::unsymmetric;
    const Share* share = problem.share();
    solver_ = analysed_solver(share != nullptr ? share->summed_solver(kind) : make_linear_solver(backend, kind), matrix_,
                              monitor, refinement);
  }

  bool factorize(const Vector& theta, Monitor& monitor) override {
    std::copy(constant_.begin(), constant_.end(), matrix_.valuePtr());
    double* const values = matrix_.valuePtr();
    const int* place = places_.data();
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      const Matrix3 damped = damping(theta, i);
      if (kept_[i] >= 0) {
        for (int c = 0, own = rows(i); c < own; ++c)
          for (int r = symmetric_ ? c : 0; r < own; ++r) values[*place++] = -damped(r, c);
        continue;
      }
      inverse_[i] = compliance_.empty() ? Matrix3(damped.diagonal().cwiseInverse().asDiagonal()) : Matrix3(damped.inverse());
      for (std::size_t a = D_.first[i]; a < D_.first[i + 1]; ++a) {
        const Vector3 left = inverse_[i] * D_.row[a];
        for (std::size_t b = D_.first[i]; b < last_of_row(i, a); ++b) values[*place++] += left.dot(D_.row[b]);
      }
    }
    return counted_factorize(*solver_, matrix_, monitor, message_);
  }

  bool solve(const Vector& g, Vector& gamma, Vector& v, Monitor& monitor) override {
    const Index n = form_.H.rows();
    rhs_.head(n) = k_;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      const Vector3 target = target_of(i, g);
      if (kept_[i] >= 0) {
        std::copy_n(target.data(), rows(i), rhs_.data() + kept_[i]);
        continue;
      }
      const Vector3 impulse = inverse_[i] * target;
      for (std::size_t d = D_.first[i]; d < D_.first[i + 1]; ++d) rhs_[D_.dof[d]] += impulse.dot(D_.row[d]);
    }
    if (!back_solve(*solver_, rhs_, monitor)) return false;
    v = rhs_.head(n);
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (kept_[i] >= 0) {
        gamma.segment(offset(i), rows(i)) = -rhs_.segment(kept_[i], rows(i));
        continue;
      }
      Vector3 rest = target_of(i, g);
      for (std::size_t d = D_.first[i]; d < D_.first[i + 1]; ++d) rest -= v[D_.dof[d]] * D_.row[d];
      const Vector3 impulse = inverse_[i] * rest;
      std::copy_n(impulse.data(), rows(i), gamma.data() + offset(i));
    }
    return true;
  }

  bool has_velocity() const override { return true; }
  const std::string& backend() const override { return solver_->backend(); }

 private:
  int rows(std::size_t i) const { return static_cast<int>(constraints_.rows(static_cast<Index>(i))); }
  Index offset(std::size_t i) const { return constraints_.offset(static_cast<Index>(i)); }

  void gather_compliance() {
    if (form_.C.nonZeros() == 0) return;
    compliance_.assign(kept_.size(), Matrix3::Zero());
    for (std::size_t i = 0; i < kept_.size(); ++i)
      for (int c = 0; c < rows(i); ++c)
        for (SparseMatrix::InnerIterator entry(form_.C, offset(i) + c); entry; ++entry)
          compliance_[i](entry.row() - offset(i), c) += entry.value();
  }

  /// Row by row in D_i(Θ_ii + C_ii)⁻¹D_iᵀ, where the rows to the left of the product are formed once.
  void find_places() {
    constant_.assign(matrix_.valuePtr(), matrix_.valuePtr() + matrix_.nonZeros());
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      for (int c = 0; kept_[i] >= 0 && c < rows(i); ++c) {
        for (std::size_t d = D_.first[i]; d < D_.first[i + 1]; ++d) {
          constant_[uz(entry_place(matrix_, kept_[i] + c, D_.dof[d]))] = D_.row[d][c];
          if (!symmetric_) constant_[uz(entry_place(matrix_, D_.dof[d], kept_[i] + c))] = D_.row[d][c];
        }
        for (int r = symmetric_ ? c : 0; r < rows(i); ++r)
          places_.push_back(entry_place(matrix_, kept_[i] + r, kept_[i] + c));
      }
      for (std::size_t a = D_.first[i]; kept_[i] < 0 && a < D_.first[i + 1]; ++a)
        for (std::size_t b = D_.first[i]; b < last_of_row(i, a); ++b)
          places_.push_back(entry_place(matrix_, D_.dof[a], D_.dof[b]));
    }
  }

  /// The end of the columns of row a of a block's D_i(Θ_ii + C_ii)⁻¹D_iᵀ.
  std::size_t last_of_row(std::size_t i, std::size_t a) const { return symmetric_ ? a + 1 : D_.first[i + 1]; }

  /// Θ_ii + C_ii, with the identity in the rows the block does not have.
  Matrix3 damping(const Vector& theta, std::size_t i) const {
    Matrix3 damping = Matrix3::Identity();
    for (int c = 0, own = rows(i); c < own; ++c) damping(c, c) = theta[offset(i) + c];
    if (!compliance_.empty()) damping += compliance_[i];
    return damping;
  }

  /// g'_i, padded with zeros.
  Vector3 target_of(std::size_t i, const Vector& g) const {
    Vector3 target = Vector3::Zero();
    for (int c = 0, own = rows(i); c < own; ++c) target[c] = g[offset(i) + c] - form_.b[offset(i) + c];
    return target;
  }

  const GlobalForm& form_;
  ConstraintSet constraints_;  ///< in blocks of up to three rows
  bool symmetric_;             ///< H
  JacobianBlocks D_;
  Vector k_;
  std::vector<int> kept_;            ///< first row of each block in the system, −1 when eliminated
  std::vector<Matrix3> compliance_;  ///< C_ii, empty without compliance; unused rows zero
  std::vector<Matrix3> inverse_;     ///< (Θ_ii + C_ii)⁻¹ of eliminated blocks; unused rows are those of the identity
  std::vector<int> places_;          ///< where the entries of each block that depend on Θ are in the values of the matrix
  std::vector<double> constant_;     ///< values of the matrix without those entries
  Vector rhs_;
  SparseMatrix matrix_;
  std::unique_ptr<LinearSolver> solver_;
};

}  // namespace

std::unique_ptr<AdmmSystem> make_eliminated_system(const ContactProblem& problem, bool eliminate, const std::string& backend,
                                                   int refinement, Monitor& monitor) {
  return std::make_unique<EliminatedSystem>(problem, eliminate, backend, refinement, monitor);
}

}  // namespace ccp
