#include "solvers/proximal_newton/newton_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "linalg/block/block_lu.hpp"
#include "linalg/block/frontal_lu.hpp"
#include "problem/block_scale.hpp"

namespace ccp {
namespace {

/// J itself, on the graph of the contacts. There are two kinds of LU: one is faster with little fill, the other with much.
class ContactSystem : public NewtonSystem {
 public:
  ContactSystem(const ContactProblem& problem, BlockMatrix N, const BlockOrdering& ordering)
      : blocks_(problem.constraints().narrow()), N_(std::move(N)), flops_(ordering.flops), ordering_(ordering.name) {}

  void multiply(const Vector& x, Vector& y) override { N_.multiply(x, y); }
  Vector mean_diagonal() const override {
    return block_means(blocks_, [this](Index i) { return N_.diagonal_block(i).trace(); });
  }
  const BlockMatrix* contact_matrix() const override { return &N_; }
  std::int64_t flops() const override { return flops_; }
  bool factorize_rolling(const std::vector<Matrix3>& G, const std::vector<Matrix3>& E, const std::vector<char>& identity,
                         const std::vector<RollingCoupling>& couplings) override {
    form_rolling(G, E, couplings);
    return factorize(ones_, zeros_, identity);
  }

 protected:
  /// What factorize() takes rows of: N, or J itself where contacts have moments, G then being one and E zero.
  const BlockMatrix& matrix() const { return J_.block.empty() ? N_ : J_; }
  std::string named(const char* elimination) const { return fmt::format("contact space, {}, {}", ordering_, elimination); }

 private:
  /// J = G N + E; blocks of a contact have the same pattern in N.
  void form_rolling(const std::vector<Matrix3>& G, const std::vector<Matrix3>& E,
                    const std::vector<RollingCoupling>& couplings) {
    if (J_.block.empty()) {
      J_ = N_;
      ones_.assign(G.size(), Matrix3::Identity());
      zeros_.assign(G.size(), Matrix3::Zero());
    }
    for (std::size_t i = 0; i < G.size(); ++i) {
      for (auto p = uz(N_.row_start[i]); p < uz(N_.row_start[i + 1]); ++p) J_.block[p].noalias() = G[i] * N_.block[p];
      J_.block[uz(J_.diagonal[i])] += E[i];
    }
    for (const RollingCoupling& coupling : couplings) {
      const auto a = uz(N_.row_start[coupling.first]), b = uz(N_.row_start[coupling.first + 1]);
      for (std::size_t k = 0; k < b - a; ++k) {
        J_.block[a + k].noalias() += coupling.scale_by_last * N_.block[b + k];
        J_.block[b + k].noalias() += coupling.scale_by_first * N_.block[a + k];
      }
      // The other block of the contact is the next one of the row, or the one before.
      J_.block[uz(J_.diagonal[coupling.first]) + 1] += coupling.diagonal_by_last;
      J_.block[uz(J_.diagonal[coupling.first + 1]) - 1] += coupling.diagonal_by_first;
    }
  }

  ConstraintSet blocks_;
  BlockMatrix N_, J_;  ///< J_: empty without moments
  std::vector<Matrix3> ones_, zeros_;
  std::int64_t flops_;
  const char* ordering_;
};

/// Block by block.
class SparseContactSystem final : public ContactSystem {
 public:
  SparseContactSystem(const ContactProblem& problem, BlockMatrix N, BlockOrdering ordering)
      : ContactSystem(problem, std::move(N), ordering), lu_(std::move(ordering)) {}

  bool factorize(const std::vector<Matrix3>& G, const std::vector<Matrix3>& E, const std::vector<char>& identity) override {
    return lu_.factorize(matrix(), G, E, identity);
  }
  void solve(const Vector& rhs, Vector& x) override { lu_.solve(rhs, x); }
  std::size_t bytes() const override { return lu_.bytes(); }
  std::string name() const override { return named("blocks"); }

 private:
  BlockLu lu_;
};

/// In dense fronts.
class FrontalContactSystem final : public ContactSystem {
 public:
  FrontalContactSystem(const ContactProblem& problem, BlockMatrix N, const BlockOrdering& ordering)
      : ContactSystem(problem, std::move(N), ordering), lu_(matrix(), ordering) {
    for (Vector* vector : {&known_, &known_velocity_}) vector->setZero(3 * matrix().rows());
  }

