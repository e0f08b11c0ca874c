#include "solvers/interior_point/global_interior.hpp"
#include "solvers/shared/linear_work.hpp"

namespace ccp {
namespace {

/// [H  D; Dᵀ  −(C + P)] {Δv; −Δλ} = {−momentum; t}, the impulses in the eigenvectors of W². Of a symmetric one its lower
/// triangle.
class SaddleInterior final : public GlobalInterior {
 public:
  SaddleInterior(const ContactProblem& problem, const BarrierProblem& barrier, const std::string& backend, Monitor& monitor)
      : GlobalInterior(problem, barrier), symmetric_(problem.symmetric_mass() && !barrier.corrected) {
    build_pattern();
    const MatrixKind kind = symmetric_ ? MatrixKind::indefinite : MatrixKind::unsymmetric;
    solver_ = analysed_solver(backend, kind, matrix_, monitor);
    rhs_.setZero(matrix_.rows());
  }

  bool factorize(const std::vector<BarrierBlock>& blocks, Monitor& monitor) override {
    blocks_ = &blocks;
    auto target = target_.cbegin();
    double* value = matrix_.valuePtr();
    for (Index i = 0; i < barrier_.count(); ++i) {
      const BarrierBlock& P = block(i);
      for (std::size_t e = first(i); e < first(i + 1); ++e) {
        const Vector3 row = P.basis.transpose() * D_.row[e];
        for (int c = 0; c < active(i); ++c) {
          value[*target++] = row[c];
          if (!symmetric_) value[*target++] = row[c];
        }
      }
      Matrix3 own = P.own();
      if (!compliance_.empty()) own += P.basis.transpose() * compliance(i) * P.basis;
      for (int c = 0; c < active(i); ++c)
        for (int r = symmetric_ ? c : 0; r < active(i); ++r) value[*target++] = -own(r, c);
    }
    return counted_factorize(*solver_, matrix_, monitor, message_);
  }
  double regularisation() const override { return 1e-14; }

 private:
  LinearSolver& linear_solver() override { return *solver_; }

  bool solve_once(const Vector& momentum, const Vector& t, Vector& dv, Vector& dlambda) override {
    const Index n = form_.H.rows();
    rhs_.head(n) = -momentum;
    pack(t, rhs_.data() + n);
    if (solver_->solve(rhs_, rhs_) != LinearStatus::ok) return false;
    dv = rhs_.head(n);
    unpack(rhs_.data() + n, -1.0, dlambda);
    return true;
  }

  void build_pattern() {
    const auto n = static_cast<int>(form_.H.rows());
    int next = n;
    std::vector<Triplet> triplets, own;
    for (int c = 0; c < n; ++c)
      for (SparseMatrix::InnerIterator entry(form_.H, c); entry; ++entry)
        if (entry.row() >= c || !symmetric_) triplets.emplace_back(static_cast<int>(entry.row()), c, entry.value());
    for (Index i = 0; i < barrier_.count(); ++i) {
      for (std::size_t e = first(i); e < first(i + 1); ++e)
        for (int c = 0; c < active(i); ++c) {
          own.emplace_back(next + c, D_.dof[e], 1.0);
          if (!symmetric_) own.emplace_back(D_.dof[e], next + c, 1.0);
        }
      for (int c = 0; c < active(i); ++c)
        for (int r = symmetric_ ? c : 0; r < active(i); ++r) own.emplace_back(next + r, next + c, -1.0);
      next += active(i);
    }
    triplets.insert(triplets.end(), own.begin(), own.end());
    matrix_ = from_triplets(next, next, triplets);
    matrix_.makeCompressed();
    for (const Triplet& entry : own) target_.push_back(entry_place(matrix_, entry.row(), entry.col()));
  }

  bool symmetric_;
  SparseMatrix matrix_;
  std::vector<int> target_;  ///< positions of what changes, constraint by constraint
  std::unique_ptr<LinearSolver> solver_;
  Vector rhs_;
};

}  // namespace

std::unique_ptr<InteriorSystem> make_saddle_interior(const ContactProblem& problem, const BarrierProblem& barrier,
                                                     const std::string& backend, Monitor& monitor) {
  return std::make_unique<SaddleInterior>(problem, barrier, backend, monitor);
}

}  // namespace ccp
