#include "solvers/newton/newton_system.hpp"

#include <fmt/format.h>

#include "linalg/block_lu.hpp"
#include "solvers/newton/velocity_system.hpp"

namespace ccp {
namespace {

/// J as it is, on the graph of the contacts.
class ContactSystem final : public NewtonSystem {
 public:
  explicit ContactSystem(const ContactProblem& problem)
      : constraints_(problem.constraints()), N_(block_matrix(problem.constraints(), problem.local().N)), lu_(N_) {}

  void multiply(const Vector& x, Vector& y) override { N_.multiply(x, y); }
  Vector mean_diagonal() const override {
    Vector mean(constraints_.count());
    for (Index i = 0; i < mean.size(); ++i) {
      const double trace = N_.block[static_cast<std::size_t>(N_.diagonal[static_cast<std::size_t>(i)])].trace();
      mean[i] = trace > 0.0 ? trace / static_cast<double>(constraints_.rows(i)) : 1.0;
    }
    return mean;
  }
  bool factorize(const std::vector<Matrix3>& G, const std::vector<Matrix3>& E, const std::vector<char>& identity) override {
    return lu_.factorize(N_, G, E, identity);
  }
  void solve(const Vector& rhs, Vector& x) override { lu_.solve(rhs, x); }
  std::int64_t flops() const override { return lu_.flops(); }
  std::size_t bytes() const override { return lu_.bytes(); }
  std::string name() const override { return fmt::format("contact space, {}", lu_.ordering()); }

 private:
  ConstraintSet constraints_;
  BlockMatrix N_;
  BlockLu lu_;
};

/// Below this number of operations all factorisations of a run take less time than the analysis of a second form would.
constexpr std::int64_t cheap_factorization = 5'000'000;

/// Beyond this number of rows the impulses are not analysed where the velocities are fewer: that takes longer than several
/// factorisations, and on all packings of that size the velocities were cheaper.
constexpr Index many_rows = 3000;

/// How much dearer a velocity system is than its operations say: its LU does them faster, but contacts that separate drop
/// out of a contact system, and its solutions need no refinement. Measured: with equal operations it took 0.7 and 0.9 times
/// as long on disordered packings of 700 and 1000 contacts, 1.9 and 2.1 times on 600 and 900 random contacts.
constexpr double velocity_overhead = 1.5;

}  // namespace

std::unique_ptr<NewtonSystem> make_newton_system(const ContactProblem& problem, NewtonForm form) {
  const bool large = problem.has_factored() && problem.rows() > many_rows && problem.dofs() < problem.rows();
  if (form == NewtonForm::velocity_space || (form == NewtonForm::automatic && large)) return make_velocity_system(problem);
  auto contact = std::make_unique<ContactSystem>(problem);
  if (form == NewtonForm::contact_space || !problem.has_factored() || contact->flops() < cheap_factorization) return contact;
  auto velocity = make_velocity_system(problem);
  if (velocity_overhead * static_cast<double>(velocity->flops()) < static_cast<double>(contact->flops())) return velocity;
  return contact;
}

std::string describe(const NewtonSystem& system) {
  return fmt::format("Newton systems in {}: {:.3g} Mflop and {:.3g} MB a factorisation", system.name(),
                     1e-6 * static_cast<double>(system.flops()), 1e-6 * static_cast<double>(system.bytes()));
}

}  // namespace ccp
