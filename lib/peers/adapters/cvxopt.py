"""Runs coneqp of CVXOPT on the convex problem; follows service.py in the program that is started.

coneqp solves min ½xᵀPx + qᵀx with s = h − Gx in a product of Lorentz cones. Of a problem in global form it gets the primal
program, min ½vᵀHv − kᵀv with the velocities S(Dᵀv + b) in the cones, S = (1, μ, μ) per contact, whose multipliers are S⁻¹γ. Of a
problem in local form it gets the dual one, min ½γᵀNγ + rᵀγ with (μγ_n, γ_T) in the cones.
"""


class CvxoptService(Service):
    libraries, observable = ("cvxopt", "blas", "lapack", "gfortran"), False

    def prepare(self):
        from cvxopt import matrix, solvers, spmatrix

        np = self.numpy
        self.solvers, size = solvers, 3 * self.contacts

        def sparse(rows, columns, values, shape):
            return spmatrix(values.tolist(), rows.tolist(), columns.tolist(), shape)

        def column(values):
            return matrix(values.tolist(), (len(values), 1), "d")

        ones = np.ones(self.contacts)
        if self.velocities:
            self.scale = np.column_stack([ones, self.mu, self.mu]).ravel()
            mass, jacobian = self.problem.H, self.problem.D
            P = sparse(mass.rows(), mass.indices, mass.data, mass.shape)
            G = sparse(jacobian.indices, jacobian.rows(), -jacobian.data * self.scale[jacobian.indices],
                       (size, self.velocities))
            q, h = column(-self.problem.k), column(self.q * self.scale)
        else:
            self.scale = None
            N = self.problem.N
            P = sparse(N.rows(), N.indices, N.data, N.shape)
            diagonal = np.arange(size)
            G = sparse(diagonal, diagonal, -np.column_stack([self.mu, ones, ones]).ravel(), (size, size))
            q, h = column(self.q), column(np.zeros(size))
        self.program = (P, q, G, h, {"l": 0, "q": [3] * self.contacts, "s": []})

    def run_from_start(self, tolerance):
        options = {"show_progress": False, "abstol": tolerance, "reltol": tolerance, "feastol": tolerance,
                   "maxiters": min(self.max_iterations, 10000)}
        solution, seconds = self.timed(lambda: self.solvers.coneqp(*self.program, options=options))
        np = self.numpy
        gamma = np.ravel(solution["z"]) * self.scale if self.velocities else np.ravel(solution["x"])
        return 0 if solution["status"] == "optimal" else 1, solution["iterations"], float(solution["gap"]), seconds, gamma

    def solve(self):
        self.repeated_runs(self.run_from_start)


def cvxopt_version():
    import cvxopt
    import cvxopt.solvers  # noqa: F401
    import numpy  # noqa: F401

    return f"cvxopt {cvxopt.__version__}"


main(CvxoptService, cvxopt_version, sys.argv[1:])
