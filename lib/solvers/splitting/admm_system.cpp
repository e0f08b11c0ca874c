#include "solvers/splitting/admm_system.hpp"

#include <fmt/format.h>

#include <limits>

#include "solvers/shared/linear_work.hpp"

namespace ccp {
namespace {

/// Positions of the diagonal entries of a compressed matrix in its value array.
std::vector<Index> diagonal_positions(const SparseMatrix& A) {
  std::vector<Index> positions(uz(A.cols()), -1);
  for (Index j = 0; j < A.cols(); ++j)
    for (Index k = A.outerIndexPtr()[j]; k < A.outerIndexPtr()[j + 1]; ++k)
      if (A.innerIndexPtr()[k] == j) positions[uz(j)] = k;
  return positions;
}

/// (N + Θ) γ = g − r.
class SchurSystem final : public AdmmSystem {
 public:
  SchurSystem(const ContactProblem& problem, std::string backend, int refinement, Monitor& monitor)
      : r_(problem.free_velocity()), backend_(std::move(backend)), refinement_(refinement) {
    const SparseMatrix& N = problem.local().N;
    SparseMatrix unit(N.rows(), N.cols());
    unit.setIdentity();
    const bool symmetric = problem.symmetric_mass();
    if (symmetric)
      matrix_ = (N + 0.0 * unit).triangularView<Eigen::Lower>();
    else
      matrix_ = N + 0.0 * unit;
    matrix_.makeCompressed();
    diagonal_ = diagonal_positions(matrix_);
    for (const Index position : diagonal_) own_.push_back(matrix_.valuePtr()[position]);
    solver_ =
        analysed_solver(backend_, symmetric ? MatrixKind::spd : MatrixKind::unsymmetric, matrix_, monitor, refinement_);
  }

  bool factorize(const Vector& theta, Monitor& monitor) override {
    for (std::size_t i = 0; i < diagonal_.size(); ++i)
      matrix_.valuePtr()[diagonal_[i]] = own_[i] + theta[static_cast<Index>(i)];
    if (counted_factorize(*solver_, matrix_, monitor, message_)) return true;
    if (solver_->kind() != MatrixKind::spd) return false;
    // With an N of negative eigenvalues (single-precision dumps) N + Θ may be indefinite for a small ρ: pivot from here on.
    monitor.note([] { return "N + Θ is not positive definite: factorised with pivoting"; });
    solver_ = analysed_solver("mumps", MatrixKind::indefinite, matrix_, monitor, refinement_);
    return factorize(theta, monitor);
  }

  bool solve(const Vector& g, Vector& gamma, Vector&, Monitor& monitor) override {
    gamma = g - r_;
    return back_solve(*solver_, gamma, monitor);
  }
  bool has_velocity() const override { return false; }
  const std::string& backend() const override { return solver_->backend(); }

 private:
  const Vector& r_;
  std::string backend_;
  int refinement_;
  SparseMatrix matrix_;
  std::vector<Index> diagonal_;
  std::vector<double> own_;
  std::unique_ptr<LinearSolver> solver_;
};

/// Whether C may couple rows of one contact that the other forms keep in two blocks.
bool couples_moments(const ContactProblem& problem) {
  return problem.constraints().has_moments() && problem.given_global() && problem.global().C.nonZeros() > 0;
}

LinearForm resolved_form(const ContactProblem& problem, LinearForm form) {
  if (problem.share() != nullptr) return LinearForm::normal;
  if (form != LinearForm::automatic) return form;
  if (!problem.given_global() || couples_moments(problem)) return LinearForm::schur;
  if (!problem.symmetric_mass()) return LinearForm::saddle;
  return problem.global().C.nonZeros() > 0 ? LinearForm::saddle : LinearForm::normal;
}

}  // namespace

bool AdmmSystem::back_solve(LinearSolver& solver, Vector& x, Monitor& monitor) {
  const LinearWork counted(solver, monitor.counters());
  // A right-hand side that overflowed is for the monitor to judge, not a failure of the system.
  const bool finite = x.allFinite();
  const LinearStatus status = solver.solve(x, x);
  if (status == LinearStatus::ok) return true;
  message_ = solver.info().message;
  if (solver.everywhere(finite)) return false;
  x.setConstant(std::numeric_limits<double>::quiet_NaN());
  return true;
}

std::optional<std::string> admm_system_defect(const ContactProblem& problem, LinearForm form, const std::string& backend) {
  const LinearForm resolved = resolved_form(problem, form);
  if (resolved != LinearForm::schur && couples_moments(problem))
    return "contacts with moments and compliance need linear_system = schur";
  const bool kept_rows =
      resolved == LinearForm::saddle ? problem.rows() > 0 : problem.constraints().count(ConstraintKind::bilateral) > 0;
  const MatrixKind kind = resolved != LinearForm::schur && kept_rows ? MatrixKind::quasi_definite : MatrixKind::spd;
  return backend_defect(backend, problem.symmetric_mass() ? kind : MatrixKind::unsymmetric, resolved);
}

std::unique_ptr<AdmmSystem> make_admm_system(const ContactProblem& problem, LinearForm form, const std::string& backend,
                                             int refinement, Monitor& monitor) {
  const LinearForm resolved = resolved_form(problem, form);
  if (resolved != LinearForm::schur) note_clipped(problem, monitor);
  std::unique_ptr<AdmmSystem> system;
  if (resolved == LinearForm::schur)
    system = std::make_unique<SchurSystem>(problem, backend, refinement, monitor);
  else
    system = make_eliminated_system(problem, resolved == LinearForm::normal, backend, refinement, monitor);
  const bool mixed = resolved == LinearForm::normal && problem.constraints().count(ConstraintKind::bilateral) > 0;
  monitor.note([&] {
    return fmt::format("linear system: {}{} by {}{}", linear_form_name(resolved),
                       mixed ? " with the bilateral rows kept" : "", system->backend(),
                       form == LinearForm::automatic ? " (auto)" : "");
  });
  return system;
}

}  // namespace ccp
