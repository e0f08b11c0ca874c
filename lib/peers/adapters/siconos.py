"""Runs one solver of Siconos; follows service.py in the program that is started."""

import tempfile

# Names of constants after SICONOS_. Solvers that show their iterates; the others are run from the start point again and again, at
# tightening tolerances.
OBSERVABLE = {"FRICTION_3D_" + name for name in ("NSGS", "PROX", "TFP", "PFP", "ACLMFP", "DSFP", "HP", "SOCLCP", "NSN_AC", "NSN_FB",
                                                 "NSN_NM")}
# What reads a problem from a file and what solves it, by the beginning of the name.
FAMILIES = {"FRICTION_3D_": ("frictionContact_new_from_filename", "fc3d_driver"),
            "GLOBAL_FRICTION_3D_": ("globalFrictionContact_new_from_filename", "gfc3d_driver"),
            "ROLLING_FRICTION_3D_": ("rollingFrictionContact_new_from_filename", "rolling_fc3d_driver"),
            "ROLLING_FRICTION_2D_": ("rollingFrictionContact_new_from_filename", "rolling_fc2d_driver"),
            "GLOBAL_ROLLING_FRICTION_3D_": ("globalRollingFrictionContact_new_from_filename", "g_rolling_fc3d_driver")}
FEW = 100  # contacts whose problem is solved once before the run that is timed

OBSERVE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_double,
                           ctypes.c_void_p)


class Callback(ctypes.Structure):
    """struct Callback of SolverOptions.h."""

    _fields_ = [("environment", ctypes.c_void_p), ("observe", OBSERVE)]


def numbers(values):
    return " ".join(map(repr, values.tolist())) + "\n"