  bool factorize(const std::vector<Matrix3>& G, const std::vector<Matrix3>& E, const std::vector<char>& identity) override {
    G_ = &G;
    identity_ = &identity;
    return lu_.factorize(matrix(), G, E, identity);
  }
  /// The unknowns of identity rows are known: they move to the right-hand side of the other rows.
  void solve(const Vector& rhs, Vector& x) override {
    x = rhs;
    if (std::find(identity_->begin(), identity_->end(), 1) != identity_->end()) {
      for (std::size_t i = 0; i < identity_->size(); ++i) {
        const auto at = 3 * static_cast<Index>(i);
        known_.segment<3>(at) = (*identity_)[i] != 0 ? Vector3(rhs.segment<3>(at)) : Vector3(Vector3::Zero());
      }
      matrix().multiply(known_, known_velocity_);
      for (std::size_t i = 0; i < identity_->size(); ++i) {
        const auto at = 3 * static_cast<Index>(i);
        if ((*identity_)[i] == 0) x.segment<3>(at).noalias() -= (*G_)[i] * known_velocity_.segment<3>(at);
      }
    }
    lu_.solve(x, x);
  }
  std::size_t bytes() const override { return lu_.bytes(); }
  std::string name() const override { return named("fronts"); }

 private:
  FrontalLu lu_;
  const std::vector<Matrix3>* G_ = nullptr;
  const std::vector<char>* identity_ = nullptr;
  Vector known_, known_velocity_;  ///< of identity rows, and N times that
};

/// From this number of operations on, LU in fronts is faster than LU block by block.
constexpr std::int64_t worth_fronts = 3'000'000;

std::unique_ptr<NewtonSystem> make_contact_system(const ContactProblem& problem) {
  const ConstraintSet& constraints = problem.constraints();
  // By whole contacts, so that both blocks of one with moments have the same pattern.
  BlockMatrix N = constraints.has_moments() ? block_matrix(constraints.narrow(), problem.assembled().to_sparse())
                                            : block_matrix(constraints, problem.local().N);
  BlockOrdering ordering = quick_ordering(N);
  if (ordering.flops < worth_fronts)
    return std::make_unique<SparseContactSystem>(problem, std::move(N), std::move(ordering));
  return std::make_unique<FrontalContactSystem>(problem, std::move(N), ordering);
}

/// Below this number of operations all factorisations of a run take less time than the analysis of a second form.
constexpr std::int64_t cheap_factorization = 5'000'000;

/// Beyond this number of rows, and with fewer velocities than rows, the contact form is not analysed: the analysis takes
/// longer than several factorisations, and on all packings of that size the velocity form was cheaper. In the plane it is
/// not: with 3.5 contacts a body it took 0.6 of the time of the velocity form (2000 and 12 000 contacts).
constexpr Index many_rows = 3000;

/// A velocity system costs this much more than its operations say: contacts that separate drop out of a contact system, and
/// its solutions need no refinement. Measured time of a contact system over that of a velocity system: 1.0 and 0.8 with 1.4
/// and 1.7 times the operations (disordered packings of 1000 and 4700 contacts), 0.35 to 0.6 with 1.3 to 1.6 times (300 to
/// 2000 random contacts), 3.6 with 5.1 times (a packing in layers).
constexpr double velocity_overhead = 1.5;

}  // namespace

bool NewtonSystem::factorize_rolling(const std::vector<Matrix3>&, const std::vector<Matrix3>&, const std::vector<char>&,
                                     const std::vector<RollingCoupling>&) {
  throw std::logic_error("only systems in contact space take contacts with moments");
}

std::unique_ptr<NewtonSystem> make_newton_system(const ContactProblem& problem, NewtonSpace space) {
  if (problem.constraints().has_moments()) return make_contact_system(problem);
  const bool planar = problem.constraints().count(ConstraintKind::contact2d) == problem.constraints().count();
  const bool large = problem.has_factored() && problem.rows() > many_rows && problem.dofs() < problem.rows() && !planar;
  if (space == NewtonSpace::velocities || (space == NewtonSpace::automatic && large)) return make_velocity_system(problem);
  auto contact = make_contact_system(problem);
  if (space == NewtonSpace::contacts || !problem.has_factored() || contact->flops() < cheap_factorization) return contact;
  auto velocity = make_velocity_system(problem);
  if (velocity_overhead * static_cast<double>(velocity->flops()) < static_cast<double>(contact->flops())) return velocity;
  return contact;
}

std::string describe(const NewtonSystem& system) {
  return fmt::format("Newton systems in {}: {:.3g} Mflop and {:.3g} MB a factorisation", system.name(),
                     1e-6 * static_cast<double>(system.flops()), 1e-6 * static_cast<double>(system.bytes()));
}

}  // namespace ccp
