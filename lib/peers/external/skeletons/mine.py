import numpy as np


def solve(problem, settings, report):
    """Projected Gauss–Seidel, row by row, friction in discs."""
    N, r, gamma = problem.N.toarray(), problem.r, problem.start.copy()
    while report(gamma):  # shows an iterate; the process ends here when it is good enough
        for rows, mu in zip(problem.blocks, problem.mu):
            n, t = rows.start, slice(rows.start + 1, rows.stop)  # normal, tangents
            gamma[n] = max(gamma[n] - settings.omega / N[n, n] * (N[n] @ gamma + r[n]), 0.0)
            gamma[t] -= settings.omega / np.trace(N[rows, rows]) * (N[t] @ gamma + r[t])
            slip, limit = np.linalg.norm(gamma[t]), mu * gamma[n]
            if slip > limit:
                gamma[t] *= limit / slip


solve.models = ["ncp"]
solve.constraints = ["contact", "contact2d", "unilateral"]  # all but bilateral
solve.settings = {"omega": {"default": 1.0, "above": 0, "below": 2, "meaning": "relaxation"}}