def block_text(np, N, size):
    """A square matrix with entries (row, column, value) in the storage of Siconos by blocks of `size` rows, 1."""
    row, column, value = N
    count = int(row.max()) // size + 1
    places, number = np.unique(row // size * count + column // size, return_inverse=True)
    blocks = np.zeros((len(places), size * size))  # by columns
    blocks[number, size * (column % size) + row % size] = value
    starts = np.searchsorted(places, np.arange(count + 1) * count)
    ends = " ".join(str(size * (i + 1)) for i in range(count)) + "\n"
    yield f"1\n{size * count} {size * count}\n{len(places)}\n{count} {count}\n{ends}{ends}{count + 1} {len(places)}\n"
    yield numbers(starts) + numbers(places % count)
    for k, block in enumerate(blocks):
        yield f"{k}\n" + numbers(block)


def triplet_text(matrix, shape):
    """The same in the storage by triplets, 2."""
    row, column, value = (values.tolist() for values in matrix)
    yield f"2\n{shape[0]}\n{shape[1]}\n1\nCSparse Version 3.2.0\n"
    yield f"triplet: {shape[0]}-by-{shape[1]}, nzmax: {len(row)} nnz: {len(row)}\n"
    for entry in zip(row, column, value):
        yield "%d %d : %r\n" % entry


class SiconosService(Service):
    libraries = ("siconos", "blas", "lapack", "mumps", "gfortran")

    def __init__(self, name, settings):
        super().__init__(name, settings)
        import siconos.numerics

        self.siconos, self.observable = siconos.numerics, name in OBSERVABLE
        self.reader, self.driver = next(pair for start, pair in FAMILIES.items() if name.startswith(start))
        self.is_global, self.rolling, self.planar = "GLOBAL" in name, "ROLLING" in name, "2D" in name

    def prepare(self):
        """A problem with moments is handed over as its file has it: moments in N·m·s, rates in rad/s."""
        np, problem = self.numpy, self.problem
        size = problem.rows // self.contacts
        coefficients = [self.mu]
        scale = np.ones((self.contacts, size))
        if self.rolling:
            mu_r, length = problem.settings[1:].reshape(2, self.contacts)
            coefficients.append(mu_r)
            scale[:, 2 if self.planar else 3:] = length[:, None]
        self.scale = scale = scale.ravel()
        self.warm_up(size)
        if self.is_global:
            H, D = ((matrix.rows(), matrix.indices, matrix.data) for matrix in (problem.H, problem.D))
            matrices = H, (D[0], D[1], D[2] / scale[D[1]])
            vectors = problem.k, problem.b / scale
        else:
            row, column = problem.N.rows(), problem.N.indices
            matrices = ((row, column, problem.N.data / (scale[row] * scale[column])),)
            vectors = (problem.r / scale,)
        self.inputs = size, matrices, vectors, coefficients
        self.read_in, self.arrays = self.read(*self.inputs)
        # Siconos reads on where a file is wrong; this says so.
        if not (np.array_equal(np.ravel(self.read_in.q), vectors[0]) and np.array_equal(np.ravel(self.read_in.mu), self.mu)):
            raise RuntimeError("Siconos did not read the problem as it was written")
        self.first = self.start * scale
        if self.contacts <= FEW:
            self.rehearse()

    def read(self, size, matrices, vectors, coefficients):
        """The problem, and what its driver takes beside it: impulses, velocities, in global form those of the bodies."""
        np, rows = self.numpy, size * len(coefficients[0])
        sizes = [rows, rows] + ([len(vectors[0])] if self.is_global else [])
        with tempfile.NamedTemporaryFile("w", prefix="ccpbench-", suffix=".dat") as file:
            file.write(f"{size}\n{len(coefficients[0])}\n")
            if self.is_global:
                file.writelines(triplet_text(matrices[0], (sizes[2], sizes[2])))
                file.writelines(triplet_text(matrices[1], (sizes[2], rows)))
            else:
                # Of blocks of five rows its Gauss–Seidel cannot take the diagonal, of triplets its ADMM fails.
                triplets = size == 5 and self.name.endswith("NSGS")
                file.writelines(triplet_text(matrices[0], (rows, rows)) if triplets else block_text(np, matrices[0], size))
            file.writelines(map(numbers, (*vectors, *coefficients)))
            file.flush()
            return getattr(self.siconos, self.reader)(file.name), [np.zeros(count) for count in sizes]

    def warm_up(self, size):
        """Two contacts, coupled and not, solved off the clock, so that the code is linked and in the caches, as it is for the
        methods of ccpbench."""
        np = self.numpy
        q = np.zeros((2, size))
        row, column = (index.ravel() for index in np.indices((2 * size, 2 * size)))
        for coupling, slip in (0.15, 0.7), (0.0, 0.1):
            q[:, :2] = -1.0, slip
            matrix = row, column, np.where(row == column, 1.0, coupling / (1.0 + abs(row - column)))
            problem, arrays = self.read(size, (matrix, matrix), (q.ravel(), np.zeros(2 * size))[:2 if self.is_global else 1],
                                        [np.full(2, 0.5)] * (2 if self.rolling else 1))
            options = self.options(1e-8)
            options.iparam[self.siconos.SICONOS_IPARAM_MAX_ITER] = min(self.max_iterations, 20)
            getattr(self.siconos, self.driver)(problem, *arrays, options)

    def rehearse(self):
        """Runs on the problem itself, off the clock: short runs of the methods of ccpbench are timed as the second of two, and
        those of Siconos that show no iterates as the last of many."""
        options = self.options(self.tolerance)
        options.iparam[self.siconos.SICONOS_IPARAM_MAX_ITER] = min(self.max_iterations, 20)
        self.drive(options)
        if self.is_global:  # its solvers leave the matrices changed
            self.read_in, self.arrays = self.read(*self.inputs)

    def options(self, tolerance):
        sn = self.siconos
        options = sn.SolverOptions(getattr(sn, "SICONOS_" + self.name))
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
        for array in self.arrays:
            array[:] = 0.0
        self.arrays[0][:] = self.first
        return getattr(self.siconos, self.driver)(self.read_in, *self.arrays, options)

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
        send(END, self.iterations(options), info, seconds, self.error(options), self.arrays[0].tobytes())

    def run_from_start(self, tolerance):
        options = self.options(tolerance)
        if self.is_global:  # its solvers leave the matrices changed
            self.read_in, self.arrays = self.read(*self.inputs)
        info, seconds = self.timed(lambda: self.drive(options))
        return info, self.iterations(options), self.error(options), seconds, self.arrays[0] / self.scale

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
