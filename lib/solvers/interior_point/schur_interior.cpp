#include "linalg/block/block_matrix.hpp"
#include "solvers/interior_point/interior_system.hpp"
#include "solvers/shared/jacobian_blocks.hpp"
#include "solvers/shared/linear_work.hpp"

namespace ccp {
namespace {

/// (N + P) Δλ = t + momentum, Δv = N Δλ − momentum, in the eigenvectors of W²: there it is diagonal, so that its
/// eigenvalues, which are up to 1e30 apart, meet no rounding of each other.
class SchurInterior final : public InteriorSystem {
 public:
  SchurInterior(const ContactProblem& problem, const BarrierProblem& barrier, const std::string& backend, Monitor& monitor)
      : InteriorSystem(barrier), symmetric_(!barrier.corrected), N_(block_matrix(problem.constraints(), problem.local().N)) {
    barrier.to_scaled_velocity(problem.free_velocity(), own_r_);
    r_ = own_r_;
    scale_blocks();
    build_pattern();
    solver_ = analysed_solver(backend, symmetric_ ? MatrixKind::spd : MatrixKind::unsymmetric, matrix_, monitor);
    for (Vector* vector : {&product_, &rhs_, &correction_}) vector->setZero(barrier.size());
    packed_.setZero(matrix_.rows());
  }

  Index primal_size() const override { return barrier_.size(); }
  void set_shift(const Vector& shift) override { r_ = own_r_ + shift; }
  void velocity_of(const Vector& lambda, Vector& v) override {
    N_.multiply(lambda, v);
    v += r_;
  }
  ResidualScale residuals(const Vector& v, const Vector& lambda, Vector& momentum, Vector& u) override {
    N_.multiply(lambda, product_);
    momentum = v - product_ - r_;
    u = v;
    const double terms = std::max({max_norm(v), max_norm(product_), max_norm(r_), max_norm(lambda)});
    return {terms, terms};
  }
  void mass_product(const Vector& dv, Vector& product) const override { product = dv; }

  bool factorize(const std::vector<BarrierBlock>& blocks, Monitor& monitor) override {
    blocks_ = &blocks;
    load_values();
    return counted_factorize(*solver_, matrix_, monitor, message_);
  }

  bool solve(const Vector& momentum, const Vector& t, Vector& dv, Vector& dlambda, int refinement,
             Monitor& monitor) override {
    const LinearWork counted(*solver_, monitor.counters());
    rhs_ = t + momentum;
    if (!back_solve(rhs_, dlambda)) return false;
    for (int step = 0; step < refinement; ++step) {
      N_.multiply(dlambda, product_);
      for (Index i = 0; i < barrier_.count(); ++i) {
        const BarrierBlock& P = block(i);
        correction_.segment<3>(3 * i) =
            rhs_.segment<3>(3 * i) - product_.segment<3>(3 * i) - P.apply(dlambda.segment<3>(3 * i));
      }
      if (!back_solve(correction_, correction_)) return false;
      dlambda += correction_;
    }
    N_.multiply(dlambda, dv);
    dv -= momentum;
    return true;
  }
  double regularisation() const override { return 1e-14; }
  bool has_velocity() const override { return false; }

 private:
  void scale_blocks() {
    for (Index i = 0; i < N_.rows(); ++i)
      for (int k = N_.row_start[uz(i)]; k < N_.row_start[uz(i) + 1]; ++k) {
        const Index j = N_.column[uz(k)];
        Matrix3& entry = N_.block[uz(k)];
        entry = barrier_.scale.segment<3>(3 * i).asDiagonal() * entry * barrier_.scale.segment<3>(3 * j).asDiagonal();
      }
  }

