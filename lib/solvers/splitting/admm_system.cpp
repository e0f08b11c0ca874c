#include "solvers/splitting/admm_system.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <limits>
#include <stdexcept>

#include "solvers/linear_work.hpp"

namespace ccp {
namespace {

/// Positions of the diagonal entries of a compressed matrix in its value array.
std::vector<Index> diagonal_positions(const SparseMatrix& A) {
  std::vector<Index> positions(static_cast<std::size_t>(A.cols()), -1);
  for (Index j = 0; j < A.cols(); ++j)
    for (Index k = A.outerIndexPtr()[j]; k < A.outerIndexPtr()[j + 1]; ++k)
      if (A.innerIndexPtr()[k] == j) positions[static_cast<std::size_t>(j)] = k;
  return positions;
}

/// A solver that was analysed for the pattern; throws std::runtime_error with what the backend said when it cannot be.
std::unique_ptr<LinearSolver> analysed(const std::string& backend, MatrixKind kind, const SparseMatrix& pattern,
                                       int refinement, Monitor& monitor) {
  auto solver = make_linear_solver(backend, kind);
  solver->set_refinement_steps(refinement);
  const LinearWork counted(*solver, monitor.counters());
  if (solver->analyze(pattern) != LinearStatus::ok)
    throw std::runtime_error(fmt::format("{} cannot analyse the system: {}", solver->backend(), solver->info().message));
  return solver;
}

bool factorize_counted(LinearSolver& solver, const SparseMatrix& matrix, Monitor& monitor) {
  const LinearWork counted(solver, monitor.counters());
  return solver.factorize(matrix) == LinearStatus::ok;
}

/// (N + Θ) γ = g − r.
class SchurSystem final : public AdmmSystem {
 public:
  SchurSystem(const ContactProblem& problem, std::string backend, int refinement, Monitor& monitor)
      : r_(problem.free_velocity()), backend_(std::move(backend)), refinement_(refinement) {
    const SparseMatrix& N = problem.local().N;
    SparseMatrix unit(N.rows(), N.cols());
    unit.setIdentity();
    matrix_ = (N + 0.0 * unit).triangularView<Eigen::Lower>();
    matrix_.makeCompressed();
    diagonal_ = diagonal_positions(matrix_);
    for (const Index position : diagonal_) own_.push_back(matrix_.valuePtr()[position]);
    solver_ = analysed(backend_, MatrixKind::spd, matrix_, refinement_, monitor);
  }

  bool factorize(const Vector& theta, Monitor& monitor) override {
    for (std::size_t i = 0; i < diagonal_.size(); ++i)
      matrix_.valuePtr()[diagonal_[i]] = own_[i] + theta[static_cast<Index>(i)];
    if (factorize_counted(*solver_, matrix_, monitor)) return true;
    if (solver_->kind() == MatrixKind::indefinite) {
      message_ = solver_->info().message;
      return false;
    }
    // An N with negative eigenvalues (single-precision dumps): N + Θ may be indefinite for a small ρ, so pivot from here on.
    monitor.note("N + Θ is not positive definite: factorised with pivoting");
    solver_ = analysed("mumps", MatrixKind::indefinite, matrix_, refinement_, monitor);
    return factorize(theta, monitor);
  }

  bool solve(const Vector& g, Vector& gamma, Vector&, Monitor& monitor) override {
    gamma = g - r_;
    return back_solve(*solver_, gamma, monitor);
  }
  bool has_velocity() const override { return false; }

 private:
  const Vector& r_;
  std::string backend_;
  int refinement_;
  SparseMatrix matrix_;
  std::vector<Index> diagonal_;
  std::vector<double> own_;
  std::unique_ptr<LinearSolver> solver_;
};

/// The saddle form with a set of constraint blocks eliminated: none (saddle) or all that are not bilateral (normal). With E
/// the eliminated and B the kept rows, g' = g − b:
///     [H + D_E (Θ_E + C_E)⁻¹ D_Eᵀ   D_B        ] { v    }   { k + D_E (Θ_E + C_E)⁻¹ g'_E }
///     [D_Bᵀ                       −(Θ_B + C_B)] { −γ_B } = { g'_B                       },   γ_E = (Θ_E + C_E)⁻¹ (g'_E −
///     D_Eᵀ v).
class EliminatedSystem final : public AdmmSystem {
 public:
  EliminatedSystem(const ContactProblem& problem, bool eliminate, const std::string& backend, int refinement,
                   Monitor& monitor)
      : form_(problem.global()),
        blocks_(problem.constraints()),
        inverse_(static_cast<std::size_t>(blocks_.count()), Matrix3::Zero()) {
    const Index n = form_.H.rows();
    Index next = n;
    for (Index i = 0; i < blocks_.count(); ++i) {
      const bool out = eliminate && blocks_.kind(i) != ConstraintKind::bilateral;
      position_.push_back(out ? -1 : next);
      if (!out) next += blocks_.rows(i);
    }
    size_ = next;
    rhs_.resize(size_);
    scaled_.resize(blocks_.rows());
    matrix_ = assemble(Vector::Ones(blocks_.rows()));
    solver_ = analysed(backend, size_ == n ? MatrixKind::spd : MatrixKind::quasi_definite, matrix_, refinement, monitor);
  }

