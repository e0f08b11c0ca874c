#!/usr/bin/env python3
"""Times ipm_cone against CVXOPT's coneqp on the same random contacts, to the same accuracy.

coneqp solves the primal problem min ½vᵀHv − kᵀv with S(Dᵀv + b) in Lorentz cones, S = (1, μ, μ) per contact. The accuracy is
the relative residual (D.1) of the impulses it returns, which ipm_cone then has to reach. Times are the solver clock of
ccpbench (set-up and iterations) and the time inside coneqp; the faster of the repetitions counts. Needs python3-cvxopt and
python3-h5py. Exits with 1 where ipm_cone is not FACTOR times faster.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

try:
    import cvxopt
    import cvxopt.solvers
    import h5py
    import numpy as np
except ImportError as error:
    sys.exit(f"bench_coneqp.py: {error}: install python3-cvxopt and python3-h5py, and run it with Debian's python3")


def matrix(group):
    """Row indices, column indices and values of an FCLib matrix."""
    nz, p, i, x = (np.asarray(group[name]) for name in ("nz", "p", "i", "x"))
    if nz[0] == -1:
        return i, np.repeat(np.arange(len(p) - 1), np.diff(p)), x
    if nz[0] == -2:
        return np.repeat(np.arange(len(p) - 1), np.diff(p)), i, x
    return i, p, x


def sparse(entries, shape):
    rows, columns, values = entries
    return cvxopt.spmatrix(values.tolist(), rows.tolist(), columns.tolist(), shape)


def read(path):
    with h5py.File(path) as file:
        data = file["fclib_global"]
        k, b, mu = (np.asarray(data["vectors"][name]) for name in ("f", "w", "mu"))
        return matrix(data["M"]), matrix(data["H"]), k, b, mu


def solve_coneqp(problem, tolerance, repetitions):
    """Impulses and time (s) of coneqp."""
    (mass, jacobian, k, b, mu) = problem
    n, m = len(k), len(b)
    scale = np.column_stack([np.ones(len(mu)), mu, mu]).ravel()
    rows, columns, values = jacobian
    G = sparse((columns, rows, -values * scale[columns]), (m, n))
    P = sparse(mass, (n, n))
    q, h = cvxopt.matrix((-k).tolist()), cvxopt.matrix((b * scale).tolist())
    dims = {"l": 0, "q": [3] * len(mu), "s": []}
    options = {"show_progress": False, "abstol": tolerance, "reltol": tolerance, "feastol": tolerance, "maxiters": 100}
    best, solution = float("inf"), None
    for _ in range(repetitions):
        start = time.perf_counter()
        solution = cvxopt.solvers.coneqp(P, q, G, h, dims, options=options)
        best = min(best, time.perf_counter() - start)
    return np.asarray(solution["z"]).ravel() * scale, best, solution["iterations"]


def project(p, mu):
    t = np.hypot(p[:, 1], p[:, 2])
    head = np.maximum((p[:, 0] + mu * t) / (1 + mu * mu), 0)
    outside = np.column_stack([head, *((mu * head / np.maximum(t, 1e-300))[:, None] * p[:, 1:]).T])
    return np.where((t <= mu * p[:, 0])[:, None], p, np.where((mu * t <= -p[:, 0])[:, None], 0, outside))


def relative_residual(problem, gamma):
    """(D.1), by dense algebra: H is inverted body by body through one solve."""
    (mass, jacobian, k, b, mu) = problem
    n, m = len(k), len(b)
    H, D = np.zeros((n, n)), np.zeros((n, m))
    np.add.at(H, mass[:2], mass[2])
    np.add.at(D, jacobian[:2], jacobian[2])
    response = np.linalg.solve(H, D)
    rho = 3 / np.einsum("ij,ij->j", D, response).reshape(-1, 3).sum(axis=1)

    def residual(impulse):
        u = (response.T @ k + D.T @ (response @ impulse) + b).reshape(-1, 3)
        own = impulse.reshape(-1, 3)
        return np.max(np.linalg.norm(own - project(own - rho[:, None] * u, mu), axis=1) / rho)

    return residual(gamma) / residual(np.zeros(m))


def solve_ipm_cone(program, folder, file, tolerance, repetitions):
    """Time (s) of ipm_cone to the tolerance."""
    config = {"name": "bench", "problems": [{"fclib": file}], "solvers": [{"solver": "ipm_cone"}],
              "stop": {"tolerance": tolerance, "max_iterations": 200}}
    Path(folder, "bench.json").write_text(json.dumps(config))
    best, iterations = float("inf"), 0
    for repetition in range(repetitions):
        out = Path(folder, f"out{repetition}")
        subprocess.run([program, "run", Path(folder, "bench.json"), "--fclib", folder, "--out", out], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(out / "bench" / "summary.csv", newline="", encoding="utf-8") as table:
            row = next(csv.DictReader(table))
        if row["status"] != "solved":
            sys.exit(f"bench_coneqp.py: ipm_cone ended with '{row['status']}'")
        best = min(best, float(row["setup_s"]) + float(row["solve_s"]))
        iterations = row["iterations"]
    return best, iterations


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="the ccpbench program")
    parser.add_argument("--contacts", type=int, default=1000)
    parser.add_argument("--tolerance", type=float, default=1e-9, help="of coneqp: abstol, reltol and feastol")
    parser.add_argument("--repetitions", type=int, default=2)
    parser.add_argument("--factor", type=float, default=20.0, help="how much faster ipm_cone has to be")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([options.program, "generate", "random_contacts", "--set", f"contacts={options.contacts}", "--form",
                        "global", "--no-solution", "--out", Path(folder, "contacts.hdf5")], check=True,
                       stdout=subprocess.DEVNULL)
        problem = read(Path(folder, "contacts.hdf5"))
        gamma, theirs, their_iterations = solve_coneqp(problem, options.tolerance, options.repetitions)
        accuracy = relative_residual(problem, gamma)
        ours, our_iterations = solve_ipm_cone(options.program, folder, "contacts.hdf5", accuracy, options.repetitions)
    print(f"{options.contacts} contacts to a relative residual of {accuracy:.1e}:")
    print(f"  coneqp    {theirs:9.3f} s  {their_iterations} iterations")
    print(f"  ipm_cone  {ours:9.3f} s  {our_iterations} iterations, {theirs / ours:.0f} times faster")
    return 0 if theirs >= options.factor * ours else 1


if __name__ == "__main__":
    sys.exit(main())
