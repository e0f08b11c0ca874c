#include "solvers/augmented_lagrangian/augmented_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/stopwatch.hpp"
#include "linalg/block/block_lu.hpp"
#include "linalg/linear_solver.hpp"
#include "solvers/shared/linear_work.hpp"

namespace ccp {
namespace {

class VelocityForm final : public AugmentedSystem {
 public:
  VelocityForm(const ContactProblem& problem, bool symmetric, Monitor& monitor);

  bool factorize(const std::vector<Matrix3>& blocks, Monitor& monitor) override;
  bool solve(const Vector& rhs, Vector& x, Monitor& monitor) override;

 private:
  void load_jacobian();
  void build_pattern();
  void add_column(int column, const std::vector<Matrix3>& blocks);

  ContactProblem problem_;
  bool symmetric_;
  SparseMatrix matrix_;                 ///< n×n; the lower triangle when symmetric
  std::vector<double> mass_;            ///< values of H in the pattern of the matrix
  std::vector<int> dof_start_;          ///< per constraint: its first in dof_; count + 1
  std::vector<int> dof_;                ///< the velocities a constraint acts on
  std::vector<Vector3> row_;            ///< the row of D_i of each of them
  std::vector<int> user_start_, user_;  ///< per velocity: where in dof_ it appears
  std::vector<int> owner_;              ///< constraint of each entry of dof_
  std::vector<double> column_;          ///< one dense column at work, zero between uses
  std::unique_ptr<LinearSolver> solver_;
};

VelocityForm::VelocityForm(const ContactProblem& problem, bool symmetric, Monitor& monitor)
    : problem_(problem), symmetric_(symmetric) {
  load_jacobian();
  build_pattern();
  column_.assign(static_cast<std::size_t>(matrix_.cols()), 0.0);
  solver_ = analysed_solver("auto", symmetric ? MatrixKind::spd : MatrixKind::unsymmetric, matrix_, monitor, 1);
}

/// D by constraints: the velocities each acts on, with their three numbers.
void VelocityForm::load_jacobian() {
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
void VelocityForm::build_pattern() {
  const SparseMatrix& H = problem_.global().H;
  std::vector<Triplet> entries;
  for (std::size_t k = 0; k < dof_.size(); ++k) entries.emplace_back(dof_[k], owner_[k], 1.0);
  const SparseMatrix touches = from_triplets(H.rows(), problem_.constraints().count(), entries);
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

void VelocityForm::add_column(int column, const std::vector<Matrix3>& blocks) {
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

bool VelocityForm::factorize(const std::vector<Matrix3>& blocks, Monitor& monitor) {
  for (int j = 0; j < matrix_.outerSize(); ++j) add_column(j, blocks);
  const LinearWork counted(*solver_, monitor.counters());
  return solver_->factorize(matrix_) == LinearStatus::ok;
}

bool VelocityForm::solve(const Vector& rhs, Vector& x, Monitor& monitor) {
  const LinearWork counted(*solver_, monitor.counters());
  return solver_->solve(rhs, x) == LinearStatus::ok;
}

/// (I.6): only constraints that carry something take part, and what is eliminated is as sparse as N.
class ContactForm final : public AugmentedSystem {
 public:
  explicit ContactForm(const ContactProblem& problem)
      : problem_(problem),
        N_(block_matrix(problem.constraints(), problem.symmetrised().local().N)),
        lu_(N_),
        identity_(static_cast<std::size_t>(problem.constraints().count()), 0),
        ones_(identity_.size(), Matrix3::Identity()),
        W_(identity_.size(), Matrix3::Zero()) {
    for (Vector* vector : {&scaled_, &impulse_}) vector->setZero(3 * problem.constraints().count());
    unpadded_.setZero(problem.rows());
    for (Vector* vector : {&change_, &residual_, &load_}) vector->setZero(problem.global().H.rows());
  }

  std::int64_t flops() const { return lu_.flops(); }

  bool factorize(const std::vector<Matrix3>& blocks, Monitor& monitor) override {
    ++monitor.counters().factorizations;
    const TimeSpent timed(monitor.counters().factorization_s);
    W_ = blocks;
    for (std::size_t i = 0; i < identity_.size(); ++i) identity_[i] = W_[i].isZero(0.0) ? 1 : 0;
    return lu_.factorize(N_, W_, ones_, identity_);
  }

  /// With one step of refinement.
  bool solve(const Vector& rhs, Vector& x, Monitor& monitor) override {
    monitor.counters().back_solves += 2;
    const TimeSpent timed(monitor.counters().back_solve_s);
    x.setZero();
    residual_ = rhs;
    for (int pass = 0; pass < 2; ++pass) {
      eliminate();
      x += change_;
      if (pass > 0) break;
      multiply(x, load_);
      residual_ -= load_;
    }
    return x.allFinite();
  }

 private:
  /// change_ <- H⁻¹(residual_ − D y),  (I + W N) y = W DᵀH⁻¹ residual_.
  void eliminate() {
    problem_.mass().solve(residual_, change_);
    weigh(change_);
    lu_.solve(scaled_, impulse_);
    unpad(problem_.constraints(), impulse_, unpadded_);
    load_.noalias() = problem_.global().D * unpadded_;
    load_ = residual_ - load_;
    problem_.mass().solve(load_, change_);
  }

  /// scaled_ <- W Dᵀ v, padded.
  void weigh(const Vector& v) {
    unpadded_.noalias() = problem_.global().D.transpose() * v;
    pad(problem_.constraints(), unpadded_, scaled_);
    for (std::size_t i = 0; i < W_.size(); ++i) {
      const Vector3 own = scaled_.segment<3>(3 * static_cast<Index>(i));
      scaled_.segment<3>(3 * static_cast<Index>(i)) = W_[i] * own;
    }
  }

  /// y <- (H + D W Dᵀ) v.
  void multiply(const Vector& v, Vector& y) {
    weigh(v);
    unpad(problem_.constraints(), scaled_, unpadded_);
    y.noalias() = problem_.global().D * unpadded_;
    change_.noalias() = problem_.global().H * v;
    y += change_;
  }

  ContactProblem problem_;
  BlockMatrix N_;
  BlockLu lu_;
  std::vector<char> identity_;
  std::vector<Matrix3> ones_, W_;
  Vector scaled_, impulse_, unpadded_, change_, residual_, load_;
};

/// The part of N that D and H may lack in the contact form: with β N up to 1e4 the refinement still gains three digits a
/// step.
constexpr double negligible_defect = 1e-7;

/// The least cost of a velocity in a factorisation of the velocity form, in operations of a block LU. On Spheres-i099 (12
/// 000 velocities, 356 contacts), with hardly any fill, that factorisation took 14 ms and the contact form less than one.
constexpr double operations_per_velocity = 100.0;

/// Operations to write the velocity form, and at least to factorise it.
double velocity_operations(const ContactProblem& problem) {
  const ConstraintSet& set = problem.constraints();
  const SparseMatrix& D = problem.global().D;
  double operations = operations_per_velocity * static_cast<double>(problem.global().H.rows());
  std::vector<char> seen(static_cast<std::size_t>(D.rows()), 0);
  for (Index i = 0; i < set.count(); ++i) {
    double dofs = 0.0;
    for (const char value : {char{1}, char{0}})
      for (Index row = set.offset(i); row < set.offset(i) + set.rows(i); ++row)
        for (SparseMatrix::InnerIterator entry(D, row); entry; ++entry) {
          char& mark = seen[static_cast<std::size_t>(entry.row())];
          if (mark != value && value == 1) dofs += 1.0;
          mark = value;
        }
    operations += 2.0 * static_cast<double>(set.rows(i)) * dofs * dofs;
  }
  return operations;
}

/// A lower bound for every order of elimination. A filled graph of n_c constraints with E edges takes at least
/// 54 Σ e_i² >= 54 E²/n_c operations, e_i being the edges to constraints eliminated later. Two constraints that act on one
/// body are joined by an edge, and two on the same pair of bodies are counted twice.
double least_contact_operations(const ContactProblem& problem) {
  if (!problem.given_global()) return 0.0;
  const ConstraintSet& set = problem.constraints();
  const SparseMatrix& D = problem.global().D;
  const std::vector<int> owner = problem.mass().blocks().owner();
  std::vector<double> constraints(owner.size(), 0.0);
  std::vector<Index> last(owner.size(), -1);
  for (Index i = 0; i < set.count(); ++i)
    for (Index row = set.offset(i); row < set.offset(i) + set.rows(i); ++row)
      for (SparseMatrix::InnerIterator entry(D, row); entry; ++entry) {
        const auto body = static_cast<std::size_t>(owner[static_cast<std::size_t>(entry.row())]);
        if (last[body] != i) constraints[body] += 1.0;
        last[body] = i;
      }
  double edges = 0.0;
  for (const double k : constraints) edges += 0.25 * k * (k - 1.0);
  return 54.0 * edges * edges / static_cast<double>(set.count());
}

std::unique_ptr<ContactForm> analyse_contact_form(const ContactProblem& problem, Monitor& monitor) {
  const TimeSpent timed(monitor.counters().analysis_s);
  ++monitor.counters().analyses;
  return std::make_unique<ContactForm>(problem);
}

}  // namespace

bool has_contact_form(const ContactProblem& problem) {
  if (!problem.given_global()) return problem.clipped() <= negligible_defect;
  return problem.has_factored() && problem.global().C.nonZeros() == 0;
}

std::unique_ptr<AugmentedSystem> make_augmented_system(const ContactProblem& problem, AugmentedForm form, bool symmetric,
                                                       Monitor& monitor) {
  if (form != AugmentedForm::velocity && has_contact_form(problem) && problem.rows() > 0) {
    const double limit =
        form == AugmentedForm::contact ? std::numeric_limits<double>::infinity() : velocity_operations(problem);
    if (least_contact_operations(problem) < limit) {
      std::unique_ptr<ContactForm> contact = analyse_contact_form(problem, monitor);
      if (static_cast<double>(contact->flops()) < limit) {
        monitor.note("Newton systems in contact space");
        return contact;
      }
    }
  }
  if (!problem.given_global() && problem.clipped() > negligible_defect)
    monitor.note(fmt::format("N = LLᵀ up to {:.1e}", problem.clipped()));
  return std::make_unique<VelocityForm>(problem, symmetric, monitor);
}

}  // namespace ccp
