// Simbody's impulse solvers, on N and r. Both take a dense matrix and start from zero; impulses that push are negative
// there. r is the velocity at the start of an impact (verrStart). PLUS follows the slip from there in intervals, in each of
// which friction opposes the slip at its start: where the slip turns or reverses its law is not (A.5), which has the slip at
// the end.

#include <simbody/internal/PGSImpulseSolver.h>
#include <simbody/internal/PLUSImpulseSolver.h>

#include <iostream>
#include <memory>

#include "peers/adapters/service.hpp"

namespace {

using SimTK::MultiplierIndex;

/// m/s; slower than this is rolling at the start of an interval.
constexpr double slip_speed = 1e-2;

class SimbodyProblem {
 public:
  explicit SimbodyProblem(const ccp::AdapterService& service)
      : m_(service.rows()), A_(m_, m_, 0.0), none_(m_, 0.0), r_(m_, 0.0) {
    service.for_entries([&](int row, int column, double value) { A_(row, column) = value; });
    for (int i = 0; i < m_; ++i) {
      r_[i] = service.r[static_cast<std::size_t>(i)];
      all_.push_back(MultiplierIndex(i));
    }
    for (int i = 0; i < service.contacts; ++i) {
      SimTK::ImpulseSolver::UniContactRT contact;
      contact.m_ucx = SimTK::UnilateralContactIndex(i);
      contact.m_Nk = MultiplierIndex(3 * i);
      contact.m_Fk.push_back(MultiplierIndex(3 * i + 1));
      contact.m_Fk.push_back(MultiplierIndex(3 * i + 2));
      contact.m_sign = 1;
      contact.m_type = SimTK::ImpulseSolver::Participating;
      contact.m_effCOR = 0;
      contact.m_effMu = service.friction[static_cast<std::size_t>(i)];
      contact.m_slipVel = SimTK::Vec2(0.0);
      contact.m_slipMag = 0.0;
      contacts_.push_back(contact);
    }
  }

  /// True when the solver calls it converged.
  bool solve(const SimTK::ImpulseSolver& solver, ccp::AdapterService& service, std::vector<double>& reaction) const {
    SimTK::Vector expand(none_), start(r_), applied, pi(none_);
    SimTK::Array_<SimTK::ImpulseSolver::UniContactRT> contacts(contacts_);
    SimTK::Array_<SimTK::ImpulseSolver::UncondRT> unconditional;
    SimTK::Array_<SimTK::ImpulseSolver::UniSpeedRT> speeds;
    SimTK::Array_<SimTK::ImpulseSolver::BoundedRT> bounded;
    SimTK::Array_<SimTK::ImpulseSolver::ConstraintLtdFrictionRT> constraint_limited;
    SimTK::Array_<SimTK::ImpulseSolver::StateLtdFrictionRT> state_limited;
    const SimTK::Array_<MultiplierIndex> expanding;
    service.clock_on();
    const bool converged = solver.solve(0, all_, A_, none_, expanding, expand, start, applied, pi, unconditional, contacts,
                                        speeds, bounded, constraint_limited, state_limited);
    service.clock_off();
    for (int i = 0; i < m_; ++i) reaction[static_cast<std::size_t>(i)] = -pi[i];
    return converged;
  }

 private:
  int m_;
  SimTK::Matrix A_;
  SimTK::Vector none_, r_;
  SimTK::Array_<MultiplierIndex> all_;
  SimTK::Array_<SimTK::ImpulseSolver::UniContactRT> contacts_;
};

/// PGS shows no iterates and starts from zero: runs at 1e-1, 1e-2, …, each from the start.
void projected_gauss_seidel(ccp::AdapterService& service) {
  const SimbodyProblem problem(service);
  SimTK::PGSImpulseSolver solver(slip_speed);
  solver.setMaxIterations(static_cast<int>(std::min<std::int64_t>(service.max_iterations, 1 << 30)));
  std::vector<double> reaction = service.start;
  service.ready(true);
  for (double tolerance = 1e-1;; tolerance *= 0.1) {
    tolerance = std::max(tolerance, service.tolerance);
    solver.setConvergenceTol(tolerance);
    service.clock_reset();
    const bool converged = problem.solve(solver, service, reaction);
    if (!converged || tolerance <= service.tolerance)
      return service.end(0, converged ? 0 : 1, ccp::AdapterService::unknown, reaction);
    service.show(0, ccp::AdapterService::unknown, reaction);
  }
}

void plus(ccp::AdapterService& service) {
  const SimbodyProblem problem(service);
  SimTK::PLUSImpulseSolver solver(slip_speed);
  solver.setConvergenceTol(service.tolerance);
  std::vector<double> reaction = service.start;
  service.ready();
  problem.solve(solver, service, reaction);  // what it returns is no verdict: it is always false
  service.end(1, 0, ccp::AdapterService::unknown, reaction);
}

}  // namespace

int main(int count, char** words) {
  // Debian's library is built for debugging: its solvers print every matrix. The stream refuses what they say before it is
  // made into text, and what reaches standard output goes nowhere.
  if (count > 1 && std::string(words[1]) == "solve") {
    std::cout.setstate(std::ios::badbit);
    if (std::freopen("/dev/null", "w", stdout) == nullptr) return 1;
  }
  int major = 0, minor = 0, build = 0;
  SimTK_version_simbody(&major, &minor, &build);
  const std::string version = "simbody " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(build);
  return ccp::serve(count, words, version, [](const std::string& id, ccp::AdapterService& service) {
    if (id == "pgs") return projected_gauss_seidel(service);
    if (id == "plus") return plus(service);
    throw std::invalid_argument("Simbody has no solver '" + id + "'");
  });
}
