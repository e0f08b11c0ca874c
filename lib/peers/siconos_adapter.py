"""Runs one Siconos solver for ccpbench in a process of its own; built into the program, which starts it as

    python3 -c SCRIPT version             prints the version of Siconos
    python3 -c SCRIPT solve NAME OPTION…  serves one problem on the socket that is its standard input

What goes over the socket is described in siconos.cpp.
"""

import ctypes
import os
import struct
import sys
import tempfile
import time

SERVICE = 0  # the socket
REQUEST = struct.Struct("=qqqd")
FRAME = struct.Struct("=iiqqdd")
READY, ITERATE, END, FAILURE = 1, 2, 3, 4

# Solvers that show their iterates. The others are run from the start point again and again, at tightening tolerances.
OBSERVABLE = {"NSGS", "PROX", "TFP", "PFP", "ACLMFP", "DSFP", "HP", "SOCLCP", "NSN_AC", "NSN_FB", "NSN_NM"}

OBSERVE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_double,
                           ctypes.c_void_p)


class Callback(ctypes.Structure):
    """struct Callback of SolverOptions.h."""

    _fields_ = [("environment", ctypes.c_void_p), ("observe", OBSERVE)]


def receive(size):
    """`size` bytes from the program; ends the process when the program has closed its end."""
    data = bytearray()
    while len(data) < size:
        piece = os.read(SERVICE, min(size - len(data), 1 << 20))
        if not piece:
            os._exit(0)
        data += piece
    return bytes(data)


def send(kind, iterations=0, info=0, seconds=0.0, error=0.0, payload=b""):
    data = memoryview(FRAME.pack(kind, len(payload), iterations, info, seconds, error) + payload)
    try:
        while data:
            data = data[os.write(SERVICE, data):]
    except BrokenPipeError:
        os._exit(0)


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


def make_pages_resident():
    """Maps what the libraries of Siconos have on disk or in data, as ccpbench does for its own methods before it times them."""
    populate_read, populate_write = 22, 23
    libc = ctypes.CDLL(None)
    with open("/proc/self/maps", encoding="utf-8") as maps:
        mappings = [line.split(maxsplit=5) for line in maps]
    for where, rights, *_, file in (mapping for mapping in mappings if len(mapping) == 6):
        if any(part in file for part in ("siconos", "blas", "lapack", "mumps", "gfortran")) and rights[0] == "r":
            begin, end = (int(address, 16) for address in where.split("-"))
            libc.madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin),
                         populate_write if rights[1] == "w" else populate_read)


class Service:
    def __init__(self, name, settings):
        import numpy
        import siconos.numerics

        self.numpy, self.siconos, self.name, self.settings = numpy, siconos.numerics, name, settings

    def read_problem(self):
        np = self.numpy
        contacts, blocks, self.max_iterations, self.tolerance = REQUEST.unpack(receive(REQUEST.size))

        def array(kind, count):
            return np.frombuffer(receive(count * np.dtype(kind).itemsize), kind)

        row_start, column = array("i4", contacts + 1), array("i4", blocks)
        W, q, mu = array("f8", 9 * blocks), array("f8", 3 * contacts), array("f8", contacts)
        self.start = array("f8", 3 * contacts)
        self.reaction, self.velocity = self.start.copy(), np.zeros(3 * contacts)
        with tempfile.NamedTemporaryFile("w", prefix="ccpbench-", suffix=".dat") as file:
            file.writelines(sbm_text(contacts, row_start, column, W, q, mu))
            file.flush()
            self.problem = self.siconos.frictionContact_new_from_filename(file.name)
        # Siconos reads on where a file is wrong; this says so.
        if not (np.array_equal(np.ravel(self.problem.q), q) and np.array_equal(np.ravel(self.problem.mu), mu)):
            raise RuntimeError("Siconos did not read the problem as it was written")

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
        return self.siconos.fc3d_driver(self.problem, self.reaction, self.velocity, options)

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
        self.send_end(options, info, seconds)

    def repeated_runs(self):
        """Runs from the start point at 1e-1, 1e-2, …; each is an iterate whose time is that of its whole run."""
        tolerance, seconds = 1e-1, 0.0
        while True:
            tolerance = max(tolerance, self.tolerance)
            options = self.options(tolerance)
            began = time.perf_counter()
            info = self.drive(options)
            seconds = max(seconds, time.perf_counter() - began)
            if info != 0 or tolerance <= self.tolerance:
                return self.send_end(options, info, seconds)
            send(ITERATE, self.iterations(options), info, seconds, self.error(options), self.reaction.tobytes())
            receive(1)
            tolerance *= 0.1

    def send_end(self, options, info, seconds):
        send(END, self.iterations(options), info, seconds, self.error(options), self.reaction.tobytes())

    def iterations(self, options):
        return int(options.iparam[self.siconos.SICONOS_IPARAM_ITER_DONE])

    def error(self, options):
        return float(options.dparam[self.siconos.SICONOS_DPARAM_RESIDU])

    def serve(self):
        self.read_problem()
        make_pages_resident()
        observable = self.name in OBSERVABLE
        send(READY, info=0 if observable else 1)
        receive(1)
        if observable:
            self.observed_run()
        else:
            self.repeated_runs()


def main(arguments):
    if arguments[0] == "version":
        import siconos
        import siconos.numerics
        print("siconos", siconos.version)
        return
    try:
        Service(arguments[1], dict(word.split("=", 1) for word in arguments[2:])).serve()
    except Exception as error:  # whatever it is, the program is to hear of it
        text = " ".join(f"{type(error).__name__}: {error}".split())
        send(FAILURE, info=1 if isinstance(error, MemoryError) else 0, payload=text.encode()[:1000])
    sys.stderr.flush()
    os._exit(0)  # without the destructors of Siconos, which may fail


main(sys.argv[1:])