  bool factorize(const Vector& theta, Monitor& monitor) override {
    matrix_ = assemble(theta);
    if (factorize_counted(*solver_, matrix_, monitor)) return true;
    message_ = solver_->info().message;
    return false;
  }

  bool solve(const Vector& g, Vector& gamma, Vector& v, Monitor& monitor) override {
    const Index n = form_.H.rows();
    gamma = g - form_.b;
    scaled_.setZero();
    for (Index i = 0; i < blocks_.count(); ++i) {
      const Index offset = blocks_.offset(i), rows = blocks_.rows(i);
      if (eliminated(i))
        scaled_.segment(offset, rows).noalias() = inverse(i) * gamma.segment(offset, rows);
      else
        rhs_.segment(kept(i), rows) = gamma.segment(offset, rows);
    }
    rhs_.head(n) = form_.k;
    rhs_.head(n).noalias() += form_.D * scaled_;
    if (!back_solve(*solver_, rhs_, monitor)) return false;
    v = rhs_.head(n);
    scaled_ = gamma;
    scaled_.noalias() -= form_.D.transpose() * v;
    for (Index i = 0; i < blocks_.count(); ++i) {
      const Index offset = blocks_.offset(i), rows = blocks_.rows(i);
      if (eliminated(i))
        gamma.segment(offset, rows).noalias() = inverse(i) * scaled_.segment(offset, rows);
      else
        gamma.segment(offset, rows) = -rhs_.segment(kept(i), rows);
    }
    return true;
  }
  bool has_velocity() const override { return true; }

 private:
  bool eliminated(Index block) const { return position_[static_cast<std::size_t>(block)] < 0; }
  Index kept(Index block) const { return position_[static_cast<std::size_t>(block)]; }
  Eigen::Block<const Matrix3> inverse(Index block) const {
    return inverse_[static_cast<std::size_t>(block)].topLeftCorner(blocks_.rows(block), blocks_.rows(block));
  }

  /// Θ_ii + C_ii of one block.
  DenseMatrix damping(const Vector& theta, Index block) const {
    const Index offset = blocks_.offset(block), rows = blocks_.rows(block);
    DenseMatrix damping = theta.segment(offset, rows).asDiagonal();
    for (Index c = 0; c < rows; ++c)
      for (SparseMatrix::InnerIterator entry(form_.C, offset + c); entry; ++entry)
        damping(entry.row() - offset, c) += entry.value();
    return damping;
  }

  /// Lower triangle of the matrix for one Θ; its pattern does not depend on Θ.
  SparseMatrix assemble(const Vector& theta) {
    std::vector<Triplet> entries;
    for (Index j = 0; j < form_.H.cols(); ++j)
      for (SparseMatrix::InnerIterator entry(form_.H, j); entry; ++entry)
        if (entry.row() >= j) entries.emplace_back(static_cast<int>(entry.row()), static_cast<int>(j), entry.value());
    for (Index i = 0; i < blocks_.count(); ++i) {
      const DenseMatrix block = damping(theta, i);
      if (eliminated(i)) {
        inverse_[static_cast<std::size_t>(i)].topLeftCorner(block.rows(), block.rows()) = block.inverse();
        add_eliminated(i, entries);
      } else {
        add_kept(i, block, entries);
      }
    }
    SparseMatrix matrix(size_, size_);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
  }

