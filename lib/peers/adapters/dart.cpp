// DART's solvers for boxed linear complementarity problems, on N and r. Both take the matrix as dense rows and write over
// it.

#include <Eigen/Core>
// After Eigen, which they need.
#include <dart/config.hpp>
#include <dart/constraint/DantzigBoxedLcpSolver.hpp>
#include <dart/constraint/PgsBoxedLcpSolver.hpp>

#include "peers/adapters/boxes.hpp"

namespace {

/// DART pads the rows of a matrix to a multiple of four (dPAD).
int padded(int n) { return n > 1 ? (n + 3) / 4 * 4 : n; }

void dantzig(ccp::AdapterService& service) {
  ccp::BoxProblem box(service);
  std::vector<double> A = service.dense(padded(service.rows())), x = service.start;
  dart::constraint::DantzigBoxedLcpSolver solver;
  service.ready();
  service.clock_on();
  const bool solved = solver.solve(service.rows(), A.data(), x.data(), box.b.data(), 0, box.low.data(), box.high.data(),
                                   box.normal_row.data(), false);
  service.clock_off();
  service.end(1, solved ? 0 : 1, ccp::AdapterService::unknown, x);
}

/// The rows of A and b are divided by the diagonal in the first call; later ones go on with the same problem.
void projected_gauss_seidel(ccp::AdapterService& service) {
  ccp::BoxProblem box(service);
  std::vector<double> A = service.dense(padded(service.rows()));
  dart::constraint::PgsBoxedLcpSolver solver;
  service.ready();
  service.show_doubling([&](std::vector<double>& x, int sweeps) {
    // Its tolerances end it where no entry changes by more than that, so each call is told to do all its sweeps.
    solver.setOption({sweeps, 0.0, 0.0});
    const std::vector<double> before = x;
    solver.solve(service.rows(), A.data(), x.data(), box.b.data(), 0, box.low.data(), box.high.data(), box.normal_row.data(),
                 false);
    return x == before;
  });
}

}  // namespace

int main(int count, char** words) {
  return ccp::serve(count, words, "dart " DART_VERSION, [](const std::string& id, ccp::AdapterService& service) {
    if (id == "dantzig") return dantzig(service);
    if (id == "pgs") return projected_gauss_seidel(service);
    throw std::invalid_argument("DART has no solver '" + id + "'");
  });
}
