"""What the adapters in Python and the solvers of users share: the service of one problem on the socket that is standard input, as
external/skeletons/ccpbench_solver.h describes it. Built into the program in front of each of them. An adapter is started as

    python3 -c SCRIPT version             prints the version of the other program
    python3 -c SCRIPT solve NAME OPTION…  serves one problem
"""

import ctypes
import mmap
import os
import struct
import sys
import time

SERVICE = 0  # the socket
RESIDENT_HEAP = 16 << 20  # bytes
MAGIC, BYTE_ORDER, PROTOCOL = b"ccpbench", 0x01020304, 1
GREETING, REQUEST = struct.Struct("=8siiii"), struct.Struct("=8sii11q")
FRAME = struct.Struct("=iiqqdd")
READY, ITERATE, END, FAILURE = 1, 2, 3, 4


def receive(size):
    """`size` bytes from the program; ends the process when the program has closed its end."""
    data = bytearray()
    while len(data) < size:
        piece = os.read(SERVICE, min(size - len(data), 1 << 20))
        if not piece:
            os._exit(0)
        data += piece
    return bytes(data)


def write(data):
    data = memoryview(data)
    try:
        while data:
            data = data[os.write(SERVICE, data):]
    except BrokenPipeError:
        os._exit(0)


def greet(description=b"{}"):
    os.dup2(2, 1)  # standard output belongs to the protocol
    write(GREETING.pack(MAGIC, BYTE_ORDER, PROTOCOL, len(description), 0) + description)


def send(kind, iterations=0, info=0, seconds=0.0, error=0.0, payload=b""):
    write(FRAME.pack(kind, len(payload), iterations, info, seconds, error) + payload)


class Sparse:
    """A matrix by rows, as scipy.sparse.csr_matrix((data, indices, indptr), shape) takes it."""

    def __init__(self, numpy, shape, entries):
        self.numpy, self.shape = numpy, shape
        self.indptr = numpy.frombuffer(receive(4 * (shape[0] + 1)), "i4")
        self.indices = numpy.frombuffer(receive(4 * entries), "i4")
        self.data = numpy.frombuffer(receive(8 * entries))

    def rows(self):
        """The row of each entry."""
        return self.numpy.repeat(self.numpy.arange(self.shape[0]), self.numpy.diff(self.indptr))

    def toarray(self):
        dense = self.numpy.zeros(self.shape)
        dense[self.rows(), self.indices] = self.data
        return dense

    def __matmul__(self, x):
        """The product with a vector."""
        return self.numpy.bincount(self.rows(), self.data * x[self.indices], self.shape[0])


class Problem:
    """What a solver is given. Arrays cannot be written to. An attribute is None where the solver did not ask for it or the problem does
    not have it."""

    KINDS = {1: "contact", 2: "contact2d", 3: "unilateral", 4: "bilateral", 6: "rolling", 8: "rolling2d"}

    def __init__(self, numpy):
        def array(kind, count):
            return numpy.frombuffer(receive(count * numpy.dtype(kind).itemsize), kind)

        (_, _, version, constraints, self.rows, self.dofs, n, h, d, c, settings, self.max_iterations, self.threads,
         model) = REQUEST.unpack(receive(REQUEST.size))
        if version != PROTOCOL:
            raise RuntimeError(f"this ccpbench speaks version {version} of the protocol")
        self.contacts, self.model = constraints, "ccp" if model == 1 else "ncp"
        self.kinds = [self.KINDS[kind] for kind in array("i4", constraints).tolist()]
        ends = numpy.cumsum(array("i4", constraints)).tolist()
        self.blocks = [slice(first, end) for first, end in zip([0, *ends], ends)]
        self.mu = array("f8", constraints)
        self.N = self.r = self.H = self.D = self.C = self.k = self.b = None
        if n >= 0:
            self.N, self.r = Sparse(numpy, (self.rows, self.rows), n), array("f8", self.rows)
        if self.dofs > 0:
            self.H, self.D = Sparse(numpy, (self.dofs, self.dofs), h), Sparse(numpy, (self.dofs, self.rows), d)
            self.C = Sparse(numpy, (self.rows, self.rows), c)
            self.k, self.b = array("f8", self.dofs), array("f8", self.rows)
        self.start, self.settings = array("f8", self.rows), array("f8", settings)


