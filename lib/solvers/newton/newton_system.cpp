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

/// How much dearer a velocity system is than its operations say: contacts that separate drop out of a contact system, and
/// its solutions need no refinement. Measured on random contacts: with equal operations it took 3.9 times as long.
constexpr double velocity_overhead = 3.9;

}  // namespace

std::unique_ptr<NewtonSystem> make_newton_system(const ContactProblem& problem, NewtonForm form) {
  if (form == NewtonForm::velocity_space) return make_velocity_system(problem);
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
