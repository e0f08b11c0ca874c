#include <Eigen/LU>

#include "solvers/interior_point/global_interior.hpp"
#include "solvers/shared/linear_work.hpp"

namespace ccp {
namespace {

/// (H + D (C + P)⁻¹ Dᵀ) Δv = −momentum + D (C + P)⁻¹ t,  Δλ = (C + P)⁻¹ (t − Dᵀ Δv).
class NormalInterior final : public GlobalInterior {
 public:
  NormalInterior(const ContactProblem& problem, const BarrierProblem& barrier, const std::string& backend, Monitor& monitor)
      : GlobalInterior(problem, barrier),
        symmetric_(!barrier.corrected),
        matrix_(eliminated_pattern(form_.H, D_, symmetric_)),
        mass_(matrix_.valuePtr(), matrix_.valuePtr() + matrix_.nonZeros()),
        target_(entry_places(matrix_, D_, symmetric_)),
        inverse_(uz(barrier.count())) {
    std::size_t largest = 0;
    for (Index i = 0; i < barrier.count(); ++i) largest = std::max(largest, first(i + 1) - first(i));
    rotated_.resize(largest);
    solver_ = analysed_solver(backend, symmetric_ ? MatrixKind::spd : MatrixKind::unsymmetric, matrix_, monitor);
    scaled_.setZero(barrier.size());
  }

  bool factorize(const std::vector<BarrierBlock>& blocks, Monitor& monitor) override {
    blocks_ = &blocks;
    std::copy(mass_.begin(), mass_.end(), matrix_.valuePtr());
    auto target = target_.cbegin();
    for (Index i = 0; i < barrier_.count(); ++i) {
      invert(i);
      const Matrix3& M = inverse_[uz(i)];
      for (std::size_t e = first(i); e < first(i + 1); ++e) rotated_[e - first(i)] = block(i).basis.transpose() * D_.row[e];
      const std::size_t own = first(i + 1) - first(i);
      for (std::size_t b = 0; b < own; ++b) {
        const Vector3 column = M * rotated_[b];
        for (std::size_t a = symmetric_ ? b : 0; a < own; ++a) matrix_.valuePtr()[*target++] += rotated_[a].dot(column);
      }
    }
    return counted_factorize(*solver_, matrix_, monitor, message_);
  }
  double regularisation() const override { return 1e-10; }

 private:
  LinearSolver& linear_solver() override { return *solver_; }

  bool solve_once(const Vector& momentum, const Vector& t, Vector& dv, Vector& dlambda) override {
    for (Index i = 0; i < barrier_.count(); ++i) scaled_.segment<3>(3 * i) = apply_inverse(i, t.segment<3>(3 * i));
    dv = -momentum;
    scatter(scaled_, dv);
    if (solver_->solve(dv, dv) != LinearStatus::ok) return false;
    gather(dv, dlambda);
    for (Index i = 0; i < barrier_.count(); ++i)
      dlambda.segment<3>(3 * i) = apply_inverse(i, t.segment<3>(3 * i) - dlambda.segment<3>(3 * i));
    return true;
  }

  /// (C_ii + P_i)⁻¹ in the eigenvectors of W_i²: never formed in the rows, where its largest eigenvalues would drown the
  /// others.
  void invert(Index i) {
    const BarrierBlock& P = block(i);
    Matrix3 own = P.own();
    if (!compliance_.empty()) own += P.basis.transpose() * compliance(i) * P.basis;
    inverse_[uz(i)] = own.inverse();
  }

  Vector3 apply_inverse(Index i, const Vector3& x) const {
    const Matrix3& basis = block(i).basis;
    return basis * (inverse_[uz(i)] * (basis.transpose() * x));
  }

  bool symmetric_;
  SparseMatrix matrix_;           ///< its lower triangle where symmetric
  std::vector<double> mass_;      ///< values of H in the pattern
  std::vector<int> target_;       ///< positions of the pairs, constraint by constraint
  std::vector<Matrix3> inverse_;  ///< (C + P)⁻¹ in the eigenvectors of W²
  std::vector<Vector3> rotated_;  ///< the rows of D of one constraint in them
  std::unique_ptr<LinearSolver> solver_;
  Vector scaled_;
};

}  // namespace

std::unique_ptr<InteriorSystem> make_normal_interior(const ContactProblem& problem, const BarrierProblem& barrier,
                                                     const std::string& backend, Monitor& monitor) {
  return std::make_unique<NormalInterior>(problem, barrier, backend, monitor);
}

}  // namespace ccp