  /// By active rows; of a symmetric matrix the lower triangle, whose column j is block row j of N.
  void build_pattern() {
    std::vector<int> start{0};
    for (Index i = 0; i < N_.rows(); ++i) start.push_back(start.back() + active(i));
    start_ = start;
    matrix_.resize(start.back(), start.back());
    std::vector<Triplet> entries;
    for (Index j = 0; j < N_.rows() && symmetric_; ++j)
      for (int k = N_.diagonal[uz(j)]; k < N_.row_start[uz(j) + 1]; ++k) {
        const Index i = N_.column[uz(k)];
        for (int c = 0; c < active(j); ++c)
          for (int r = i == j ? c : 0; r < active(i); ++r) entries.emplace_back(start[uz(i)] + r, start[uz(j)] + c, 1.0);
      }
    for (Index i = 0; i < N_.rows() && !symmetric_; ++i)
      for (int k = N_.row_start[uz(i)]; k < N_.row_start[uz(i) + 1]; ++k) {
        const Index j = N_.column[uz(k)];
        for (int c = 0; c < active(j); ++c)
          for (int r = 0; r < active(i); ++r) entries.emplace_back(start[uz(i)] + r, start[uz(j)] + c, 1.0);
      }
    matrix_.setFromTriplets(entries.begin(), entries.end());
    matrix_.makeCompressed();
    for (std::size_t e = 0; e < entries.size() && !symmetric_; ++e)
      target_.push_back(entry_place(matrix_, entries[e].row(), entries[e].col()));
  }

  /// Q_iᵀ N_ij Q_j, and P on the diagonal. The columns of block j hold its blocks one after the other, in the order of row
  /// j.
  void load_values() {
    auto target = target_.cbegin();
    for (Index i = 0; i < N_.rows() && !symmetric_; ++i)
      for (int k = N_.row_start[uz(i)]; k < N_.row_start[uz(i) + 1]; ++k) {
        const Index j = N_.column[uz(k)];
        Matrix3 entry = block(i).basis.transpose() * N_.block[uz(k)] * block(j).basis;
        if (i == j) entry += block(i).own();
        for (int c = 0; c < active(j); ++c)
          for (int r = 0; r < active(i); ++r) matrix_.valuePtr()[*target++] = entry(r, c);
      }
    if (!symmetric_) return;
    for (Index j = 0; j < N_.rows(); ++j) {
      double* column[3] = {};
      for (int c = 0; c < active(j); ++c) column[c] = matrix_.valuePtr() + matrix_.outerIndexPtr()[start_[uz(j)] + c];
      for (int k = N_.diagonal[uz(j)]; k < N_.row_start[uz(j) + 1]; ++k) {
        const Index i = N_.column[uz(k)];
        Matrix3 entry = block(i).basis.transpose() * N_.block[uz(k)].transpose() * block(j).basis;
        if (i == j) entry += block(j).own();
        for (int c = 0; c < active(j); ++c)
          for (int r = i == j ? c : 0; r < active(i); ++r) *column[c]++ = entry(r, c);
      }
    }
  }

  /// x <- Q (…)⁻¹ Qᵀ rhs; may be the same vector.
  bool back_solve(const Vector& rhs, Vector& x) {
    pack(rhs, packed_.data());
    if (solver_->solve(packed_, packed_) != LinearStatus::ok) {
      message_ = solver_->info().message;
      return false;
    }
    unpack(packed_.data(), 1.0, x);
    return true;
  }

  bool symmetric_;
  BlockMatrix N_;
  Vector own_r_, r_;
  SparseMatrix matrix_;
  std::vector<int> start_;   ///< first row of each block in the matrix
  std::vector<int> target_;  ///< positions of the entries of an unsymmetric one, block row by block row
  std::unique_ptr<LinearSolver> solver_;
  Vector product_, rhs_, correction_, packed_;
};

}  // namespace

std::unique_ptr<InteriorSystem> make_schur_interior(const ContactProblem& problem, const BarrierProblem& barrier,
                                                    const std::string& backend, Monitor& monitor) {
  return std::make_unique<SchurInterior>(problem, barrier, backend, monitor);
}

}  // namespace ccp
