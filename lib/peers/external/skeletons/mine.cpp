// Projected Gauss–Seidel, row by row, friction in discs. Build it: c++ -O2 -o mine mine.cpp
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "ccpbench_solver.h"

constexpr const char* description = R"({
  "name": "mine", "title": "Projected Gauss–Seidel", "models": ["ncp"], "constraints": ["contact"],
  "settings": [{"name": "omega", "default": 1.0, "above": 0, "below": 2, "meaning": "relaxation"}]
})";

/// Row `row` of N γ + r, and the entry of N on the diagonal.
std::pair<double, double> velocity(const ccpbench_problem& problem, const std::vector<double>& gamma, int row) {
  double u = problem.r[row], diagonal = 0.0;
  for (int k = problem.N.row_start[row]; k < problem.N.row_start[row + 1]; ++k) {
    u += problem.N.value[k] * gamma[problem.N.column[k]];
    if (problem.N.column[k] == row) diagonal = problem.N.value[k];
  }
  return {u, diagonal};
}

int main() {
  const ccpbench_problem problem = ccpbench_open(description, 0);
  const double omega = problem.settings[0];
  std::vector<double> gamma(problem.start, problem.start + problem.rows);
  for (std::int64_t done = 0;; ++done) {
    ccpbench_show(gamma.data(), done, NAN, 0, nullptr);  // the process ends here when it is good enough
    for (int row = 0; row < problem.rows; row += 3) {
      double* x = &gamma[row];
      const auto [u_n, n] = velocity(problem, gamma, row);
      x[0] = std::max(x[0] - omega / n * u_n, 0.0);
      const auto [u_s, s] = velocity(problem, gamma, row + 1);
      const auto [u_t, t] = velocity(problem, gamma, row + 2);
      x[1] -= omega / (s + t) * u_s;
      x[2] -= omega / (s + t) * u_t;
      const double slip = std::hypot(x[1], x[2]), limit = problem.mu[row / 3] * x[0];
      for (int j = 1; j < 3 && slip > limit; ++j) x[j] *= limit / slip;
    }
  }
}
