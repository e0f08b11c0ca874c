/* Projected Gauss-Seidel, row by row, friction in discs. Build it: cc -O2 -o mine mine.c -lm */
#include <math.h>

#include "ccpbench_solver.h"

static const char *description =
    "{\"name\": \"mine\", \"title\": \"Projected Gauss-Seidel\", \"models\": [\"ncp\"], \"constraints\": [\"contact\"],"
    " \"settings\": [{\"name\": \"omega\", \"default\": 1.0, \"above\": 0, \"below\": 2, \"meaning\": \"relaxation\"}]}";

/* Row `row` of N gamma + r, and the entry of N on the diagonal. */
static double velocity(const ccpbench_problem *problem, const double *gamma, int row, double *diagonal) {
  double u = problem->r[row];
  for (int k = problem->N.row_start[row]; k < problem->N.row_start[row + 1]; ++k) {
    u += problem->N.value[k] * gamma[problem->N.column[k]];
    if (problem->N.column[k] == row) *diagonal = problem->N.value[k];
  }
  return u;
}

int main(void) {
  const ccpbench_problem problem = ccpbench_open(description, 0);
  const double omega = problem.settings[0];
  double *gamma = problem.start;
  for (int64_t done = 0;; ++done) {
    ccpbench_show(gamma, done, NAN, 0, NULL); /* the process ends here when it is good enough */
    for (int i = 0; i < problem.constraints; ++i) {
      double *x = gamma + 3 * i, n = 0.0, s = 0.0, t = 0.0;
      const double u_n = velocity(&problem, gamma, 3 * i, &n);
      x[0] = fmax(x[0] - omega / n * u_n, 0.0);
      const double u_s = velocity(&problem, gamma, 3 * i + 1, &s), u_t = velocity(&problem, gamma, 3 * i + 2, &t);
      x[1] -= omega / (s + t) * u_s;
      x[2] -= omega / (s + t) * u_t;
      const double slip = hypot(x[1], x[2]), limit = problem.mu[i] * x[0];
      if (slip > limit) {
        x[1] *= limit / slip;
        x[2] *= limit / slip;
      }
    }
  }
}
