#include "solvers/augmented_lagrangian/augmented_system.hpp"

#include <algorithm>
#include <limits>

#include "core/stopwatch.hpp"
#include "linalg/block/block_lu.hpp"
#include "linalg/linear_solver.hpp"
#include "solvers/shared/jacobian_blocks.hpp"
#include "solvers/shared/linear_work.hpp"

namespace ccp {
namespace {

/// H + D W Dᵀ itself (I.3).
template <int Rows>
class VelocityForm final : public AugmentedSystem<Rows> {
 public:
  using typename AugmentedSystem<Rows>::Square;

  VelocityForm(const ContactProblem& problem, bool symmetric, Monitor& monitor)
      : D_(jacobian_blocks<Rows>(problem.constraints(), problem.global().D)),
        users_(uz(problem.global().H.rows())),
        matrix_(eliminated_pattern(problem.global().H, D_, symmetric)),
        mass_(Eigen::Map<const Vector>(matrix_.valuePtr(), matrix_.nonZeros())),
        column_(Vector::Zero(matrix_.cols())),
        solver_(analysed_solver("auto", symmetric ? MatrixKind::spd : MatrixKind::unsymmetric, matrix_, monitor, 1)) {
    for (std::size_t i = 0; i + 1 < D_.first.size(); ++i)
      for (std::size_t k = D_.first[i]; k < D_.first[i + 1]; ++k) users_[uz(D_.dof[k])].push_back({i, k});
  }

  bool factorize(const std::vector<Square>& blocks, Monitor& monitor) override {
    for (int j = 0; j < matrix_.outerSize(); ++j) write_column(j, blocks);
    const LinearWork counted(*solver_, monitor.counters());
    return solver_->factorize(matrix_) == LinearStatus::ok;
  }

  bool solve(const Vector& rhs, Vector& x, Monitor& monitor) override {
    const LinearWork counted(*solver_, monitor.counters());
    return solver_->solve(rhs, x) == LinearStatus::ok;
  }

 private:
  /// A constraint that acts on a velocity, and where that is in D_.
  struct User {
    std::size_t constraint, place;
  };

  /// Through a dense column: with D from N a constraint may act on all velocities.
  void write_column(int j, const std::vector<Square>& blocks) {
    const auto& users = users_[uz(j)];
    for (const auto& [i, own] : users) {
      if (blocks[i].isZero(0.0)) continue;
      const BlockVector<Rows> weighted = blocks[i] * D_.row[own];
      for (std::size_t k = D_.first[i]; k < D_.first[i + 1]; ++k) column_[D_.dof[k]] += D_.row[k].dot(weighted);
    }
    for (int p = matrix_.outerIndexPtr()[j]; p < matrix_.outerIndexPtr()[j + 1]; ++p)
      matrix_.valuePtr()[p] = mass_[p] + column_[matrix_.innerIndexPtr()[p]];
    for (const auto& [i, own] : users)
      for (std::size_t k = D_.first[i]; k < D_.first[i + 1]; ++k) column_[D_.dof[k]] = 0.0;
  }

  PaddedJacobian<Rows> D_;
  std::vector<std::vector<User>> users_;  ///< of each velocity
  SparseMatrix matrix_;                   ///< n×n; the lower triangle when symmetric
  Vector mass_;                           ///< values of H in the pattern of the matrix
  Vector column_;                         ///< one dense column at work, zero between uses
  std::unique_ptr<LinearSolver> solver_;
};

/// (I.6): only constraints that carry something take part, and what is eliminated is as sparse as N.
class ContactForm final : public AugmentedSystem<3> {
 public:
  explicit ContactForm(const ContactProblem& problem)
      : problem_(problem),
        N_(block_matrix(problem.constraints(), problem.symmetrised().local().N)),
        lu_(N_),
        identity_(uz(problem.constraints().count()), 0),
        ones_(identity_.size(), Matrix3::Identity()),
        W_(identity_.size(), Matrix3::Zero()) {
    for (Vector* vector : {&scaled_, &impulse_}) vector->setZero(3 * problem.constraints().count());
    unpadded_.setZero(problem.rows());
    for (Vector* vector : {&change_, &residual_, &load_}) vector->setZero(problem.global().H.rows());
  }

  std::int64_t flops() const { return lu_.flops(); }

  bool factorize(const std::vector<Matrix3>& blocks, Monitor& monitor) override {
    ++monitor.counters().factorizations;
    monitor.counters().flops += static_cast<double>(lu_.flops());
    const TimeSpent timed(monitor.counters().factorization_s);
    W_ = blocks;
    for (std::size_t i = 0; i < identity_.size(); ++i) identity_[i] = W_[i].isZero(0.0) ? 1 : 0;
    return lu_.factorize(N_, W_, ones_, identity_);
  }

  /// With one step of refinement.
  bool solve(const Vector& rhs, Vector& x, Monitor& monitor) override {
    monitor.counters().back_solves += 2;
    monitor.counters().flops += 2.0 * lu_.solve_flops();
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
  const JacobianBlocks D = jacobian_blocks(set, problem.global().D);
  double operations = operations_per_velocity * static_cast<double>(problem.global().H.rows());
  for (Index i = 0; i < set.count(); ++i) {
    const auto dofs = static_cast<double>(D.size(uz(i)));
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
        const auto body = uz(owner[uz(entry.row())]);
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
  if (problem.constraints().has_moments()) return false;
  if (!problem.given_global()) return problem.clipped() <= negligible_defect;
  return problem.has_factored() && problem.global().C.nonZeros() == 0;
}

template <int Rows>
std::unique_ptr<AugmentedSystem<Rows>> make_augmented_system(const ContactProblem& problem, AugmentedForm form,
                                                             bool symmetric, Monitor& monitor) {
  if constexpr (Rows == 3) {
    if (form != AugmentedForm::velocity && has_contact_form(problem) && problem.rows() > 0) {
      const double limit =
          form == AugmentedForm::contact ? std::numeric_limits<double>::infinity() : velocity_operations(problem);
      if (least_contact_operations(problem) < limit) {
        std::unique_ptr<ContactForm> contact = analyse_contact_form(problem, monitor);
        if (static_cast<double>(contact->flops()) < limit) {
          monitor.note([] { return "Newton systems in contact space"; });
          return contact;
        }
      }
    }
  }
  note_clipped(problem, monitor, negligible_defect);
  return std::make_unique<VelocityForm<Rows>>(problem, symmetric, monitor);
}
template std::unique_ptr<AugmentedSystem<3>> make_augmented_system(const ContactProblem&, AugmentedForm, bool, Monitor&);
template std::unique_ptr<AugmentedSystem<most_rows>> make_augmented_system(const ContactProblem&, AugmentedForm, bool,
                                                                           Monitor&);

}  // namespace ccp
