// Bullet's solvers for mixed linear complementarity problems, in double precision, on N and r. Its Lemke solver takes no
// bounds that depend on other impulses, and its sequential impulses take bodies, not matrices: they are left out.

#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btSolveProjectedGaussSeidel.h>

#include "peers/adapters/boxes.hpp"

namespace {

struct BulletProblem {
  btMatrixXu A;
  btVectorXu b, low, high;
  btAlignedObjectArray<int> normal_row;

  explicit BulletProblem(const ccp::AdapterService& service) : A(service.rows(), service.rows()) {
    const ccp::BoxProblem box(service);
    A.setZero();
    service.for_entries([&](int row, int column, double value) { A.setElem(row, column, value); });
    b = vector(box.b);
    low = vector(box.low);
    high = vector(box.high);
    for (const int row : box.normal_row) normal_row.push_back(row);
  }

  static btVectorXu vector(const std::vector<double>& values) {
    btVectorXu copy(static_cast<int>(values.size()));
    for (int i = 0; i < copy.size(); ++i) copy[i] = values[static_cast<std::size_t>(i)];
    return copy;
  }
};

std::vector<double> values(const btVectorXu& vector) {
  return {vector.getBufferPointer(), vector.getBufferPointer() + vector.size()};
}

void dantzig(ccp::AdapterService& service) {
  const BulletProblem problem(service);
  btVectorXu x = BulletProblem::vector(service.start);
  btDantzigSolver solver;
  service.ready();
  service.clock_on();
  const bool solved = solver.solveMLCP(problem.A, problem.b, x, problem.low, problem.high, problem.normal_row, 1);
  service.clock_off();
  service.end(1, solved ? 0 : 1, ccp::AdapterService::unknown, values(x));
}

void projected_gauss_seidel(ccp::AdapterService& service) {
  const BulletProblem problem(service);
  btSolveProjectedGaussSeidel solver;
  service.ready();
  service.show_doubling([&](std::vector<double>& reaction, int sweeps) {
    btVectorXu x = BulletProblem::vector(reaction);
    solver.solveMLCP(problem.A, problem.b, x, problem.low, problem.high, problem.normal_row, sweeps);
    reaction = values(x);
    return solver.m_leastSquaresResidual <= service.tolerance * service.tolerance;
  });
}

}  // namespace

int main(int count, char** words) {
  const std::string version = "bullet " + std::to_string(btGetVersion() / 100) + "." + std::to_string(btGetVersion() % 100);
  return ccp::serve(count, words, version, [](const std::string& id, ccp::AdapterService& service) {
    if (id == "dantzig") return dantzig(service);
    if (id == "pgs") return projected_gauss_seidel(service);
    throw std::invalid_argument("Bullet has no solver '" + id + "'");
  });
}