  void add_eliminated(Index block, std::vector<Triplet>& entries) const {
    const Index offset = blocks_.offset(block), rows = blocks_.rows(block);
    for (Index c = 0; c < rows; ++c)
      for (SparseMatrix::InnerIterator right(form_.D, offset + c); right; ++right)
        for (Index r = 0; r < rows; ++r)
          for (SparseMatrix::InnerIterator left(form_.D, offset + r); left; ++left)
            if (left.row() >= right.row())
              entries.emplace_back(static_cast<int>(left.row()), static_cast<int>(right.row()),
                                   left.value() * inverse(block)(r, c) * right.value());
  }

  void add_kept(Index block, const DenseMatrix& damping, std::vector<Triplet>& entries) const {
    const Index offset = blocks_.offset(block), position = kept(block);
    for (Index c = 0; c < damping.cols(); ++c) {
      for (SparseMatrix::InnerIterator entry(form_.D, offset + c); entry; ++entry)
        entries.emplace_back(static_cast<int>(position + c), static_cast<int>(entry.row()), entry.value());
      for (Index r = c; r < damping.rows(); ++r)
        entries.emplace_back(static_cast<int>(position + r), static_cast<int>(position + c), -damping(r, c));
    }
  }

  const GlobalForm& form_;
  ConstraintSet blocks_;
  std::vector<Index> position_;   ///< first row of a kept block in the system, −1 when eliminated
  std::vector<Matrix3> inverse_;  ///< (Θ_ii + C_ii)⁻¹ of eliminated blocks
  Index size_ = 0;
  Vector rhs_, scaled_;
  SparseMatrix matrix_;
  std::unique_ptr<LinearSolver> solver_;
};

AdmmForm resolved_form(const ContactProblem& problem, AdmmForm form) {
  if (form != AdmmForm::automatic) return form;
  if (!problem.given_global()) return AdmmForm::schur;
  const bool saddle = problem.global().C.nonZeros() > 0 || problem.constraints().count(ConstraintKind::bilateral) > 0;
  return saddle ? AdmmForm::saddle : AdmmForm::normal;
}

const char* form_name(AdmmForm form) {
  switch (form) {
    case AdmmForm::saddle: return "saddle";
    case AdmmForm::schur: return "schur";
    case AdmmForm::normal: return "normal";
    case AdmmForm::automatic: break;
  }
  return "auto";
}

}  // namespace

bool AdmmSystem::back_solve(LinearSolver& solver, Vector& x, Monitor& monitor) {
  const LinearWork counted(solver, monitor.counters());
  // A right-hand side that overflowed is for the monitor to judge, not a failure of the system.
  const bool finite = x.allFinite();
  const LinearStatus status = solver.solve(x, x);
  if (status == LinearStatus::ok) return true;
  message_ = solver.info().message;
  if (!finite) x.setConstant(std::numeric_limits<double>::quiet_NaN());
  return !finite;
}

std::optional<std::string> admm_system_defect(const ContactProblem& problem, AdmmForm form, const std::string& backend) {
  if (backend == "auto") return std::nullopt;
  const AdmmForm resolved = resolved_form(problem, form);
  const bool kept_rows =
      resolved == AdmmForm::saddle ? problem.rows() > 0 : problem.constraints().count(ConstraintKind::bilateral) > 0;
  const MatrixKind kind = resolved != AdmmForm::schur && kept_rows ? MatrixKind::quasi_definite : MatrixKind::spd;
  if (linear_solver_supports(backend, kind)) return std::nullopt;
  return fmt::format("linear_solver '{}' cannot factorise the {} system, which is {}", backend, form_name(resolved),
                     kind == MatrixKind::spd ? "positive definite" : "quasi-definite");
}

std::unique_ptr<AdmmSystem> make_admm_system(const ContactProblem& problem, AdmmForm form, const std::string& backend,
                                             int refinement, Monitor& monitor) {
  const AdmmForm resolved = resolved_form(problem, form);
  monitor.note(fmt::format("linear system: {}{}", form_name(resolved), form == AdmmForm::automatic ? " (auto)" : ""));
  if (!problem.given_global() && resolved != AdmmForm::schur && problem.clipped() > 0.0)
    monitor.note(fmt::format("N = LLᵀ up to {:.1e}", problem.clipped()));
  if (resolved == AdmmForm::schur) return std::make_unique<SchurSystem>(problem, backend, refinement, monitor);
  return std::make_unique<EliminatedSystem>(problem, resolved == AdmmForm::normal, backend, refinement, monitor);
}

}  // namespace ccp