def make_pages_resident(libraries):
    """Maps what libraries with these words in their names have on disk or in data, and as much of the heap as ccpbench gives its
    own methods before it times them (core/resident_heap.hpp)."""
    populate_read, populate_write = 22, 23
    libc = ctypes.CDLL(None)
    with open("/proc/self/maps", encoding="utf-8") as maps:
        mappings = [line.split(maxsplit=5) for line in maps]
    for where, rights, *_, file in (mapping for mapping in mappings if len(mapping) == 6):
        if any(part in file for part in libraries) and rights[0] == "r":
            begin, end = (int(address, 16) for address in where.split("-"))
            libc.madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin),
                         populate_write if rights[1] == "w" else populate_read)
    libc.malloc.restype = ctypes.c_void_p
    page, limit, (threshold, trim) = mmap.PAGESIZE, ctypes.c_int(2 * RESIDENT_HEAP), (-3, -1)
    libc.mallopt(threshold, limit)  # so that this block, and others of a run, come from the heap
    libc.mallopt(trim, limit)
    if block := libc.malloc(ctypes.c_size_t(RESIDENT_HEAP)):
        begin, end = -(-block // page) * page, (block + RESIDENT_HEAP) // page * page
        libc.madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), populate_write)
        libc.free(ctypes.c_void_p(block))


class Service:
    """Reads the problem, then runs solve() between READY and the end. Derived classes set `libraries` (for make_pages_resident)
    and define prepare(), solve(), and observable, false where each iterate is a whole run from the start."""

    libraries, observable = (), True

    def __init__(self, name, settings):
        import numpy

        self.numpy, self.name, self.settings = numpy, name, settings

    def read_problem(self):
        self.problem = problem = Problem(self.numpy)
        self.contacts, self.max_iterations, self.mu, self.start = (problem.contacts, problem.max_iterations, problem.mu,
                                                                   problem.start)
        self.tolerance, self.velocities = float(problem.settings[0]), problem.dofs
        self.q = problem.b if self.velocities else problem.r

    def prepare(self):
        """Turns the problem into what the other program takes."""

    def timed(self, call):
        """(what `call` returns, how long it took)."""
        began = time.perf_counter()
        result = call()
        return result, time.perf_counter() - began

    def repeated_runs(self, run):
        """Runs anew at 1e-1, 1e-2, …; each is an iterate whose time is that of its whole run.

        run(tolerance) returns (info, iterations, error, seconds, reaction)."""
        tolerance, longest = 1e-1, 0.0
        while True:
            tolerance = max(tolerance, self.tolerance)
            info, iterations, error, seconds, reaction = run(tolerance)
            longest = max(longest, seconds)
            last = info != 0 or tolerance <= self.tolerance
            send(END if last else ITERATE, iterations, info, longest, error, reaction.tobytes())
            if last:
                return
            receive(1)
            tolerance *= 0.1

    def serve(self):
        greet()
        self.read_problem()
        self.prepare()
        make_pages_resident(self.libraries)
        send(READY, info=0 if self.observable else 1)
        receive(1)
        self.solve()


def reason_of(error):
    return " ".join(f"{type(error).__name__}: {error}".split())


def report_failure(error, place=""):
    text = place + reason_of(error)
    send(FAILURE, info=1 if isinstance(error, MemoryError) else 0, payload=text.encode()[:1000])


def main(service, version, arguments):
    if arguments[0] == "version":
        print(version())
        return
    try:
        service(arguments[1], dict(word.split("=", 1) for word in arguments[2:])).serve()
    except Exception as error:  # whatever it is, the program is to hear of it
        report_failure(error)
    sys.stderr.flush()
    os._exit(0)  # without the destructors of the libraries, which may fail
