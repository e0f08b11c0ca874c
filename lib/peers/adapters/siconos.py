"""Runs one solver of Siconos; follows service.py in the program that is started."""

import tempfile

# Solvers that show their iterates. The others are run from the start point again and again, at tightening tolerances.
OBSERVABLE = {"NSGS", "PROX", "TFP", "PFP", "ACLMFP", "DSFP", "HP", "SOCLCP", "NSN_AC", "NSN_FB", "NSN_NM"}

OBSERVE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_double,
                           ctypes.c_void_p)


class Callback(ctypes.Structure):
    """struct Callback of SolverOptions.h."""

    _fields_ = [("environment", ctypes.c_void_p), ("observe", OBSERVE)]


def sbm_text(contacts, row_start, column, blocks, q, mu):
    """The problem in the text format of frictionContact_new_from_filename, with W by 3×3 blocks."""
    def numbers(values):
        return " ".join(map(repr, values.tolist())) + "\n"

    rows = " ".join(str(3 * (i + 1)) for i in range(contacts)) + "\n"
    yield f"3\n{contacts}\n1\n{3 * contacts} {3 * contacts}\n{len(column)}\n{contacts} {contacts}\n{rows}{rows}"
    yield f"{contacts + 1} {len(column)}\n" + numbers(row_start) + numbers(column)
    for k, block in enumerate(blocks.reshape(-1, 9)):
        yield f"{k}\n" + numbers(block)
    yield numbers(q)
    yield numbers(mu)


def blocks_of(np, N):
    """The start of each row of 3×3 blocks, their columns, and their entries, 9 each by columns."""
    row_start = N.indptr[::3] // 9
    row = N.rows()
    place = np.arange(len(row)) - N.indptr[row]  # in its row
    blocks = np.empty(len(row))
    blocks[9 * (row_start[row // 3] + place // 3) + 3 * (place % 3) + row % 3] = N.data
    return row_start, N.indices[(row % 3 == 0) & (place % 3 == 0)] // 3, blocks


class SiconosService(Service):
    libraries = ("siconos", "blas", "lapack", "mumps", "gfortran")

    def __init__(self, name, settings):
        super().__init__(name, settings)
        import siconos.numerics

        self.siconos, self.observable = siconos.numerics, name in OBSERVABLE

    def prepare(self):
        np = self.numpy
        self.warm_up()
        self.reaction, self.velocity = self.start.copy(), np.zeros(3 * self.contacts)
        self.read_in = self.read(sbm_text(self.contacts, *blocks_of(np, self.problem.N), self.q, self.mu))
        # Siconos reads on where a file is wrong; this says so.
        if not (np.array_equal(np.ravel(self.read_in.q), self.q) and np.array_equal(np.ravel(self.read_in.mu), self.mu)):
            raise RuntimeError("Siconos did not read the problem as it was written")

    def read(self, text):
        with tempfile.NamedTemporaryFile("w", prefix="ccpbench-", suffix=".dat") as file:
            file.writelines(text)
            file.flush()
            return self.siconos.frictionContact_new_from_filename(file.name)

    def warm_up(self):
        """Two contacts solved off the clock, as the methods of ccpbench do it, so that the code is linked and in the caches."""
        np = self.numpy
        blocks = np.concatenate([np.identity(3).ravel(), np.identity(3).ravel()])
        problem = self.read(sbm_text(2, np.arange(3), np.arange(2), blocks, np.tile([-1.0, 0.1, 0.0], 2), np.full(2, 0.5)))
        options = self.options(1e-8)
        options.iparam[self.siconos.SICONOS_IPARAM_MAX_ITER] = min(self.max_iterations, 20)
        self.siconos.fc3d_driver(problem, np.zeros(6), np.zeros(6), options)

    def options(self, tolerance):
        sn = self.siconos
        options = sn.SolverOptions(getattr(sn, "SICONOS_FRICTION_3D_" + self.name))
        options.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
        options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = min(self.max_iterations, 2**31 - 1)
        if self.settings.get("local") == "projection":
            sn.solver_options_update_internal(options, 0,
                                              sn.SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration)
        if self.settings.get("formulation") == "jean_moreau":
            options.iparam[sn.SICONOS_FRICTION_3D_NSN_FORMULATION] = sn.SICONOS_FRICTION_3D_NSN_FORMULATION_JEANMOREAU_STD
        if self.settings.get("hybrid") == "true":
            options.iparam[sn.SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY] = (
                sn.SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN)
        return options

    def drive(self, options):
        self.reaction[:] = self.start
        self.velocity[:] = 0.0
        return self.siconos.fc3d_driver(self.read_in, self.reaction, self.velocity, options)

    def observed_run(self):
        """One run that shows each of its iterates, with the clock stopped while the program looks at it."""
        options = self.options(self.tolerance)
        size, shown, off = 8 * len(self.start), 0, 0.0

        def observe(_environment, _size, reaction, _velocity, error, _extra):
            nonlocal shown, off
            stopped = time.perf_counter()
            shown += 1
            send(ITERATE, shown, 0, stopped - began - off, error, ctypes.string_at(reaction, size))
            receive(1)
            off += time.perf_counter() - stopped

        keep = OBSERVE(observe)
        options.callback = len  # any callable: it makes Siconos allocate the structure
        Callback.from_address(int(options.callback.this)).observe = keep
        began = time.perf_counter()
        info = self.drive(options)
        seconds = time.perf_counter() - began - off
        send(END, self.iterations(options), info, seconds, self.error(options), self.reaction.tobytes())

    def run_from_start(self, tolerance):
        options = self.options(tolerance)
        info, seconds = self.timed(lambda: self.drive(options))
        return info, self.iterations(options), self.error(options), seconds, self.reaction

    def iterations(self, options):
        return int(options.iparam[self.siconos.SICONOS_IPARAM_ITER_DONE])

    def error(self, options):
        return float(options.dparam[self.siconos.SICONOS_DPARAM_RESIDU])

    def solve(self):
        if self.observable:
            self.observed_run()
        else:
            self.repeated_runs(self.run_from_start)


def siconos_version():
    import siconos
    import siconos.numerics  # noqa: F401  # its library, too, must load

    return f"siconos {siconos.version}"


main(SiconosService, siconos_version, sys.argv[1:])
